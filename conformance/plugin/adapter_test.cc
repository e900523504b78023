#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "conformance/plugin/kernel.h"
#include "conformance/selftest/fakes/strided_problem.h"

namespace ropeproof::conformance::plugin {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

TEST_CASE("rope reaches a process without gaps and comes back into them",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("good"));
  selftest::Strided strided(*kernel);
  REQUIRE(kernel->run(strided.problem).detail == "");

  std::vector<float> want_q(100, -1.0f), want_k(40, -1.0f);
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
  CHECK(std::vector<float>(strided.q_out, strided.q_out + 100) == want_q);
  CHECK(std::vector<float>(strided.k_out, strided.k_out + 40) == want_k);
}

TEST_CASE("tables, frequencies and weights go there and back",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("good"));
  selftest::Strided strided(*kernel);
  ropeproof_problem& p = strided.problem;
  p.q = p.k = {};
  p.position_axes = 1;
  auto* const cos = selftest::fill(*kernel, std::vector<float>(24, -1.0f));
  auto* const sin = selftest::fill(*kernel, std::vector<float>(24, -1.0f));

  SECTION("table") {
    p.operation = ROPEPROOF_TABLE;
    p.cos = cos;
    p.sin = sin;
    p.table_batch_stride = 11;
    p.table_token_stride = 3;
    REQUIRE(kernel->run(p).detail == "");
    std::vector<float> want(24, -1.0f);
    for (std::size_t b = 0; b < 2; ++b) {
      for (std::size_t s = 0; s < 3; ++s) {
        const auto position = static_cast<float>(100 + 4 * b + s);
        want[11 * b + 3 * s] = position * 0.5f;
        want[11 * b + 3 * s + 1] = position * 0.125f;
      }
    }
    CHECK(std::vector<float>(cos, cos + 24) == want);
    CHECK(sin[14] == want[14] + 16);
  }
  SECTION("frequencies") {
    p.operation = ROPEPROOF_FREQUENCIES;
    p.inv_freq_out = cos;
    REQUIRE(kernel->run(p).detail == "");
    CHECK(std::vector<float>(cos, cos + 3) ==
          std::vector<float>{1 + 0x1p-20f, 0.25f, -1});
  }
  SECTION("permute") {
    p.operation = ROPEPROOF_PERMUTE;
    p.permute_heads = 2;
    p.permute_columns = 1;
    p.permute_in = strided.q;
    p.permute_out = cos;
    REQUIRE(kernel->run(p).detail == "");
    CHECK(std::vector<float>(cos, cos + 9) ==
          std::vector<float>{7, 6, 5, 4, 3, 2, 1, 0, -1});
  }
  SECTION("rotate") {
    p.operation = ROPEPROOF_ROTATE;
    selftest::Strided other(*kernel);
    p.q = other.problem.q;
    std::fill(cos, cos + 24, 1000.0f);
    std::fill(sin, sin + 24, 1.0f);
    p.cos = cos;
    p.sin = sin;
    p.table_batch_stride = 11;
    p.table_token_stride = 3;
    REQUIRE(kernel->run(p).detail == "");
    CHECK(other.q_out[50 + 15 + 6] == 40 + 12 + 5 + 999);
  }
}

TEST_CASE("large tensors reach an adapter by file and come back by file",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("good"));
  // Around the size from which on a file is used, and far above.
  for (const std::size_t count : {16383u, 16384u, 16385u, 1u << 22, 20000u}) {
    CAPTURE(count);
    selftest::Weight weight(*kernel, count);
    REQUIRE(kernel->run(weight.problem).detail == "");
    std::vector<float> want = selftest::iota<float>(count);
    std::reverse(want.begin(), want.end());
    CHECK(std::vector<float>(weight.out, weight.out + count) == want);
    kernel->release();
  }
}

TEST_CASE("a Python function gets an empty problem only if it asks for it",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(
      selftest::adapter(GENERATE("takes-empty", "empties", "good")));
  selftest::Strided strided(*kernel);
  ropeproof_problem& p = strided.problem;
  SECTION("no token") { p.seq = 0; }
  SECTION("no batch row") { p.batch = 0; }
  SECTION("no head") { p.q.heads = p.k.heads = 0; }
  CHECK(kernel->run(p).detail == "");
  CHECK(strided.q_out[0] == -1);
  CHECK(strided.k_out[0] == -1);
}

TEST_CASE("bfloat16 arrives as bit patterns and is rounded to even",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("good"));
  // 256, 258, a NaN and infinity; plus 1, the first two are ties.
  const std::vector<std::uint16_t> in{0x4380, 0x4381, 0x7fc1, 0x7f80};
  auto* const out = selftest::fill(*kernel, std::vector<std::uint16_t>(4));
  ropeproof_problem p = selftest::Strided(*kernel).problem;
  p.dtype = ROPEPROOF_BF16;
  p.batch = p.seq = p.position_axes = 1;
  p.axis_of_pair = nullptr;
  p.positions = selftest::fill(*kernel, std::vector<std::int64_t>{1});
  p.q = {selftest::fill(*kernel, in), out, 1, 4, 4, 4, 4, 4, 4};
  p.k = {};
  REQUIRE(kernel->run(p).detail == "");
  CHECK(std::vector<std::uint16_t>(out, out + 4) ==
        std::vector<std::uint16_t>{0x4380, 0x4382, 0x7fc1, 0x7f80});
}

