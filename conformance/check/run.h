// run.h -- what was asked of a kernel and what it was worth, check by check.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/check/facts.h"
#include "conformance/check/promises.h"
#include "conformance/check/shard.h"
#include "conformance/check/shown.h"
#include "conformance/cover/arrays.h"
#include "conformance/cover/recipe.h"
#include "conformance/explain/account.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/output.h"
#include "conformance/plugin/kernel.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::check {

enum class Verdict {
  kPass,
  kFail,         // wrong, or refused what the kernel declares
  kUnsupported,  // outside what the kernel declares; never a pass
  kDeclined,     // inside, but ropeproof_supports says no; never a pass
  kError,        // the answer broke the protocol
  kCrash,
  kTimeout,
  kMissing,  // no answer where one is due: a result file that is not there
  kXfail,    // a failure that a waiver covers; no pass
};

// What a failing call came to when it was made once more.
enum class Retry {
  kNone,                 // it was not, or nothing was learned
  kRightAgain,           // right at once, in the same process
  kRightInFreshProcess,  // the calls before made it wrong
  kWrongInFreshProcess,  // wrong without the calls before, too
  kWrongAlone,           // wrong without the calls at the same time, too
};

// The word of reports for it, and what a failing check says of it, behind what
// is wrong.
struct RetryRow {
  Retry retry;
  std::string_view word, said;
};
inline constexpr RetryRow kRetries[] = {
    {Retry::kNone, "none", ""},
    {Retry::kRightAgain, "right again", "; right when asked again"},
    {Retry::kRightInFreshProcess, "right in a fresh process",
     "; right in a fresh process: something is carried over"},
    {Retry::kWrongAlone, "wrong alone", "; wrong when called alone, too"},
    {Retry::kWrongInFreshProcess, "wrong alone",
     "; wrong in a fresh process, too"}};
inline constexpr auto kRetryWords =
    text::columns(kRetries, &RetryRow::retry, &RetryRow::word);
inline constexpr auto kRetrySaid =
    text::columns(kRetries, &RetryRow::retry, &RetryRow::said);
constexpr const auto& table_of(Retry) { return kRetryWords; }

// An object on the heap, which the copies of a run share.
template <class T>
std::shared_ptr<const T> shared(T value) {
  return std::make_shared<const T>(std::move(value));
}

// One case under one operation: its values, or a promise beside them.
struct Check {
  std::string case_id;
  std::uint32_t operation = 0;
  Aspect aspect = Aspect::kValues;
  Suffixes suffixes = 0;       // that it counts for
  std::uint32_t dtype = 0;     // ROPEPROOF_F32, ... of the tensors
  std::string summary;         // the case in one line
  std::uint32_t features = 0;  // ROPEPROOF_... that the call needs
  Verdict verdict = Verdict::kPass;
  std::string reason;  // why it is no pass; empty for a wrong value
  std::optional<judge::Measurement> measurement;
  explain::Account account;  // of wrong values
  // What a diagnosis reads of a failure, beside its words; no part of a report.
  plugin::Answer answer;  // to the call that failed
  std::string end;  // of that call: the reason, but for which call and place
  bool has_wrong_values = false;  // of a promise, which has no measurement
  // A wrong answer or a crash, kept to be explained. What was asked may be a
  // part of the check's case.
  std::shared_ptr<const explain::Answer> wrong = {};
  Retry retry = Retry::kNone;
  std::string changed;  // the field that alone differs from an earlier problem
  bool is_unmoved = false;  // the answer is that of the earlier problem

  bool is_of_values() const { return aspect == Aspect::kValues; }
  // Whether the same call was right, or wrong, when it was made once more.
  bool is_right_alone() const {
    return retry == Retry::kRightAgain || retry == Retry::kRightInFreshProcess;
  }
  bool is_wrong_alone() const {
    return retry == Retry::kWrongAlone || retry == Retry::kWrongInFreshProcess;
  }
  bool passes() const { return verdict == Verdict::kPass; }
};

// The most elements of an answer that a run keeps to explain it, and of all of
// them: some 150 MB with their marks. A few larger answers are kept as well: a
// bug may need many rows to show.
inline constexpr std::int64_t kLargestKept = std::int64_t{1} << 17;
inline constexpr std::int64_t kMostKept = std::int64_t{1} << 21;
inline constexpr std::int64_t kMostLargeKept = 3;

inline constexpr text::Words<Verdict, 9> kVerdictWords{
    {{Verdict::kPass, "PASS"},
     {Verdict::kFail, "FAIL"},
     {Verdict::kUnsupported, "UNSUPPORTED"},
     {Verdict::kDeclined, "DECLINED"},
     {Verdict::kError, "ERROR"},
     {Verdict::kCrash, "CRASH"},
     {Verdict::kTimeout, "TIMEOUT"},
     {Verdict::kMissing, "MISSING"},
     {Verdict::kXfail, "XFAIL"}}};
constexpr const auto& table_of(Verdict) { return kVerdictWords; }

// The verdict of a call that was due.
Verdict verdict_of(plugin::Outcome outcome);

// Whether it says that something is wrong and nobody has waived it.
bool is_failure(Verdict verdict);
// Whether the kernel had to answer.
bool is_judged(Verdict verdict);

// Calls in which the kernel crashed that a run keeps.
inline constexpr std::size_t kMostLost = 24;

struct Run {
  std::string vectors_version, manifest_sha256;
  // None in a profile, or a search.
  std::optional<cases::Tier> tier = std::nullopt;
  std::string asked;               // "tier core": asked_text() of the selection
  std::string selection;           // the same and ", 73 of 73 cases"
  std::string operations;          // "table, rope"; empty: all of them
  std::string cases_sha256;        // of the selected ids, each with a newline
  bool is_whole_tier = true;       // else a verdict supports no level
  Shard shard;                     // of the selected cases
  std::vector<std::string> dealt;  // ids of the shard's cases
  std::uint64_t seed = 0;          // of fresh questions; 0: those of the suite
  std::string profile;  // "" without one; else nothing may be missing
  plugin::Description kernel;
  bool shares_memory = true;           // as Kernel says
  std::vector<Check> checks;           // in the order of the corpus
  std::map<std::string, Facts> facts;  // by id, of cases inside the declaration
  Shown shown;
  // What needs_of() says of a case; of others nothing.
  plugin::Needs needs_of(const std::string& id) const;

  // The members from here on are no part of a report: recipes and description,
  // so that a case can be formed again.
  std::vector<cover::Recipe> recipes;
  plugin::Description formed_for;
  std::shared_ptr<const cover::Arrays> arrays = {};  // null: nothing is formed
};

}  // namespace ropeproof::conformance::check
