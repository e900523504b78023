// rows.h -- the rows of the benchmark table, with their goals.
#ifndef ROPEPROOF_FAST_BENCH_ROWS_H_
#define ROPEPROOF_FAST_BENCH_ROWS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fast/bench/paired.h"

namespace ropeproof::fast::bench {

struct Row {
  std::string name;
  std::string limit;           // what ratios refer to
  double goal = 0, floor = 0;  // of the ratio
  std::int64_t tokens = 1;
  double bytes = 0;  // read once and written once, by one run

  // The candidates: limits first, then our kernel, then baselines. They own
  // their buffers.
  std::size_t limits = 1;
  Clock clock = Clock::kThread;
  std::function<std::vector<Candidate>()> make;
};

std::vector<Row> all_rows();

}  // namespace ropeproof::fast::bench

#endif  // ROPEPROOF_FAST_BENCH_ROWS_H_
