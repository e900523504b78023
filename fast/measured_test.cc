// Prints every bound with the worst error measured against it.
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "fast/testing.h"

namespace ropeproof::fast {
namespace {

struct Worst {
  std::string unit;
  double bound, measured;
};

// By kernel and target.
std::map<std::pair<std::string, std::string>, Worst> recorded;

class Printer : public Catch::EventListenerBase {
 public:
  using Catch::EventListenerBase::EventListenerBase;

  void testRunEnded(const Catch::TestRunStats&) override {
    if (recorded.empty()) return;
    std::printf("%-30s%-10s%-10s%14s%14s\n", "kernel", "target", "unit",
                "bound", "measured");
    for (const auto& [key, w] : recorded) {
      const auto& [kernel, target] = key;
      std::printf("%-30s%-10s%-10s%14.7f%14.7f\n", kernel.c_str(),
                  target.c_str(), w.unit.c_str(), w.bound, w.measured);
    }
  }
};

CATCH_REGISTER_LISTENER(Printer)

}  // namespace

void record(const std::string& kernel, const std::string& target,
            const std::string& unit, double bound, double measured) {
  const auto [at, is_new] =
      recorded.try_emplace({kernel, target}, Worst{unit, bound, measured});
  if (!is_new) at->second.measured = std::max(at->second.measured, measured);
}

}  // namespace ropeproof::fast
