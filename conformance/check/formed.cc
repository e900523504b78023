#include "conformance/check/formed.h"

#include <omp.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "conformance/call/call.h"
#include "conformance/cases/draw.h"
#include "conformance/cases/form_golden.h"
#include "conformance/check/choices.h"
#include "conformance/check/offered.h"
#include "conformance/check/paper_kernel.h"
#include "conformance/cover/class_words.h"
#include "conformance/cover/dimension.h"
#include "conformance/cover/form.h"
#include "conformance/cover/offer.h"
#include "conformance/cover/recipes.h"
#include "conformance/cover/values.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/scalings.h"
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

// The dimensions of which smoke asks each class that a kernel declares, in
// cover::kSingles cases.
constexpr std::string_view kOfSmoke[] = {
    cover::kDtype.dimension,     cover::kPairing.dimension,
    cover::kDirection.dimension, cover::kAxes.dimension,
    cover::kScalingDimension,    cover::kWindow.dimension,
    cover::kAmplitude.dimension, cover::kNumbers.dimension,
    cover::kSign.dimension,      cover::kValues.dimension};

// Whether a kernel declares a class that it offers: one that takes inv_freq is
// handed the numbers of any scaling, and says which it computes.
bool is_declared(const plugin::Description& kernel,
                 const cover::Dimension& dimension, std::uint8_t c) {
  if (dimension.name != cover::kScalingDimension) return true;
  const reference::Scaling& scaling = cover::scaling_examples()[c].scaling;
  const std::uint32_t bit = plugin::scaling_bit(scaling);
  return bit == 0 || (bit & kernel.scalings) != 0;
}

// Whether a problem is of the head and the base that a kernel was made for.
bool is_own(const plugin::Description& kernel, const reference::Spec& spec) {
  return (kernel.head_dim == 0 ||
          (spec.layout.head_dim == kernel.head_dim &&
           spec.layout.rotary_dim == kernel.rotary_dim)) &&
         (kernel.base == 0 || spec.frequencies.base == kernel.base);
}

// A recipe for that head and that base.
cover::Recipe made_for(const plugin::Description& kernel,
                       cover::Recipe recipe) {
  if (kernel.head_dim != 0) {
    recipe.sizes["pairs"] = kernel.rotary_dim / 2;
    recipe.head_dim = kernel.head_dim;
  }
  recipe.base = kernel.base;
  return recipe;
}

// The classes of the calls that an operation of a kernel gets in the committed
// cases of smoke.
std::vector<cover::Row> rows_of_smoke(const plugin::Description& kernel,
                                      const cases::Corpus& corpus,
                                      const cover::Model& model,
                                      std::uint32_t operation) {
  PaperKernel lender(kernel, true, {});  // of memory: no call is made
  std::vector<cover::Row> rows;
  // They are rotations: none is a question about weights.
  if (operation == ROPEPROOF_PERMUTE) return rows;
  for (const cases::Group& group : corpus.groups) {
    if (group.tier != cases::Tier::kSmoke) continue;
    for (const cases::Case& c : group.rope_cases) {
      if (!is_own(kernel, c.problem.spec) ||
          !missing_feature(kernel, operation, c.problem, true).empty()) {
        continue;
      }
      const call::Call call(lender, operation, c.problem, c.id,
                            reference::Format::kF32, call::Contents::kLaidOut);
      rows.push_back(cover::classes_of(model, call.questions().front()));
    }
  }
  return rows;
}

// What a kernel declares and too few of the committed cases of smoke ask of one
// of its operations: rows of one class of kOfSmoke, or of a dtype and a
// pairing, and open otherwise.
std::vector<cover::Row> left_by_smoke(const plugin::Description& kernel,
                                      const cases::Corpus& corpus,
                                      const cover::Model& model,
                                      const cover::Masks& offered) {
  std::vector<cover::Row> left;
  for (const auto& [operation, word] : plugin::kOperationWords) {
    if ((kernel.operations & operation) == 0) continue;
    const cover::Masks seen = cover::seen_by(model, operation);
    const std::vector<cover::Row> rows =
        rows_of_smoke(kernel, corpus, model, operation);
    const auto ask = [&](const cover::Row& wanted, std::size_t enough) {
      const auto has_all = [&](const cover::Row& row) {
        for (std::size_t d = 0; d < row.size(); ++d) {
          if (wanted[d] != cover::kOpen && wanted[d] != row[d]) return false;
        }
        return true;
      };
      if (static_cast<std::size_t>(std::ranges::count_if(rows, has_all)) <
              enough &&
          std::ranges::count(left, wanted) == 0) {
        left.push_back(wanted);
      }
    };
    for (const std::string_view name : kOfSmoke) {
      const std::size_t d = model.at(name);
      for (const std::uint8_t c : cover::classes_in(offered[d] & seen[d])) {
        if (!is_declared(kernel, model.dimensions()[d], c)) continue;
        cover::Row wanted(model.size(), cover::kOpen);
        wanted[d] = c;
        ask(wanted, cover::kSingles);
      }
    }
    const std::size_t dtype = model.at(cover::kDtype.dimension),
                      pairing = model.at(cover::kPairing.dimension);
    for (const std::uint8_t a :
         cover::classes_in(offered[dtype] & seen[dtype])) {
      for (const std::uint8_t b :
           cover::classes_in(offered[pairing] & seen[pairing])) {
        cover::Row wanted(model.size(), cover::kOpen);
        wanted[dtype] = a;
        wanted[pairing] = b;
        ask(wanted, 1);
      }
    }
  }
  return left;
}

// What else than the tier a list of ids asks for.
struct ById {
  bool singles = false;
  bool full = false;  // what only the tier of that name asks
};

