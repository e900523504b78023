#include "fast/bench/paired.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "fast/bench/cycles.h"

namespace ropeproof::fast::bench {
namespace {

constexpr std::size_t kHugePage = 2 << 20;
constexpr double kVisitNs = 60e3;  // at least, per visit of a candidate
constexpr double kRowNs = 250e6;   // about, for all rounds of a row
constexpr std::size_t kFewest = 11, kMost = 151;

double now_ns(Clock clock) {
  timespec now;
  clock_gettime(
      clock == Clock::kThread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC,
      &now);
  return 1e9 * static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Memory::Memory(std::size_t bytes) {
  const std::size_t rounded = (bytes / kHugePage + 2) * kHugePage;
  void* data = mmap(nullptr, rounded, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  madvise(data, rounded, MADV_HUGEPAGE);
  std::memset(data, 0, rounded);
  data_ = {data, Unmap{rounded}};
}

void Memory::Unmap::operator()(void* data) const { munmap(data, bytes); }

std::vector<Timing> time_in_turns(const std::vector<Candidate>& candidates,
                                  std::size_t limits, Clock clock) {
  const std::size_t n = candidates.size();
  std::vector<std::size_t> runs(n);
  double round_ns = 0;
  for (std::size_t i = 0; i < n; ++i) {
    candidates[i].run();  // warm
    std::size_t count = 1;
    for (double ns = 0;; count *= 2) {
      const double begin = now_ns(clock);
      for (std::size_t k = 0; k < count; ++k) candidates[i].run();
      ns = now_ns(clock) - begin;
      if (ns >= kVisitNs) {
        round_ns += ns;
        break;
      }
    }
    runs[i] = count;
  }
  const std::size_t rounds =
      std::clamp(static_cast<std::size_t>(kRowNs / round_ns), kFewest, kMost);

  const Cycles cycles;
  std::vector<std::vector<double>> ns(n, std::vector<double>(rounds));
  std::vector<std::vector<double>> spent = ns;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t turn = 0; turn < n; ++turn) {
      const std::size_t i = (round + turn) % n;
      candidates[i].run();  // brings its data back from the last candidate's
      const double first = cycles.now(), begin = now_ns(clock);
      for (std::size_t k = 0; k < runs[i]; ++k) candidates[i].run();
      const auto count = static_cast<double>(runs[i]);
      ns[i][round] = (now_ns(clock) - begin) / count;
      spent[i][round] = (cycles.now() - first) / count;
    }
  }

  std::vector<Timing> timings;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> ratios(rounds);
    for (std::size_t round = 0; round < rounds; ++round) {
      double least = ns[0][round];
      for (std::size_t k = 1; k < limits; ++k) {
        least = std::min(least, ns[k][round]);
      }
      ratios[round] = least / ns[i][round];
    }
    timings.push_back(
        {candidates[i].name, median(ns[i]), median(ratios), median(spent[i])});
  }
  return timings;
}

}  // namespace ropeproof::fast::bench
