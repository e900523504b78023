// measure.h -- kernels beside each other and beside the machine's limits.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_MEASURE_H_
#define ROPEPROOF_CONFORMANCE_BENCH_MEASURE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/bench/paired.h"
#include "conformance/bench/rows.h"

namespace ropeproof::conformance::bench {

// A kernel in this process: what ropeproof_run answers, without a supervisor in
// between, whose messages would take longer than a decode step.
struct SpeedKernel {
  plugin::Description description;
  std::function<std::int32_t(const ropeproof_problem&)> run;
  bool shares_memory = true;  // as Kernel's
};

// Of one kernel in one row.
struct KernelSpeed {
  enum class Status {
    kMeasured,
    kUnsupported,  // not declared
    kWrong,        // refused, or a result beyond its bound: not measured
  } status = Status::kMeasured;
  std::string reason;  // unless measured: what is missing or wrong
  bool is_in_place = true;
  double ns_per_token = 0, gb_per_s = 0;
  // A limit's time, or another kernel's, over this one's.
  double of_touch = 0, of_memcpy = 0, of_plain = 0;
  std::optional<double> of_first;  // where the first kernel is measured
  double worst = 0;  // error over bound, the largest at the tokens judged
};

struct RowSpeed {
  SpeedRow row;
  double touch_ns = 0, memcpy_ns = 0, plain_ns = 0;  // per token
  std::vector<KernelSpeed> kernels = {};             // in the order given

  bool is_measured() const;  // some kernel is
};

struct SpeedOptions {
  int repetitions = 3;
  Turns turns = {};
  std::function<double()> now_ns = wall_ns;
};

// Times all kernels that offer the row, the limits and plain C++ in turns, on
// the same memory; figures are medians over the repetitions of medians over the
// rounds. Then each kernel solves the row once more, and has no figures unless
// all that is judged of it is within its declared bound. "touch" is the better
// of two ways, for a table the best of two ways to write it. Throws what
// Workload does.
RowSpeed measure(const SpeedRow& row, std::span<const SpeedKernel> kernels,
                 const SpeedOptions& options);

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_MEASURE_H_