ById by_id(const std::vector<std::string>& ids) {
  ById asked;
  for (const std::string& id : ids) {
    const std::optional<cover::IdKind> kind = cover::kind_of_id(id);
    if (!kind) continue;
    asked.singles |= *kind == cover::IdKind{.source = cover::Source::kSingles};
    asked.full |= kind->is_fresh || kind->source == cover::Source::kTriples ||
                  kind->source == cover::Source::kShapes;
  }
  return asked;
}

void shuffle(std::vector<cover::Recipe>& recipes, std::uint64_t seed) {
  cases::Draw draw(seed);
  for (std::size_t i = recipes.size(); i > 1; --i) {
    const auto other = draw.between(0, static_cast<std::int64_t>(i) - 1);
    std::swap(recipes[i - 1], recipes[static_cast<std::size_t>(other)]);
  }
}

}  // namespace

cases::Problem permutation_like(const cases::Problem& p, std::uint64_t seed) {
  return cover::random_permutation(p.dtype, trained_layout(p.spec.layout),
                                   p.q_heads, p.seq, seed);
}

std::vector<cover::Recipe> recipes_of(plugin::Kernel& kernel,
                                      const cases::Corpus& corpus,
                                      const Selection& selection) {
  const cases::Problem* const like = selection.model.get();
  if (selection.arrays == nullptr ||
      (!selection.profile.empty() && like == nullptr)) {
    return {};
  }
  const ById by_ids = by_id(selection.cases);
  const bool is_smoke =
      selection.tier == cases::Tier::kSmoke && selection.cases.empty();
  const plugin::Description description = asked_description(kernel, selection);
  const std::uint32_t operation = main_operation(description);
  const cover::Model& model = selection.arrays->model;
  const auto takes = [&](const cover::Row& row) {
    if (!kernel.has_supports()) return true;
    const cases::Problem outline = cover::outline(
        made_for(description, {.model = &model,
                               .row = row,
                               .seed = cover::seed_of(row, selection.seed),
                               .like = like}),
        description.max_position);
    return !missing_feature(description, operation, outline,
                            kernel.shares_memory())
                .empty() ||
           !declines(kernel, operation, {outline, ""});
  };
  std::vector<cover::Recipe> recipes;
  if (!is_smoke) {
    const bool is_full = selection.tier == cases::Tier::kFull || by_ids.full;
    recipes = cover::recipes_for(
        *selection.arrays, description, kernel.shares_memory(),
        is_full ? cases::Tier::kFull : cases::Tier::kCore, selection.seed,
        takes, like);
  }
  if ((is_smoke && like == nullptr) || by_ids.singles) {
    const cover::Masks offered =
        cover::offered(model, description, kernel.shares_memory());
    std::ranges::move(
        cover::single_recipes(
            model, offered, left_by_smoke(description, corpus, model, offered)),
        std::back_inserter(recipes));
  }
  std::erase_if(recipes, [&](const cover::Recipe& c) {
    return c.source == cover::Source::kShapes && description.head_dim != 0;
  });
  for (cover::Recipe& c : recipes) c = made_for(description, std::move(c));
  // A row of both arrays is one question.
  std::set<std::uint64_t> seeds;  // of rows
  std::erase_if(recipes, [&](const cover::Recipe& c) {
    return !seeds.insert(c.seed).second;
  });
  if (selection.seed != 0) shuffle(recipes, selection.seed);
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

bool may_be_idle(const std::string& pattern,
                 const std::vector<std::string>& ids) {
  const std::optional<cover::IdKind> kind = cover::kind_of_id(pattern);
  return kind && std::ranges::none_of(ids, [&](const std::string& id) {
           return cover::kind_of_id(id) == kind;
         });
}

// Threads of OpenMP would spin while the kernel is called.
FormedCases::FormedCases(std::vector<const cover::Recipe*> recipes,
                         const plugin::Description& description,
                         FormedStore* store)
    : recipes_(std::move(recipes)),
      max_position_(description.max_position),
      rotates_((description.operations & ~std::uint32_t{ROPEPROOF_PERMUTE}) !=
               0),
      permutes_((description.operations & ROPEPROOF_PERMUTE) != 0),
      store_(store),
      formed_(recipes_.size()) {
  std::size_t missing = recipes_.size();
  for (std::size_t i = 0; store_ != nullptr && i < recipes_.size(); ++i) {
    Formed& one = formed_[i];
    one.cases = store_->find(key_of(*recipes_[i]));
    one.is_kept = one.is_done = one.cases != nullptr;
    if (one.is_kept) --missing;
  }
  const auto most = static_cast<std::size_t>(omp_get_max_threads());
  try {
    while (threads_.size() < std::min(most, missing)) {
      threads_.emplace_back(&FormedCases::form_some, this);
    }
  } catch (const std::system_error&) {  // those that there are form all
    if (threads_.empty()) {
      throw std::runtime_error(
          "no thread can be started; raise ulimit -u, or end other programs");
    }
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

FormedList FormedCases::next() {
  std::unique_lock lock(mutex_);
  Formed& one = formed_.at(taken_);
  is_done_.wait(lock, [&] { return one.is_done; });
  elements_ -= one.elements();
  if (!threads_.empty()) is_taken_.notify_all();
  if (one.failure) std::rethrow_exception(one.failure);
  if (store_ != nullptr && !one.is_kept) {
    store_->keep(key_of(*recipes_[taken_]), one.cases);
  }
  ++taken_;
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
    if (formed_[number].is_kept) continue;
    lock.unlock();
    Formed one;
    try {
      one.cases = std::make_shared<const std::vector<cases::Case>>(
          form(*recipes_[number]));
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
