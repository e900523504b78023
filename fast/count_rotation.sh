#!/usr/bin/env bash
# count_rotation.sh -- what bounds the rotation of f32 pairs on cores that are not at
# hand: per 64 pairs of a head, instructions, and the cycles that llvm-mca finds the
# core's units busy. Two loops: cosines and sines in registers ("token"), or loaded
# for each head ("stream"). fast/SPEED.md quotes it. Needs clang and llvm-mca.
set -euo pipefail
clang=${CLANG:-clang-14} mca=${LLVM_MCA:-llvm-mca-14}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat > "$folder/loops.c" <<'C'
typedef float V __attribute__((vector_size(BYTES), aligned(4)));
#define AT(p) (*(V*)(p))
#ifdef INTERLEAVED  /* [a, a, c, c], [b, b, d, d] */
#if BYTES == 64
#define DUP(x, k) __builtin_shufflevector(x, x, k, k, 2+k, 2+k, 4+k, 4+k, 6+k, 6+k, \
    8+k, 8+k, 10+k, 10+k, 12+k, 12+k, 14+k, 14+k)
#elif BYTES == 32
#define DUP(x, k) __builtin_shufflevector(x, x, k, k, 2+k, 2+k, 4+k, 4+k, 6+k, 6+k)
#else
#define DUP(x, k) __builtin_shufflevector(x, x, k, k, 2+k, 2+k)
#endif
#define ROTATE(j) V u = AT(x + j), v = AT(y + j); AT(out + j) = DUP(u, 0) * c + DUP(v, 1) * s;
#else
#define ROTATE(j) V u = AT(x + j), v = AT(y + j); AT(out + j) = u * c - v * s; AT(out + 512 + j) = u * s + v * c;
#endif
void token(const float* x, const float* y, float* out, const float* cs, long heads) {
  V c = AT(cs), s = AT(cs + 512);
  for (; heads > 0; --heads, x += 128, y += 128, out += 128) {
    __asm__ volatile(MARK " LLVM-MCA-BEGIN token" ::: "memory");
    ROTATE(0)
    __asm__ volatile(MARK " LLVM-MCA-END" ::: "memory");
  }
}
#if defined(INTERLEAVED) && defined(__AVX2__)  /* two vectors, taken apart in each 16 bytes */
#if BYTES == 64
#define APART(x, y, k) __builtin_shufflevector(x, y, k, 2+k, 16+k, 18+k, 4+k, 6+k, 20+k, 22+k, \
    8+k, 10+k, 24+k, 26+k, 12+k, 14+k, 28+k, 30+k)
#define TOGETHER(x, y, k) __builtin_shufflevector(x, y, k, 16+k, 1+k, 17+k, 4+k, 20+k, 5+k, 21+k, \
    8+k, 24+k, 9+k, 25+k, 12+k, 28+k, 13+k, 29+k)
#elif BYTES == 32
#define APART(x, y, k) __builtin_shufflevector(x, y, k, 2+k, 8+k, 10+k, 4+k, 6+k, 12+k, 14+k)
#define TOGETHER(x, y, k) __builtin_shufflevector(x, y, k, 8+k, 1+k, 9+k, 4+k, 12+k, 5+k, 13+k)
#endif
#undef ROTATE
#define ROTATE(j) V a = AT(x + j), b = AT(x + j + BYTES / 4), u = APART(a, b, 0), v = APART(a, b, 1); \
  V p = u * c - v * s, q = u * s + v * c; \
  AT(out + j) = TOGETHER(p, q, 0); AT(out + j + BYTES / 4) = TOGETHER(p, q, 2);
#endif
void stream(const float* x, const float* y, float* out, const float* cs, long n) {
  for (long j = 0; j < n; ++j) {
    __asm__ volatile(MARK " LLVM-MCA-BEGIN stream" ::: "memory");
    V c = AT(cs + j), s = AT(cs + 512 + j);
    ROTATE(j)
    __asm__ volatile(MARK " LLVM-MCA-END" ::: "memory");
  }
}
C
row() {  # name, bytes, target flags, core
  local pairing repeat loop
  for pairing in half_split interleaved; do
    # Rotations of a head: a vector of pairs of half_split, half of one interleaved.
    repeat=$((256 / $2)); local define=
    if [ $pairing = interleaved ]; then repeat=$((512 / $2)) define=-DINTERLEAVED; fi
    $clang -O2 -ffp-contract=fast -DBYTES="$2" $define $3 -S -o "$folder/loops.s" "$folder/loops.c" 2> "$folder/log" ||
      { cat "$folder/log"; exit 1; }
    for loop in token stream; do
      # Streams of AVX2 and AVX-512 take two interleaved vectors.
      local each=$repeat
      if [ $pairing$loop = interleavedstream ] && [[ $1 == *AVX* ]]; then each=$((repeat / 2)); fi
      awk "/BEGIN $loop/ { on = 1; next } /MCA-END/ { on = 0 } on && !/APP/" "$folder/loops.s" |
        $mca $4 -iterations=100 2>> "$folder/log" |
        awk -v n=$each -v name="$1 $pairing $loop" '
          /^Instructions:/ { count = $2 / 100 }
          /^Block RThroughput:/ { printf "%-42s %4d instructions %6.1f cycles\n", name, count * n, $3 * n }'
    done
  done
}
x86() { row "$1 $3" "$2" "-DMARK=\"#\" -march=$1 -mprefer-vector-width=512" "-mtriple=x86_64 -mcpu=$1"; }
arm() { row "$1 $3" "$2" "-DMARK=\"//\" --target=aarch64-linux-gnu -mcpu=$1 $4" "-mtriple=aarch64 -mcpu=$1"; }
x86 nehalem 16 SSE4
x86 znver3 32 AVX2
x86 haswell 32 AVX2
x86 skylake-avx512 64 AVX-512
x86 icelake-server 64 AVX-512
arm cortex-a76 16 NEON ""
arm neoverse-n1 16 NEON ""
arm a64fx 64 SVE-512 -msve-vector-bits=512
