#include "tools/graded_speed.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "conformance/bench/measure.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/child.h"
#include "conformance/plugin/worker.h"
#include "conformance/text/format.h"

namespace ropeproof::tools {
namespace {

using report::Speed;

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

bool is_of(const report::Scope& scope, const bench::Row& row) {
  constexpr std::int64_t kTokens = 512, kTablePositions = 4096, kHead = 128;
  const auto& p = row.problem;
  const bool is_pairing =
      row.is_table() ||
      (scope.pairings & plugin::abi_pairing(p.spec.layout.pairing)) != 0;
  return (scope.operations & row.operation) != 0 && is_pairing &&
         (scope.dtypes & plugin::abi_dtype(p.dtype)) != 0 && row.threads == 1 &&
         !row.is_head_major() && p.spec.layout.rotary_dim == kHead &&
         p.spec.layout.head_dim == kHead &&
         p.seq == (row.is_table() ? kTablePositions : kTokens);
}

// Why nobody can say how fast something is here; empty where one can. The judge
// and the kernel wait for each other on two processors: where others share
// these, a call takes many times as long.
std::string why_not_timed() {
  constexpr double kMostPerProcessor = 1.5;
  double load = 0;
  // The machine's, as the load is, whatever this process may use of them.
  const auto processors = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  if (getloadavg(&load, 1) != 1 || load <= kMostPerProcessor * processors) {
    return "";
  }
  return text::format("others use the machine (load %.1f on %.0f processors)",
                      load, processors);
}

Speed timed(const KernelFlags& kernel, const plugin::Description& description,
            const report::Scope& scope) {
  if (const std::string why = why_not_timed(); !why.empty()) {
    return {.processor = processor_name(), .fault = why};
  }
  bench::TimedKernel one{description, {}};
  one.apart = std::make_shared<plugin::TimedLibrary>(
      std::filesystem::absolute(kernel.library()).string(), *kernel.sandbox(),
      kernel.time_limit());
  one.run = [apart = one.apart](const ropeproof_problem& problem) {
    return apart->call(problem);
  };
  plugin::limit_threads(1);
  Speed slowest{.processor = processor_name()};
  for (const bench::Row& row : bench::all_rows()) {
    if (!is_of(scope, row)) continue;
    // By the widest vectors nobody is twice as fast as the fastest limit.
    const bench::RowSpeed speed =
        bench::measure(row, {&one, 1}, {.too_fast = 2});
    const bench::KernelSpeed& found = speed.kernels.front();
    const bool is_measured =
        found.status == bench::KernelSpeed::Status::kMeasured;
    if (!is_measured || slowest.row.empty() ||
        found.figures.of_plain < slowest.ratio) {
      slowest.row = row.name;
      slowest.ratio = is_measured ? found.figures.of_plain : 0;
    }
    slowest.fault = is_measured ? "" : found.reason;
    if (!is_measured) break;
  }
  return slowest;
}

}  // namespace

std::string answer_of_process(const std::function<std::string()>& body) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) {
    // OpenMP's threads of this one are gone: a new thread gets new ones.
    std::thread([&] {
      const std::string answer = body();
      static_cast<void>(::write(ends[1], answer.data(), answer.size()));
      // Without the libraries' destructors: a fault there must not change what
      // was measured.
      std::_Exit(0);
    }).join();
  }
  ::close(ends[1]);
  std::string answer;
  char part[4096];
  for (ssize_t n = 1; n > 0;) {
    n = ::read(ends[0], part, sizeof part);
    if (n > 0) answer.append(part, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int end = 0;
  while (::waitpid(child, &end, 0) < 0 && errno == EINTR) {
  }
  if (!answer.empty()) return answer;
  throw plugin::KernelError("a kernel ended the process that timed it: " +
                            plugin::how_it_ended(end));
}

bool is_timed(const report::Scope& scope) {
  return std::ranges::any_of(bench::all_rows(), [&](const bench::Row& row) {
    return is_of(scope, row);
  });
}

Speed speed_of(const KernelFlags& kernel,
               const plugin::Description& description,
               const report::Scope& scope) {
  const auto answer = nlohmann::json::parse(answer_of_process([&] {
    Speed speed;
    try {
      speed = timed(kernel, description, scope);
    } catch (const std::exception& error) {
      speed.fault = error.what();
    }
    return nlohmann::json{{"ratio", speed.ratio},
                          {"row", speed.row},
                          {"processor", speed.processor},
                          {"fault", speed.fault}}
        .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  }));
  return {answer["ratio"], answer["row"], answer["processor"], answer["fault"]};
}

}  // namespace ropeproof::tools
