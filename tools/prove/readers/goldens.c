/* goldens.c -- reads goldens.txt and goldens.safetensors: the lines
 * "tensor ID NAME DTYPE COUNT OFFSET". Prints ID/NAME, COUNT and a checksum of
 * the bytes of each tensor: sum = sum * 31 + byte, in 32 bits.
 *
 *     cc -std=c89 goldens.c -o goldens && ./goldens DIR
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE* open_in(const char* folder, const char* name) {
  char path[4096];
  FILE* file;
  sprintf(path, "%.2000s/%s", folder, name);
  file = fopen(path, "rb");
  if (file == NULL) exit(2);
  return file;
}

int main(int argc, char** argv) {
  static char line[65536], id[256], name[64], dtype[8];
  FILE *text = open_in(argv[argc - 1], "goldens.txt");
  FILE *data = open_in(argv[argc - 1], "goldens.safetensors");
  long count, offset, i, width;
  while (fgets(line, sizeof line, text) != NULL) {
    unsigned long sum = 0;
    if (sscanf(line, "tensor %255s %63s %7s %ld %ld", id, name, dtype, &count,
               &offset) != 5)
      continue;
    width = strstr(dtype, "64") ? 8 : strstr(dtype, "32") ? 4 : 2;
    fseek(data, offset, SEEK_SET);
    for (i = 0; i < count * width; i++)
      sum = (sum * 31 + (unsigned long)getc(data)) & 0xffffffffUL;
    printf("%s/%s %ld %08lx\n", id, name, count, sum);
  }
  return 0;
}
