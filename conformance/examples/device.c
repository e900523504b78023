/* A device that cannot run ropeproof: C89, files and a loop. Run it in the
   folder that `ropeproof export` wrote. device_description.json says what it
   can do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char line[4096], name[32], path[64], operation[16], dtype[8], table[8],
      pairing[32], axis_map[16], sections[128], cache[16], buffers[2048];
  long direction, batch, seq, head_dim, rotary_dim, offset, q_heads, k_heads,
      axes, rows, distance, blocks;
  long permute_heads, permute_columns, in_bytes, out_bytes, row, j;
  char scaling[512];
  double base, amplitude;
  FILE* cases = fopen("cases.txt", "r");
  if (cases == NULL) return 1;
  while (fgets(line, sizeof line, cases) != NULL) {
    FILE* file;
    unsigned char* in;
    if (sscanf(line,
               "%31s %15s %7s %7s %31s %ld %ld %ld %ld %ld %ld %ld %ld %ld "
               "%15s %127s %15s %ld %ld %ld %lf %lf %ld %ld %511s %ld %ld "
               "%2047s",
               name, operation, dtype, table, pairing, &direction, &batch, &seq,
               &head_dim, &rotary_dim, &offset, &q_heads, &k_heads, &axes,
               axis_map, sections, cache, &rows, &distance, &blocks, &base,
               &amplitude, &permute_heads, &permute_columns, scaling, &in_bytes,
               &out_bytes, buffers) != 28)
      return 1;
    if (strcmp(operation, "rope") != 0 || strcmp(dtype, "f32") != 0 ||
        strcmp(pairing, "half_split") != 0)
      continue;
    if (direction != 1 || axes != 1 || offset != 0 || distance != 0 ||
        amplitude != 1)
      continue;
    if (strstr(buffers, "real_positions") != NULL ||
        strstr(buffers, "pair_amplitude") != NULL)
      continue;

    /* q, k, positions, inv_freq, ... */
    in = (unsigned char*)malloc((size_t)in_bytes);
    sprintf(path, "in/%s.bin", name);
    file = fopen(path, "rb");
    if (file == NULL ||
        fread(in, 1, (size_t)in_bytes, file) != (size_t)in_bytes)
      return 1;
    fclose(file);
    for (row = 0; row < batch * seq * (q_heads + k_heads); ++row) {
      const long token = row < batch * seq * q_heads
                             ? row / q_heads
                             : (row - batch * seq * q_heads) / k_heads;
      float* x = (float*)in + row * head_dim; /* rotated in place */
      const unsigned char* at = in + out_bytes + 8 * token;
      double position = 0;
      for (j = 8; j-- > 0;) position = position * 256 + at[j];
      for (j = 0; j < rotary_dim / 2; ++j) {
        double theta;
        float phi, c, s, u, v;
        memcpy(&theta, in + out_bytes + 8 * (batch * seq + j), sizeof theta);
        phi = (float)position * (float)theta;
        c = (float)cos(phi), s = (float)sin(phi);
        u = x[j], v = x[j + rotary_dim / 2];
        x[j] = u * c - v * s;
        x[j + rotary_dim / 2] = u * s + v * c;
      }
    }
    sprintf(path, "out/%s.bin", name);
    file = fopen(path, "wb");
    if (file == NULL ||
        fwrite(in, 1, (size_t)out_bytes, file) != (size_t)out_bytes)
      return 1;
    fclose(file);
    free(in);
  }
  fclose(cases);
  return 0;
}
