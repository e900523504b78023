#include "conformance/report/difference.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "conformance/report/failure_text.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::report {
namespace {

enum class State { kNotJudged, kPasses, kFails, kIsWaived };

State state_of(const check::Check* check) {
  if (check == nullptr || !check::is_judged(check->verdict)) {
    return State::kNotJudged;
  }
  if (check->passes()) return State::kPasses;
  return check->verdict == check::Verdict::kXfail ? State::kIsWaived
                                                  : State::kFails;
}

Fate fate_of(State before, State after, bool is_asked) {
  if (after == State::kNotJudged) {
    // The selection decides what is asked, the kernel what it offers.
    return before == State::kPasses && is_asked ? Fate::kGivenUp : Fate::kGone;
  }
  if (before == State::kNotJudged) return Fate::kNew;
  const bool passed = before == State::kPasses;
  if (after == State::kPasses) {
    return passed ? Fate::kStillPasses : Fate::kFixed;
  }
  if (!passed) return Fate::kStillFails;
  return after == State::kIsWaived ? Fate::kWaived : Fate::kBroken;
}

// A check by what it asks; of several that ask the same, by their number.
using Key = std::tuple<std::string, std::uint32_t, check::Aspect, int>;

std::vector<std::pair<Key, const check::Check*>> keyed(const Report& report) {
  std::vector<std::pair<Key, const check::Check*>> all;
  std::map<Key, int> seen;
  for (const check::Check& c : report.checks) {
    Key key{c.case_id, c.operation, c.aspect, 0};
    std::get<3>(key) = seen[key]++;
    all.emplace_back(key, &c);
  }
  return all;
}

// Both passed or failed by numbers, so that the errors compare.
bool have_values(const CheckPair& pair) {
  return pair.before != nullptr && pair.after != nullptr &&
         pair.before->is_of_values() && pair.before->measurement &&
         pair.after->measurement;
}

void add_drift(std::map<std::pair<std::uint32_t, std::uint32_t>, Drift>& drifts,
               const CheckPair& pair) {
  const check::Check& after = *pair.after;
  Drift& d = drifts[{after.operation, after.dtype}];
  d.operation = after.operation;
  d.dtype = after.dtype;
  const judge::Measurement &a = *pair.before->measurement,
                           &b = *after.measurement;
  if (a.worst) d.ratio_before = std::max(d.ratio_before, a.worst->ratio());
  if (b.worst && b.worst->ratio() > d.ratio_after) {
    d.ratio_after = b.worst->ratio();
    d.worst_case = after.case_id;
  }
  d.rho_before = std::max(d.rho_before, a.phase_rho);
  d.rho_after = std::max(d.rho_after, b.phase_rho);
}

void check_comparable(const NamedReport& before, const NamedReport& after) {
  const auto refuse = [&](const std::string& a, const std::string& b) {
    throw ReportError(text::one_line(
        before.file + " and " + after.file + " ask different questions: " + a +
        " and " + b + "; compare runs that were started alike"));
  };
  const check::Shard &a = before.report.shard, &b = after.report.shard;
  const auto shard = [](const check::Shard& s) {
    return s.is_whole() ? std::string("a whole run") : "shard " + s.text();
  };
  if (a.text() != b.text()) refuse(shard(a), shard(b));
  const auto seed = [](std::uint64_t s) {
    return s == 0 ? std::string("the suite's own")
                  : "--fresh " + std::to_string(s);
  };
  if (before.report.seed != after.report.seed) {
    refuse(seed(before.report.seed), seed(after.report.seed));
  }
}

}  // namespace

bool Drift::is_drifted() const {
  return ratio_text(ratio_before) != ratio_text(ratio_after) ||
         ratio_text(rho_before) != ratio_text(rho_after);
}

const std::vector<CheckPair>& Difference::of(Fate fate) const {
  static const std::vector<CheckPair> kNone;
  const auto found = checks.find(fate);
  return found == checks.end() ? kNone : found->second;
}

std::size_t Difference::compared() const {
  std::size_t count = 0;
  for (const Fate fate : {Fate::kBroken, Fate::kWaived, Fate::kFixed,
                          Fate::kStillFails, Fate::kStillPasses}) {
    count += of(fate).size();
  }
  return count;
}

int Difference::exit_status() const {
  if (!of(Fate::kBroken).empty() || !of(Fate::kGivenUp).empty()) return 1;
  return compared() == 0 ? 2 : 0;
}

Difference difference_of(const NamedReport& before, const NamedReport& after,
                         const std::map<Engine, SpeedRange>& speeds_before,
                         const std::map<Engine, SpeedRange>& speeds_after) {
  check_comparable(before, after);
  Difference difference;
  difference.before = &before;
  difference.after = &after;
  std::map<Key, const check::Check*> left;
  const auto all_before = keyed(before.report);
  left.insert(all_before.begin(), all_before.end());
  std::map<std::pair<std::uint32_t, std::uint32_t>, Drift> drifts;
  const auto take = [&](const CheckPair& pair) {
    const State was = state_of(pair.before), is = state_of(pair.after);
    if (was == State::kNotJudged && is == State::kNotJudged) return;
    difference.checks[fate_of(was, is, pair.after != nullptr)].push_back(pair);
    if (have_values(pair)) add_drift(drifts, pair);
  };
  for (const auto& [key, check] : keyed(after.report)) {
    const auto found = left.find(key);
    take({found == left.end() ? nullptr : found->second, check});
    if (found != left.end()) left.erase(found);
  }
  for (const auto& [key, check] : all_before) {
    if (left.contains(key)) take({check, nullptr});
  }
  for (const auto& [key, drift] : drifts) {
    if (drift.is_drifted()) difference.drifts.push_back(drift);
  }
  // The version of one engine may differ: that is what is compared.
  for (const auto& [engine, speed] : speeds_after) {
    for (const auto& [old, old_speed] : speeds_before) {
      if (old.name != engine.name) continue;
      difference.speeds.push_back({engine, old_speed, speed});
    }
  }
  return difference;
}

}  // namespace ropeproof::conformance::report
