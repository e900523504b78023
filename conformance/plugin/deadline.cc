#include "conformance/plugin/deadline.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace ropeproof::conformance::plugin {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// The resolution of the times in /proc.
constexpr milliseconds kStep{10};

// A line of /proc/PID/stat, from the state on.
struct Stat {
  char state = 0;
  pid_t group = 0;
  long ticks = 0;
};

std::optional<Stat> read_stat(const fs::path& folder) {
  std::ifstream file(folder / "stat");
  // A process may end between the two: getline() fails then, where a stream's
  // iterators throw. No stat holds the byte 0, but a name may hold a line feed.
  std::string line;
  std::getline(file, line, '\0');
  const std::size_t name_end = line.rfind(')');  // a name may have spaces
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  Stat stat;
  pid_t parent = 0;
  fields >> stat.state >> parent >> stat.group;
  std::string skipped;
  constexpr int kBetween = 8;  // session to cmajflt
  for (int i = 0; i < kBetween; ++i) fields >> skipped;
  constexpr int kTimes = 4;  // user and system, own and of children
  for (int i = 0; i < kTimes; ++i) {
    long ticks = 0;
    fields >> ticks;
    stat.ticks += ticks;
  }
  if (!fields) return std::nullopt;
  return stat;
}

template <class Body>
void for_each_folder(const fs::path& folder, const Body& body) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (std::isdigit(static_cast<unsigned char>(
            at->path().filename().string().front())) != 0) {
      body(at->path());
    }
  }
}

// Whether a process or a thread runs, or waits for a processor or a disk.
bool is_runnable(const Stat& stat) {
  return stat.state == 'R' || stat.state == 'D';
}

}  // namespace

std::optional<Activity> activity_of(pid_t group) {
  static const bool is_known = read_stat("/proc/self").has_value();
  static const long ticks_per_s = sysconf(_SC_CLK_TCK);
  if (!is_known || group <= 0) return std::nullopt;
  Activity activity;
  for_each_folder("/proc", [&](const fs::path& process) {
    const auto stat = read_stat(process);
    if (!stat || stat->group != group) return;
    activity.processor += milliseconds(stat->ticks * 1000 / ticks_per_s);
    for_each_folder(process / "task", [&](const fs::path& thread) {
      const auto of_thread = read_stat(thread);
      if (of_thread && is_runnable(*of_thread)) activity.is_runnable = true;
    });
  });
  return activity;
}

Deadline::Deadline(milliseconds limit)
    : limit_(limit), start_(Clock::now()), next_(start_ + limit / 10) {}

std::string Deadline::text() const {
  return std::to_string(limit_.count()) + " ms";
}

bool Deadline::is_over(pid_t group) {
  const auto now = Clock::now();
  if (!has_looked_) {
    has_looked_ = true;
    first_ = activity_of(group);
    next_ = start_ + limit_;
    left_ = std::chrono::ceil<milliseconds>(next_ - now);
    return now >= next_;
  }
  const auto last = start_ + kMostLimits * limit_;
  const auto activity = activity_of(group);
  if (now >= last || !first_ || !activity || !activity->is_runnable) {
    return true;
  }
  const milliseconds used = activity->processor - first_->processor;
  if (used + kStep >= left_) return true;
  next_ = std::min(last, now + std::max(kStep, limit_ / 10));
  return false;
}

}  // namespace ropeproof::conformance::plugin
