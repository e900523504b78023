#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "conformance/cases/test_corpus.h"
#include "conformance/check/call_coverage.h"
#include "conformance/cover/form.h"
#include "conformance/cover/recipes.h"
#include "conformance/models/profiles.h"
#include "conformance/plugin/description.h"

namespace ropeproof::conformance::models {

TEST_CASE("a profile keeps every pair of what a model leaves open",
          "[conformance][cover]") {
  const cover::Arrays arrays = cover::load_arrays(cases::kVectors);
  const cover::Takes all = [](const cover::Row&) { return true; };
  for (const ProfileParts& parts : profiles()) {
    CAPTURE(parts.name);
    const Profile profile = make_profile(parts, cases::kVectors / "models");
    const cases::Group group = profile_cases(profile);
    const cases::Problem& like = group.rope_cases.front().problem;
    plugin::Description d = plugin::everything("everything");
    d.max_position = profile.positions - 1;
    d.operations = ROPEPROOF_ROPE;
    for (const check::OperationCoverage& one :
         check::call_coverage(d, arrays, cases::Tier::kCore, &like)) {
      CHECK(one.pairs.possible > 200);
      CHECK(one.missing == std::vector<std::string>());
      CHECK(one.pairs.is_whole());
    }
    for (const cover::Recipe& recipe : cover::recipes_for(
             arrays, d, true, cases::Tier::kCore, 0, all, &like)) {
      const cases::Problem p = cover::outline(recipe, d.max_position);
      CHECK(p.dtype == like.dtype);
      CHECK(p.pairs() == like.pairs());
      CHECK(std::ranges::max(p.positions) <
            static_cast<double>(profile.positions));
    }
  }
}

}  // namespace ropeproof::conformance::models
