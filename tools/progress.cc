#include "tools/progress.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace ropeproof::tools {
namespace {

constexpr const char* kErase = "\r\x1b[K";

bool is_capable_terminal() {
  const char* const name = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && name != nullptr &&
         std::string_view(name) != "dumb";
}

}  // namespace

ProgressLine::ProgressLine() : is_terminal_(is_capable_terminal()) {}

void ProgressLine::show(std::size_t done, std::size_t all,
                        const std::string& current) {
  const auto now = std::chrono::steady_clock::now();
  if (!is_terminal_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  std::fprintf(stderr, "%s%zu of %zu cases: %.40s", kErase, done, all,
               current.c_str());
  std::fflush(stderr);
  is_shown_ = true;
}

void ProgressLine::erase() {
  if (!is_shown_) return;
  std::fputs(kErase, stderr);
  std::fflush(stderr);
  is_shown_ = false;
}

}  // namespace ropeproof::tools
