// measure.h -- kernels beside each other and beside the machine's limits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/bench/paired.h"
#include "conformance/bench/rows.h"
#include "conformance/plugin/timed_library.h"

namespace ropeproof::conformance::bench {

// A kernel in this process: what ropeproof_run answers, without a supervisor in
// between, whose messages would take longer than a decode step.
struct TimedKernel {
  plugin::Description description;
  std::function<std::int32_t(const ropeproof_problem&)> run;
  bool shares_memory = true;  // as Kernel's
  // The kernel has a process of its own and is not trusted: `run` calls that.
  // It works on memory of its own, something of it is changed before each call
  // and judged after it, and what its other threads take counts.
  std::shared_ptr<plugin::TimedLibrary> apart = nullptr;
};

// The speed of one candidate in one row. Ratios are the time of another one
// over this one's, in the same rounds: above 1, this one is faster.
struct Figures {
  double ns_per_token = 0, gb_per_s = 0, of_limit = 0, of_plain = 0;
  // The first kernel, where it is measured; itself, in rows of several threads.
  std::optional<double> of_first = {}, of_one_thread = {};
};

struct LimitSpeed {
  std::string name;  // "touch", "touch ahead", ...; "plain" last
  Figures figures = {};
};

struct KernelSpeed {
  enum class Status {
    kMeasured,
    kUnsupported,  // not declared
    kWrong,        // refused, or a result beyond its bound: not measured
  } status = Status::kMeasured;
  std::string reason = {};  // unless measured: what is missing or wrong
  bool is_in_place = true;
  double worst = 0;  // error over bound, the largest at the tokens judged
  Figures figures = {};
  // Per token, and part of the figures: what other threads of a kernel that is
  // apart took, the largest of the repetitions.
  double others_ns = 0;
};

struct RowSpeed {
  Row row;
  std::vector<LimitSpeed> limits = {};
  std::string limit = {};  // the fastest of those that ratios refer to
  double limit_ns = 0;     // its time, per token
  std::vector<KernelSpeed> kernels = {};  // in the order given
};

struct Options {
  int repetitions = 3;
  Schedule schedule = {};
  Clock now_ns = wall_ns;  // of rows with one thread
  // Times the limit that nobody reaches honestly.
  double too_fast = 8;
};

// Times all kernels that offer the row, the limits and plain C++ alternately,
// on the same memory; figures are medians over the repetitions of medians over
// the rounds. Then each kernel solves the row once more, and has no figures
// unless all that is judged of it is within its declared bound.
//
// Several threads are OpenMP's, for limits and kernels alike; plain C++ stays
// on one, and the limit is that of as many threads or of one. A kernel whose
// process ends or hangs is kWrong. Throws what Workload does.
RowSpeed measure(const Row& row, std::span<const TimedKernel> kernels,
                 const Options& options);

}  // namespace ropeproof::conformance::bench
