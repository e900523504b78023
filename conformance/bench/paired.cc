#include "conformance/bench/paired.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

namespace ropeproof::conformance::bench {
namespace {

// Runs that are not timed come first, until the caches hold what this candidate
// leaves there, not what the one before it does: a last-level cache forgets
// slowly, and after one run copies of a kernel, next in line, were up to 14 %
// ahead of it. Long runs need fewer.
constexpr double kMostWarmingNs = 20e6, kMostWarmingRuns = 4;

// One candidate, and how it is visited.
struct Visitor {
  const Candidate& run;
  std::size_t warming_runs = 0, runs = 1;
  double visit_ns = 0;  // as first seen
};

Visitor calibrated(const Candidate& run, const Schedule& schedule,
                   const std::function<void()>& before_visit,
                   const std::function<double()>& now_ns) {
  Visitor visitor{run};
  before_visit();
  double begin = now_ns();
  run();
  visitor.visit_ns = now_ns() - begin;
  visitor.warming_runs = static_cast<std::size_t>(
      std::min(kMostWarmingRuns, kMostWarmingNs / visitor.visit_ns));
  if (visitor.warming_runs == 0) return visitor;
  for (;; visitor.runs *= 2) {
    before_visit();
    begin = now_ns();
    for (std::size_t i = 0; i < visitor.runs; ++i) run();
    visitor.visit_ns = now_ns() - begin;
    if (visitor.visit_ns >= schedule.visit_ns ||
        2 * visitor.runs > schedule.most_runs) {
      return visitor;
    }
  }
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : (values[middle - 1] + values[middle]) / 2;
}

double wall_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

double process_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec);
}

double PairedTimes::ns(std::size_t candidate) const {
  return median(ns_[candidate]);
}

double PairedTimes::ratio(const std::vector<std::size_t>& limits,
                          std::size_t candidate) const {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < rounds(); ++round) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t limit : limits) {
      least = std::min(least, ns_[limit][round]);
    }
    ratios.push_back(least / ns_[candidate][round]);
  }
  return median(ratios);
}

PairedTimes time_alternating(const std::vector<Candidate>& candidates,
                             const Schedule& schedule,
                             const std::function<void()>& before_visit,
                             const std::function<double()>& now_ns) {
  std::vector<Visitor> visitors;
  double round_ns = 1;
  for (const Candidate& run : candidates) {
    visitors.push_back(calibrated(run, schedule, before_visit, now_ns));
    round_ns += visitors.back().visit_ns;
  }
  const std::size_t rounds =
      std::clamp(static_cast<std::size_t>(schedule.total_ns / round_ns),
                 schedule.fewest_rounds, schedule.most_rounds);
  const std::size_t n = candidates.size();
  std::vector<std::vector<double>> ns(n, std::vector<double>(rounds));
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t visit = 0; visit < n; ++visit) {
      const std::size_t i = (round + visit) % n;
      const Visitor& visitor = visitors[i];
      before_visit();
      for (std::size_t k = 0; k < visitor.warming_runs; ++k) visitor.run();
      const double begin = now_ns();
      for (std::size_t k = 0; k < visitor.runs; ++k) visitor.run();
      ns[i][round] = (now_ns() - begin) / static_cast<double>(visitor.runs);
    }
  }
  return PairedTimes(std::move(ns));
}

}  // namespace ropeproof::conformance::bench
