// words-inl.h -- two bf16 numbers in a word: neither needs a shuffle. Included
// by loops.cc as loops-inl.h is, before what loads and stores them.

struct Words {
  F even, odd;
};
LOOP Words operator-(Words x) { return {-x.even, -x.odd}; }
LOOP Words operator*(Words x, F by) { return {x.even * by, x.odd * by}; }
LOOP Words operator*(Words x, Words by) {
  return {x.even * by.even, x.odd * by.odd};
}
LOOP Words fma(Words a, F b, Words c) {
  return {fma(a.even, b, c.even), fma(a.odd, b, c.odd)};
}
LOOP Words fma(Words a, Words b, Words c) {
  return {fma(a.even, b.even, c.even), fma(a.odd, b.odd, c.odd)};
}
