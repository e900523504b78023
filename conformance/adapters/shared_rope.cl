// shared_rope.cl -- a group rotates four tokens by a table in its memory; for
// pocl_test.py, which compiles it with BUG 1 to 4, too. Dense, half-split, f32.
#ifndef BUG
#define BUG 0
#endif
enum { TOKENS = 4, THREADS = 32, PAIRS = 256 };

kernel void rope_f32(global const float* x, global float* y, global const int* positions,
                     int tokens, int heads, int pairs, float base) {
  local float cosine[TOKENS][PAIRS], sine[TOKENS][PAIRS];
  const int t = get_local_id(1);
  const int token = get_group_id(0) * (BUG == 2 ? TOKENS - 1 : TOKENS) + t;
  const bool is_token = BUG == 3 || token < tokens;  // of the last group
  for (int j = get_local_id(0); is_token && j < pairs; j += THREADS) {
    const float phi = positions[token] * pow(base, -(float)j / pairs);
    // Not by the work-item that needs it.
    cosine[t][pairs - 1 - j] = BUG == 4 ? native_cos(phi) : cos(phi);
    sine[t][pairs - 1 - j] = BUG == 4 ? native_sin(phi) : sin(phi);
  }
#if BUG != 1
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  if (!is_token) return;
  for (int i = get_local_id(0); i < heads * pairs; i += THREADS) {
    const int j = i % pairs;
    const int at = (token * heads + i / pairs) * 2 * pairs + j;
    const float c = cosine[t][pairs - 1 - j], s = sine[t][pairs - 1 - j];
    const float u = x[at], v = x[at + pairs];
    y[at] = u * c - v * s;
    y[at + pairs] = u * s + v * c;
  }
}
