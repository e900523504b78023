// in_common.h -- what some cases have in common and no other has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ropeproof::conformance::explain {

// A fact is what a case says, by name ("head_dim", "scaling"): a word or a
// number. What it does not have is absent.
using Fact = std::variant<std::string, std::int64_t, double>;
using Facts = std::map<std::string, Fact>;

// A kind says two things of a fact. Its owner: a problem may lack a fact of its
// own, every case has its facts, and memory is a fact of formed cases only. Its
// subject: the loop that the fact counts or indexes, or what else it is about.
enum class Owner { kProblem, kCase, kElement };
// clang-format off
enum class Subject {
  kOther, kPairs, kTokens, kBatchRows, kHeads,
  kProduct, kRows, kHeadsOfRows,  // of sizes; of indices: token and batch row,
                                  // and the head, too
  kPosition, kInput, kBase, kScaling, kOffset, kAxes, kDirection, kPairing,
  kDtype, kOperation, kTensor, kPlace, kMemory, kOrder, kSpacing, kCall
};
// clang-format on
struct FactKind {
  Owner owner = Owner::kProblem;
  Subject subject = Subject::kOther;
  bool operator==(const FactKind&) const = default;
};
FactKind kind_of(std::string_view name);

// A term says something of one fact, "head_dim is odd", or of two.
struct Term {
  std::string words;
  std::vector<FactKind> facts = {};
  std::optional<Fact> is = {};  // the one value that it allows
  std::function<bool(const Facts&)> holds = {};
  // What it takes to say: the logarithm of the number of terms that might have
  // been said, and more for a number that no programmer would choose.
  double bits = 0;
};

// A condition is terms that hold together. Members that no condition tells from
// the others have one without terms.
struct Condition {
  std::vector<Term> terms;
  std::vector<std::size_t> members;  // numbers of those that it explains first

  std::string words() const;  // "head_dim is odd and batch > 1"
};

// The fewest conditions that hold for all of `members` together and for none of
// `others`, by greed: the one that explains most first, of equals the simplest;
// two at once where none alone does; `most` of them. Cost: conditions squared
// times cases / 64.
std::vector<Condition> in_common(const std::vector<Facts>& members,
                                 const std::vector<Facts>& others,
                                 std::size_t most = SIZE_MAX);

}  // namespace ropeproof::conformance::explain
