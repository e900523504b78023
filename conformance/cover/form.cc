#include "conformance/cover/form.h"

#include <utility>

#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/cover/dimension.h"
#include "conformance/cover/values.h"

namespace ropeproof::conformance::cover {

using cases::Problem;

Problem outline(const Recipe& recipe, std::int64_t max_position) {
  Drawing drawing{recipe, cases::Draw(recipe.seed), max_position, {}};
  Problem& p = drawing.problem;
  if (recipe.like != nullptr) {
    p.dtype = recipe.like->dtype;
    p.spec = recipe.like->spec;
  }
  for (const Dimension& dimension : known_dimensions()) {
    if (recipe.like == nullptr || dimension.decided == By::kCall) {
      dimension.draw(drawing);
    }
  }
  if (recipe.like != nullptr) p = cases::with_length(std::move(p));
  const auto zeros = [&](std::int64_t heads) {
    return cases::Bits(
        static_cast<std::size_t>(p.tokens() * heads * p.spec.layout.head_dim));
  };
  p.q = zeros(p.q_heads);
  p.k = zeros(p.k_heads);
  return std::move(p);
}

cases::Golden fill(Problem& p, const Recipe& recipe, reference::Oracle oracle,
                   bool has_nans) {
  cases::GoldenFormer former(p, oracle, cases::Effort::kFast);
  fill_values(p, former.tables(), recipe.class_of(kValues),
              cases::random_bits(recipe.seed, 1));
  if (has_nans) mark_copies(p, cases::random_bits(recipe.seed, 2));
  return std::move(former).rotate(p);
}

cases::Case form(const Recipe& recipe, std::int64_t max_position,
                 reference::Oracle oracle) {
  cases::Case c;
  c.id = recipe.id;
  c.comment = recipe.text;
  c.problem = outline(recipe, max_position);
  // A model's numbers are no NaNs.
  const bool has_nans = recipe.like == nullptr;
  c.golden = fill(c.problem, recipe, oracle, has_nans);
  return c;
}

}  // namespace ropeproof::conformance::cover
