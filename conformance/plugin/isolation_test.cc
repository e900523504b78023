// What third-party code may do to its surroundings, and what becomes of it.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "conformance/plugin/arena.h"
#include "conformance/plugin/float_control.h"
#include "conformance/plugin/kernel.h"
#include "conformance/plugin/sparse_memory.h"
#include "conformance/plugin/test_problems.h"

namespace ropeproof::conformance::plugin {
namespace {

using Catch::Matchers::ContainsSubstring;
using std::chrono::milliseconds;

std::unique_ptr<Kernel> load(const std::string& name, KernelOptions options) {
  return load_library(ROPEPROOF_FAKES_DIR "/" + name + ".so", options);
}

// Whether the process ends within ten seconds; it is not our child.
bool ends(pid_t pid) {
  for (int i = 0; i < 1000; ++i) {
    if (kill(pid, 0) != 0) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

// Reads "pid NUMBER" lines until there are `count`.
std::vector<pid_t> read_pids(int fd, std::size_t count) {
  std::vector<pid_t> pids;
  std::string text;
  char byte = 0;
  while (pids.size() < count && read(fd, &byte, 1) == 1) {
    text += byte;
    if (byte != '\n') continue;
    if (text.starts_with("pid ")) pids.push_back(std::atoi(text.c_str() + 4));
    text.clear();
  }
  return pids;
}

// Runs `body` in a runner of its own. The `count` processes that it prints end
// with it, or while it runs on.
template <class Body>
void check_that_all_end(std::size_t count, bool is_killed, const Body& body) {
  int said[2];
  REQUIRE(pipe(said) == 0);
  const pid_t runner = fork();
  if (runner == 0) {
    dup2(said[1], STDERR_FILENO);
    body();
    _exit(0);
  }
  close(said[1]);
  const auto pids = read_pids(said[0], count);
  REQUIRE(pids.size() == count);
  if (is_killed) kill(runner, SIGKILL);
  for (const pid_t pid : pids) CHECK(ends(pid));
  waitpid(runner, nullptr, 0);
  close(said[0]);
}

// A child that touches the byte is killed.
bool is_guarded(volatile std::byte* byte) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    static_cast<void>(*byte);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

}  // namespace

TEST_CASE("a block of any size borders a guard page on the side asked for",
          "[conformance][kernel]") {
  SparseMemory beyond;
  Arena arena(beyond);
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{4095},
        std::size_t{4096}, std::size_t{4097}, std::size_t{100000},
        std::size_t{1} << 22, Arena::kMost, Arena::kMost + 1}) {
    CAPTURE(bytes);
    std::byte* const start = arena.allocate(bytes, Edge::kStart);
    std::byte* const end = arena.allocate(bytes, Edge::kEnd);
    CHECK(is_guarded(start - 1));
    CHECK(is_guarded(end + bytes));
    CHECK(reinterpret_cast<std::uintptr_t>(start) % 64 == 0);
    if (bytes == 0) continue;
    CHECK_FALSE(is_guarded(start));
    CHECK_FALSE(is_guarded(end));
    CHECK_FALSE(is_guarded(end + bytes - 1));
  }
}

TEST_CASE("the arena hands out distinct blocks until it is full, and again",
          "[conformance][kernel]") {
  SparseMemory beyond;
  Arena arena(beyond);
  const auto fill = [&] {
    std::size_t count = 0;
    try {
      for (;; ++count) {
        std::byte* const block = arena.allocate(4, Edge::kEnd);
        CHECK(*block == std::byte{0});
        *block = std::byte{1};
      }
    } catch (const std::bad_alloc&) {
    }
    return count;
  };
  const std::size_t count = fill();
  CHECK(count > 100);
  arena.release();
  CHECK(fill() == count);
}

TEST_CASE(
    "a sparse block lies between guard pages, is shared and starts as zeros",
    "[conformance][kernel]") {
  SparseMemory memory;
  constexpr std::size_t kBytes = (std::size_t{1} << 34) + 100;
  const std::array used{ByteRange{0, 8}, ByteRange{kBytes - 8, kBytes}};
  std::byte* const start = memory.allocate(kBytes, Edge::kStart, used);
  std::byte* const end = memory.allocate(kBytes, Edge::kEnd, used);
  // A guard page away from the one before.
  std::byte* const next = memory.allocate(kBytes, Edge::kStart, used);
  CHECK(is_guarded(start - 1));
  CHECK(is_guarded(end + kBytes));
  CHECK_FALSE(is_guarded(start));
  CHECK_FALSE(is_guarded(end + kBytes - 1));
  const pid_t child = fork();
  if (child == 0) {
    start[kBytes - 1] = std::byte{1};
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  CHECK(start[kBytes - 1] == std::byte{1});
  for (std::byte* const block : {start, end, next}) {
    block[0] = block[kBytes - 1] = std::byte{1};
  }
  memory.release();
  CHECK(memory.allocate(kBytes, Edge::kStart, used) == start);
  for (const std::byte* const block : {start, end, next}) {
    CHECK(block[0] == std::byte{0});
    CHECK(block[kBytes - 1] == std::byte{0});
  }
}

TEST_CASE("sparse memory that is not to be had is an error, not a crash",
          "[conformance][kernel]") {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{std::size_t{1} << 34, std::size_t{1} << 34};
    setrlimit(RLIMIT_AS, &limit);
    SparseMemory memory;
    try {
      memory.allocate(1, Edge::kEnd, {});
    } catch (const NoAddressSpace&) {
      _exit(42);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 42);
}

TEST_CASE("a kernel that hangs three times gets no fourth call",
          "[conformance][kernel]") {
  const auto kernel = load("hang_in_run", {milliseconds(50), 3});
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < 3; ++call) {
    CHECK(run_strided(*kernel).detail == "no answer within 150 ms");
    kernel->release();
  }
  for (int call = 0; call < 1000; ++call) {
    const Answer answer = run_strided(*kernel);
    CHECK(answer.outcome == Outcome::kTimeout);
    CHECK(answer.detail == "not run: the kernel has hung 3 times");
    kernel->release();
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("a kernel that has had the time of the whole run gets no more calls",
          "[conformance][kernel]") {
  KernelOptions options;
  options.whole_limit = milliseconds(1);
  const auto kernel = load("keeps_promises", options);
  std::this_thread::sleep_for(milliseconds(2));
  CHECK(run_strided(*kernel).outcome == Outcome::kOk);
  kernel->release();
  const Answer answer = run_strided(*kernel);
  CHECK(answer.outcome == Outcome::kTimeout);
  CHECK(answer.detail == "not run: the 1 ms for the whole run are over");
}

TEST_CASE("a late answer is asked for again, in a fresh process",
          "[conformance][kernel]") {
  const auto kernel = load("hangs_every_second_time", {milliseconds(50), 2});
  auto* const in = reinterpret_cast<float*>(kernel->allocate(16));
  std::fill_n(in, 4, 7.0f);
  Strided strided(*kernel);
  ropeproof_problem& problem = strided.problem;
  problem.batch = problem.seq = 1;
  problem.q = {in, in, 1, 4, 4, 4, 4, 4, 4};
  problem.k = {};
  // In place: what the first try has overwritten is there again. Twice, and no
  // more often.
  for (int call = 0; call < 3; ++call) {
    CAPTURE(call);
    CHECK(kernel->run(problem).outcome == Outcome::kOk);
    CHECK(in[0] == 7);
  }
  CHECK(kernel->run(problem).detail == "no answer within 50 ms");
}

TEST_CASE("a kernel whose process ends too often gets no more calls",
          "[conformance][kernel]") {
  KernelOptions options;
  options.max_ends = 3;
  const auto crashes = load("crash_in_run", options);
  for (int call = 0; call < 3; ++call) {
    CHECK(run_strided(*crashes).detail ==
          "killed by signal 11 (Segmentation fault)");
    crashes->release();
  }
  const Answer crash = run_strided(*crashes);
  CHECK(crash.outcome == Outcome::kCrash);
  CHECK(crash.detail ==
        "not run: 3 calls in a row ended the kernel's process, the last so: "
        "killed by signal 11 (Segmentation fault)");
  const auto breaks = start_process(process("garbage"), options);
  for (int call = 0; call < 3; ++call) run_strided(*breaks);
  const Answer error = run_strided(*breaks);
  CHECK(error.outcome == Outcome::kError);
  CHECK_THAT(error.detail, ContainsSubstring("not run: 3 calls in a row"));
  // Answers between them do not count, whatever they say.
  const auto refuses = load("refuses", options);
  for (int call = 0; call < 5; ++call) {
    CHECK(run_strided(*refuses).outcome == Outcome::kUnsupported);
    refuses->release();
  }
}

TEST_CASE("what a kernel left in a session of its own ends at its time limit",
          "[conformance][kernel]") {
  check_that_all_end(3, false, [] {
    const auto kernel = load("leaves_children", {milliseconds(500)});
    run_strided(*kernel);
  });
}

TEST_CASE("a hanging kernel and its children die with a runner that is killed",
          "[conformance][kernel]") {
  check_that_all_end(3, true, [] {
    const auto kernel = load("leaves_children", {std::chrono::hours(1)});
    run_strided(*kernel);
  });
}

TEST_CASE("a copy of the worker, which a kernel forks, makes no further calls",
          "[conformance][kernel]") {
  int said[2];
  REQUIRE(pipe(said) == 0);
  const pid_t runner = fork();
  if (runner == 0) {
    dup2(said[1], STDERR_FILENO);
    const auto kernel = load("answers_from_a_copy", {});
    Strided strided(*kernel);
    kernel->run_together({&strided.problem, 1}, 4);
    _exit(0);
  }
  close(said[1]);
  std::array<char, 64> text{};
  const auto n = read(said[0], text.data(), text.size());
  CHECK(std::string(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0) ==
        "");
  waitpid(runner, nullptr, 0);
  close(said[0]);
}

TEST_CASE("each part of the floating-point state has its name",
          "[conformance][kernel]") {
  const FloatControl now = FloatControl::now();
  CHECK(name_changes(now, now) == "");
#if defined(__x86_64__)
  const auto changed = [&](std::uint64_t vector, std::uint32_t x87) {
    return name_changes(now, {now.vector ^ vector, now.x87 ^ x87});
  };
  CHECK(changed(0x2000, 0) == "the rounding mode");
  CHECK(changed(0, 0x0400) == "the rounding mode");
  CHECK(changed(0x8000, 0) == "flush-to-zero");
  CHECK(changed(0x8040, 0) == "flush-to-zero, denormals-are-zero");
  CHECK(changed(0x0080, 0) == "the exception masks");
  CHECK(changed(0, 0x0100) == "the x87 precision");
#endif
}

#if defined(__x86_64__)
TEST_CASE("registers that a call must leave empty or clear are looked at",
          "[conformance][floating-point]") {
  FloatControl::reset();
  const FloatControl before = FloatControl::now();
  const auto changed = [&] {
    const FloatControl after = FloatControl::now();
    FloatControl::reset();
    return name_changes(before, after);
  };
  asm volatile("std");
  CHECK(changed() == "the direction flag");
  asm volatile("fld1");
  CHECK(changed() == "the x87 registers (emms?)");
  asm volatile("pxor %mm0, %mm0");
  CHECK(changed() == "the x87 registers (emms?)");
  CHECK(FloatControl::now() == before);
}
#endif

TEST_CASE("without a worker the library runs in this very process",
          "[conformance][kernel]") {
  KernelOptions options;
  options.is_forked = false;
  const auto kernel = load("keeps_promises", options);
  CHECK(kernel->description().name == "fake");
  CHECK(kernel->has_guards());
  Strided strided(*kernel);
  strided.problem.k = {};
  strided.problem.base = 1;
  CHECK(kernel->run(strided.problem).outcome == Outcome::kOk);
  CHECK(strided.q_out[0] != -1);
  CHECK_THROWS_AS(load("no_run", options), KernelError);
}

}  // namespace ropeproof::conformance::plugin
