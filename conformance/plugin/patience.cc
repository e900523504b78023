#include "conformance/plugin/patience.h"

#include <cstdio>

namespace ropeproof::conformance::plugin {
namespace {

constexpr int kFirstCallLimits = 3;
constexpr int kStartLimits = 10;

}  // namespace

std::string quoted_last_line(const std::string& line) {
  return line.empty() ? "" : " (last printed: " + line + ")";
}

std::chrono::milliseconds Patience::limit(bool is_first) const {
  return (is_first ? kFirstCallLimits : 1) * options_.time_limit;
}

std::chrono::milliseconds Patience::start_limit() const {
  return kStartLimits * options_.time_limit;
}

bool Patience::is_over() const {
  return options_.whole_limit.count() > 0 &&
         Clock::now() - begin_ >= options_.whole_limit;
}

bool Patience::tries_again(const Answer& answer, bool is_first) {
  const bool is_late = answer.outcome == Outcome::kTimeout && !is_first;
  if ((!is_late && !answer.is_starved) || has_given_up() || is_over() ||
      !options_.can_restart || tried_again_ == options_.max_timeouts) {
    return false;
  }
  ++tried_again_;
  std::fprintf(stderr, "ropeproof: %s; tried once more in a fresh process\n",
               answer.detail.c_str());
  return true;
}

void Patience::count(const Answer& answer, bool has_ended) {
  if (has_given_up()) return;
  const bool is_late = answer.outcome == Outcome::kTimeout;
  // A call that gave up when it was told to costs itself.
  const bool was_interrupted = is_late && !has_ended;
  ended_ = has_ended || was_interrupted ? ended_ + 1 : 0;
  if (is_late && !was_interrupted) ++hung_;
  if (has_ended && !options_.can_restart) {
    no_more_ = {answer.outcome,
                "not run: an earlier call had no answer (" + answer.detail +
                    "), and the kernel cannot be started again"};
  } else if (hung_ == options_.max_timeouts) {
    no_more_ = {Outcome::kTimeout, "not run: the kernel has hung " +
                                       std::to_string(hung_) +
                                       (hung_ == 1 ? " time" : " times")};
  } else if (ended_ == options_.max_ends) {
    no_more_ = {answer.outcome,
                "not run: " + std::to_string(ended_) +
                    " calls in a row ended the kernel's process, "
                    "the last so: " +
                    answer.detail};
  } else if (is_over()) {
    no_more_ = {Outcome::kTimeout,
                "not run: the " + std::to_string(options_.whole_limit.count()) +
                    " ms for the whole run are over"};
  }
  no_more_.was_made = false;
}

Answer Patience::give_up(const std::string& why) {
  no_more_ = {Outcome::kError,
              "not run: the kernel cannot be started again: " + why};
  no_more_.was_made = false;
  return {Outcome::kError, why};
}

}  // namespace ropeproof::conformance::plugin
