#include "conformance/plugin/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/ptrace.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "conformance/plugin/sandbox.h"

namespace ropeproof::conformance::plugin {
namespace {

// For waitpid: threads that are traced, too.
#if defined(__linux__)
constexpr int kAll = __WALL;
#else
constexpr int kAll = 0;
#endif

int wake_up = -1;  // the writing end of a pipe

void on_child_end(int) {
  const int saved = errno;
  static_cast<void>(write(wake_up, "", 1));
  errno = saved;
}

// The runner's handlers and mask are not the plug-in's: a crash must end it by
// its own signal.
void reset_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// The runner's files, and the sockets of its other kernels, are nobody's
// business; a socket that stayed open here would outlive its owner.
void close_all_but(std::vector<int> keep) {
  std::sort(keep.begin(), keep.end());
  const auto close_range_of = [](int first, int last) {
#if defined(__linux__)
    if (first > last || close_range(static_cast<unsigned>(first),
                                    static_cast<unsigned>(last), 0) == 0) {
      return;
    }
#endif
    const int end = std::min(last, getdtablesize());
    for (int fd = first; fd <= end; ++fd) close(fd);
  };
  int first = 3;
  for (const int fd : keep) {
    close_range_of(first, fd - 1);
    first = fd + 1;
  }
  close_range_of(first, 0x7fffffff);
}

// What a plug-in may do to the machine: no core files; if memory runs out, the
// plug-in is the one to end.
void restrain() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd >= 0) {
    static_cast<void>(write(fd, "1000", 4));
    close(fd);
  }
#endif
}

#if defined(__linux__)

// Whether a process is this one's child, or with P_ALL, whether there is one.
bool is_child(idtype_t which, pid_t pid) {
  siginfo_t info{};
  return waitid(which, static_cast<id_t>(pid), &info,
                WEXITED | WNOHANG | WNOWAIT | kAll) == 0;
}

// Without /proc nobody says which processes are children, but each can be asked
// after: most have the next numbers. Cost: a second at most.
void kill_orphans_by_number() {
  constexpr pid_t kNumbers = 1 << 22;  // the most that Linux gives
  const pid_t self = getpid();
  for (pid_t i = 1; i < kNumbers && is_child(P_ALL, 0); ++i) {
    const pid_t pid = (self + i) % kNumbers;
    if (pid < 2 || !is_child(P_PID, pid)) continue;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, kAll);
    i = 0;  // its children are children now
  }
}

#endif

// Processes whose parents have ended are the supervisor's children. Killing one
// may bring its children here.
void kill_orphans() {
#if defined(__linux__)
  for (;;) {
    char list[4096];
    const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return kill_orphans_by_number();
    const ssize_t n = read(fd, list, sizeof list - 1);
    close(fd);
    if (n <= 0) return;
    list[n] = '\0';
    bool is_any = false;
    char* at = list;
    for (;;) {
      char* end = nullptr;
      const long pid = std::strtol(at, &end, 10);
      // A number that the buffer cuts off waits for the next round.
      if (end == at || *end == '\0') break;
      at = end;
      is_any = is_any || kill(static_cast<pid_t>(pid), SIGKILL) == 0;
    }
    if (!is_any) return;
    while (waitpid(-1, nullptr, kAll) < 0 && errno == EINTR) {
    }
  }
#endif
}

// Whether `pid` has ended. Reaps what else has ended, and lets run on what
// stands still: a plug-in that asks to be traced, as checks for debuggers do,
// is traced by its parent, whom each of its signals and threads waits for then.
bool has_ended(pid_t pid) {
  for (;;) {
    // WNOWAIT leaves it a zombie, so that its process group cannot become
    // somebody else's before it is killed.
    siginfo_t info{};
    if (waitid(P_ALL, 0, &info,
               WEXITED | WSTOPPED | WNOHANG | WNOWAIT | kAll) != 0 ||
        info.si_pid == 0) {
      return false;
    }
    const bool is_over =
        info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED;
    if (is_over && info.si_pid == pid) return true;
#if defined(__linux__)
    if (info.si_code == CLD_TRAPPED) {
      ptrace(PTRACE_DETACH, info.si_pid, nullptr, info.si_status);
    }
#endif
    waitid(P_PID, static_cast<id_t>(info.si_pid), &info,
           (is_over ? WEXITED : WSTOPPED) | WNOHANG | kAll);
  }
}

