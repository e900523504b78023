// fork_server.h -- a small process that forks workers.
//
// A fork copies the page tables of the process that forks, and afterwards each
// page that one of the two writes. A runner that holds a corpus pays some 10 ms
// for it, and starts hundreds of workers. This process is forked once, as long
// as the runner is small, and forks them instead.
#pragma once

#include <sys/types.h>

#include <functional>

#include "conformance/plugin/descriptor.h"

namespace ropeproof::conformance::plugin {

class ForkServer {
 public:
  // What a forked process runs: it is given the number of the request, and its
  // ends of the control socket, the socket and the pipe into which it prints
  // (supervisor.h). It never returns.
  using Body =
      std::function<void(int number, int control, int socket, int print)>;

  // Forks the server, which shares the memory that is mapped now. Throws
  // KernelError.
  explicit ForkServer(const Body& body);
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  // Has the server fork. Returns the new process, whose end is not for the
  // caller to wait for; below 0 where the server is gone, which a plug-in may
  // have killed.
  pid_t fork(int number, int control, int socket, int print);

 private:
  pid_t pid_ = -1;
  Descriptor requests_;
};

}  // namespace ropeproof::conformance::plugin
