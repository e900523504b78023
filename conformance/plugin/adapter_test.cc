#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "conformance/plugin/kernel.h"
#include "conformance/plugin/test_problems.h"

namespace ropeproof::conformance::plugin {
namespace {

using Catch::Matchers::ContainsSubstring;
using Floats = std::vector<float>;

float first_of_q(Kernel& kernel) {
  Strided strided(kernel);
  REQUIRE(kernel.run(strided.problem).detail == "");
  return strided.q_out[0];
}

}  // namespace

TEST_CASE("rope reaches a process without gaps and comes back into them",
          "[conformance][kernel]") {
  const auto kernel = start(adapter("good"));
  Strided strided(*kernel);
  REQUIRE(kernel->run(strided.problem).detail == "");

  Floats want_q(100, -1.0f), want_k(40, -1.0f);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t s = 0; s < 3; ++s) {
      const auto position = static_cast<float>(100 + 10 + 4 * b + s);
      for (std::size_t t = 0; t < 4; ++t) {
        for (std::size_t h = 0; h < 2; ++h) {
          want_q[50 * b + 15 * s + 6 * h + t] =
              static_cast<float>(40 * b + 12 * s + 5 * h + t) + position;
        }
        want_k[20 * b + 6 * s + t] = static_cast<float>(20 * b + 6 * s + 3 - t);
      }
    }
  }
  CHECK(Floats(strided.q_out, strided.q_out + 100) == want_q);
  CHECK(Floats(strided.k_out, strided.k_out + 40) == want_k);
}

TEST_CASE("large tensors reach an adapter by file and come back by file",
          "[conformance][kernel]") {
  const auto kernel = start(adapter("good"));
  // Around the size from which on a file is used, and far above.
  for (const std::size_t count : {16383u, 16384u, 16385u, 1u << 22, 20000u}) {
    CAPTURE(count);
    Weight weight(*kernel, count);
    REQUIRE(kernel->run(weight.problem).detail == "");
    Floats want = iota<float>(count);
    std::reverse(want.begin(), want.end());
    CHECK(Floats(weight.out, weight.out + count) == want);
    kernel->release();
  }
}

TEST_CASE("a Python function gets an empty problem only if it asks for it",
          "[conformance][kernel]") {
  const auto kernel =
      start(adapter(GENERATE("takes-empty", "empties", "good")));
  Strided strided(*kernel);
  ropeproof_problem& p = strided.problem;
  SECTION("no token") { p.seq = 0; }
  SECTION("no batch row") { p.batch = 0; }
  SECTION("no head") { p.q.heads = p.k.heads = 0; }
  CHECK(kernel->run(p).detail == "");
  CHECK(strided.q_out[0] == -1);
  CHECK(strided.k_out[0] == -1);
}

TEST_CASE("what a Python adapter prints is not in the way",
          "[conformance][kernel]") {
  const auto kernel = start(adapter("prints"));
  CHECK(run_strided(*kernel).detail == "");
  CHECK(kernel->restart(0));
  CHECK(run_strided(*kernel).detail == "");
}

TEST_CASE("a Python adapter says which problems it takes",
          "[conformance][kernel]") {
  const auto kernel = start(adapter("good"));
  Strided strided(*kernel);
  CHECK(kernel->supports(strided.problem).outcome == Outcome::kOk);
  strided.problem.head_dim = 6;
  CHECK(kernel->supports(strided.problem).outcome == Outcome::kDeclined);
  strided.problem.dtype = 1 << 10;  // which the protocol has no word for
  CHECK(kernel->run(strided.problem).outcome == Outcome::kUnsupported);
}

TEST_CASE("a fresh Python process is a fork, unless that would lack threads",
          "[conformance][kernel]") {
  struct Row {
    const char* mode;
    float first, second, fresh;
  };
  const Row row = GENERATE(Row{"counts", 1, 2, 1},
                           // 1: another process has imported the function.
                           Row{"counts-imports", 1, 1, 1},
                           Row{"counts-imports has-threads", 0, 0, 0},
                           Row{"counts-imports never-forks", 0, 0, 0},
                           // The module starts processes that import it again.
                           Row{"spawns", 7, 7, 7});
  CAPTURE(row.mode);
  const auto kernel = start(adapter(row.mode));
  CHECK(first_of_q(*kernel) == row.first);
  CHECK(first_of_q(*kernel) == row.second);
  CHECK(kernel->restart(0));
  CHECK(first_of_q(*kernel) == row.fresh);
}

TEST_CASE("a fresh Python process has the threads that it may have",
          "[conformance][kernel]") {
  const auto kernel = start(adapter("counts-processors"));
  const float all = first_of_q(*kernel);
  CHECK(kernel->restart(1));
  CHECK(first_of_q(*kernel) == 1);
  CHECK(kernel->restart(0));
  CHECK(first_of_q(*kernel) == all);
}

TEST_CASE("a Python kernel that ends its process is a crash, and named",
          "[conformance][kernel]") {
  const auto [mode, detail] = GENERATE(table<std::string, std::string>(
      {{"is-killed", "Segmentation fault"},
       {"ends", "exited with status 4"},
       {"is-killed never-forks", "Segmentation fault"}}));
  const auto kernel = start(adapter(mode));
  for (int times = 0; times < 2; ++times) {
    const Answer answer = run_strided(*kernel);
    CHECK(answer.outcome == Outcome::kCrash);
    CHECK_THAT(answer.detail, ContainsSubstring(detail));
    CHECK(kernel->restart(0));
  }
}

}  // namespace ropeproof::conformance::plugin
