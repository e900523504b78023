#include "conformance/check/promises.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "conformance/explain/in_common.h"

namespace ropeproof::conformance::check {
namespace {

// What a broken promise says, by the words with which the check or its reason
// begins.
struct Meaning {
  const char *words, *what, *bug, *advice;
};
constexpr Meaning kUnsteady = {
    "20 calls", "other results for the same problem", "memory/race",
    "look for memory that is read before it is written, and for races"};
constexpr Meaning kStale = {
    "calls in a row", "keeps what it formed for an earlier problem",
    "table/stale", "look for a cache, or a buffer that is not written anew"};
constexpr Meaning kSpecial = {
    "", "infinities, NaNs, zeros or numbers next to overflow mishandled",
    "value/special-mishandled",
    "look at what the failing case says of its inputs"};
constexpr Meaning kMeanings[] = {
    {"changes of one field", kStale.what, kStale.bug,
     "make what changed a part of the cache's key"},
    kStale,
    {"70,000 calls", "wrong after many calls", "table/stale",
     "look for a counter that overflows and for memory that is not freed"},
    {"1,100 calls", "wrong after many calls", "table/stale",
     "look for a counter that overflows and for memory that is not freed"},
    kUnsteady,
    {"8 threads", "calls at once disturb each other", "memory/race",
     "give each call a scratch buffer of its own"},
    {"long calls", "calls at once disturb each other", "memory/race",
     "give each call a scratch buffer of its own"},
    {"one thread or many", "the number of threads changes the result",
     "memory/race", "let no two threads write the same row"},
    {"rows alone", "a row's result depends on the rows beside it",
     "position/single-token-path",
     "compare the path for few rows with the other"},
    {"other neighbours", "a row's result depends on what lies beside it",
     "shape/simd-tail", "look for loads and stores beyond the row"},
    {"in place", "wrong where the output is the input", "memory/aliasing",
     "read both channels of a pair before writing either"},
    {"strided", "wrong where rows have gaps", "memory/strides-ignored",
     "take every row's address from the strides"},
    {"fused", "wrong where q, k and v share their rows",
     "memory/strides-ignored", "take every row's address from the strides"},
    {"guard page", "reads or writes beyond a buffer", "shape/simd-tail",
     "mask the last vector of a row"},
    {"unaligned", "wrong for buffers that are aligned as their elements only",
     "shape/simd-tail", "use unaligned loads and stores"},
    {"batch 0", "cannot do nothing", "shape/odd-size", "return early"},
    {"seq 0", "cannot do nothing", "shape/odd-size", "return early"},
    {"heads 0", "cannot do nothing", "shape/odd-size", "return early"},
    {"reject", "takes a problem that contradicts itself", "shape/odd-size",
     "check the problem before the first write"},
    {"overlapping", "takes tensors that overlap", "memory/aliasing",
     "check the problem before the first write"},
    {"load", "changes the floating-point environment when it is loaded", "",
     "link without -ffast-math"},
};

// Of a call that ended badly.
constexpr Meaning kEnds[] = {
    {"right when asked again", kUnsteady.what, kUnsteady.bug, kUnsteady.advice},
    {"wrote past", "writes beyond a buffer", "shape/simd-tail",
     "mask the last vector of a row"},
    {"read past", "reads beyond a buffer", "shape/simd-tail",
     "mask the last vector of a row"},
    {"which is no output", "writes to an input or beside an output",
     "memory/aliasing", "write output rows alone"},
    {"wrong when called alone", "wrong in a long call, or after some calls",
     "table/stale",
     "look for a kernel that is tuned, a counter that overflows"},
    {"no answer within", "does not answer in time", "",
     "look for a lock; --time-limit waits longer"},
    {"closed its connection", "closes its connection to the suite", "",
     "close no file descriptor that it did not open"},
    {"refused", "refuses what it declares", "",
     "declare less, or export ropeproof_supports"},
};

// "a problem that differs from the one before in amplitude alone: ..."
std::string field_of(const std::string& reason) {
  const std::size_t begin = reason.find(" differs");
  const std::size_t end = reason.find(" alone");
  const std::size_t in = reason.rfind(" in ", end);
  if (begin > end || end == std::string::npos || in == std::string::npos) {
    return "";
  }
  return reason.substr(in + 4, end - in - 4);
}

// No hypothesis is tried on these.
bool has_wrong_special(const Check& check) {
  return check.measurement && !check.measurement->pass() &&
         check.suffixes.find('E') != std::string::npos;
}

// A message without the words that have digits: about other sizes it is the
// same. The first ones stay.
std::string without_sizes(const std::string& message, int kept) {
  std::string kind;
  std::istringstream words(message);
  for (std::string word; words >> word; --kept) {
    const bool has_digit = word.find_first_of("0123456789") != word.npos;
    if (kept > 0 || !has_digit) kind += word + " ";
  }
  return kind;
}

// The first word of an error says where it was raised, "rope.py:12:". Of shapes
// that do not fit, other sizes make a library say something else there.
std::string kind_of(const std::string& error) {
  for (const char* word : {"shape", "dimension", "size"}) {
    if (error.find(word) != error.npos) {
      return "error of shapes: " + error.substr(0, error.find(' '));
    }
  }
  return "error: " + without_sizes(error, 1);
}

// How a call ended badly, "CRASH: exited with status 3"; one kind for all
// sizes, but not for all signals and exit statuses.
std::string end_of(const Check& check, const std::string& reason) {
  return verdict_word(check.verdict) + ": " + reason;
}
std::string kind_of_end(const std::string& end) {
  return without_sizes(end, 5);
}

// How calls end that are asked for values alone.
std::set<std::string> ends_of_values(const Run& run) {
  std::set<std::string> ends;
  for (const Check& check : run.checks) {
    if (is_failure(check.verdict) && check.aspect.empty() &&
        !check.reason.empty()) {
      ends.insert(kind_of_end(end_of(check, check.reason)));
    }
  }
  return ends;
}

// As other calls end; empty if none ends so. An aspect may say first which of
// its calls it is: "call 2: ", "twice in a row: ".
std::string usual_end(const Check& check,
                      const std::set<std::string>& of_values) {
  const std::size_t colon = check.reason.find(": ");
  for (const std::string& reason :
       {check.reason, colon == check.reason.npos
                          ? check.reason
                          : check.reason.substr(colon + 2)}) {
    const std::string end = end_of(check, reason);
    if (of_values.contains(kind_of_end(end))) return end;
  }
  return "";
}

explain::Diagnosis meant(const Meaning& m) {
  return {.what = m.what, .bug = m.bug, .advice = m.advice};
}

explain::Diagnosis meaning_of(const Check& check,
                              const std::set<std::string>& of_values) {
  if (check.is_right_again) return meant(kUnsteady);
  if (check.is_right_alone) return meant(kStale);
  if (has_wrong_special(check)) return meant(kSpecial);
  if (!check.error.empty()) {
    return {.what = "ends with an error: " + check.error,
            .advice =
                "correct it, declare less, or decline such problems "
                "(supports)"};
  }
  for (const Meaning& m : kEnds) {
    if (check.reason.find(m.words) != std::string::npos) return meant(m);
  }
  const std::string end = usual_end(check, of_values);
  if (!end.empty()) return {.what = end};  // whatever the aspect is about
  for (const Meaning& m : kMeanings) {
    if (!check.aspect.starts_with(m.words)) continue;
    explain::Diagnosis d = meant(m);
    const std::string field = field_of(check.reason);
    if (!field.empty()) d.what += ", whatever its " + field;
    return d;
  }
  return {.what = check.reason.empty() ? verdict_word(check.verdict)
                                       : end_of(check, check.reason)};
}

// Which cases fail so, and no other that is judged under the same operation.
explain::Place where_of(const Run& run,
                        const std::vector<const Check*>& failing) {
  constexpr std::size_t kMost = 1500;
  std::vector<Facts> members, others;
  std::set<std::string> ids;
  const bool has_values =
      std::ranges::any_of(failing, &std::string::empty, &Check::aspect);
  const std::string aspect = has_values ? "" : failing.front()->aspect;
  for (const Check* check : failing) {
    const auto facts = run.facts.find(check->case_id);
    if (facts == run.facts.end() || !ids.insert(check->case_id).second)
      continue;
    if (members.size() < kMost) members.push_back(facts->second);
  }
  for (const Check& check : run.checks) {
    const auto facts = run.facts.find(check.case_id);
    if (check.verdict != Verdict::kPass ||
        check.operation != failing.front()->operation ||
        check.aspect != aspect || facts == run.facts.end()) {
      continue;
    }
    if (others.size() < kMost) others.push_back(facts->second);
  }
  return members.empty() ? explain::Place{}
                         : explain::rule_of(members, others).place;
}

}  // namespace

std::vector<explain::Diagnosis> broken_promises(
    const Run& run, const std::set<std::size_t>& explained) {
  std::set<std::pair<std::string, std::uint32_t>> wrong;
  std::int64_t tried = 0;
  const std::set<std::string> of_values = ends_of_values(run);
  for (const Check& check : run.checks) {
    if (check.measurement && !check.measurement->pass() &&
        !check.is_right_alone && !has_wrong_special(check)) {
      wrong.insert({check.case_id, check.operation});
    }
  }
  std::map<std::string,
           std::pair<explain::Diagnosis, std::vector<const Check*>>>
      kinds;
  for (std::size_t i = 0; i < run.checks.size(); ++i) {
    const Check& check = run.checks[i];
    const bool is_wrong = wrong.contains({check.case_id, check.operation});
    if (!is_failure(check.verdict) || explained.contains(i) ||
        (is_wrong && check.error.empty()) ||
        check.reason.starts_with("not run")) {
      continue;
    }
    // What is wrong with other numbers, too, explains them.
    if (has_wrong_special(check) && !wrong.empty()) continue;
    const auto says = [&](const char* words) {
      return check.reason.find(words) != std::string::npos;
    };
    if (!wrong.empty() && !check.aspect.empty() && says("elements wrong") &&
        !says("fresh process")) {
      continue;
    }
    ++tried;
    explain::Diagnosis d = meaning_of(check, of_values);
    const std::string kind =
        check.error.empty() ? kind_of_end(d.what) : kind_of(check.error);
    auto& [first, checks] = kinds[kind];
    if (checks.empty()) {
      first = std::move(d);
      first.example = check.case_id;
    }
    checks.push_back(&check);
  }
  std::vector<explain::Diagnosis> all;
  for (auto& [what, kind] : kinds) {
    explain::Diagnosis& d = kind.first;
    d.checks = static_cast<std::int64_t>(kind.second.size());
    d.tried = tried;
    d.where = where_of(run, kind.second);
    all.push_back(std::move(d));
  }
  std::ranges::stable_sort(all, std::greater{}, &explain::Diagnosis::checks);
  return all;
}

}  // namespace ropeproof::conformance::check
