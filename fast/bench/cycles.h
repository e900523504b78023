// cycles.h -- the processor's own count of cycles, where one may read it.
#ifndef ROPEPROOF_FAST_BENCH_CYCLES_H_
#define ROPEPROOF_FAST_BENCH_CYCLES_H_

namespace ropeproof::fast::bench {

// What the calling thread spends outside the kernel of the system. Virtual machines
// often have no such counter, and other systems than Linux have another one.
class Cycles {
 public:
  Cycles();
  ~Cycles();
  Cycles(const Cycles&) = delete;
  Cycles& operator=(const Cycles&) = delete;

  bool are_counted() const { return file_ >= 0; }
  double now() const;  // 0 unless they are counted

 private:
  int file_ = -1;
};

}  // namespace ropeproof::fast::bench

#endif  // ROPEPROOF_FAST_BENCH_CYCLES_H_
