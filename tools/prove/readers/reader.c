/* Reads the text vectors: reader < VECTORS_DIR/smoke.txt. C89, with -lm. */
#include <math.h>
#include <stdio.h>

static unsigned long checksum;
static long values, positive;

/* The number whose binary64 pattern has these upper and lower 32 bits. */
static double number(unsigned long high, unsigned long low) {
  const int exponent = (int)(high >> 20 & 0x7ff);
  double x = ldexp((double)(high & 0xfffff), 32) + (double)low;
  x = exponent ? ldexp(x + ldexp(1.0, 52), exponent - 1075) : ldexp(x, -1074);
  return high >> 31 ? -x : x;
}

/* A list is its length, then its words. Expected values are binary64. */
static void read_list(int is_expected) {
  unsigned long word[2];
  long left = 0, i;
  for (scanf("%ld", &left); left > 0; --left) {
    if (!is_expected) scanf("%*s");
    if (!is_expected || scanf("%8lx%8lx", &word[0], &word[1]) != 2) continue;
    for (i = 0; i < 2; ++i) {
      checksum = ((checksum << 5 | checksum >> 27) & 0xffffffff) ^ word[i];
    }
    ++values;
    positive += number(word[0], word[1]) > 0;
  }
}

int main(void) {
  char id[64];
  int i;
  for (; scanf("%63s", id) == 1; scanf("%*[^\n]")) {
    if (id[0] == '#') continue;
    for (i = 0; i < 12; ++i) scanf("%*s"); /* dtype .. amplitude */
    checksum = 0, values = positive = 0;
    for (i = 0; i < 7; ++i) read_list(i == 1 || i == 2 || i >= 5);
    printf("%s %ld %ld %08lx\n", id, values, positive, checksum);
  }
  return 0;
}
