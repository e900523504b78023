// test_matchers.h -- for tests: matchers of values that say which of them is
// wrong, with its numbers and bits.
#pragma once

#include <catch2/matchers/catch_matchers_templated.hpp>
#include <cstddef>
#include <string>
#include <utility>

#include "conformance/cases/problem.h"
#include "conformance/judge/judge.h"
#include "conformance/text/hex.h"
#include "reference/format.h"

namespace ropeproof::conformance::judge {

// Matches lists of the same bits.
class HasBits : public Catch::Matchers::MatcherGenericBase {
 public:
  HasBits(reference::Format format, cases::Bits want)
      : format_(format), want_(std::move(want)) {}

  bool match(const cases::Bits& got) const {
    difference_ = "of " + std::to_string(got.size()) + " elements";
    if (got.size() != want_.size()) return false;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] == want_[i]) continue;
      difference_ = "where element " + std::to_string(i) + " is " +
                    words(got[i]) + ", not " + words(want_[i]);
      return false;
    }
    return true;
  }
  std::string describe() const override {
    return "has the bits of " + std::to_string(want_.size()) + " elements, " +
           difference_;
  }

 private:
  std::string words(std::uint64_t bits) const {
    return std::to_string(reference::decode(format_, bits)) + " (" +
           text::hex(bits, reference::traits(format_).total_bits / 4) + ")";
  }

  reference::Format format_;
  cases::Bits want_;
  mutable std::string difference_;  // of the list that was matched last
};

// Matches measurements without an element beyond so many of its bounds.
class IsWithin : public Catch::Matchers::MatcherGenericBase {
 public:
  explicit IsWithin(double bounds) : bounds_(bounds) {}

  bool match(const Measurement& m) const {
    if (!m.worst) return m.wrong == 0;
    worst_ = text::word(m.worst->tensor) + ", token " +
             std::to_string(m.worst->token) + ", channel " +
             std::to_string(m.worst->channel) + ": " +
             std::to_string(m.worst->ratio()) + " bounds off";
    return m.worst->ratio() <= bounds_;
  }
  std::string describe() const override {
    return "is within " + std::to_string(bounds_) + " bounds; the worst is " +
           worst_;
  }

 private:
  double bounds_;
  mutable std::string worst_;
};

}  // namespace ropeproof::conformance::judge
