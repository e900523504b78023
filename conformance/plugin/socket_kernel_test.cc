#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "conformance/plugin/kernel.h"
#include "conformance/selftest/fakes/strided_problem.h"

namespace ropeproof::conformance::plugin {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

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

TEST_CASE(
    "a process at an inherited socket is a kernel that is never restarted",
    "[conformance][kernel]") {
  Elsewhere elsewhere(selftest::process("failed"));
  for (int call = 0; call < 3; ++call) {
    const Answer answer = selftest::run_strided(elsewhere.kernel());
    CHECK(answer.outcome == Outcome::kFailed);
    CHECK(answer.detail == "a reason in two lines");
    CHECK_FALSE(elsewhere.kernel().restart(call));
  }
  CHECK(elsewhere.runs());
}

TEST_CASE("a process at a socket whose answer is no answer gets no more calls",
          "[conformance][kernel]") {
  Elsewhere elsewhere(selftest::process("garbage"));
  const std::string detail = "header is no JSON object: \"rotating...\"";
  CHECK(selftest::run_strided(elsewhere.kernel()).detail == detail);
  const Answer second = selftest::run_strided(elsewhere.kernel());
  CHECK(second.outcome == Outcome::kError);
  CHECK(second.detail == "not run: an earlier call had no answer (" + detail +
                             "), and the kernel cannot be started again");
}

TEST_CASE("a process at a socket that can make itself fresh does",
          "[conformance][kernel]") {
  Elsewhere elsewhere(selftest::process("is-fresh"));
  CHECK(elsewhere.kernel().restart(3));
  CHECK(selftest::run_strided(elsewhere.kernel()).detail == "fresh: [3]");
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
