// paired.h -- timings that survive a busy machine: candidates take turns, and
// only ratios within one turn count.
#ifndef ROPEPROOF_FAST_BENCH_PAIRED_H_
#define ROPEPROOF_FAST_BENCH_PAIRED_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ropeproof::fast::bench {

// Memory on huge pages, every byte of it touched.
class Memory {
 public:
  explicit Memory(std::size_t bytes);
  void* data() const { return data_.get(); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data());
  }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(void* data) const;
  };
  std::unique_ptr<void, Unmap> data_;
};

struct Candidate {
  std::string name;
  std::function<void()> run;  // all of the work once
  // What `run` refers to, if it does not hold it itself: a call has less to look up.
  std::shared_ptr<const void> data = nullptr;
};

struct Timing {
  std::string name;
  double ns;      // median of one run
  double ratio;   // median over the rounds of (least limit time / this time)
  double cycles;  // median of one run on its thread; 0 if nothing counts them
};

// The time that the calling thread ran, or that passed.
enum class Clock { kThread, kWall };

// Runs every candidate once per round, each round beginning with another one.
// The first `limits` of them are the limits.
std::vector<Timing> time_in_turns(const std::vector<Candidate>& candidates,
                                  std::size_t limits, Clock clock);

}  // namespace ropeproof::fast::bench

#endif  // ROPEPROOF_FAST_BENCH_PAIRED_H_
