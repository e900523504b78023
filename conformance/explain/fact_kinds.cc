// What is said of a fact by its name.
#include <utility>

#include "conformance/explain/in_common.h"

namespace ropeproof::conformance::explain {
namespace {

constexpr std::pair<std::string_view, FactKind> kKinds[] = {
    {"axis_map", {Owner::kProblem, Subject::kAxes}},
    {"base", {Owner::kProblem, Subject::kBase}},
    {"batch", {Owner::kProblem, Subject::kBatchRows}},
    {"batch rows behind it", {Owner::kElement, Subject::kBatchRows}},
    {"batch x seq", {Owner::kCase, Subject::kProduct}},
    {"batch x seq x heads", {Owner::kCase, Subject::kProduct}},
    {"batch x seq x heads x head_dim", {Owner::kCase, Subject::kProduct}},
    {"channel", {Owner::kElement}},
    {"channel of its pair", {Owner::kElement}},
    {"direction", {Owner::kProblem, Subject::kDirection}},
    {"dtype", {Owner::kProblem, Subject::kDtype}},
    {"edge", {Owner::kCase}},
    {"factor", {Owner::kProblem, Subject::kScaling}},
    {"head_dim", {Owner::kProblem, Subject::kPairs}},
    {"heads", {Owner::kProblem, Subject::kHeads}},
    {"heads behind it", {Owner::kElement, Subject::kHeads}},
    {"heads x head_dim", {Owner::kCase, Subject::kProduct}},
    {"highest position", {Owner::kCase, Subject::kPosition}},
    {"index of the batch row", {Owner::kElement, Subject::kBatchRows}},
    {"index of the head", {Owner::kElement, Subject::kHeads}},
    {"index of the pair", {Owner::kElement, Subject::kPairs}},
    {"index of the token", {Owner::kElement, Subject::kTokens}},
    {"k_heads", {Owner::kProblem, Subject::kHeads}},
    {"largest input", {Owner::kElement, Subject::kInput}},
    {"lowest position", {Owner::kCase, Subject::kPosition}},
    {"memory", {Owner::kCase, Subject::kMemory}},
    {"number of the call", {Owner::kProblem, Subject::kCall}},
    {"number of the channel", {Owner::kElement, Subject::kPairs}},
    {"operation", {Owner::kProblem, Subject::kOperation}},
    {"order", {Owner::kCase, Subject::kOrder}},
    {"output", {Owner::kCase, Subject::kPlace}},
    {"pairing", {Owner::kProblem, Subject::kPairing}},
    {"pairs behind it", {Owner::kElement, Subject::kPairs}},
    {"permute_heads", {Owner::kProblem, Subject::kHeads}},
    {"place", {Owner::kCase, Subject::kPlace}},
    {"position", {Owner::kElement, Subject::kPosition}},
    {"position_axes", {Owner::kProblem, Subject::kAxes}},
    {"q_heads", {Owner::kProblem, Subject::kHeads}},
    {"rotary_dim", {Owner::kProblem, Subject::kPairs}},
    {"rotary_offset", {Owner::kProblem, Subject::kOffset}},
    {"rows", {Owner::kCase, Subject::kSpacing}},
    {"rows before it", {Owner::kElement, Subject::kRows}},
    {"rows x heads before it", {Owner::kElement, Subject::kHeadsOfRows}},
    {"scaling", {Owner::kProblem, Subject::kScaling}},
    {"seq", {Owner::kProblem, Subject::kTokens}},
    {"seq x heads", {Owner::kCase, Subject::kProduct}},
    {"spacing", {Owner::kCase, Subject::kSpacing}},
    {"tensor", {Owner::kProblem, Subject::kTensor}},
    {"tokens behind it", {Owner::kElement, Subject::kTokens}}};

}  // namespace

FactKind kind_of(std::string_view name) {
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  return {};
}

}  // namespace ropeproof::conformance::explain
