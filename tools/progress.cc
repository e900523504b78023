#include "tools/progress.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace ropeproof::tools {
namespace {

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
      is_terminal_(is_capable_terminal(descriptor)) {}

// A line that is lost is no matter.
void ProgressLine::write(const std::string& text) const {
  [[maybe_unused]] const ssize_t n =
      ::write(descriptor_, text.data(), text.size());
}

void ProgressLine::show(std::size_t done, std::size_t all,
                        const std::string& current) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  write(kErase + std::to_string(done) + " of " + std::to_string(all) + " " +
        what_ + ": " + current.substr(0, kMostLetters));
  is_shown_ = true;
}

void ProgressLine::erase() {
  if (!is_shown_) return;
  write(kErase);
  is_shown_ = false;
}

}  // namespace ropeproof::tools
