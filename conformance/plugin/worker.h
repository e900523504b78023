// worker.h -- what runs where the plug-in runs: loading, solving, crashing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/plugin/blocks.h"
#include "conformance/plugin/child.h"
#include "conformance/plugin/device.h"
#include "conformance/plugin/float_control.h"
#include "conformance/plugin/kernel.h"
#include "conformance/plugin/library_here.h"

namespace ropeproof::conformance::plugin {

// What the worker sends once, after loading. Text has its terminating zero.
struct Loaded {
  enum Stage : std::int32_t {
    kRefused,    // `text` says why
    kDescribed,  // describe returned `status`
  } stage = kRefused;
  std::int32_t status = 0;
  ropeproof_description description{};  // pointers are the worker's
  bool has_supports = false;            // ropeproof_supports
  bool is_on_device = false;            // ropeproof_device
  // The floating-point unit before and after loading, and after describe, which
  // found it as `before`.
  FloatControl before, loaded, described;
  char text[512]{};
  char name[128]{}, version[128]{};
  char backend[1024]{};  // JSON, of ropeproof_backend; empty: there is none
};

// What the runner sends, followed by `count` problems, each to be solved
// `rounds` times: one in the worker's own thread, several each in a thread of
// its own. With kQuestion for rounds the kernel is asked whether it takes the
// one problem. For a kernel on a device there follow `blocks` blocks, all the
// memory of the problems.
inline constexpr std::int32_t kQuestion = 0;
struct Request {
  std::uint64_t number = 0;
  std::int32_t count = 1, rounds = 1, blocks = 0;
};

// What the worker sends for each problem of a request.
struct Solved {
  std::uint64_t number = 0;  // the request's
  std::int32_t status = 0;
  bool is_steady = true;  // every round gave the same bits
  DeviceFault device = DeviceFault::kNone;
  FloatControl before, after;
  char why[256]{};  // of ropeproof_fault
};

// Where a worker leaves the reason of its end, in memory that it shares with
// the runner.
struct CrashNote {
  std::int32_t signal = 0;  // 0: no note
  bool is_stack_overflow = false;
  Fault fault;
  int copies = 0;  // of the worker, which came back from a call
};

// Loads a library into this process. What has no `run` is no kernel.
Functions load(const std::string& path, Loaded& loaded);

// Solves one problem in the calling thread, in the default floating-point
// environment.
Solved solve(decltype(&ropeproof_run) run, const ropeproof_problem& problem);
// Notes what became of the launches of a call, where the library says it.
void note_fault(Solved& solved, decltype(&ropeproof_fault) fault);
// Asks in the same way whether the kernel takes the problem.
Solved ask(decltype(&ropeproof_supports) supports,
           const ropeproof_problem& problem);
// Solves problems that lie in `blocks` on a device, several at once. They are
// steady if no block has other bits after a later round.
std::vector<Solved> solve_on_device(
    Device& device, decltype(&ropeproof_run) run, const Blocks& blocks,
    const std::vector<ropeproof_problem>& problems, int rounds);

// The body of a worker: answers the runner's requests until there are no more,
// and runs the library's destructors. The plug-in may use `threads` threads, 0
// for any number.
void serve(const std::string& path, int threads, CrashNote& note,
           const Parent& runner);

// The body of a worker that is timed: one thread, which waits for calls.
struct Doorbell;
void serve_timed(const std::string& path, Doorbell& bell);

// Serves as a program of its own, whose arguments behind kWorkerWord are the
// library, the number of threads and the places of three shared memories: of
// the arena, the sparse memory and the note. Where the library's are two, of
// the tensors and the doorbell, it is timed. The runner is its standard input.
// Ends the process.
[[noreturn]] void serve_executed(std::span<char*> arguments);

// Restricts this process and the libraries that it loads from now on, unless
// `threads` is 0. OpenMP asks its variable, or the calling thread; others count
// the processors that they may run on.
void limit_threads(int threads);

}  // namespace ropeproof::conformance::plugin
