// choices.h -- which cases a kernel declines, and whether it declines the same
// ones when it is asked again.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "conformance/cases/case.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// The operation of a kernel that is asked one alone: rope, or rotate or lookup
// where it has nothing else.
std::uint32_t main_operation(const plugin::Description& kernel);

// What a kernel is asked about: a case, or a problem whose golden is not formed
// yet and the id of the case that it is to become. Both outlive this.
struct Question {
  Question(const cases::Case& c) : problem(c.problem), id(c.id), whole(&c) {}
  Question(const cases::Problem& p, const std::string& case_id)
      : problem(p), id(case_id) {}

  const cases::Problem& problem;
  const std::string& id;
  const cases::Case* whole = nullptr;
};

// Whether the kernel declines this under an operation that it offers.
bool declines(plugin::Kernel& kernel, std::uint32_t operation,
              const Question& asked);

// Asks again: an answer may depend on nothing but the question.
class Choices {
 public:
  explicit Choices(plugin::Kernel& kernel) : kernel_(kernel) {}

  // Asks about a case that was taken or declined, then, from the last to the
  // first, about those before it. What was answered otherwise than before, in
  // words; empty if nothing was, or for a kernel that takes everything.
  std::string check(std::uint32_t operation, const cases::Case& c,
                    plugin::Outcome outcome);

 private:
  struct Answered {
    std::uint32_t operation;
    cases::Case c;
    plugin::Outcome outcome;
  };
  static constexpr std::size_t kRemembered = 8;
  // Larger cases are asked once more at once, and not kept: 8 of a prompt would
  // take gigabytes.
  static constexpr std::int64_t kLargestRemembered = std::int64_t{1} << 18;

  plugin::Kernel& kernel_;
  std::deque<Answered> answered_;  // the latest last
};

}  // namespace ropeproof::conformance::check
