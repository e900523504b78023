// facts.h -- what a case asks, as named values: what reports compare cases by.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_FACTS_H_
#define ROPEPROOF_CONFORMANCE_CHECK_FACTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "conformance/cases/case.h"

namespace ropeproof::conformance::check {

// A word or a number.
using Fact = std::variant<std::string, std::int64_t, double>;

// By the names of the ABI ("head_dim", "scaling", "truncate"); what a case does not
// have is absent. Beside them "memory", "lowest position", "highest position", and
// "order", "spacing", "rows" and "edge" of a storage.
using Facts = std::map<std::string, Fact>;

Facts facts_of(const cases::RopeCase& c);
Facts facts_of(const cases::PermuteCase& c);

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_FACTS_H_
