#include "conformance/plugin/descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

void fail_to_start(const char* what) {
  throw KernelError(std::string("cannot start a process: ") + what + ": " +
                    std::strerror(errno));
}

Descriptor own(int fd) {
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  ::close(fd);
  if (moved < 0) fail_to_start("fcntl");
  return Descriptor(moved);
}

std::pair<Descriptor, Descriptor> socket_pair() {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) {
    fail_to_start("socketpair");
  }
#if defined(SO_NOSIGPIPE)
  const int yes = 1;
  setsockopt(sockets[0], SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
  Descriptor ours = own(sockets[0]);
  return {std::move(ours), own(sockets[1])};
}

}  // namespace ropeproof::conformance::plugin
