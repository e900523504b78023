// child.h -- a process that runs third-party code.
//
// The child talks over one socket, is killed with all that it started, and
// leaves no zombie and no descriptor behind. When the runner dies, all of them
// end too, hanging or not (supervisor.h). Its output is read as it comes and
// forgotten but for the last line. An adopted process is neither killed nor
// read.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/plugin/deadline.h"
#include "conformance/plugin/descriptor.h"
#include "conformance/plugin/fork_server.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

// Says a status of waitpid in words: "killed by signal 6 (Aborted)".
std::string how_it_ended(int status);

// The child's end of the socket. Both calls block and return false when the
// runner is gone.
class Parent {
 public:
  explicit Parent(int socket) : socket_(socket) {}
  bool receive(void* bytes, std::size_t count) const;
  bool send(const void* bytes, std::size_t count) const;

 private:
  int socket_;
};

// Makes a process that has been forked or executed a kernel's: its input
// becomes empty, its output its error, and exit() ends nothing of the runner's.
void prepare_worker();

// Prepares the calling process and runs `body` in it, which ends as `body`
// returns.
[[noreturn]] void run_worker(int socket,
                             const std::function<void(const Parent&)>& body);

class Child {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Wire {
    kDone,
    kClosed,  // the child ended, or closed its socket
    kLate,    // the deadline passed
  };

  // What a forked child does with the number that it is given. The child ends
  // when that returns. Its standard input is empty; its output and error go to
  // the runner's standard error.
  using Body = std::function<void(int number, const Parent&)>;
  // A server for fork(), which shares the memory that is mapped now. Throws
  // KernelError.
  static std::unique_ptr<ForkServer> server(const Body& body);
  // Has the server fork a child. Throws KernelError.
  static std::unique_ptr<Child> fork(ForkServer& server, int number);

  // Starts `command` with /bin/sh -c. The command's standard input and output
  // are the socket, its standard error goes to the runner's. Throws
  // KernelError.
  static std::unique_ptr<Child> execute(const std::string& command);

  // Starts a command by its words, whose program is searched for in PATH,
  // within the limits of sandbox.h and with the descriptors `kept`; else as the
  // other. Its supervisor is `program` (kSupervisorWord in supervisor.h), so
  // that nothing of the runner's memory is copied. It ends with the status of a
  // process of its own: 128 and a signal's number where that was killed. Throws
  // KernelError.
  static std::unique_ptr<Child> execute(const std::string& program,
                                        const std::vector<std::string>& words,
                                        const std::vector<int>& kept);

  // Talks to the process at the other end of a stream socket, which is not
  // ours: it prints for itself, and end() only closes the socket. Throws
  // KernelError.
  static std::unique_ptr<Child> adopt(int socket);

  ~Child() { end({}); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Queues bytes, which receive() sends. Returns false if the child has said
  // something that nobody asked for.
  bool send(std::string_view bytes);

  // Appends to `received` until it holds `bytes` bytes or more. Sends
  // meanwhile, so that two full pipes never wait for one another.
  Wire receive(std::string& received, std::size_t bytes, Deadline& deadline);

  // Ends what is sent: a child that reads sees the end of its input.
  void send_end();

  // Waits `grace` for the child to end by itself, then kills it. Returns how it
  // ended, for example "killed by signal 11 (Segmentation fault)".
  std::string end(Clock::duration grace);
  // Ends the child likewise. Returns that as the answer to its call: kCrash.
  Answer end_in_call();
  // Whether the child ended by itself, with exit status 0.
  bool has_succeeded() const { return status_ == 0; }
  // Whether end() has not seen it end: it closed its socket, and may run on.
  bool has_hung_up() const { return !ended_; }
  // The grace after kClosed: a socket closes a moment before its process ends.
  static constexpr std::chrono::seconds kGrace{1};

  // Returns what the child has taken, where its process number is known and
  // /proc says so.
  std::optional<Footprint> footprint();

  // Whether the child has ended, as far as it is told yet; what it has printed
  // is forwarded. For who waits in another way than by receive().
  bool has_ended();
  void forward_output();

  // Returns the process that runs the plug-in; below 0 before it is known.
  // Between it and outmost() there may be one that builds walls and one that
  // reaps orphans behind them.
  pid_t inmost();
  pid_t outmost() const { return worker_; }

  // Drops what the child prints from now on; last_line() still has it.
  void drop_output();

  // Returns the last line that the child has printed since send(), cut at 200
  // characters; empty if there is none.
  std::string last_line() const;

 private:
  Child() = default;
  // `start_supervisor` is given the descriptors that are the supervisor's.
  static std::unique_ptr<Child> start(
      const std::function<pid_t(int control, int socket, int print)>&
          start_supervisor);
  void send_some();
  void remember(std::string_view text);
  void end_supervisor();

  pid_t supervisor_ = -1, worker_ = -1;
  bool is_walled_ = false;  // the worker waits for processes of its own
  pid_t inmost_ = -1;       // what inmost() has found
  std::optional<std::string> ended_;  // how the child ended, in words
  std::optional<int> status_;         // the same, as waitpid has it
  // How many processes had been killed for memory when it started.
  std::optional<std::uint64_t> kills_before_;
  bool is_starved_ = false;
  Descriptor control_;  // the supervisor's socket
  Descriptor socket_;
  Descriptor output_;  // the pipe into which the child prints
  std::size_t printed_ = 0;
  std::string line_, unfinished_line_;
  std::string outgoing_;
  std::size_t sent_ = 0;
};

}  // namespace ropeproof::conformance::plugin
