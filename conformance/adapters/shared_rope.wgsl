// shared_rope.wgsl -- a workgroup rotates four tokens by a table in its memory; for
// lavapipe_test.py, which asks for BUG 1, 2 and 3, too. Dense, half-split, f32.
struct Params { tokens: u32, heads: u32, half: u32, base: f32 }

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> positions: array<i32>;
@group(0) @binding(3) var<uniform> params: Params;

const TOKENS = 4u;
const THREADS = 32u;
const PAIRS = 256u;
var<workgroup> cosine: array<array<f32, PAIRS>, TOKENS>;
var<workgroup> sine: array<array<f32, PAIRS>, TOKENS>;

@compute @workgroup_size(THREADS, TOKENS)
fn main(@builtin(local_invocation_id) thread: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
#if BUG == 2
  let token = group.x * (TOKENS - 1) + thread.y;
#else
  let token = group.x * TOKENS + thread.y;
#endif
  let is_token = token < params.tokens;  // of the last group
  for (var j = thread.x; is_token && j < params.half; j += THREADS) {
    let phi = f32(positions[token]) * pow(params.base, -f32(j) / f32(params.half));
    // Not by the thread that needs it.
    cosine[thread.y][params.half - 1 - j] = cos(phi);
    sine[thread.y][params.half - 1 - j] = sin(phi);
#if BUG == 4
    sine[thread.y][params.half - 1 - j] += 0.00048828125;  // as far off as WGSL allows
#endif
  }
#if BUG != 1
  workgroupBarrier();
#endif
#if BUG == 3
  let heads = params.heads - 1;
#else
  let heads = params.heads;
#endif
  if (!is_token) { return; }
  for (var i = thread.x; i < heads * params.half; i += THREADS) {
    let j = i % params.half;
    let at = (token * params.heads + i / params.half) * 2 * params.half + j;
    let c = cosine[thread.y][params.half - 1 - j];
    let s = sine[thread.y][params.half - 1 - j];
    let u = x[at];
    let v = x[at + params.half];
    y[at] = u * c - v * s;
    y[at + params.half] = u * s + v * c;
  }
}
