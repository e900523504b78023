#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {
namespace {

using Catch::Matchers::StartsWith;
using std::chrono::milliseconds;

std::string fake(const std::string& name) {
  return ROPEPROOF_FAKES_DIR "/" + name + ".so";
}

std::unique_ptr<Kernel> load(const std::string& name,
                             milliseconds limit = milliseconds(5000)) {
  return load_library(fake(name), KernelOptions{limit});
}

std::string why_not(const std::string& path, milliseconds limit) {
  try {
    load_library(path, KernelOptions{limit});
  } catch (const KernelError& error) {
    CHECK_THAT(error.what(), StartsWith(path + ": "));
    return std::string(error.what()).substr(path.size() + 2);
  }
  return "no error";
}

std::string why_not(const std::string& name) {
  return why_not(fake(name), milliseconds(5000));
}

// One token of one head of q, out of place, in the kernel's memory.
struct Tiny {
  explicit Tiny(Kernel& kernel, std::int64_t head_dim = 4) {
    const auto bytes = static_cast<std::size_t>(head_dim) * sizeof(float);
    in = reinterpret_cast<float*>(kernel.allocate(bytes));
    out = reinterpret_cast<float*>(kernel.allocate(bytes));
    position = reinterpret_cast<std::int64_t*>(kernel.allocate(8));
    for (std::int64_t i = 0; i < head_dim; ++i) {
      in[i] = static_cast<float>(i + 1);
    }
    problem.struct_size = sizeof problem;
    problem.operation = ROPEPROOF_ROPE;
    problem.dtype = ROPEPROOF_F32;
    problem.pairing = ROPEPROOF_HALF_SPLIT;
    problem.direction = 1;
    problem.batch = problem.seq = 1;
    problem.head_dim = problem.rotary_dim = head_dim;
    problem.q = {in,       out,      1,        head_dim, head_dim,
                 head_dim, head_dim, head_dim, head_dim};
    problem.positions = position;
    problem.position_axes = 1;
    problem.position_axis_stride = problem.position_batch_stride = 1;
    problem.base = 10000;
    problem.amplitude = 1;
  }

