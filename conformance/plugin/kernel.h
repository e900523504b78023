// kernel.h -- a kernel under test, however it plugs in.
//
// The runner knows kernels only through this class: a shared library that runs
// in a forked worker; or a command, or the process that started the runner,
// that speaks the framed protocol of adapters/PROTOCOL.md. Third-party code
// never runs in the runner's own process: a crash or a hang is an answer, not
// the end of the run.
#pragma once

#include <ropeproof_kernel.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/plugin/blocks.h"
#include "conformance/plugin/sparse_memory.h"

namespace ropeproof::conformance::plugin {

// A claim for every dtype: A0, within 1 ulp, rounded once.
inline constexpr ropeproof_claim kStrictestClaim{0, 0, 0, 0, 1, 1, 0, 0};

// What runs a device's kernel on a processor. Each text is one line.
struct Backend {
  std::string name, version;  // "triton-interpret", "3.9.0"
  // What a verdict covers, and what it says nothing about.
  std::string shows, hides;
  std::vector<std::string> left_out;  // of what the kernel would take

  bool operator==(const Backend&) const = default;
};

// ropeproof_description, owned and checked.
struct Description {
  std::string name, version;
  std::uint32_t operations = 0, dtypes = 0, pairings = 0, features = 0;
  std::uint32_t axis_maps = 0, caches = 0, scalings = 0;
  std::uint32_t padding_bytes = 0;
  std::int64_t max_position = 0;
  // An object may be made for one head, or for one base; 0 is any.
  std::int64_t head_dim = 0, rotary_dim = 0;
  double base = 0;
  // One claim or more, in order; their ulps are 1 or more.
  std::vector<ropeproof_claim> claims = {kStrictestClaim};
  std::optional<Backend> backend;  // none: the kernel runs where it belongs

  // Returns the claim of one dtype, the first where none names it.
  const ropeproof_claim& claim(std::uint32_t dtype) const;
};

// A kernel that cannot be loaded, started or understood. what() is one line:
// what, where, what to do. Exit status 3.
struct KernelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Outcome {
  kOk,
  kUnsupported,  // the kernel said so
  kInvalid,      // the kernel said so
  kFailed,       // the kernel said so: it could not solve the problem
  kDeclined,     // ropeproof_supports said so, before any call
  kError,        // the answer broke the protocol
  kCrash,        // the process ended; `detail` names the signal or status
  kTimeout,      // no answer within the time limit, in a fresh process either
  kMissing,      // the results that were handed in have none for this call
};

// The memory access that ended a process.
struct Fault {
  enum class Access : std::int32_t { kUnknown, kRead, kWrite };
  std::uintptr_t address = 0;
  Access access = Access::kUnknown;
};

// What a call touched that is not its own, as far as its memory shows it.
enum class Trespass {
  kNone,
  kReadPastEnd,   // of a buffer
  kWrotePastEnd,  // of a buffer
  kWroteInside,   // a byte of a buffer that is no output
  kOther,
};

struct Answer {
  Outcome outcome = Outcome::kOk;
  std::string detail;                         // one line, empty for kOk
  std::optional<Fault> fault = std::nullopt;  // kCrash, where it is known
  // Where that fault is, by who knows the buffers: "read past the end of k, at
  // byte 64 of 64".
  std::string place = {};
  bool is_steady = true;  // false: a round of run_together gave other bits
  Trespass trespass = Trespass::kNone;  // filled in by who knows the buffers
  bool has_hung_up = false;  // the process closed its connection, and may run
  // The machine's memory had run out, through whomever, when the process ended.
  bool is_starved = false;
  bool was_made = true;  // false: the kernel gets no more calls
  // kCrash: how the process ended, as waitpid says it; kError: what the
  // function returned. None: neither is known.
  std::optional<int> code = std::nullopt;
};

// What a process has taken of the system's.
struct Footprint {
  std::size_t private_bytes = 0;  // of memory that it does not share
  std::size_t address_bytes = 0;  // of memory or none
  std::size_t threads = 0, open_files = 0;
};

struct Lifetime {
  // What loading or describing left changed in the floating-point environment,
  // one line; empty if nothing is.
  std::string load_fault;
  // kOk; kCrash or kTimeout in the library's destructors.
  Answer unload;
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual const Description& description() const = 0;

  // Returns memory that the kernel can reach, 64-byte aligned, zeroed, valid
  // until release(). Throws std::bad_alloc.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void release() = 0;

  // Returns such memory at a guard page, of any contents: with has_guards(),
  // whoever touches the byte before the block (kStart) or behind it (kEnd)
  // crashes. A block at kEnd is as aligned as its size.
  virtual std::byte* allocate_at(Edge, std::size_t bytes) {
    return allocate(bytes);
  }
  virtual bool has_guards() const { return false; }