TEST_CASE("a Python function's mistake fails the call and is told in one line",
          "[conformance][kernel]") {
  const auto [mode, outcome, detail] =
      GENERATE(table<std::string, Outcome, std::string>(
          {{"is-interrupted", Outcome::kFailed, "KeyboardInterrupt"},
           {"needs-memory", Outcome::kFailed,
            "array with shape (4611686018427387904,) and data type uint8"},
           {"raises-bytes", Outcome::kFailed, "eeeee..."},
           {"raises-unprintable", Outcome::kFailed,
            "Unprintable: (its message cannot be printed)"},
           {"wrong-shape", Outcome::kFailed,
            "ValueError: the kernel returned one ndarray for q, k"},
           {"wrong-count", Outcome::kFailed,
            "ValueError: k is f32[2, 3, 2, 4], not f32[2, 3, 1, 4]"},
           {"unsupported", Outcome::kUnsupported, "only on Sundays"},
           {"invalid", Outcome::kInvalid, "seq is odd"}}));
  const auto kernel = selftest::start(selftest::adapter(mode));
  const Answer answer = selftest::run_strided(*kernel);
  CHECK(answer.outcome == outcome);
  CHECK_THAT(answer.detail, EndsWith(detail));
  CHECK(answer.detail.size() < 1100);
  CHECK(selftest::run_strided(*kernel).detail == answer.detail);
}

TEST_CASE("a Python result may be an input or have no memory of its own",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(
      selftest::adapter(GENERATE("returns-inputs", "returns-views")));
  selftest::Strided strided(*kernel);
  REQUIRE(kernel->run(strided.problem).detail == "");
  CHECK(strided.q_out[0] == 0);
  CHECK(strided.k_out[3] == 3);
}

TEST_CASE("what a Python adapter prints is not in the way",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("prints"));
  CHECK(selftest::run_strided(*kernel).detail == "");
  CHECK(kernel->restart(0));
  CHECK(selftest::run_strided(*kernel).detail == "");
}

TEST_CASE("a Python adapter says which problems it takes",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("good"));
  selftest::Strided strided(*kernel);
  CHECK(kernel->supports(BareProblem(strided.problem)).outcome == Outcome::kOk);
  strided.problem.head_dim = 6;
  CHECK(kernel->supports(BareProblem(strided.problem)).outcome ==
        Outcome::kDeclined);
}

namespace {

float first_of_q(Kernel& kernel) {
  selftest::Strided strided(kernel);
  REQUIRE(kernel.run(strided.problem).detail == "");
  return strided.q_out[0];
}

}  // namespace

TEST_CASE("a Python kernel keeps what it has until a fresh one is wanted",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("counts"));
  CHECK(first_of_q(*kernel) == 1);
  CHECK(first_of_q(*kernel) == 2);
  CHECK(kernel->restart(0));
  CHECK(first_of_q(*kernel) == 1);
}

TEST_CASE("a fresh Python process is a fork, unless that would lack threads",
          "[conformance][kernel]") {
  const auto [modes, others] =
      GENERATE(table<std::string, float>({{"counts-imports", 1},
                                          {"counts-imports has-threads", 0},
                                          {"counts-imports never-forks", 0}}));
  const auto kernel = selftest::start(selftest::adapter(modes));
  CHECK(first_of_q(*kernel) == others);
  CHECK(kernel->restart(0));
  CHECK(first_of_q(*kernel) == others);
}

TEST_CASE("a fresh Python process has the threads that it may have",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("counts-processors"));
  const float all = first_of_q(*kernel);
  CHECK(kernel->restart(1));
  CHECK(first_of_q(*kernel) == 1);
  CHECK(kernel->restart(0));
  CHECK(first_of_q(*kernel) == all);
}

TEST_CASE("a Python kernel may start processes that import it again",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("spawns"));
  CHECK(first_of_q(*kernel) == 7);
}

TEST_CASE("a Python kernel that ends its process is a crash, and named",
          "[conformance][kernel]") {
  const auto [mode, detail] = GENERATE(table<std::string, std::string>(
      {{"is-killed", "Segmentation fault"},
       {"ends", "exited with status 4"},
       {"is-killed never-forks", "Segmentation fault"}}));
  const auto kernel = selftest::start(selftest::adapter(mode));
  for (int times = 0; times < 2; ++times) {
    const Answer answer = selftest::run_strided(*kernel);
    CHECK(answer.outcome == Outcome::kCrash);
    CHECK_THAT(answer.detail, ContainsSubstring(detail));
    CHECK(kernel->restart(0));
  }
}

TEST_CASE("an enumerator without a word is unsupported",
          "[conformance][kernel]") {
  const auto kernel = selftest::start(selftest::adapter("good"));
  selftest::Strided strided(*kernel);
  strided.problem.dtype = 1 << 10;
  CHECK(kernel->run(strided.problem).outcome == Outcome::kUnsupported);
}

}  // namespace ropeproof::conformance::plugin
