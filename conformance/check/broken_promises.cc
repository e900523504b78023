#include "conformance/check/broken_promises.h"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "conformance/check/attempt.h"
#include "conformance/explain/rule.h"

namespace ropeproof::conformance::check {
namespace {

constexpr Broken kSpecial{
    "infinities, NaNs, zeros or numbers next to overflow mishandled",
    "value/special-mishandled",
    "look at what the failing case says of its inputs"};
constexpr Broken kWritesBeyond{"writes beyond a buffer", "shape/simd-tail",
                               "mask the last vector of a row"};
constexpr Broken kReadsBeyond{"reads beyond a buffer", "shape/simd-tail",
                              "mask the last vector of a row"};
constexpr Broken kWritesInside{"writes to an input or beside an output",
                               "memory/aliasing", "write output rows alone"};
constexpr Broken kWrongLater{
    "wrong in a long call, or after some calls", "table/stale",
    "look for tuning that picks another kernel, a counter that overflows"};
constexpr Broken kLate{"does not answer in time",
                       {},
                       "look for a lock; --time-limit waits longer"};
constexpr Broken kHungUp{"closes its connection to the suite",
                         {},
                         "close no file descriptor that it did not open"};
constexpr Broken kRefused{"refuses what it declares",
                          {},
                          "declare less, or export ropeproof_supports"};

// No hypothesis is tried on these.
bool has_wrong_special(const Check& check) {
  return check.measurement && !check.measurement->pass() &&
         (check.suffixes & kSuffixE) != 0;
}

// Whether the kernel said that it could not solve the problem, and why.
bool has_error(const Check& check) {
  return check.answer.outcome == plugin::Outcome::kFailed &&
         !check.answer.detail.empty();
}

// What a call is wrong for that is so in the first call of a process, too:
// nothing was kept.
explain::Diagnosis wrong_at_once(const Check& check) {
  if (check.is_unmoved) {
    return {.what = "does not read " + check.changed +
                    ": answers as for another one",
            .advice = "use it, or do not declare what has it"};
  }
  const std::string what =
      check.changed.empty() ? "" : " of another " + check.changed;
  return {.what = "wrong for a problem" + what +
                  ", in the first call of a process, too",
          .advice = "ask that problem by itself"};
}

// What the call itself shows, whatever it was made for; null: nothing.
const Broken* shown_by_call(const Check& check) {
  using plugin::Outcome, plugin::Trespass;
  if (check.retry == Retry::kRightAgain) return &kUnsteady;
  if (check.is_of_values() && check.is_right_alone()) return &kStale;
  if (has_wrong_special(check)) return &kSpecial;
  const plugin::Answer& answer = check.answer;
  switch (answer.trespass) {
    case Trespass::kWrotePastEnd:
      return &kWritesBeyond;
    case Trespass::kReadPastEnd:
      return &kReadsBeyond;
    case Trespass::kWroteInside:
      return &kWritesInside;
    case Trespass::kNone:
    case Trespass::kOther:
      break;
  }
  if (check.retry == Retry::kWrongAlone) return &kWrongLater;
  if (answer.outcome == Outcome::kTimeout && check.aspect != Aspect::kUnload) {
    return &kLate;
  }
  if (answer.has_hung_up) return &kHungUp;
  const bool is_refused = answer.outcome == Outcome::kUnsupported ||
                          answer.outcome == Outcome::kInvalid;
  return is_refused ? &kRefused : nullptr;
}

// What failures of one kind have in common: of whatever sizes the calls were,
// they are told together.
struct Kind {
  std::string words;
  std::optional<int> code = std::nullopt;  // as Answer has it
  auto operator<=>(const Kind&) const = default;
};

// A message without the words that have digits: about other sizes it is the
// same.
std::string without_sizes(const std::string& message) {
  std::string kind;
  std::istringstream words(message);
  for (std::string word; words >> word;) {
    const bool has_digit = word.find_first_of("0123456789") != word.npos;
    if (!has_digit) kind += word + " ";
  }
  return kind;
}

// The first word of an error says where it was raised, "rope.py:12:". Of shapes
// that do not fit, other sizes make a library say something else there.
Kind kind_of_error(const std::string& error) {
  const std::string place = error.substr(0, error.find(' '));
  for (const char* word : {"shape", "dimension", "size"}) {
    if (error.find(word) != error.npos) return {"error of shapes: " + place};
  }
  return {"error: " + place + " " + without_sizes(error)};
}

// How a call ended badly: "CRASH: exited with status 3".
std::string end_of(const Check& check) {
  return text::word(check.verdict) + ": " + check.end;
}
Kind kind_of_end(const Check& check) {
  return {without_sizes(end_of(check)), check.answer.code};
}

// How calls end that are asked for values alone.
std::set<Kind> ends_of_values(const Run& run) {
  std::set<Kind> ends;
  for (const Check& check : run.checks) {
    if (is_failure(check.verdict) && check.is_of_values() &&
        !check.end.empty()) {
      ends.insert(kind_of_end(check));
    }
  }
  return ends;
}

explain::Diagnosis meant(const Broken& broken) {
  return {.what = broken.what, .bug = broken.bug, .advice = broken.advice};
}

struct Meaning {
  Kind kind;
  explain::Diagnosis diagnosis;
  std::string place = {};  // of the crash that `what` ends with
};

Meaning meaning_of(const Check& check, const std::set<Kind>& of_values) {
  if (has_error(check)) {
    return {kind_of_error(check.answer.detail),
            {.what = "ends with an error: " + check.answer.detail,
             .advice = "correct it, declare less, or decline such problems "
                       "(supports)"}};
  }
  const auto told = [](explain::Diagnosis d) -> Meaning {
    return {{d.what}, std::move(d)};
  };
  if (const Broken* shown = shown_by_call(check)) return told(meant(*shown));
  // Where calls that are asked for values alone end so, too, it is no matter
  // what this one was made for.
  const Meaning of_end{
      kind_of_end(check), {.what = end_of(check)}, place_text(check.answer)};
  if (of_values.contains(of_end.kind)) return of_end;
  if (check.retry == Retry::kWrongInFreshProcess) {
    return told(wrong_at_once(check));
  }
  explain::Diagnosis d = meant(promise(check.aspect).broken);
  if (!d.what.empty()) {
    if (!check.changed.empty()) {
      d.what += " that differs in " + check.changed + " alone";
    }
    return told(std::move(d));
  }
  if (check.end.empty()) return told({.what = text::word(check.verdict)});
  return of_end;
}

// Which cases fail so, and no other that is judged under the same operation.
explain::Place where_of(const Run& run,
                        const std::vector<const Check*>& failing,
                        const SeenAgain& again) {
  constexpr std::size_t kMost = 1500;
  explain::Seen seen;
  auto& [members, others] = seen;
  std::set<std::string> ids;
  const bool has_values = std::ranges::any_of(failing, &Check::is_of_values);
  const Aspect aspect = has_values ? Aspect::kValues : failing.front()->aspect;
  for (const Check* check : failing) {
    // A promise may have been asked of another problem than its case's.
    if (has_values && !check->is_of_values()) continue;
    const auto facts = run.facts.find(check->case_id);
    if (facts == run.facts.end() || !ids.insert(check->case_id).second)
      continue;
    if (members.size() < kMost)
      members.push_back({facts->second, members.size()});
  }
  for (const Check& check : run.checks) {
    const auto facts = run.facts.find(check.case_id);
    if (check.verdict != Verdict::kPass ||
        check.operation != failing.front()->operation ||
        check.aspect != aspect || facts == run.facts.end()) {
      continue;
    }
    if (others.size() < kMost)
      others.push_back({facts->second, kMost + others.size()});
  }
  if (members.empty()) return {};
  // A promise has few calls: what is common to a handful says nothing.
  constexpr std::size_t kFewest = 6;
  if (!has_values && members.size() < kFewest && !others.empty()) {
    return {explain::Place::Kind::kNoSimpleRule, ""};
  }
  const auto of_first = [&](int round, const explain::Rule&) {
    return again ? again(*failing[0], round) : explain::Seen();
  };
  return explain::confirmed_rule(std::move(seen), false, of_first).place;
}

}  // namespace

std::vector<explain::Diagnosis> broken_promises(
    const Run& run, const std::set<std::size_t>& explained,
    const SeenAgain& again) {
  std::set<std::pair<std::string, std::uint32_t>> wrong;
  std::int64_t tried = 0;
  const std::set<Kind> of_values = ends_of_values(run);
  for (const Check& check : run.checks) {
    if (check.measurement && !check.measurement->pass() &&
        !check.is_right_alone() && !has_wrong_special(check)) {
      wrong.insert({check.case_id, check.operation});
    }
  }
  struct Failures {
    Meaning meaning;  // of the first; the place is that of all
    std::vector<const Check*> checks = {};
  };
  std::map<Kind, Failures> kinds;
  for (std::size_t i = 0; i < run.checks.size(); ++i) {
    const Check& check = run.checks[i];
    const bool is_wrong = wrong.contains({check.case_id, check.operation});
    if (!is_failure(check.verdict) || explained.contains(i) ||
        (is_wrong && !has_error(check)) || !check.answer.was_made) {
      continue;
    }
    // A check that fails with wrong numbers is explained by the diagnosis of
    // the numbers.
    const bool is_explained =
        has_wrong_special(check) ||
        (check.has_wrong_values && check.retry != Retry::kRightInFreshProcess);
    if (is_explained && !wrong.empty()) continue;
    ++tried;
    Meaning meaning = meaning_of(check, of_values);
    meaning.diagnosis.example = check.case_id;
    Failures& known = kinds.try_emplace(meaning.kind, meaning).first->second;
    if (known.meaning.place != meaning.place) known.meaning.place.clear();
    known.checks.push_back(&check);
  }
  std::vector<explain::Diagnosis> all;
  for (auto& [what, kind] : kinds) {
    explain::Diagnosis& d = kind.meaning.diagnosis;
    d.what += kind.meaning.place;
    d.checks = static_cast<std::int64_t>(kind.checks.size());
    d.tried = tried;
    d.where = where_of(run, kind.checks, again);
    all.push_back(std::move(d));
  }
  std::ranges::stable_sort(all, std::greater{}, &explain::Diagnosis::checks);
  return all;
}

}  // namespace ropeproof::conformance::check
