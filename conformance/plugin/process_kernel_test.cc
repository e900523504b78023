#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "conformance/plugin/kernel.h"
#include "conformance/plugin/test_problems.h"

namespace ropeproof::conformance::plugin {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using std::chrono::milliseconds;

std::string why_no_process(const std::string& command,
                           milliseconds limit = milliseconds(5000)) {
  try {
    start(command, limit);
  } catch (const KernelError& error) {
    CHECK_THAT(error.what(), StartsWith(command + ": "));
    return std::string(error.what()).substr(command.size() + 2);
  }
  return "no error";
}

Answer run_fault(const std::string& fault) {
  const auto kernel = start("exec " + process(fault));
  const Answer first = run_strided(*kernel);
  // A fresh process answers the next call just so.
  const Answer second = run_strided(*kernel);
  CHECK(first.outcome == second.outcome);
  CHECK(first.detail == second.detail);
  return first;
}

// Open for reading; what holds it for writing ends before has_hung_up().
class Fifo {
 public:
  Fifo() {
    REQUIRE(mkdtemp(folder_) != nullptr);
    path_ = std::string(folder_) + "/alive";
    REQUIRE(mkfifo(path_.c_str(), 0600) == 0);
    reader_ = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  }
  ~Fifo() {
    close(reader_);
    std::remove(path_.c_str());
    rmdir(folder_);
  }

  const std::string& path() const { return path_; }
  bool has_hung_up() const {
    pollfd end{reader_, POLLIN, 0};
    return poll(&end, 1, 10000) == 1 && (end.revents & POLLHUP) != 0;
  }

