#include "conformance/cases/full_families.h"

#include <catch2/catch_test_macros.hpp>
#include <set>

#include "conformance/cases/core/core_families.h"
#include "conformance/cases/corpus.h"
#include "reference/spec.h"

namespace ropeproof::conformance::cases {
namespace {

TEST_CASE("the full tier adds 10,650 valid cases with ids of their own",
          "[conformance][full]") {
  std::set<std::string> ids;
  for (const Group& group : core_families()) {
    for (const RopeCase& c : group.rope_cases) ids.insert(c.id);
  }
  const std::size_t core = ids.size();
  std::size_t rows = 0;
  for (const Group& group : full_families()) {
    CHECK(group.tier == "full");
    for (const RopeCase& c : group.rope_cases) {
      CAPTURE(c.id);
      CHECK(ids.insert(c.id).second);
      CHECK_NOTHROW(reference::validate(c.spec));
      if (c.tokens() > 65536) ++rows;
    }
  }
  CHECK(ids.size() - core == 10650);
  CHECK(rows == 2);
}

TEST_CASE("a case of the full tier is proved alone when it is asked for",
          "[conformance][full]") {
  Corpus corpus;
  add_full_tier(corpus, reference::Oracle::kBinFloat, {"full-drawn-00017"});
  std::size_t cases = 0;
  for (const Group& group : corpus.groups) {
    for (const RopeCase& c : group.rope_cases) {
      ++cases;
      CHECK(c.q_out.size() == c.q.size());
    }
  }
  CHECK(cases == 1);
  const std::size_t groups = corpus.groups.size();
  add_full_tier(corpus, reference::Oracle::kBinFloat, {});
  CHECK(corpus.groups.size() == groups);  // it has one already
}

}  // namespace
}  // namespace ropeproof::conformance::cases
