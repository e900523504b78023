// What is said of a fact by its name.
#include <utility>

#include "conformance/explain/in_common.h"

namespace ropeproof::conformance::explain {
namespace {

constexpr std::pair<std::string_view, FactKind> kKinds[] = {
    {"batch", {Owner::kProblem, Subject::kBatchRows}},
    {"batch x seq", {Owner::kCase}},
    {"batch x seq x heads", {Owner::kCase}},
    {"batch x seq x heads x head_dim", {Owner::kCase}},
    {"batch rows behind it", {Owner::kElement, Subject::kBatchRows}},
    {"channel", {Owner::kElement}},
    {"channel of its pair", {Owner::kElement}},
    {"edge", {Owner::kCase}},
    {"head_dim", {Owner::kProblem, Subject::kPairs}},
    {"heads", {Owner::kProblem, Subject::kHeads}},
    {"heads x head_dim", {Owner::kCase}},
    {"heads behind it", {Owner::kElement, Subject::kHeads}},
    {"highest position", {Owner::kCase}},
    {"index of the batch row", {Owner::kElement, Subject::kBatchRows}},
    {"index of the head", {Owner::kElement, Subject::kHeads}},
    {"index of the pair", {Owner::kElement, Subject::kPairs}},
    {"index of the token", {Owner::kElement, Subject::kTokens}},
    {"k_heads", {Owner::kProblem, Subject::kHeads}},
    {"largest input", {Owner::kElement}},
    {"lowest position", {Owner::kCase}},
    {"memory", {Owner::kCase}},
    {"number of the channel", {Owner::kElement, Subject::kPairs}},
    {"order", {Owner::kCase, Subject::kOrder}},
    {"pairs behind it", {Owner::kElement, Subject::kPairs}},
    {"permute_heads", {Owner::kProblem, Subject::kHeads}},
    {"place", {Owner::kCase}},
    {"position", {Owner::kElement}},
    {"q_heads", {Owner::kProblem, Subject::kHeads}},
    {"rotary_dim", {Owner::kProblem, Subject::kPairs}},
    {"rows", {Owner::kCase}},
    {"rows before it", {Owner::kElement}},
    {"rows x heads before it", {Owner::kElement}},
    {"seq", {Owner::kProblem, Subject::kTokens}},
    {"seq x heads", {Owner::kCase}},
    {"spacing", {Owner::kCase}},
    {"tokens behind it", {Owner::kElement, Subject::kTokens}}};

}  // namespace

FactKind kind_of(std::string_view name) {
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  return {};
}

}  // namespace ropeproof::conformance::explain
