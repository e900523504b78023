#include "conformance/plugin/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "conformance/plugin/supervisor.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::plugin {
namespace {

// What one child may print; a plug-in that never stops must not fill a disk.
constexpr std::size_t kOutputLimit = std::size_t{1} << 16;
constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr int kLastReads = 2;  // a pipe holds a chunk; then its end is seen
constexpr std::size_t kLineLimit = 200;
constexpr std::chrono::seconds kSupervisorGrace{10};

// How many processes this machine has killed since its start because memory ran
// out; nothing where it does not say.
std::optional<std::uint64_t> memory_kills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  for (std::uint64_t count = 0; file >> name >> count;) {
    if (name == "oom_kill") return count;
  }
  return std::nullopt;
}

// 0 for a folder that cannot be read.
std::size_t entries_of(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  return error ? 0
               : static_cast<std::size_t>(std::distance(begin(entries), {}));
}

}  // namespace

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

std::unique_ptr<Child> Child::start(
    const std::function<pid_t(int, int, int)>& start_supervisor) {
  auto [ours, theirs] = socket_pair();
  auto [control, controlled] = socket_pair();
  int pipes[2];
  if (pipe(pipes) != 0) fail_to_start("pipe");
  Descriptor output = own(pipes[0]), print = own(pipes[1]);
  fcntl(output.get(), F_SETFL, O_NONBLOCK);

  std::unique_ptr<Child> child(new Child);
  child->kills_before_ = memory_kills();
  child->supervisor_ =
      start_supervisor(controlled.get(), theirs.get(), print.get());
  child->control_ = std::move(control);
  child->socket_ = std::move(ours);
  child->output_ = std::move(output);
  return child;
}

std::unique_ptr<ForkServer> Child::server(const Body& body) {
  return std::make_unique<ForkServer>([body](int number, int control,
                                             int socket, int print) {
    supervise(control, socket, print, {}, [&] {
      run_worker(socket, [&](const Parent& runner) { body(number, runner); });
    });
  });
}

std::unique_ptr<Child> Child::fork(ForkServer& server, int number) {
  return start([&](int control, int socket, int print) {
    const pid_t pid = server.fork(number, control, socket, print);
    if (pid < 0) fail_to_start("fork");
    return pid;
  });
}

std::unique_ptr<Child> Child::execute(const std::string& command) {
  return start([&](int control, int socket, int print) {
    const pid_t pid = ::fork();
    if (pid < 0) fail_to_start("fork");
    if (pid == 0) {
      supervise(control, socket, print, {}, [&] {
        dup2(socket, STDIN_FILENO);
        dup2(socket, STDOUT_FILENO);
        execl("/bin/sh", "sh", "-c", command.c_str(),
              static_cast<char*>(nullptr));
        _exit(127);
      });
    }
    return pid;
  });
}

std::unique_ptr<Child> Child::execute(const std::string& program,
                                      const std::vector<std::string>& words,
                                      const std::vector<int>& kept) {
  auto child = start([&](int control, int socket, int print) {
    std::vector<std::string> all = {program, kSupervisorWord};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const auto inherit = [&](int fd) {  // onto itself: exec leaves it open
      posix_spawn_file_actions_adddup2(&actions, fd, fd);
      return std::to_string(fd);
    };
    for (const int fd : {control, socket, print}) all.push_back(inherit(fd));
    all.emplace_back();
    for (const int fd : kept) all.back() += inherit(fd) + ",";
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t pid = -1;
    errno = posix_spawn(&pid, program.c_str(), &actions, nullptr,
                        arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (errno != 0) fail_to_start(program.c_str());
    return pid;
  });
  child->is_walled_ = true;
  return child;
}

std::unique_ptr<Child> Child::adopt(int socket) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      type != SOCK_STREAM) {
    throw KernelError("descriptor " + std::to_string(socket) +
                      " is no open stream socket");
  }
  std::unique_ptr<Child> child(new Child);
  child->socket_ = own(socket);
#if defined(SO_PEERCRED)
  // Whose processor time counts, unless it would be ours, too.
  ucred peer{};
  size = sizeof peer;
  if (getsockopt(child->socket_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) ==
          0 &&
      peer.pid > 0 && getpgid(peer.pid) != getpgrp()) {
    child->worker_ = getpgid(peer.pid);
  }
#endif
  return child;
}

bool Child::send(std::string_view bytes) {
  line_.clear();
  unfinished_line_.clear();
  outgoing_ += bytes;
  char byte = 0;
  return recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) <= 0;
}

void Child::send_end() { shutdown(socket_.get(), SHUT_WR); }

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
  if (n <= 0) return;
  const std::string_view said(chunk, static_cast<std::size_t>(n));
  remember(said);
  if (printed_ >= kOutputLimit) return;
  const auto some = said.substr(0, kOutputLimit - printed_);
  const std::string shown = text::printable(some);  // commands no terminal
  std::fwrite(shown.data(), 1, shown.size(), stderr);
  printed_ += some.size();
  if (printed_ == kOutputLimit) {
    std::fputs("\nropeproof: the kernel prints on; the rest is dropped\n",
               stderr);
  }
}

void Child::drop_output() { printed_ = kOutputLimit; }

