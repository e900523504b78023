// Walls, where this machine lets somebody build them.
#include "conformance/plugin/sandbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "conformance/plugin/deadline.h"
#include "conformance/plugin/kernel.h"
#include "conformance/plugin/test_problems.h"

namespace ropeproof::conformance::plugin {
namespace {

KernelOptions behind_walls() {
  auto sandbox = std::make_shared<Sandbox>();
  sandbox->program = ROPEPROOF_PROGRAM;
  KernelOptions options;
  options.sandbox = sandbox;
  return options;
}

void skip_without_walls() {
  const std::string why = why_no_sandbox(ROPEPROOF_PROGRAM);
  if (!why.empty()) SKIP(why);
}

Answer answer_of(const std::string& name, const KernelOptions& options) {
  const auto kernel =
      load_library(ROPEPROOF_FAKES_DIR "/" + name + ".so", options);
  return run_strided(*kernel);
}

// What a shell prints there.
std::string said_behind_walls(const Sandbox& sandbox,
                              const std::string& command) {
  Sandbox own = sandbox;
  own.program = ROPEPROOF_PROGRAM;
  const auto trial = execute_behind_walls(own, {"/bin/sh", "-c", command});
  std::string said;
  Deadline deadline(std::chrono::seconds(10));
  trial->receive(said, 1 << 20, deadline);
  return said;
}

}  // namespace

TEST_CASE("behind walls a kernel reaches nothing that is not its own",
          "[conformance][sandbox]") {
  skip_without_walls();
  const Answer free = answer_of("reaches_out", {});
  CHECK(free.outcome == Outcome::kError);
  CAPTURE(free.detail);
  const Answer walled = answer_of("reaches_out", behind_walls());
  CHECK(walled.detail == "");
  CHECK(walled.outcome == Outcome::kOk);
}

TEST_CASE("a kernel ends behind walls as it ends without",
          "[conformance][sandbox]") {
  skip_without_walls();
  for (const char* name :
       {"keeps_promises", "aborts", "crash_in_run", "exit_in_run", "refuses",
        "overflows_stack", "rounds_upward", "closes_descriptors"}) {
    CAPTURE(name);
    const Answer free = answer_of(name, {}),
                 walled = answer_of(name, behind_walls());
    CHECK(walled.outcome == free.outcome);
    CHECK(walled.detail == free.detail);
  }
}

// It may have filled what the runner shares with it: the runner would be the
// next to end.
TEST_CASE("what a process behind walls has filled goes as it ends",
          "[conformance][sandbox]") {
  skip_without_walls();
  const auto shared = [] {
    blkcnt_t blocks = 0;
    for (const auto& file :
         std::filesystem::directory_iterator("/proc/self/fd")) {
      struct stat status {};
      if (std::filesystem::read_symlink(file).string().starts_with(
              "/memfd:ropeproof") &&
          stat(file.path().c_str(), &status) == 0) {
        blocks += status.st_blocks;
      }
    }
    return blocks * 512;
  };
  const auto kernel =
      load_library(ROPEPROOF_FAKES_DIR "/aborts.so", behind_walls());
  constexpr std::size_t kMuch = std::size_t{16} << 20;
  kernel->allocate(kMuch);
  CHECK(shared() > static_cast<blkcnt_t>(kMuch));
  CHECK(run_strided(*kernel).outcome == Outcome::kCrash);
  CHECK(shared() < 1 << 20);
}

TEST_CASE("memory is limited behind walls", "[conformance][sandbox]") {
  skip_without_walls();
  CHECK(said_behind_walls({}, "ulimit -d") == "16777216\n");
}

// It would hold a copy of the runner's memory for as long as the kernel runs.
TEST_CASE("the supervisor of a walled process is no fork of the runner",
          "[conformance][sandbox]") {
  skip_without_walls();
  const auto child = execute_behind_walls({ROPEPROOF_PROGRAM, {}, {}},
                                          {"/bin/sh", "-c", "echo; cat"});
  std::string said;
  Deadline deadline(std::chrono::seconds(10));
  REQUIRE(child->receive(said, 1, deadline) == Child::Wire::kDone);
  REQUIRE(!child->has_ended());
  std::ifstream status("/proc/" + std::to_string(child->outmost()) + "/status");
  std::string word, parent;
  while (status >> word && word != "PPid:") continue;
  status >> parent;
  CHECK(std::filesystem::read_symlink("/proc/" + parent + "/exe") ==
        std::filesystem::canonical(ROPEPROOF_PROGRAM));
}

TEST_CASE("behind walls nothing of the system can be set, root's neither",
          "[conformance][sandbox]") {
  skip_without_walls();
  CHECK(said_behind_walls({},
                          "for file in /proc/sys/kernel/* /proc/self/*; do "
                          "(exec 3>>$file) 2>/dev/null && echo $file; "
                          "done") == "");
}

TEST_CASE("behind walls there is no terminal, and none hears what is printed",
          "[conformance][sandbox]") {
  skip_without_walls();
  // The session is one of the processes that can be seen there.
  CHECK(said_behind_walls({}, "cut -d ' ' -f 6 /proc/self/stat") != "0\n");
  char name[] = "/tmp/ropeproof-said-XXXXXX";
  const Descriptor file(mkstemp(name)), before(dup(STDERR_FILENO));
  dup2(file.get(), STDERR_FILENO);
  said_behind_walls({}, "printf '\\033[2J\\342\\200\\256over\\n' >&2");
  dup2(before.get(), STDERR_FILENO);
  std::string printed;
  std::getline(std::ifstream(name), printed);
  std::filesystem::remove(name);
  CHECK(printed == " [2J over");
}

TEST_CASE("behind walls a device that is shown can be used",
          "[conformance][sandbox]") {
  skip_without_walls();
  const std::string open = "exec 3<>/dev/fuse && echo open";
  if (!std::ifstream("/dev/fuse")) SKIP("there is no /dev/fuse");
  Sandbox sandbox;
  CHECK(said_behind_walls(sandbox, open) == "");
  sandbox.shown = {"/dev/fuse"};
  CHECK(said_behind_walls(sandbox, open) == "open\n");
}

TEST_CASE("a process that is limited to it writes in /tmp alone",
          "[conformance][sandbox]") {
  bool has_landlock = false, is_right = false;
  std::thread([&] {
    has_landlock = limit_writing();
    const auto writes = [](const std::string& path) {
      const bool is_written = !!std::ofstream(path);
      std::filesystem::remove(path);
      return is_written;
    };
    const std::string file = "ropeproof-" + std::to_string(getpid());
    is_right = !writes("/var/tmp/" + file) && writes("/tmp/" + file) &&
               std::ifstream("/proc/self/maps") && std::ofstream("/dev/null");
  }).join();
  if (!has_landlock) SKIP("there is no landlock");
  CHECK(is_right);
}

TEST_CASE("behind walls there are no variables of the runner's",
          "[conformance][sandbox]") {
  skip_without_walls();
  setenv("ROPEPROOF_SECRET", "7", 1);
  CHECK(said_behind_walls({}, "echo $ROPEPROOF_SECRET in $HOME") ==
        "in /tmp\n");
  unsetenv("ROPEPROOF_SECRET");
}

TEST_CASE("behind walls a folder is hidden under each of its names",
          "[conformance][sandbox]") {
  skip_without_walls();
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("ropeproof-walls-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "own" / "answers");
  std::filesystem::create_symlink("own", folder / "other");
  std::ofstream(folder / "own" / "answers" / "file") << "answer";
  Sandbox sandbox;
  sandbox.shown = {folder / "other", folder / "own"};
  const std::string list = "cd " + folder.string() + "; ls */*";
  CHECK(said_behind_walls(sandbox, list + "/*") ==
        "other/answers/file\nown/answers/file\n");
  sandbox.hidden = {folder / "own" / "answers"};
  CHECK(said_behind_walls(sandbox, list) == "other/answers:\n\nown/answers:\n");
  std::filesystem::remove_all(folder);
}

}  // namespace ropeproof::conformance::plugin
