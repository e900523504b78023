#include "tools/progress.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ropeproof::tools {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kStep{100}, kStepOfLog{60'000};

constexpr const char* kErase = "\r\x1b[K";
constexpr std::size_t kMostLetters = 40;

bool is_capable_terminal(int descriptor) {
  const char* const name = std::getenv("TERM");
  return isatty(descriptor) != 0 && name != nullptr &&
         std::string_view(name) != "dumb";
}

}  // namespace

ProgressLine::ProgressLine(int descriptor, const char* what)
    : descriptor_(descriptor),
      what_(what),
      is_terminal_(is_capable_terminal(descriptor)),
      next_(steady_clock::now() + (is_terminal_ ? kStep * 0 : kStepOfLog)) {}

// A line that is lost is no matter.
void ProgressLine::write(const std::string& text) const {
  [[maybe_unused]] const ssize_t n =
      ::write(descriptor_, text.data(), text.size());
}

void ProgressLine::show(std::size_t done, std::size_t all,
                        const std::string& current) {
  const auto now = steady_clock::now();
  if (now < next_) return;
  next_ = now + (is_terminal_ ? kStep : kStepOfLog);
  const std::string text = std::to_string(done) + " of " + std::to_string(all) +
                           " " + what_ + ": " + current.substr(0, kMostLetters);
  write(is_terminal_ ? kErase + text : "ropeproof: " + text + "\n");
  is_shown_ = is_terminal_;
}

void ProgressLine::erase() {
  if (!is_shown_) return;
  write(kErase);
  is_shown_ = false;
}

}  // namespace ropeproof::tools
