#include "conformance/selftest/asked_cases.h"

#include "conformance/cover/form.h"
#include "conformance/cover/recipes.h"
#include "reference/parallel_for.h"

namespace ropeproof::conformance::selftest {
AskedCases::AskedCases(const cases::Corpus& corpus, const cover::Arrays& arrays,
                       const plugin::Description& description, cases::Tier tier)
    : corpus_(corpus),
      recipes_(cover::recipes_for(arrays, description, true, tier, 0,
                                  [](const cover::Row&) { return true; })) {}

void AskedCases::committed(cases::Tier tier, const Look& look) const {
  std::vector<const cases::Case*> list;
  for (const cases::Group& group : corpus_.groups) {
    if (group.tier != tier) continue;
    for (const cases::Case& c : group.rope_cases) list.push_back(&c);
  }
  reference::parallel_for(
      std::ssize(list),
      [&](std::int64_t i) { look(*reference::at(list, i), {}, 0); }, 1);
}

void AskedCases::formed(cases::Tier tier, const Look& look) const {
  std::vector<const cover::Recipe*> list;
  for (const cover::Recipe& c : recipes_) {
    if (c.tier == tier) list.push_back(&c);
  }
  reference::parallel_for(
      std::ssize(list),
      [&](std::int64_t i) {
        const cover::Recipe& recipe = *reference::at(list, i);
        const bool is_of_row = recipe.source != cover::Source::kShapes;
        look(cover::form(recipe, 0, reference::best_oracle()),
             is_of_row ? recipe.row : cover::Row(), recipe.seed);
      },
      1);
}

}  // namespace ropeproof::conformance::selftest
