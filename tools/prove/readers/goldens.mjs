// goldens.mjs -- reads goldens.txt and goldens.safetensors, as goldens.c.
//
//     node goldens.mjs DIR
import {readFileSync} from 'node:fs';

const folder = process.argv[2];
const data = readFileSync(`${folder}/goldens.safetensors`);
const width = {F64: 8, I64: 8, F32: 4, I32: 4, F16: 2, BF16: 2};

for (const line of readFileSync(`${folder}/goldens.txt`, 'utf8').split('\n')) {
  const [kind, id, name, dtype, count, offset] = line.split(' ');
  if (kind !== 'tensor') continue;
  const bytes = data.subarray(+offset, +offset + count * width[dtype]);
  // new Float64Array(bytes.buffer.slice(...)) has the numbers.
  let sum = 0;
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) >>> 0;
  console.log(`${id}/${name} ${count} ${sum.toString(16).padStart(8, '0')}`);
}
