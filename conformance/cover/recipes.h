// recipes.h -- what a kernel is asked beside the committed cases: its rows of
// the covering arrays, and the shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "conformance/cover/arrays.h"
#include "conformance/cover/choose.h"
#include "conformance/cover/recipe.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::cover {

// The recipes of a kernel in a tier: in core every pair of the classes that it
// offers, again with other numbers where these are few, in full every triple
// beside them; and the shapes of each. `seed` 0 is
// that of the suite; any other draws fresh sizes, positions and elements for
// the same classes. With `like`, dtype and specification are those of that
// case, and there are no triples and no shapes. `arrays` and `like` outlive the
// recipes.
std::vector<Recipe> recipes_for(const Arrays& arrays,
                                const plugin::Description& description,
                                bool shares_memory, cases::Tier tier,
                                std::uint64_t seed, const Takes& takes,
                                const cases::Problem* like = nullptr);

// The recipes of smoke: small cases of the classes of each of `wanted`, whose
// other dimensions are open; kSingles recipes for each, none where its classes
// contradict what is `offered`. Ids are those of rows.
inline constexpr std::size_t kSingles = 3;
std::vector<Recipe> single_recipes(const Model& model, const Masks& offered,
                                   const std::vector<Row>& wanted);

// What an id, or a pattern of ids, says of the recipe that it names.
struct IdKind {
  bool is_fresh = false;             // of a seed; the source is not read
  Source source = Source::kSingles;  // of others
  bool operator==(const IdKind&) const = default;
};
// Returns the kind of an id of recipes_for() or single_recipes(); nothing for
// other ids.
std::optional<IdKind> kind_of_id(std::string_view id);

// Recipe `index` of the stream `seed`: of each dimension a class that is
// offered, in some recipes mostly the plain ones; at most one that hides what
// else is wrong.
Recipe drawn_recipe(const Model& model, const Masks& offered,
                    std::uint64_t seed, std::uint64_t index);

// The seed of the recipe of a row, which stays the same in a model with more
// dimensions, whose plain classes it has, and with more classes, where the new
// ones stand last.
std::uint64_t seed_of(const Row& row, std::uint64_t seed);

}  // namespace ropeproof::conformance::cover