  float *in, *out;
  std::int64_t* position;
  ropeproof_problem problem{};
};

int count_descriptors() {
  int count = 0;
  for (int fd = 0; fd < 1024; ++fd) count += fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a library reads and writes the caller's memory, gaps and all",
          "[conformance][kernel]") {
  const auto kernel = load("echo");
  Tiny tiny(*kernel, 12);
  std::fill(tiny.out, tiny.out + 12, -1.0f);
  // Two tokens of two heads of two channels, each head followed by a gap.
  tiny.problem.seq = 2;
  tiny.problem.head_dim = tiny.problem.rotary_dim = 2;
  tiny.problem.q = {tiny.in, tiny.out, 2, 12, 6, 3, 12, 6, 3};
  CHECK(kernel->run(tiny.problem).outcome == Outcome::kOk);
  const std::vector<float> want{1, 2, -1, 4, 5, -1, 7, 8, -1, 10, 11, -1};
  CHECK(std::vector<float>(tiny.out, tiny.out + 12) == want);
}

TEST_CASE("rounds in place each begin with what the first one found",
          "[conformance][kernel]") {
  const auto kernel = load("keeps_promises");
  Tiny tiny(*kernel, 4);
  tiny.problem.q.out = tiny.in;
  tiny.position[0] = 1;
  CHECK(kernel->run_together({&tiny.problem, 1}, 7)[0].is_steady);
  // One rotation of (1, 3), not seven.
  CHECK(tiny.in[0] == 1 * std::cos(1.0f) - 3 * std::sin(1.0f));
  CHECK(tiny.in[2] == 1 * std::sin(1.0f) + 3 * std::cos(1.0f));
}

TEST_CASE("allocated memory is aligned, and zeroed again after release",
          "[conformance][kernel]") {
  const auto kernel = load("echo");
  for (int round = 0; round < 2; ++round) {
    for (const std::size_t bytes : {1u, 63u, 64u, 65u, 100000u}) {
      std::byte* const memory = kernel->allocate(bytes);
      CHECK(reinterpret_cast<std::uintptr_t>(memory) % 64 == 0);
      CHECK(std::count(memory, memory + bytes, std::byte{0}) ==
            static_cast<std::ptrdiff_t>(bytes));
      std::fill_n(memory, bytes, std::byte{0xff});
    }
    kernel->release();
  }
  CHECK_THROWS_AS(kernel->allocate(std::size_t{1} << 40), std::bad_alloc);
}

TEST_CASE("a file that is no kernel is refused with the reason",
          "[conformance][kernel]") {
  const milliseconds limit(5000);
  CHECK(why_not("/nowhere/kernel.so", limit) ==
        "no such file; name a shared library");
  CHECK(why_not(ROPEPROOF_SOURCE_DIR, limit) ==
        "is a folder; name a shared library");
  CHECK(why_not("/dev/null", limit) == "is no file; name a shared library");
  CHECK_THAT(why_not(ROPEPROOF_SOURCE_DIR "/README.md", limit),
             StartsWith("cannot be loaded: "));
  CHECK_THAT(why_not("no_run"), StartsWith("has no symbol ropeproof_run:"));
  CHECK_THAT(why_not("no_describe"),
             StartsWith("has no symbol ropeproof_describe:"));
}

TEST_CASE("a description that cannot be used is refused with the reason",
          "[conformance][kernel]") {
  CHECK(why_not("refuses_to_describe") ==
        "ropeproof_describe returned 1; it must be ROPEPROOF_OK");
  CHECK_THAT(why_not("bad_name"), StartsWith("name \"two lines\" must be"));
}

TEST_CASE("a library that crashes or hangs while it is loaded is refused",
          "[conformance][kernel]") {
  CHECK_THAT(why_not("bad_name_pointer"),
             StartsWith("crashes while it is loaded: killed by signal"));
  CHECK(why_not(fake("hang_in_load"), milliseconds(20)) ==
        "hangs while it is loaded: no answer within 200 ms");
}

TEST_CASE("a kernel's status is its answer, and other numbers are errors",
          "[conformance][kernel]") {
  const auto kernel = load("returns_direction");
  Tiny tiny(*kernel);
  const auto status = [&](std::int32_t direction) {
    tiny.problem.direction = direction;
    return kernel->run(tiny.problem);
  };
  CHECK(status(ROPEPROOF_OK).outcome == Outcome::kOk);
  CHECK(status(ROPEPROOF_OK).detail.empty());
  CHECK(status(ROPEPROOF_UNSUPPORTED).outcome == Outcome::kUnsupported);
  CHECK(status(ROPEPROOF_INVALID).outcome == Outcome::kInvalid);
  CHECK(status(42).outcome == Outcome::kError);
  CHECK(status(-1).detail ==
        "ropeproof_run returned -1; it must be ROPEPROOF_OK, _UNSUPPORTED or "
        "_INVALID");
}

TEST_CASE("what a kernel prints neither blocks it nor floods the log",
          "[conformance][kernel]") {
  // Standard error goes to a file, and then is measured.
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  const int log = fileno(file);
  const int standard_error = dup(STDERR_FILENO);
  dup2(log, STDERR_FILENO);
  Answer patient, endless;
  {
    const auto kernel = load("prints");
    Tiny tiny(*kernel);
    patient = kernel->run(tiny.problem);
  }
  const auto after_patient = lseek(log, 0, SEEK_END);
  {
    const auto kernel = load("prints_forever", milliseconds(200));
    Tiny tiny(*kernel);
    endless = kernel->run(tiny.problem);
  }
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
  Tiny tiny(*kernel);
  CHECK(kernel->run(tiny.problem).outcome == Outcome::kOk);
  CHECK(*tiny.out == 2);
}

TEST_CASE("a kernel leaves neither a zombie nor a descriptor behind",
          "[conformance][kernel]") {
  const int before = count_descriptors();
  for (const char* name : {"echo", "crash_in_run", "hang_in_run"}) {
    const auto kernel = load(name, milliseconds(100));
    Tiny tiny(*kernel);
    kernel->run(tiny.problem);
  }
  why_not("crash_in_load");
  CHECK(count_descriptors() == before);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

}  // namespace ropeproof::conformance::plugin
