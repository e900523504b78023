#include "conformance/bench/paired.h"

#include <algorithm>
#include <ctime>
#include <limits>

namespace ropeproof::conformance::bench {
namespace {

// Runs that are not timed come first, until the caches hold what this candidate
// leaves there, not what the one before it does: a last-level cache forgets
// slowly, and after one run copies of a kernel, next in line, were up to 14 %
// ahead of it. Long runs need fewer.
constexpr double kMostWarmingNs = 20e6, kMostWarmingRuns = 4;

double read(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e9 * static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec);
}

}  // namespace

double wall_ns() { return read(CLOCK_MONOTONIC); }
double process_ns() { return read(CLOCK_PROCESS_CPUTIME_ID); }

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double PairedTimes::ns(std::size_t candidate) const {
  return median(of[candidate]);
}

double PairedTimes::ratio(const std::vector<std::size_t>& limits,
                          std::size_t candidate) const {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < of[candidate].size(); ++round) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t limit : limits) {
      least = std::min(least, of[limit][round]);
    }
    ratios.push_back(least / of[candidate][round]);
  }
  return median(ratios);
}

PairedTimes time_alternating(const std::vector<Candidate>& candidates,
                             const Schedule& schedule,
                             const std::function<void()>& before_visit,
                             const Clock& now_ns) {
  const auto time = [&](const Candidate& run, std::size_t runs) {
    double aside = 0;
    const double begin = now_ns();
    for (std::size_t i = 0; i < runs; ++i) aside += run();
    return now_ns() - begin - aside;
  };
  struct Visit {
    std::size_t warming_runs, runs;
  };
  std::vector<Visit> visits;
  double round_ns = 1;
  for (const Candidate& run : candidates) {
    before_visit();
    double ns = time(run, 1);
    Visit visit{static_cast<std::size_t>(
                    std::min(kMostWarmingRuns, kMostWarmingNs / ns)),
                1};
    for (; visit.warming_runs > 0; visit.runs *= 2) {
      before_visit();
      ns = time(run, visit.runs);
      if (ns >= schedule.visit_ns || 2 * visit.runs > schedule.most_runs) break;
    }
    round_ns += ns;
    visits.push_back(visit);
  }
  const std::size_t n = candidates.size(),
                    rounds = std::clamp(
                        static_cast<std::size_t>(schedule.total_ns / round_ns),
                        schedule.fewest_rounds, schedule.most_rounds);
  PairedTimes times{{n, std::vector<double>(rounds)}};
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = (round + k) % n;
      before_visit();
      time(candidates[i], visits[i].warming_runs);
      times.of[i][round] = time(candidates[i], visits[i].runs) /
                           static_cast<double>(visits[i].runs);
    }
  }
  return times;
}

}  // namespace ropeproof::conformance::bench
