// supervisor.h -- the process between the runner and third-party code.
//
// A plug-in may kill its parent, leave children behind, or outlive a runner
// that is killed. So its parent is a process that does nothing but wait: for
// the plug-in's end or for the runner's, whichever comes first, and then kills
// what the plug-in has started, even where that left the process group.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <functional>
#include <span>
#include <vector>

namespace ropeproof::conformance::plugin {

// A flag for send(): a peer that has gone is an error and no signal.
#if defined(MSG_NOSIGNAL)
inline constexpr int kNoSignal = MSG_NOSIGNAL;
#else
inline constexpr int kNoSignal = 0;  // SO_NOSIGPIPE is set instead
#endif

// What a supervisor writes to its control socket: first whom it started, then,
// once, how that ended.
struct Started {
  pid_t pid = 0;
};
struct Ended {
  int status = 0;  // as from waitpid
};

// Frees the calling process, which has just been forked, of what is the
// runner's: its process group, its handlers and mask of signals, and its
// descriptors above 2 but for `kept`.
void leave_runner(std::vector<int> kept);

// Turns the calling process, which has just been forked, into a supervisor;
// runs `body` in a child of it, in a process group of its own. When the other
// end of `control` closes, all of them end. `socket`, `print` and `kept` are
// the body's: other descriptors above 2 are closed. `print` is its standard
// error.
[[noreturn]] void supervise(int control, int socket, int print,
                            const std::vector<int>& kept,
                            const std::function<void()>& body);

// The first argument of a program that is a supervisor and nothing else.
inline constexpr const char* kSupervisorWord = "--supervisor";

// Supervises as a program of its own, which holds no copy of the runner's
// memory. The arguments behind kSupervisorWord are the descriptors `control`,
// `socket` and `print`, the list of those that are kept, each with a comma
// behind it, and the words of the command, whose standard input and output
// become the socket and whose standard error `print`. Ends the process.
[[noreturn]] void supervise_executed(std::span<char*> arguments);

}  // namespace ropeproof::conformance::plugin
