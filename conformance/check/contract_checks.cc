#include "conformance/check/contract_checks.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "conformance/cases/summary.h"
#include "conformance/check/attempt.h"
#include "conformance/check/choices.h"
#include "conformance/check/contrast.h"
#include "conformance/check/formed.h"
#include "conformance/check/offered.h"
#include "conformance/cover/form.h"
#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::check {
namespace {

ContractChecks::Kind kind_of(const cases::Problem& p, std::uint32_t operation) {
  return {operation, p.dtype, p.spec.layout.pairing};
}

// How many kinds of mistakes a case can show; 0: too few to be chosen. Kernels
// of one batch row, or of one head, get the best that they take, but for one
// without heads, of which there is no smaller call to make.
int richness(const cases::Problem& p) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 16;
  if (p.tokens() < 2 || p.q_heads == 0 || p.is_special ||
      p.elements() > kMostElements) {
    return 0;
  }
  const bool is_partial = p.spec.layout.rotary_dim < p.spec.layout.head_dim;
  const bool has_all = p.batch > 1 && p.seq > 1 && p.q_heads > 1;
  return 1 + (has_all ? 3 : 0) + (p.k_heads > 0 ? 1 : 0) + (is_partial ? 1 : 0);
}

}  // namespace

ContractChecks::ContractChecks(plugin::Kernel& kernel,
                               const cases::Corpus& corpus, cases::Tier tier,
                               bool is_profile)
    : kernel_(kernel), tier_(tier), is_profile_(is_profile) {
  for (const cases::Group& group : corpus.groups) {
    for (const cases::Case& c : group.rope_cases) {
      cases_[c.id] = &c;
      for (const Kind& kind : kinds_for(c)) chosen_[kind] = &c;
    }
  }
  find_once();
  if (offers(kernel, ROPEPROOF_CONCURRENT) && kernel.is_concurrent()) {
    contrasting_ = contrasting_subjects(kernel, cases_, kThreads);
  }
}

void ContractChecks::choose_formed(std::span<const cover::Recipe> recipes,
                                   std::int64_t max_position) {
  if (!kernel_.has_supports()) return;  // it takes what is committed
  std::set<Kind> settled;
  for (const auto& [kind, c] : chosen_) settled.insert(kind);
  for (const cover::Recipe& recipe : recipes) {
    const cases::Problem outline = cover::outline(recipe, max_position);
    std::vector<Kind> kinds = kinds_for({outline, recipe.id});
    std::erase_if(kinds,
                  [&](const Kind& kind) { return settled.contains(kind); });
    if (kinds.empty()) continue;
    formed_.push_back(
        cover::form(recipe, max_position, reference::best_oracle()));
    for (const Kind& kind : kinds) chosen_[kind] = &formed_.back();
  }
  find_once();
}

std::vector<ContractChecks::Kind> ContractChecks::kinds_for(
    const Question& asked) {
  const cases::Problem& p = asked.problem;
  std::vector<Kind> kinds;
  const int rich = richness(p);
  if (rich == 0 || !kernel_.is_live()) return kinds;
  for (const std::uint32_t operation :
       offered_operations(kernel_.description(), p, kernel_.shares_memory())) {
    if (operation == ROPEPROOF_FREQUENCIES) continue;
    const Kind kind = kind_of(p, operation);
    const cases::Case* const known = chosen(kind);
    if (known != nullptr && rich <= richness(known->problem)) continue;
    if (!declines(kernel_, operation, asked)) kinds.push_back(kind);
  }
  return kinds;
}

void ContractChecks::find_once() {
  once_ = chosen_.lower_bound({main_operation(kernel_.description()), {}, {}});
  if (once_ == chosen_.end()) once_ = chosen_.begin();
}

std::optional<Check> ContractChecks::not_asked(Aspect aspect,
                                               const cases::Case& c,
                                               std::uint32_t operation) const {
  const std::string lacks = missing_feature(kernel_.description(), operation,
                                            c.problem, kernel_.shares_memory());
  if (!lacks.empty()) return not_checked(aspect, lacks);
  if (!declines(kernel_, operation, c)) return std::nullopt;
  return declined(aspect);
}

const cases::Case* ContractChecks::chosen(const Kind& kind) const {
  const auto found = chosen_.find(kind);
  return found == chosen_.end() ? nullptr : found->second;
}

const cases::Case* ContractChecks::first_of(
    std::uint32_t operation, std::optional<reference::Format> dtype) const {
  for (const auto& [kind, c] : chosen_) {
    if (std::get<0>(kind) == operation &&
        c->problem.dtype == dtype.value_or(c->problem.dtype)) {
      return c;
    }
  }
  return nullptr;
}

