// progress.h -- how far a run is, while it takes its time.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace ropeproof::tools {

// A line on a terminal, erased at the end; elsewhere, as in the log of a test,
// one more every minute.
class ProgressLine {
 public:
  // `what` are counted.
  explicit ProgressLine(int descriptor, const char* what = "cases");
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // "123 of 1284 cases: smoke-rich-001", on a terminal at most ten times a
  // second.
  void show(std::size_t done, std::size_t all, const std::string& current);
  void erase();

 private:
  void write(const std::string& text) const;

  int descriptor_;
  const char* what_;
  bool is_terminal_, is_shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace ropeproof::tools