 private:
  char folder_[24] = "/tmp/ropeproof-XXXXXX";
  std::string path_;
  int reader_ = -1;
};

// A process that nobody but this test has started, and the kernel at the other
// end of its standard input and output.
class Elsewhere {
 public:
  explicit Elsewhere(const std::string& command) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    process_ = fork();
    if (process_ == 0) {
      setpgid(0, 0);
      dup2(ends[1], STDIN_FILENO);
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(),
            static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends[1]);
    kernel_ = reach_process(ends[0], KernelOptions{std::chrono::seconds(5)});
  }
  ~Elsewhere() {
    kernel_.reset();
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  Kernel& kernel() { return *kernel_; }
  bool runs() const { return waitpid(process_, nullptr, WNOHANG) == 0; }

 private:
  pid_t process_ = -1;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace

TEST_CASE("a command that cannot describe itself is refused with the reason",
          "[conformance][kernel]") {
  CHECK(why_no_process("exit 5") == "describe: exited with status 5");
  CHECK(why_no_process("exit 139") ==
        "describe: exited with status 139 (128 + 11: Segmentation fault)");
  CHECK(why_no_process("kill -9 $$") ==
        "describe: killed by signal 9 (Killed)");
  CHECK(why_no_process("echo hello") ==
        "describe: header is no JSON object: \"hello\"");
  CHECK(why_no_process("printf '\\001\\033\\n'") ==
        "describe: header is no JSON object: \"  \"");
  CHECK(why_no_process("sleep 3600", milliseconds(20)) ==
        "describe: no answer within 200 ms");
  CHECK(why_no_process("cat /dev/zero") ==
        "describe: header is longer than 1 MiB");
}

TEST_CASE("a description outside the protocol is refused with the reason",
          "[conformance][kernel]") {
  const auto [fault, reason] = GENERATE(table<std::string, std::string>(
      {{"cannot-describe",
        "describe: status \"error\" is not \"ok\": no device found"},
       {"huge-position", "describe: max_position: expected an integer"},
       {"twice",
        "describe: header: member \"name\" occurs twice in one object"},
       {"unknown-word",
        "describe: operations: \"waltz\"; known are frequencies, "
        "table, rotate, rope, permute or lookup"},
       {"unknown-class",
        "describe: claims.angle_class: \"A9\"; expected A0, A1, A2 or "
        "A3"},
       {"no-name", "describe: name: expected a string"},
       {"unknown-field",
        "describe: colour: unknown field; mistyped, or newer than "
        "this program"},
       {"unknown-accept",
        "describe: accepts: \"pigeons\"; known are shared_file, "
        "fresh or interrupt"},
       {"negative-padding",
        "describe: padding_bytes: expected an integer 0 .. 4294967295"},
       {"high-trig-ulp", "trig_ulp is 5; it must be 1 to 4"}}));
  CHECK(why_no_process(process(fault)) == reason);
}

TEST_CASE("an answer that breaks the protocol is an error, not the end",
          "[conformance][kernel]") {
  const auto [fault, detail] = GENERATE(table<std::string, std::string>(
      {{"endless-line", "header is longer than 1 MiB"},
       {"fractional-bytes",
        "buffers of status \"ok\" are [[\"q\",192.0]], not "
        "[[\"q\",192],[\"k\",96]]"},
       {"forgets-q",
        "buffers of status \"ok\" are [], not [[\"q\",192],[\"k\",96]]"},
       {"bytes-with-refusal",
        "buffers of status \"unsupported\" are [[\"q\",192]], not null"},
       {"unknown-status",
        "status \"splendid\" must be ok, unsupported, invalid, failed, "
        "unusable or error"},
       {"numeric-message", "message: expected a string"},
       {"unknown-reply-field",
        "mood: unknown field; mistyped, or newer than this "
        "program"}}));
  const Answer answer = run_fault(fault);
  CHECK(answer.outcome == Outcome::kError);
  CHECK(answer.detail == detail);
}

TEST_CASE("a process that refuses or ends has its own outcome",
          "[conformance][kernel]") {
  const auto [fault, outcome, detail] =
      GENERATE(table<std::string, Outcome, std::string>(
          {{"unsupported", Outcome::kUnsupported, "a reason in two lines"},
           {"invalid", Outcome::kInvalid, "a reason in two lines"},
           {"failed", Outcome::kFailed, "a reason in two lines"},
           {"error", Outcome::kError, "a reason in two lines"},
           {"bare-refusal", Outcome::kUnsupported, "status \"unsupported\""},
           {"is-killed", Outcome::kCrash,
            "killed by signal 11 (Segmentation fault)"},
           {"closes", Outcome::kCrash, "closed its connection and ran on"}}));
  const Answer answer = run_fault(fault);
  CHECK(answer.outcome == outcome);
  CHECK(answer.detail == detail);
}

TEST_CASE("a process that this machine has too little for ends the run",
          "[conformance][kernel]") {
  const auto kernel = start("exec " + process("unusable"));
  CHECK_THROWS_WITH(run_strided(*kernel), EndsWith("a reason in two lines"));
  CHECK_THROWS_AS(start("exec " + process("unusable-at-once")),
                  std::invalid_argument);
}

TEST_CASE("a process that is restarted is told how many threads to use",
          "[conformance][kernel]") {
  const auto kernel = start("test \"$OMP_NUM_THREADS\" != 1 || exit 7; exec " +
                            process("unsupported"));
  CHECK(kernel->restart(1));
  CHECK_THAT(run_strided(*kernel).detail, EndsWith("exited with status 7"));
}

TEST_CASE("a process may make itself fresh, or is started again",
          "[conformance][kernel]") {
  const auto [fault, once, twice] =
      GENERATE(table<std::string, std::string, std::string>(
          {{"is-fresh", "fresh: [1]", "fresh: [1, 0]"},
           {"is-never-fresh", "fresh: []", "fresh: []"}}));
  const auto kernel = start(process(fault));
  CHECK(run_strided(*kernel).detail == "fresh: []");
  CHECK(kernel->restart(1));
  CHECK(run_strided(*kernel).detail == once);
  CHECK(kernel->restart(0));
  CHECK(run_strided(*kernel).detail == twice);
}

TEST_CASE("an answer too many is an error of the call that it comes with",
          "[conformance][kernel]") {
  const auto kernel = start(process("answers-late"));
  CHECK(run_strided(*kernel, false).outcome == Outcome::kOk);
  std::this_thread::sleep_for(milliseconds(200));
  const Answer answer = run_strided(*kernel, false);
  CHECK(answer.outcome == Outcome::kError);
  CHECK(answer.detail == "sends what nobody has asked for");
}

TEST_CASE("a shared file cannot be cut off", "[conformance][kernel]") {
  const auto kernel = start(process("cuts-file"));
  Weight weight(*kernel, std::size_t{1} << 18);
  const Answer answer = kernel->run(weight.problem);
  CHECK(answer.detail == "");
  CHECK(answer.outcome == Outcome::kOk);
}

TEST_CASE("megabytes in both directions do not block one another",
          "[conformance][kernel]") {
  // "streams" answers while it still reads: both directions are full at once.
  const auto kernel = start(process(GENERATE("streams", "reads-first")));
  constexpr std::size_t kElements = std::size_t{1} << 22;
  Weight weight(*kernel, kElements);
  REQUIRE(kernel->run(weight.problem).detail == "");
  CHECK(weight.out[1] == 1);
  CHECK(weight.out[kElements - 1] == kElements - 1);
}

TEST_CASE("what a command started ends with it", "[conformance][kernel]") {
  const Fifo alive;
  CHECK(why_no_process("sleep 3600 > " + alive.path() + " & sleep 3600",
                       milliseconds(50)) ==
        "describe: no answer within 500 ms");
  CHECK(alive.has_hung_up());
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("what a Python kernel started ends before the fresh one begins",
          "[conformance][kernel]") {
  const Fifo alive;
  const auto kernel = start(adapter("leaves-child " + alive.path()));
  CHECK(run_strided(*kernel).detail == "");
  CHECK(kernel->restart(0));
  CHECK(alive.has_hung_up());
}

TEST_CASE(
    "a process at an inherited socket is a kernel that is never restarted",
    "[conformance][kernel]") {
  Elsewhere elsewhere(process("failed"));
  for (int call = 0; call < 3; ++call) {
    const Answer answer = run_strided(elsewhere.kernel());
    CHECK(answer.outcome == Outcome::kFailed);
    CHECK(answer.detail == "a reason in two lines");
    CHECK_FALSE(elsewhere.kernel().restart(call));
  }
  CHECK(elsewhere.runs());
}

TEST_CASE("a process at a socket whose answer is no answer gets no more calls",
          "[conformance][kernel]") {
  Elsewhere elsewhere(process("garbage"));
  const std::string detail = "header is no JSON object: \"rotating...\"";
  CHECK(run_strided(elsewhere.kernel()).detail == detail);
  const Answer second = run_strided(elsewhere.kernel());
  CHECK(second.outcome == Outcome::kError);
  CHECK(second.detail == "not run: an earlier call had no answer (" + detail +
                             "), and the kernel cannot be started again");
}

TEST_CASE("a process at a socket that can make itself fresh does",
          "[conformance][kernel]") {
  Elsewhere elsewhere(process("is-fresh"));
  CHECK(elsewhere.kernel().restart(3));
  CHECK(run_strided(elsewhere.kernel()).detail == "fresh: [3]");
}

TEST_CASE("a descriptor that is no stream socket is refused",
          "[conformance][kernel]") {
  const int file = open("/dev/null", O_RDWR);
  CHECK_THROWS_WITH(reach_process(file, {}),
                    StartsWith("descriptor " + std::to_string(file)));
  close(file);
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  CHECK_THROWS_WITH(reach_process(ends[0], {}),
                    EndsWith("is no open stream socket"));
  close(ends[0]);
  close(ends[1]);
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  close(ends[1]);
  CHECK_THROWS_WITH(reach_process(ends[0], {}),
                    EndsWith("describe: closed its connection"));
}

}  // namespace ropeproof::conformance::plugin
