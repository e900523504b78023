// What is said of a fact by its name.
#include <initializer_list>

#include "conformance/explain/in_common.h"
#include "conformance/plugin/scalings.h"

namespace ropeproof::conformance::explain {
namespace {

std::map<std::string_view, FactKind> listed_kinds() {
  using enum Owner;
  using enum Subject;
  std::map<std::string_view, FactKind> kinds;
  const auto add = [&](Owner owner, Subject subject,
                       std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) kinds[name] = {owner, subject};
  };
  plugin::for_each_field(
      ropeproof_scaling{},
      [&](const char* name, const auto&) { add(kProblem, kScaling, {name}); });
  add(kProblem, kScaling, {"scaling"});
  add(kProblem, kPairs, {"head_dim", "rotary_dim"});
  add(kProblem, kTokens, {"seq"});
  add(kProblem, kBatchRows, {"batch"});
  add(kProblem, kHeads, {"heads", "q_heads", "k_heads", "permute_heads"});
  add(kProblem, kBase, {"base"});
  add(kProblem, kOffset, {"rotary_offset"});
  add(kProblem, kAxes, {"axis_map", "position_axes"});
  add(kProblem, kDirection, {"direction"});
  add(kProblem, kPairing, {"pairing"});
  add(kProblem, kDtype, {"dtype"});
  add(kProblem, kOperation, {"operation"});
  add(kProblem, kTensor, {"tensor"});
  add(kProblem, kCall, {"number of the call"});
  add(kCase, kProduct,
      {"batch x seq", "batch x seq x heads", "batch x seq x heads x head_dim",
       "heads x head_dim", "seq x heads"});
  add(kCase, kPosition, {"highest position", "lowest position"});
  add(kCase, kMemory, {"memory"});
  add(kCase, kOrder, {"order"});
  add(kCase, kSpacing, {"rows", "spacing"});
  add(kCase, kPlace, {"output", "place"});
  add(kCase, kOther, {"edge"});
  add(kElement, kBatchRows, {"index of the batch row", "batch rows behind it"});
  add(kElement, kTokens, {"index of the token", "tokens behind it"});
  add(kElement, kHeads, {"index of the head", "heads behind it"});
  add(kElement, kPairs,
      {"index of the pair", "pairs behind it", "number of the channel"});
  add(kElement, kRows, {"rows before it"});
  add(kElement, kHeadsOfRows, {"rows x heads before it"});
  add(kElement, kPosition, {"position"});
  add(kElement, kInput, {"largest input"});
  add(kElement, kOther, {"channel", "channel of its pair"});
  return kinds;
}

}  // namespace

// Of no other field of a problem is there more to say.
FactKind kind_of(std::string_view name) {
  static const auto kKinds = listed_kinds();
  const auto found = kKinds.find(name);
  return found == kKinds.end() ? FactKind{} : found->second;
}

}  // namespace ropeproof::conformance::explain
