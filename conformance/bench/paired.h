// paired.h -- timings that survive a busy machine: candidates alternate, and
// only ratios within one round count.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace ropeproof::conformance::bench {

struct Schedule {
  double visit_ns = 60e3;       // at least, of one candidate in one round ...
  std::size_t most_runs = 256;  // ... unless it takes more runs than these
  double total_ns = 200e6;      // about, for all rounds
  std::size_t fewest_rounds = 3, most_rounds = 101;
};

// Times of one run in ns, for every candidate and round.
struct PairedTimes {
  std::vector<std::vector<double>> of;

  // Median over the rounds.
  double ns(std::size_t candidate) const;
  // Median over the rounds of the least time of any of `limits` over the
  // candidate's: above 1, the candidate is faster than all of them.
  double ratio(const std::vector<std::size_t>& limits,
               std::size_t candidate) const;
};

// One run of a candidate: all of its work, once. Returns the ns of it that were
// no work, but changed and judged what it works on.
using Candidate = std::function<double()>;
using Clock = std::function<double()>;  // ns

// Visits every candidate once per round, A B C, B C A, C A B, ... A visit is
// `before_visit`, four runs that are not timed (fewer, or none, where they take
// long), and as many runs as the schedule asks for.
PairedTimes time_alternating(const std::vector<Candidate>& candidates,
                             const Schedule& schedule,
                             const std::function<void()>& before_visit,
                             const Clock& now_ns);

// The monotonic clock: work in threads and devices of a kernel counts.
double wall_ns();
// The time that this process has run: neighbours on its processor do not count.
double process_ns();

double median(std::vector<double> values);  // NaN of none

}  // namespace ropeproof::conformance::bench