  // Whether problems are copied to a device: no guards, and no sparse memory.
  virtual bool is_on_device() const { return false; }

  // Gives blocks of many GiB, which the kernel can reach where it
  // shares_memory(); they have a release() of their own.
  SparseMemory& sparse() { return sparse_; }

  // Returns what its process has taken, where that can be seen.
  virtual std::optional<Footprint> footprint() { return std::nullopt; }

  // Solves one problem, all of whose pointers are from allocate(). After a
  // crash or a timeout the next call starts a fresh process.
  virtual Answer run(const ropeproof_problem& problem) = 0;

  // Solves one problem in a process that is forked for it, which sees memory
  // that was mapped before, within so many limits of a call. Returns nothing
  // where no such process can be had.
  virtual std::optional<Answer> run_afresh(const ropeproof_problem& problem,
                                           int limits) {
    static_cast<void>(problem);
    static_cast<void>(limits);
    return std::nullopt;
  }

  // Asks whether the kernel takes the problem, whose data it does not see: kOk
  // or kDeclined, or what became of the question. A scaling is from allocate(),
  // too. Kernels that cannot be asked take all.
  virtual Answer supports(const ropeproof_problem&) { return {}; }
  virtual bool has_supports() const { return false; }

  // Solves one problem, or several at once, each in a thread of its own,
  // `rounds` times over within the limit of one call. A thread stops at an
  // answer that is not kOk, and at outputs that are not those of its first
  // round, which stay. Each round finds memory as the first one did. Without
  // is_concurrent() the problems are solved one after the other, and rounds are
  // neither compared nor given the memory of the first.
  virtual std::vector<Answer> run_together(
      std::span<const ropeproof_problem> problems, int rounds) {
    std::vector<Answer> answers(problems.size());
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < problems.size(); ++i) {
        if (answers[i].outcome == Outcome::kOk) answers[i] = run(problems[i]);
      }
    }
    return answers;
  }
  virtual bool is_concurrent() const { return false; }

  // Ends the kernel's process, so that the next call finds a fresh one that may
  // use `threads` threads (0: as many as it likes). Returns false, and changes
  // nothing, where there is no process of its own.
  virtual bool restart(int threads) {
    static_cast<void>(threads);
    return false;
  }

  // Ends the kernel's process, or a fresh one, as a program ends that has
  // called the kernel. Returns nothing where that cannot be seen.
  virtual std::optional<Lifetime> lifetime() { return std::nullopt; }

  // Whether something computes now. Answers from files are the same in any
  // order and number: they show the values of a case and nothing else.
  virtual bool is_live() const { return true; }

  // Whether strides, gaps and in-place calls reach the kernel. A process sees
  // dense copies, so the suite cannot judge its memory behaviour.
  virtual bool shares_memory() const = 0;

 private:
  SparseMemory sparse_;
};

struct Sandbox;

struct KernelOptions {
  // The limit of one call: processor time where others use the machine
  // (deadline.h). A process's first call gets three limits, its start ten.
  std::chrono::milliseconds time_limit{10000};
  // A kernel that has hung so often gets no more calls: their answers are
  // kTimeout at once. A late call is not tried again more often either.
  int max_timeouts = 3;
  // A kernel gets no more calls either after so many in a row that ended its
  // process, by a crash or a breach of the protocol; the last answer stands.
  int max_ends = 30;
  // The time of all calls together, from the start of the kernel to the last
  // one, judging included; then there are no more. 0: no limit.
  std::chrono::milliseconds whole_limit{0};
  // Whether a library runs in a process of its own; without one, a debugger
  // sees the crash and a hang never ends.
  bool is_forked = true;
  // Whether a process that has ended can be started again. If not, a late call
  // is not tried again, and after a process's end the kernel gets no more
  // calls.
  bool can_restart = true;
  // Takes from a description what nobody asks of the kernel; empty: all that it
  // offers counts.
  std::function<void(Description&)> narrow = nullptr;
  // Behind walls the kernel's process is executed, never forked: it holds
  // nothing that the runner holds. Null: it is not behind walls.
  std::shared_ptr<const Sandbox> sandbox = nullptr;
};

// Loads a shared library, in a forked worker unless the options say otherwise.
// Throws KernelError.
std::unique_ptr<Kernel> load_library(const std::string& path,
                                     const KernelOptions& options);

// Starts `command` with /bin/sh -c. Throws KernelError.
std::unique_ptr<Kernel> start_process(const std::string& command,
                                      const KernelOptions& options);

// Talks to the process at the other end of a stream socket that this program
// has inherited; it is neither ended nor started again. The socket is closed
// with the kernel, or as soon as the process gets no more calls. Throws
// KernelError.
std::unique_ptr<Kernel> reach_process(int socket, KernelOptions options);

}  // namespace ropeproof::conformance::plugin
