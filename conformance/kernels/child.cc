#include "conformance/kernels/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <thread>

#include "conformance/kernels/kernel.h"

namespace ropeproof::conformance {
namespace {

// What one child may print; a plug-in that never stops must not fill a disk.
constexpr std::size_t kOutputLimit = std::size_t{1} << 16;
constexpr std::size_t kChunk = std::size_t{1} << 16;

#if defined(MSG_NOSIGNAL)
constexpr int kNoSignal = MSG_NOSIGNAL;
#else
constexpr int kNoSignal = 0;  // start() sets SO_NOSIGPIPE instead
#endif

[[noreturn]] void fail(const char* what) {
  throw KernelError(std::string("cannot start a process: ") + what + ": " +
                    std::strerror(errno));
}

// Out of the way of standard input, output and error, and closed by exec.
Descriptor own(int fd) {
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  ::close(fd);
  if (moved < 0) fail("fcntl");
  return Descriptor(moved);
}

// The runner's handlers and mask are not the plug-in's: a crash must end the
// child by its own signal.
void reset_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return "killed by signal " + std::to_string(number) + " (" +
           strsignal(number) + ")";
  }
  const int code = WEXITSTATUS(status);
  std::string text = "exited with status " + std::to_string(code);
  if (code > 128 && code < 128 + NSIG) {  // how a shell reports a signal
    text += " (128 + " + std::to_string(code - 128) + ": " +
            strsignal(code - 128) + ")";
  }
  return text;
}

}  // namespace

void Descriptor::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

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

std::unique_ptr<Child> Child::start(
    const std::function<void(Descriptor socket)>& in_child) {
  int sockets[2], pipes[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) fail("socketpair");
  Descriptor ours = own(sockets[0]), theirs = own(sockets[1]);
  if (pipe(pipes) != 0) fail("pipe");
  Descriptor output = own(pipes[0]), print = own(pipes[1]);
  fcntl(output.get(), F_SETFL, O_NONBLOCK);
#if defined(SO_NOSIGPIPE)
  const int yes = 1;
  setsockopt(ours.get(), SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif

  // Text that waits in a buffer would be written twice, should the plug-in
  // call exit().
  std::fflush(nullptr);
  std::cout.flush();
  const pid_t pid = ::fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    // noexcept: no exception may walk up the runner's stack in the child.
    [&]() noexcept {
      setpgid(0, 0);
      reset_signals();
      dup2(print.get(), STDERR_FILENO);
      print.close();
      output.close();
      ours.close();
      in_child(std::move(theirs));
    }();
    _exit(0);
  }
  setpgid(pid, pid);  // whoever comes first: end() relies on it
  std::unique_ptr<Child> child(new Child);
  child->pid_ = pid;
  child->socket_ = std::move(ours);
  child->output_ = std::move(output);
  return child;
}

// Why a thread of its own. OpenMP plug-ins must work although the runner uses
// OpenMP itself: libgomp keeps its pool of threads in the calling thread, and
// after fork those threads are gone, so the next parallel region would wait for
// them forever. A new thread has no pool yet and gets a new one. So a worker
// can be forked at any time, and no pristine process has to be kept for it.
// The first thread is free to watch the socket: when the runner dies, so does a
// plug-in that hangs.
std::unique_ptr<Child> Child::fork(
    const std::function<void(const Parent&)>& body) {
  return start([&](Descriptor socket) {
    const Descriptor nothing = own(open("/dev/null", O_RDONLY));
    dup2(nothing.get(), STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    std::thread([&] {
      body(Parent(socket.get()));
      std::fflush(stdout);
      _exit(0);
    }).detach();
    pollfd hang_up{socket.get(), 0, 0};
    while (poll(&hang_up, 1, -1) <= 0) {
    }
    ::kill(0, SIGKILL);  // with all that the plug-in started
  });
}

std::unique_ptr<Child> Child::execute(const std::string& command) {
  return start([&](Descriptor socket) {
    dup2(socket.get(), STDIN_FILENO);
    dup2(socket.get(), STDOUT_FILENO);
#if defined(__linux__)
    // A command that hangs would not notice the end of the runner. The shell
    // hands this on to a command that it becomes, not to one that it starts.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  });
}

void Child::send_some() {
  const ssize_t n = ::send(socket_.get(), outgoing_.data() + sent_,
                           outgoing_.size() - sent_, MSG_DONTWAIT | kNoSignal);
  if (n >= 0) sent_ += static_cast<std::size_t>(n);
  // A child that no longer reads may have answered all the same.
  const bool is_closed = n < 0 && errno != EAGAIN && errno != EINTR;
  if (is_closed || sent_ == outgoing_.size()) {
    outgoing_.clear();
    sent_ = 0;
  }
}

void Child::forward_output() {
  char chunk[kChunk];
  const ssize_t n = read(output_.get(), chunk, sizeof chunk);
  if (n == 0) output_.close();
  if (n <= 0 || printed_ >= kOutputLimit) return;
  const auto count =
      std::min(static_cast<std::size_t>(n), kOutputLimit - printed_);
  std::fwrite(chunk, 1, count, stderr);
  printed_ += count;
  if (printed_ == kOutputLimit) {
    std::fputs("\nropeproof: the kernel prints on; the rest is dropped\n",
               stderr);
  }
}

Child::Wire Child::receive(std::string& received, std::size_t bytes,
                           Clock::time_point deadline) {
  using std::chrono::milliseconds;
  while (received.size() < bytes) {
    if (!outgoing_.empty()) send_some();
    const auto left =
        std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return Wire::kLate;

    const auto wanted =
        static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT);
    pollfd watched[] = {{socket_.get(), wanted, 0}, {output_.get(), POLLIN, 0}};
    if (poll(watched, 2,
             static_cast<int>(std::min<std::int64_t>(left, 60000))) < 0) {
      continue;
    }
    if (watched[1].revents != 0) forward_output();
    if ((watched[0].revents & ~POLLOUT) == 0) continue;

    char chunk[kChunk];
    const ssize_t n = recv(socket_.get(), chunk, sizeof chunk, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) return Wire::kClosed;
    received.append(chunk, static_cast<std::size_t>(n));
  }
  return Wire::kDone;
}

std::string Child::end(Clock::duration grace) {
  if (pid_ < 0) return "";
  // WNOWAIT leaves the child a zombie, so that its process group cannot become
  // somebody else's before it is killed.
  const auto until = Clock::now() + grace;
  const auto has_ended = [this] {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  };
  bool by_itself = has_ended();
  while (!by_itself && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    by_itself = has_ended();
  }
  kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  for (auto before = printed_; output_.get() >= 0; before = printed_) {
    forward_output();
    if (printed_ == before) break;
  }
  return by_itself ? how_it_ended(status) : "closed its connection and ran on";
}

}  // namespace ropeproof::conformance
