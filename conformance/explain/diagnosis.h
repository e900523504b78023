// diagnosis.h -- what is wrong with a kernel, where, and why: from all failing
// checks of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/bug_class.h"
#include "conformance/explain/in_common.h"

namespace ropeproof::conformance::explain {

// Says which elements of which cases are wrong: exactly these, or none but
// some of these.
struct Place {
  enum class Kind { kEverywhere, kRule, kWithin, kNoSimpleRule };
  static constexpr std::string_view kInPart = ", in part";

  Kind kind = Kind::kEverywhere;  // that the bug could spoil
  // "q_heads > 32 and batch > 1", of kRule and kWithin.
  std::string rule = {};
  std::vector<FactKind> facts = {};  // that the rule is about; files lack them

  bool has_rule() const { return kind == Kind::kRule || kind == Kind::kWithin; }
  // Whether it says of every element that the bug could spoil whether it is
  // wrong.
  bool is_exact() const {
    return kind == Kind::kEverywhere || kind == Kind::kRule;
  }

  // What the files of reports hold: nothing, the rule, or "?".
  std::string word() const {
    if (kind == Kind::kNoSimpleRule) return "?";
    return rule + std::string(kind == Kind::kWithin ? kInPart : "");
  }
  static Place of_word(const std::string& word) {
    if (word == "?") return {Kind::kNoSimpleRule, ""};
    if (word.ends_with(kInPart)) {
      return {Kind::kWithin, word.substr(0, word.size() - kInPart.size())};
    }
    return {word.empty() ? Kind::kEverywhere : Kind::kRule, word};
  }

  bool operator==(const Place& other) const { return word() == other.word(); }
};

// One fault.
struct Diagnosis {
  // What the kernel does, in words that its author would accept; empty: no
  // known bug gives these numbers.
  std::string what = {};
  // Bugs that no answer of this run tells from it.
  std::vector<std::string> aliases = {};
  Place where = {};
  cases::Bug bug = {};
  int equation = 0;         // of equation.h: the first step that goes wrong
  std::string advice = {};  // what to try, in a line
  // Failing checks that it explains, of those that were tried.
  std::int64_t checks = 0, tried = 0;
  // The largest distance of any wrong value from the bug's, over the bound;
  // nothing where no value is wrong.
  std::optional<double> residual = {};
  // The next best, which explains fewer; and what it leaves of the same checks.
  std::string next = {};
  double next_residual = 0;
  std::string example = {};  // the smallest case that shows it
};

}  // namespace ropeproof::conformance::explain