template <class Message>
void tell(int control, const Message& message) {
  static_cast<void>(send(control, &message, sizeof message, kNoSignal));
}

}  // namespace

void leave_runner(std::vector<int> kept) {
  setpgid(0, 0);
  reset_signals();
  close_all_but(std::move(kept));
}

void supervise(int control, int socket, int print, const std::vector<int>& kept,
               const std::function<void()>& body) {
  std::vector<int> open = kept;
  open.insert(open.end(), {control, socket, print});
  leave_runner(std::move(open));
  int wake[2], ready[2];
  if (pipe(wake) != 0 || pipe(ready) != 0) _exit(127);
  fcntl(wake[0], F_SETFL, O_NONBLOCK);
  fcntl(wake[1], F_SETFL, O_NONBLOCK);
  wake_up = wake[1];
#if defined(__linux__)
  prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
  signal(SIGCHLD, on_child_end);

  const pid_t child = fork();
  if (child < 0) _exit(127);
  if (child == 0) {
    setpgid(0, 0);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // if the plug-in kills the supervisor
#endif
    signal(SIGCHLD, SIG_DFL);
    for (const int fd : {control, wake[0], wake[1], ready[1]}) close(fd);
    restrain();
    // The plug-in may stop the supervisor, which has to do its part first.
    char byte = 0;
    while (read(ready[0], &byte, 1) < 0 && errno == EINTR) {
    }
    close(ready[0]);
    dup2(print, STDERR_FILENO);
    close(print);
    // noexcept: no exception may walk up the runner's stack in the child.
    [&]() noexcept { body(); }();
    _exit(0);
  }
  setpgid(child, child);
  close(socket);
  close(print);
  tell(control, Started{child});
  close(ready[0]);
  close(ready[1]);

  pollfd watched[] = {{control, POLLIN, 0}, {wake[0], POLLIN, 0}};
  while (!has_ended(child)) {
    if (poll(watched, 2, -1) < 0) continue;
    if (watched[0].revents != 0)
      break;  // the runner wants an end, or has ended
    char drained[64];
    static_cast<void>(read(wake[0], drained, sizeof drained));
  }
  const bool by_itself = has_ended(child);
  kill(-child, SIGKILL);
  int status = 0;
  for (pid_t ended = 0; ended != child;) {
    ended = waitpid(-1, &status, kAll);
    if (ended < 0 && errno != EINTR) break;
    if (ended == child && !WIFEXITED(status) && !WIFSIGNALED(status)) ended = 0;
  }
  if (by_itself) tell(control, Ended{status});
  kill_orphans();
  _exit(0);
}

void supervise_executed(std::span<char*> arguments) {
  if (arguments.size() < 5) {
    std::fputs("ropeproof: --supervisor is no command for users\n", stderr);
    _exit(2);
  }
  const auto descriptor = [&](std::size_t at) {
    const int fd = std::atoi(arguments[at]);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
  };
  const int control = descriptor(0), socket = descriptor(1);
  const int print = descriptor(2);
  std::vector<int> kept;
  std::istringstream list(arguments[3]);
  for (int fd = 0; list >> fd; list.ignore()) kept.push_back(fd);
  supervise(control, socket, print, kept, [&] {
    dup2(socket, STDIN_FILENO);
    dup2(socket, STDOUT_FILENO);
    limit_resources();
    char** const words = &arguments[4];  // argv ends in a null pointer
    execvp(words[0], words);
    std::fprintf(stderr, "%s: %s\n", words[0], std::strerror(errno));
    _exit(127);
  });
}

}  // namespace ropeproof::conformance::plugin
