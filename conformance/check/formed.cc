#include "conformance/check/formed.h"

#include <omp.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "conformance/cases/draw.h"
#include "conformance/cases/form_golden.h"
#include "conformance/check/choices.h"
#include "conformance/check/offered.h"
#include "conformance/cover/form.h"
#include "conformance/cover/recipes.h"
#include "conformance/cover/values.h"
#include "reference/golden.h"

namespace ropeproof::conformance::check {
namespace {

// Weights are trained for one of two pairings, and served in the other.
reference::Layout trained_layout(reference::Layout layout) {
  using reference::Pairing;
  const bool is_read_interleaved =
      layout.pairing == Pairing::kInterleaved ||
      layout.pairing == Pairing::kInterleavedToHalf;
  layout.pairing =
      is_read_interleaved ? Pairing::kInterleaved : Pairing::kHalfSplit;
  layout.blocks = 1;
  if (layout.pair_distance > 0) {
    const std::int64_t between = layout.pair_distance - layout.rotary_dim / 2;
    const bool has_tail =
        layout.head_dim > layout.rotary_offset + layout.rotary_dim + between;
    // An odd head stays odd, an even one even.
    layout.head_dim -= between - (has_tail ? between % 2 : 0);
  }
  layout.pair_distance = 0;
  return layout;
}

// What ids of formed cases begin with.
enum class IdKind { kPairs, kTriples, kShapes, kFresh };
constexpr text::Words<IdKind, 4> kIdKinds{{{IdKind::kPairs, "pairs-"},
                                           {IdKind::kTriples, "triples-"},
                                           {IdKind::kShapes, "shapes-"},
                                           {IdKind::kFresh, "fresh"}}};

std::optional<IdKind> kind_of(std::string_view id) {
  for (const auto& [kind, begin] : kIdKinds) {
    if (id.starts_with(begin)) return kind;
  }
  return std::nullopt;
}

}  // namespace

cases::Problem permutation_like(const cases::Problem& p, std::uint64_t seed) {
  return cover::random_permutation(p.dtype, trained_layout(p.spec.layout),
                                   p.q_heads, p.seq, seed);
}

std::vector<cover::Recipe> recipes_of(plugin::Kernel& kernel,
                                      const Selection& selection) {
  const bool has_chosen = !selection.cases.empty();
  const cases::Problem* const like = selection.model.get();
  if (selection.arrays == nullptr ||
      (!selection.profile.empty() && like == nullptr) ||
      (selection.tier == cases::Tier::kSmoke && !has_chosen)) {
    return {};
  }
  const plugin::Description description = asked_description(kernel, selection);
  const std::uint32_t operation = main_operation(description);
  const cover::Model& model = selection.arrays->model;
  const auto takes = [&](const cover::Row& row) {
    if (!kernel.has_supports()) return true;
    const cases::Problem outline =
        cover::outline({.model = &model,
                        .row = row,
                        .seed = cover::seed_of(row, selection.seed),
                        .like = like},
                       description.max_position);
    return !missing_feature(description, operation, outline,
                            kernel.shares_memory())
                .empty() ||
           !declines(kernel, operation, {outline, ""});
  };
  const bool with_triples =
      selection.tier == cases::Tier::kFull ||
      std::ranges::any_of(selection.cases, [](const std::string& id) {
        return kind_of(id).value_or(IdKind::kPairs) != IdKind::kPairs;
      });
  std::vector<cover::Recipe> recipes =
      cover::recipes_for(*selection.arrays, description, kernel.shares_memory(),
                         with_triples, selection.seed, takes, like);
  // A row of both arrays is one question.
  std::set<std::uint64_t> seeds;  // of rows
  std::erase_if(recipes, [&](const cover::Recipe& c) {
    return !seeds.insert(c.seed).second;
  });
  if (selection.seed != 0) {
    cases::Draw draw(selection.seed);
    for (std::size_t i = recipes.size(); i > 1; --i) {
      const auto other = draw.between(0, static_cast<std::int64_t>(i) - 1);
      std::swap(recipes[i - 1], recipes[static_cast<std::size_t>(other)]);
    }
  }
  return recipes;
}

plugin::Description asked_description(const plugin::Kernel& kernel,
                                      const Selection& selection) {
  plugin::Description description = kernel.description();
  std::int64_t& most = description.max_position;
  if (selection.model != nullptr &&
      (most == 0 || most > selection.model_positions)) {
    most = selection.model_positions;
  }
  return description;
}

bool names_formed(const std::string& pattern) {
  return kind_of(pattern).has_value();
}

bool may_be_idle(const std::string& pattern,
                 const std::vector<std::string>& ids) {
  const std::optional<IdKind> kind = kind_of(pattern);
  return kind && std::ranges::none_of(ids, [&](const std::string& id) {
           return kind_of(id) == kind;
         });
}

// Threads of OpenMP would spin while the kernel is called.
FormedCases::FormedCases(std::vector<const cover::Recipe*> recipes,
                         const plugin::Description& description)
    : recipes_(std::move(recipes)),
      max_position_(description.max_position),
      rotates_((description.operations & ~std::uint32_t{ROPEPROOF_PERMUTE}) !=
               0),
      permutes_((description.operations & ROPEPROOF_PERMUTE) != 0),
      formed_(recipes_.size()) {
  const auto most = static_cast<std::size_t>(omp_get_max_threads());
  while (threads_.size() < std::min(most, recipes_.size())) {
    threads_.emplace_back(&FormedCases::form_some, this);
  }
}

FormedCases::~FormedCases() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  is_taken_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::vector<cases::Case> FormedCases::next() {
  std::unique_lock lock(mutex_);
  Formed& one = formed_.at(taken_);
  is_done_.wait(lock, [&] { return one.is_done; });
  ++taken_;
  elements_ -= one.elements();
  is_taken_.notify_all();
  if (one.failure) std::rethrow_exception(one.failure);
  return std::move(one.cases);
}

void FormedCases::form_some() {
  omp_set_num_threads(1);  // of this thread's loops
  std::unique_lock lock(mutex_);
  for (;;) {
    is_taken_.wait(lock, [&] {
      return ends_ || begun_ == recipes_.size() || may_begin();
    });
    if (ends_ || begun_ == recipes_.size()) return;
    const std::size_t number = begun_++;
    lock.unlock();
    Formed one;
    try {
      one.cases = form(*recipes_[number]);
    } catch (...) {
      one.failure = std::current_exception();
    }
    one.is_done = true;
    lock.lock();
    elements_ += one.elements();
    formed_[number] = std::move(one);
    is_done_.notify_all();
  }
}

std::vector<cases::Case> FormedCases::form(const cover::Recipe& recipe) const {
  std::vector<cases::Case> formed;
  if (rotates_) {
    formed.push_back(
        cover::form(recipe, max_position_, reference::best_oracle()));
  }
  if (permutes_) {
    cases::Case c;
    c.id = recipe.id;
    c.comment = recipe.text;
    c.problem = permutation_like(
        rotates_ ? formed[0].problem : cover::outline(recipe, max_position_),
        recipe.seed);
    c.golden = cases::form_golden(c.problem, reference::best_oracle());
    formed.push_back(std::move(c));
  }
  return formed;
}

}  // namespace ropeproof::conformance::check
