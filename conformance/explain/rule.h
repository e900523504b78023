// rule.h -- the rule by which some of what was seen is unlike the rest.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "conformance/explain/diagnosis.h"
#include "conformance/explain/in_common.h"

namespace ropeproof::conformance::explain {

// Some of what was seen, and the answer that it stands in.
struct Sighting {
  Facts facts;
  std::size_t answer = 0;
};

// A rule is terms that hold together; none without others. It is reported only
// if chance is unlikely to make it: it takes fewer bits than a list of the
// answers that are members; and, given six answers with members and twelve with
// others, the rule found in one half of the answers holds in the other half.
// Where there is none, one or two terms that hold for all members and for so
// few others that it is no chance are a rule in part. A rule that is not
// reported keeps its terms: the class of a bug may follow from their subjects.
struct Rule {
  Place place;
  std::vector<Term> terms;

  // Whether it says that what has these facts is struck.
  bool holds(const Facts& facts) const;
};
Rule rule_of(const std::vector<Sighting>& members,
             const std::vector<Sighting>& others);

// The elements that a bug struck, and those that it spared.
struct Seen {
  std::vector<Sighting> struck, spared;
  bool has_both() const { return !struck.empty() && !spared.empty(); }
};

// The rule of what was seen, once fresh answers confirm it: all that is struck
// there is a member, and nothing that is spared. One that they contradict is
// formed again with them, kRounds times; then there is none. A rule in part
// must hold for all that is struck there, and not for all that is spared.
// Without a rule a first round may show one. `fresh` asks in a round, of the
// rule so far, and sees nothing where nobody answers. `is_shown`: both sides of
// a threshold have been asked.
inline constexpr int kRounds = 3;
Rule confirmed_rule(Seen seen, bool is_shown,
                    const std::function<Seen(int round, const Rule&)>& fresh);

}  // namespace ropeproof::conformance::explain
