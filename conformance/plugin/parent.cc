// The side of a kernel's process.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <thread>

#include "conformance/plugin/child.h"
#include "conformance/plugin/supervisor.h"

namespace ropeproof::conformance::plugin {

bool Parent::receive(void* bytes, std::size_t count) const {
  auto* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t n = ::recv(socket_, at, count, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

bool Parent::send(const void* bytes, std::size_t count) const {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t n = ::send(socket_, at, count, kNoSignal);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += n;
    count -= static_cast<std::size_t>(n);
  }
  return true;
}

void prepare_worker() {
  const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(nothing.get(), STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
#if defined(__GLIBC__)
  // A plug-in that calls exit() must not run what the runner has registered
  // for its own end: static destructors, a search for leaks.
  on_exit(
      [](int status, void*) {
        std::fflush(stdout);
        _exit(status);
      },
      nullptr);
#endif
}

// Why a thread of its own. OpenMP plug-ins must work although the runner uses
// OpenMP itself: libgomp keeps its pool of threads in the calling thread, and
// after fork those threads are gone, so the next parallel region would wait for
// them forever. A new thread has no pool yet and gets a new one. So a worker
// can be forked at any time, and no pristine process has to be kept for it.
void run_worker(int socket, const std::function<void(const Parent&)>& body) {
  prepare_worker();
  try {
    std::thread([&] {
      body(Parent(socket));
      std::fflush(stdout);
      _exit(0);
    }).detach();
  } catch (const std::system_error&) {
    std::fputs("no thread can be started; raise ulimit -u\n", stderr);
    _exit(127);
  }
  for (;;) pause();
}

}  // namespace ropeproof::conformance::plugin