// A line that never ends is kept up to its limit.
void Child::remember(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view piece = text.substr(0, end);
    unfinished_line_ += piece.substr(
        0, kLineLimit - std::min(kLineLimit, unfinished_line_.size()));
    if (end == std::string_view::npos) return;
    if (!unfinished_line_.empty()) line_ = std::move(unfinished_line_);
    unfinished_line_.clear();
    text.remove_prefix(end + 1);
  }
}

std::string Child::last_line() const {
  return text::one_line(line_.empty() ? unfinished_line_ : line_);
}

Child::Wire Child::receive(std::string& received, std::size_t bytes,
                           Deadline& deadline) {
  using std::chrono::milliseconds;
  while (received.size() < bytes) {
    if (!outgoing_.empty()) send_some();
    const auto left =
        std::chrono::ceil<milliseconds>(deadline.next() - Clock::now()).count();
    if (left <= 0) {
      has_ended();  // names the worker
      if (deadline.is_over(worker_)) return Wire::kLate;
      continue;
    }

    const auto wanted =
        static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT);
    pollfd watched[] = {{socket_.get(), wanted, 0},
                        {output_.get(), POLLIN, 0},
                        {control_.get(), POLLIN, 0}};
    if (poll(watched, 3,
             static_cast<int>(std::min<std::int64_t>(left, 60000))) < 0) {
      continue;
    }
    if (watched[1].revents != 0) forward_output();
    if ((watched[0].revents & ~POLLOUT) == 0) {
      // What it started may hold the socket open; it has ended all the same.
      if (watched[2].revents != 0 && has_ended()) return Wire::kClosed;
      continue;
    }

    char chunk[kChunk];
    const ssize_t n = recv(socket_.get(), chunk, sizeof chunk, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) return Wire::kClosed;
    received.append(chunk, static_cast<std::size_t>(n));
  }
  return Wire::kDone;
}

pid_t Child::inmost() {
  has_ended();  // names the worker
  if (inmost_ >= 0) return inmost_;
  pid_t pid = worker_;
  for (int level = 0; is_walled_ && level < 2; ++level) {
    const std::string number = std::to_string(pid);
    std::ifstream children("/proc/" + number + "/task/" + number + "/children");
    if (!(children >> pid)) return pid;
  }
  return inmost_ = pid;
}

std::optional<Footprint> Child::footprint() {
  if (has_ended() || worker_ < 0) return std::nullopt;
  const std::string process = "/proc/" + std::to_string(inmost());
  std::ifstream file(process + "/statm");
  std::size_t size = 0, rss = 0, shared = 0;
  if (!(file >> size >> rss >> shared) || rss < shared) return std::nullopt;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return Footprint{(rss - shared) * page, size * page,
                   entries_of(process + "/task"), entries_of(process + "/fd")};
}

// Reads what the supervisor has said.
bool Child::has_ended() {
  while (!ended_) {
    Started started;
    Ended ended;
    const bool is_first = worker_ < 0;
    const ssize_t n =
        is_first ? recv(control_.get(), &started, sizeof started, MSG_DONTWAIT)
                 : recv(control_.get(), &ended, sizeof ended, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) {
      ended_ = "its supervisor was killed";
      if (worker_ > 0) kill(-worker_, SIGKILL);
    } else if (is_first) {
      worker_ = started.pid;
    } else {
      // A status of waitpid is a signal's number where a signal has killed.
      const int code = WEXITSTATUS(ended.status);
      const bool tells_signal = is_walled_ && WIFEXITED(ended.status) &&
                                code > 128 && code < 128 + NSIG;
      const int status = tells_signal ? code - 128 : ended.status;
      ended_ = how_it_ended(status);
      status_ = status;
      is_starved_ = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL &&
                    memory_kills() > kills_before_;
      if (is_starved_) *ended_ += ", as the machine's memory ran out";
    }
  }
  return true;
}

// A supervisor ends when nobody writes to its control socket any more, and
// hangs up as it does. One that the plug-in has stopped has to go on first; one
// that is stopped again and again is killed. Who has forked it reaps it.
void Child::end_supervisor() {
  constexpr int kPause = 10;  // ms
  shutdown(control_.get(), SHUT_WR);
  const auto until = Clock::now() + kSupervisorGrace;
  pollfd watched{control_.get(), 0, 0};
  while (poll(&watched, 1, kPause) <= 0) {
    kill(supervisor_, SIGCONT);
    if (Clock::now() >= until) {
      kill(supervisor_, SIGKILL);
      if (worker_ > 0) kill(-worker_, SIGKILL);
    }
  }
  waitpid(supervisor_, nullptr, 0);
  control_.close();
  supervisor_ = -1;
}

Answer Child::end_in_call() {
  Answer answer{Outcome::kCrash, end(kGrace)};
  answer.has_hung_up = has_hung_up();
  answer.code = status_;
  answer.is_starved = is_starved_;
  return answer;
}

std::string Child::end(Clock::duration grace) {
  if (supervisor_ < 0) {
    socket_.close();
    return "closed its connection";
  }
  kill(supervisor_, SIGCONT);  // the plug-in may have stopped it
  const auto until = Clock::now() + grace;
  while (!has_ended() && Clock::now() < until) {
    pollfd watched{control_.get(), POLLIN, 0};
    poll(&watched, 1, 1);
  }
  end_supervisor();
  // What it printed last may lie in the pipe still.
  for (int reads = 0; reads < kLastReads && output_.get() >= 0; ++reads) {
    forward_output();
  }
  return ended_.value_or("closed its connection and ran on");
}

}  // namespace ropeproof::conformance::plugin
