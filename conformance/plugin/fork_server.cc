#include "conformance/plugin/fork_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <utility>

#include "conformance/plugin/kernel.h"
#include "conformance/plugin/supervisor.h"

namespace ropeproof::conformance::plugin {
namespace {

constexpr int kGrace = 10000;  // ms that the server may take to answer

// A request is a number, beside which three descriptors travel.
using Files = std::array<int, 3>;

union Ancillary {
  cmsghdr alignment;
  char bytes[CMSG_SPACE(sizeof(Files))];
};

msghdr message_of(iovec& number, Ancillary& ancillary) {
  msghdr message{};
  message.msg_iov = &number;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.bytes;
  message.msg_controllen = sizeof ancillary.bytes;
  return message;
}

bool send_request(int socket, int number, const Files& files) {
  iovec bytes{&number, sizeof number};
  Ancillary ancillary{};
  msghdr message = message_of(bytes, ancillary);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof files);
  std::memcpy(CMSG_DATA(header), files.data(), sizeof files);
  return sendmsg(socket, &message, kNoSignal) == sizeof number;
}

// Returns false when the runner is gone.
bool receive_request(int socket, int& number, Files& files) {
  iovec bytes{&number, sizeof number};
  Ancillary ancillary{};
  msghdr message = message_of(bytes, ancillary);
  ssize_t n = 0;
  do {
    n = recvmsg(socket, &message, 0);
  } while (n < 0 && errno == EINTR);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (n != sizeof number || header == nullptr) return false;
  std::memcpy(files.data(), CMSG_DATA(header), sizeof files);
  for (const int fd : files) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return true;
}

[[noreturn]] void serve_requests(int socket, const ForkServer::Body& body) {
  leave_runner({socket});
  int number = 0;
  for (Files files; receive_request(socket, number, files);) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      body(number, files[0], files[1], files[2]);
      _exit(127);
    }
    for (const int fd : files) ::close(fd);
    if (::send(socket, &pid, sizeof pid, kNoSignal) != sizeof pid) break;
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
  // What they have taken of the processor counts as this process's, and so as
  // the runner's children's.
  while (waitpid(-1, nullptr, 0) > 0) {
  }
  _exit(0);
}

}  // namespace

ForkServer::ForkServer(const Body& body) {
  auto [ours, theirs] = socket_pair();
  requests_ = std::move(ours);
  // Text that waits in a buffer would be written twice, should a plug-in call
  // exit().
  std::fflush(nullptr);
  std::cout.flush();
  pid_ = ::fork();
  if (pid_ < 0) fail_to_start("fork");
  if (pid_ == 0) serve_requests(theirs.get(), body);
}

ForkServer::~ForkServer() {
  requests_.close();
  kill(pid_, SIGCONT);  // a plug-in may have stopped it
  waitpid(pid_, nullptr, 0);
}

pid_t ForkServer::fork(int number, int control, int socket, int print) {
  kill(pid_, SIGCONT);  // a plug-in may have stopped it
  pollfd watched{requests_.get(), POLLIN, 0};
  pid_t pid = -1;
  if (!send_request(requests_.get(), number, {control, socket, print}) ||
      poll(&watched, 1, kGrace) <= 0 ||
      recv(requests_.get(), &pid, sizeof pid, 0) != sizeof pid) {
    return -1;
  }
  return pid;
}

}  // namespace ropeproof::conformance::plugin
