#include <fcntl.h>
#include <ropeproof_device.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "conformance/plugin/kernel.h"
#include "conformance/plugin/test_problems.h"

namespace ropeproof::conformance::plugin {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using std::chrono::milliseconds;

std::string fake(const std::string& name) {
  return ROPEPROOF_FAKES_DIR "/" + name + ".so";
}

std::unique_ptr<Kernel> load(const std::string& name,
                             milliseconds limit = milliseconds(5000)) {
  return load_library(fake(name), KernelOptions{limit});
}

std::string why_not(const std::string& path,
                    milliseconds limit = milliseconds(5000)) {
  try {
    load_library(path, KernelOptions{limit});
  } catch (const KernelError& error) {
    CHECK_THAT(error.what(), StartsWith(path + ": "));
    return std::string(error.what()).substr(path.size() + 2);
  }
  return "no error";
}

int count_descriptors() {
  int count = 0;
  for (int fd = 0; fd < 1024; ++fd) count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("rounds in place each begin with what the first one found",
          "[conformance][kernel]") {
  const auto kernel = load("keeps_promises");
  Strided strided(*kernel);
  ropeproof_problem& problem = strided.problem;
  problem.batch = problem.seq = 1;
  float* const x = strided.q;
  problem.q = {x, x, 1, 4, 4, 4, 4, 4, 4};
  strided.positions[0] = 1;
  CHECK(kernel->run_together({&problem, 1}, 7)[0].is_steady);
  // One rotation of (0, 2), not seven.
  CHECK(x[0] == -2 * std::sin(1.0f));
  CHECK(x[2] == 2 * std::cos(1.0f));
}

TEST_CASE("a file that is no kernel is refused with the reason",
          "[conformance][kernel]") {
  CHECK(why_not("/nowhere/kernel.so") == "no such file; name a shared library");
  CHECK(why_not("/dev/null") == "is no file; name a shared library");
  CHECK_THAT(why_not(ROPEPROOF_SOURCE_DIR "/README.md"),
             StartsWith("cannot be loaded: "));
  CHECK_THAT(why_not(fake("no_run")),
             StartsWith("has no symbol ropeproof_run:"));
  CHECK_THAT(why_not(fake("no_describe")),
             StartsWith("has no symbol ropeproof_describe:"));
}

TEST_CASE("a description that cannot be used is refused with the reason",
          "[conformance][kernel]") {
  CHECK(why_not(fake("refuses_to_describe")) ==
        "ropeproof_describe returned 1; it must be ROPEPROOF_OK");
  CHECK_THAT(why_not(fake("bad_name")),
             StartsWith("name \"two lines\" must be"));
}

TEST_CASE("a library that crashes or hangs while it is loaded is refused",
          "[conformance][kernel]") {
  CHECK_THAT(why_not(fake("bad_name_pointer")),
             StartsWith("crashes while it is loaded: killed by signal"));
  CHECK(why_not(fake("hang_in_load"), milliseconds(20)) ==
        "hangs while it is loaded: no answer within 200 ms");
}

auto status_of(Kernel& kernel, Strided& strided) {
  return [&](std::int32_t direction) {  // which the kernel returns
    strided.problem.direction = direction;
    return kernel.run(strided.problem);
  };
}

TEST_CASE("a kernel's status is its answer, and other numbers are errors",
          "[conformance][kernel]") {
  const auto kernel = load("returns_direction");
  Strided strided(*kernel);
  const auto status = status_of(*kernel, strided);
  CHECK(status(ROPEPROOF_OK).outcome == Outcome::kOk);
  CHECK(status(ROPEPROOF_OK).detail.empty());
  CHECK(status(ROPEPROOF_UNSUPPORTED).outcome == Outcome::kUnsupported);
  CHECK(status(ROPEPROOF_INVALID).outcome == Outcome::kInvalid);
  CHECK(status(42).outcome == Outcome::kError);
  CHECK(status(-1).detail ==
        "ropeproof_run returned -1; it must be ROPEPROOF_OK, _UNSUPPORTED or "
        "_INVALID");
}

TEST_CASE("a launch that fails is a failed call, a lack before any is no run",
          "[conformance][kernel]") {
  const auto kernel = load("returns_direction");
  Strided strided(*kernel);
  const auto status = status_of(*kernel, strided);
  CHECK(status(100 + ROPEPROOF_FAILED).outcome == Outcome::kFailed);
  CHECK_THROWS_WITH(status(100 + ROPEPROOF_UNUSABLE),
                    EndsWith("returns_direction.so: too little local memory"));
  CHECK(status(ROPEPROOF_OK).outcome == Outcome::kOk);
  CHECK(status(100 + ROPEPROOF_UNUSABLE).outcome == Outcome::kFailed);
  CHECK(status(100 + ROPEPROOF_UNUSABLE).detail == "too little local memory");
  CHECK(status(ROPEPROOF_FAILED).outcome == Outcome::kError);
}

TEST_CASE("what a kernel prints neither blocks it nor floods the log",
          "[conformance][kernel]") {
  // Standard error goes to a file, and then is measured.
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  const int log = fileno(file);
  const int standard_error = dup(STDERR_FILENO);
  dup2(log, STDERR_FILENO);
  const Answer patient = run_strided(*load("prints"));
  const auto after_patient = lseek(log, 0, SEEK_END);
  const Answer endless =
      run_strided(*load("prints_forever", milliseconds(200)));
  const auto after_endless = lseek(log, 0, SEEK_END);
  dup2(standard_error, STDERR_FILENO);
  close(standard_error);
  std::fclose(file);
  CHECK(patient.outcome == Outcome::kOk);
  CHECK(endless.outcome == Outcome::kTimeout);
  CHECK(after_patient > 60000);
  CHECK(after_endless < 2 * 70000);
}

TEST_CASE("OpenMP works in a kernel although the runner has used it",
          "[conformance][kernel]") {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  REQUIRE(threads == 2);
  const auto kernel = load("openmp");
  Strided strided(*kernel);
  CHECK(kernel->run(strided.problem).outcome == Outcome::kOk);
  CHECK(*strided.q_out == 2);
}

TEST_CASE("a kernel leaves neither a zombie nor a descriptor behind",
          "[conformance][kernel]") {
  const int before = count_descriptors();
  for (const char* name : {"echo", "crash_in_run", "hang_in_run"}) {
    run_strided(*load(name, milliseconds(100)));
  }
  why_not(fake("crash_in_load"));
  CHECK(count_descriptors() == before);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

}  // namespace ropeproof::conformance::plugin
