// suite.h -- the suite's own speed: exact values per second.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_SUITE_H_
#define ROPEPROOF_CONFORMANCE_BENCH_SUITE_H_

#include <functional>
#include <string>
#include <vector>

namespace ropeproof::conformance::bench {

// One source of exact cosines, sines or rotated numbers, on one thread.
struct SuiteRow {
  std::string name;           // "mpfi/table/1", "sweep/table/bf16"
  std::string what;           // is formed for each value
  double values = 0;          // of one run
  std::function<void()> run;  // at other positions each time
};

// Those of each oracle that is built in, and of reference/sweep/.
std::vector<SuiteRow> suite_rows();

// Values per second, in the median of five visits of at least a fifth of a second.
double values_per_second(const SuiteRow& row);

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_SUITE_H_