bool ContractChecks::asks(Aspect aspect, const cases::Case& c,
                          std::uint32_t operation) const {
  const Promise& asked = promise(aspect);
  if (tier_ < asked.from) return false;
  const bool is_main = operation == main_operation(kernel_.description());
  const bool is_once = once_->first == kind_of(c.problem, operation) &&
                       once_->second->id == c.id;
  switch (asked.often) {
    case Often::kOwnCases:
      return false;
    case Often::kKind:
      return true;
    case Often::kOperationAndDtype:
      return kernel_.shares_memory()
                 ? first_of(operation, c.problem.dtype)->id == c.id
                 : is_once;
    case Often::kMainDtype:
      return (is_main ? first_of(operation, c.problem.dtype)
                      : first_of(operation))
                 ->id == c.id;
    case Often::kOnce:
      return is_once;
  }
  return false;
}

Check ContractChecks::changes(reference::Format dtype,
                              std::uint32_t operation) {
  auto known = variations_.find(dtype);
  for (const std::uint32_t richest :
       {ROPEPROOF_ROPE, ROPEPROOF_TABLE, ROPEPROOF_ROTATE, ROPEPROOF_LOOKUP}) {
    if (known != variations_.end()) break;
    const cases::Case* like = first_of(richest, dtype);
    if (like == nullptr) continue;
    known =
        variations_
            .emplace(dtype, variations_of(kernel_, richest, *like, is_profile_))
            .first;
  }
  return check_changes(kernel_, operation,
                       offered_of(kernel_, operation, known->second));
}

std::vector<Check> ContractChecks::of(const cases::Case& c,
                                      std::uint32_t operation) {
  const cases::Case* const one = chosen(kind_of(c.problem, operation));
  if (one == nullptr || one->id != c.id) return {};
  const Subject subject{c, operation};
  std::vector<Check> checks = check_contract(kernel_, subject, contrasting_);
  if (asks(Aspect::kChanges, c, operation)) {
    checks.push_back(changes(c.problem.dtype, operation));
  }
  if (asks(Aspect::kLongTogether, c, operation)) {
    checks.push_back(check_large_concurrency(kernel_, subject));
  }
  if (asks(Aspect::kManyCalls, c, operation)) {
    checks.push_back(check_many_calls(kernel_, subject));
  }
  if (asks(Aspect::kMillionCalls, c, operation)) {
    checks.push_back(check_million_calls(kernel_, subject));
  }
  if (asks(Aspect::kPrompt, c, operation)) {
    checks.push_back(check_prompt(kernel_, subject));
  }
  if (asks(Aspect::kVast, c, operation)) {
    checks.push_back(check_vast(kernel_, subject));
  }
  if (asks(Aspect::kUnload, c, operation)) {
    std::ranges::move(check_lifetime(kernel_), std::back_inserter(checks));
  }
  return checks;
}

Check ContractChecks::of(const cases::RejectCase& r) const {
  const bool is_of_ids = r.defect == cases::Defect::kIdOutOfRange ||
                         r.defect == cases::Defect::kNegativeId;
  const std::uint32_t operation = is_of_ids
                                      ? std::uint32_t{ROPEPROOF_LOOKUP}
                                      : main_operation(kernel_.description());
  const auto is_offered = [&](const cases::Case& c) {
    return missing_feature(kernel_.description(), operation, c.problem,
                           kernel_.shares_memory())
        .empty();
  };
  // A kernel that does not take the case may validate what it takes.
  const cases::Case* const own = first_of(operation);
  const bool is_own = offers(kernel_, ROPEPROOF_VALIDATES) && own != nullptr &&
                      !is_offered(*cases_.at(r.of));
  const cases::Case& c = is_own ? *own : *cases_.at(r.of);
  const std::optional<Check> refusal =
      not_asked(Aspect::kRejectNotAsked, c, operation);
  Check check =
      refusal ? *refusal : check_reject(kernel_, {c, operation}, r.defect);
  check.operation = operation;
  check.dtype = plugin::abi_dtype(c.problem.dtype);
  check.summary = r.comment + " (" + cases::summary(c) + ")";
  return check;
}

Check ContractChecks::of(const cases::SequenceCase& s) {
  const std::uint32_t operation = main_operation(kernel_.description());
  std::vector<Subject> calls;
  std::optional<Check> refusal;
  std::uint32_t dtype = 0;
  for (const std::string& id : s.calls) {
    const cases::Case& c = *cases_.at(id);
    dtype = plugin::abi_dtype(c.problem.dtype);
    refusal = not_asked(Aspect::kSequenceNotAsked, c, operation);
    if (refusal) break;
    calls.push_back({c, operation});
  }
  if (!kernel_.is_live()) {
    refusal = not_checked(Aspect::kSequenceNotAsked, "calls in a row");
  }
  Check check = refusal ? *refusal : check_sequence(kernel_, calls, cold_);
  if (refusal) check.dtype = dtype;
  check.operation = operation;
  check.summary = s.comment + " (" + std::to_string(s.calls.size()) + " calls)";
  return check;
}

}  // namespace ropeproof::conformance::check
