// Reads one group of vectors, or the encodings: node reader.mjs VECTORS_DIR/GROUP.json
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const path = process.argv[2];
const group = JSON.parse(readFileSync(path, "utf8"));
const side = group.payload ? readFileSync(join(dirname(path), group.payload.file)) : null;

// The elements of an expected tensor, each a view of 8 bytes, most significant
// byte first: from rows of hex, or from [offset, bytes] of the side file.
function elements(tensor) {
  const isRange = typeof tensor[0] === "number";
  const bytes = isRange
    ? Buffer.from(side.subarray(tensor[0], tensor[0] + tensor[1])).swap64()
    : Buffer.from(tensor.join(""), "hex");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 8 }, (_, i) => new DataView(view.buffer, view.byteOffset + 8 * i, 8));
}

for (const { id, expected } of group.cases) {
  const names = expected.q ? ["inv_freq_hi", "inv_freq_lo", "q", "k"] : ["values"];
  const all = names.flatMap((name) => elements(expected[name]));
  let checksum = 0;
  for (const element of all) {
    for (const word of [element.getUint32(0), element.getUint32(4)]) {
      checksum = ((checksum << 5) | (checksum >>> 27)) ^ word;
    }
  }
  const positive = all.filter((element) => element.getFloat64(0) > 0).length;
  console.log(id, all.length, positive, (checksum >>> 0).toString(16).padStart(8, "0"));
}
