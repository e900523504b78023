#include <ropeproof_judge.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/plugin/scalings.h"

namespace ropeproof::conformance::assertion {
namespace {

using Catch::Matchers::ContainsSubstring;
using Floats = std::vector<float>;

constexpr std::int64_t kSeq = 3, kHeads = 2, kDim = 8, kPairs = kDim / 2;
const std::vector<std::int64_t> kPositions = {0, 257, 4097};

Floats numbers(std::size_t count) {
  Floats x;
  for (std::size_t i = 0; i < count; ++i) {
    x.push_back(static_cast<float>(static_cast<int>(i * 37 % 23) - 11) / 8);
  }
  return x;
}

// Half split, from tables [seq, pairs].
Floats rotated(const Floats& x, const Floats& cos, const Floats& sin) {
  Floats y = x;
  for (std::int64_t row = 0; row < kSeq * kHeads; ++row) {
    for (std::int64_t j = 0; j < kPairs; ++j) {
      const auto at = static_cast<std::size_t>(row / kHeads * kPairs + j);
      const auto u = static_cast<std::size_t>(row * kDim + j), v = u + kPairs;
      y[u] = x[u] * cos[at] - x[v] * sin[at];
      y[v] = x[u] * sin[at] + x[v] * cos[at];
    }
  }
  return y;
}

// A call of one row of tokens, and what an honest f32 kernel makes of it.
struct Example {
  Floats x = numbers(kSeq * kHeads * kDim), cos, sin, y;
  ropeproof_problem problem{};

  explicit Example(std::uint32_t operation) {
    for (const std::int64_t position : kPositions) {
      for (std::int64_t j = 0; j < kPairs; ++j) {
        const float theta = std::pow(
            10000.0f, -static_cast<float>(2 * j) / static_cast<float>(kDim));
        const float phi = static_cast<float>(position) * theta;
        cos.push_back(std::cos(phi));
        sin.push_back(std::sin(phi));
      }
    }
    y = rotated(x, cos, sin);
    ropeproof_problem& p = problem;
    p.struct_size = sizeof p;
    p.operation = operation;
    p.dtype = p.table_dtype = ROPEPROOF_F32;
    p.pairing = ROPEPROOF_HALF_SPLIT;
    p.direction = 1;
    p.batch = 1, p.seq = kSeq;
    p.head_dim = p.rotary_dim = kDim;
    p.q = {x.data(), y.data(), kHeads,        0,   kHeads * kDim,
           kDim,     0,        kHeads * kDim, kDim};
    p.positions = kPositions.data();
    p.position_axes = 1;
    p.base = 10000;
    p.amplitude = 1;
    p.cos = cos.data(), p.sin = sin.data();
    p.table_token_stride = kPairs;
  }
};

struct Found {
  std::int32_t status;
  std::int64_t wrong = 0;
  std::string text = {};
};

Found found(const ropeproof_problem& problem,
            const ropeproof_claim* claim = nullptr) {
  ropeproof_judgement* judgement = nullptr;
  const std::int32_t status = ropeproof_judge(&problem, claim, &judgement);
  if (status != ROPEPROOF_OK) return {status, 0, ropeproof_error()};
  Found found{status, ropeproof_wrong(judgement), ropeproof_text(judgement)};
  CHECK((ropeproof_worst(judgement) > 1) == (found.wrong > 0));
  ropeproof_free(judgement);
  return found;
}

constexpr std::uint32_t kAll[] = {ROPEPROOF_ROPE, ROPEPROOF_ROTATE,
                                  ROPEPROOF_TABLE};

}  // namespace

TEST_CASE("a right result of each operation is within its bound",
          "[assertion]") {
  for (const std::uint32_t operation : kAll) {
    const Example example(operation);
    const Found right = found(example.problem);
    CAPTURE(operation, right.text);
    CHECK(right.status == ROPEPROOF_OK);
    CHECK(right.wrong == 0);
    CHECK_THAT(right.text, ContainsSubstring("within their bound"));
    CHECK(ropeproof_failure(&example.problem, nullptr) == std::string());
  }
}

TEST_CASE("a wrong result says where, how far, and which bug it is",
          "[assertion]") {
  Example example(ROPEPROOF_ROPE);
  for (float& s : example.sin) s = -s;
  example.y = rotated(example.x, example.cos, example.sin);
  example.problem.q.out = example.y.data();
  const Found wrong = found(example.problem);
  CHECK(wrong.wrong > 0);
  CHECK_THAT(wrong.text, ContainsSubstring("what     direction"));
  CHECK_THAT(wrong.text, ContainsSubstring("first    q[0,1,0,0] pair 0"));
  CHECK(ropeproof_failure(&example.problem, nullptr) == wrong.text);
  CHECK_THAT(ropeproof_failure(nullptr, nullptr), ContainsSubstring("NULL"));

  Example given(ROPEPROOF_ROTATE);
  given.y[5] += 1e-5f;
  const Found off = found(given.problem);
  CHECK(off.wrong == 1);
  CHECK_THAT(off.text, ContainsSubstring("1 of 48 elements"));
}

TEST_CASE("a large wrong result is named by a part of it", "[assertion]") {
  constexpr std::int64_t kBatch = 3, kTokens = 400, kLate = 300, kMany = 32;
  const Floats x = numbers(kBatch * kTokens * kMany * kDim * 2);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < kBatch * kTokens; ++i) {
    positions.push_back(i % kTokens);
  }
  std::vector<std::int64_t> used = positions;
  for (std::int64_t t = kLate; t < kTokens; ++t) {
    ++used[static_cast<std::size_t>(2 * kTokens + t)];
  }
  ropeproof_problem p =
      ropeproof_dense(ROPEPROOF_F32, ROPEPROOF_HALF_SPLIT, kBatch, kTokens,
                      kMany, 2 * kDim, x.data(), nullptr, used.data(), 10000);
  ropeproof_judgement* judgement = nullptr;
  REQUIRE(ropeproof_expect(&p, nullptr, &judgement) == ROPEPROOF_OK);
  Floats y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y.push_back(static_cast<float>(ropeproof_golden(judgement)[i]));
  }
  ropeproof_free(judgement);
  p.positions = positions.data(), p.q.out = y.data();
  const std::string text = found(p).text;
  CHECK_THAT(text, ContainsSubstring("what     position + 1"));
  CHECK_THAT(text, ContainsSubstring("where rows before it > 1099\n"));
  CHECK_THAT(text,
             ContainsSubstring(
                 "tried    on tokens 268 to 395 of batch rows 0 and 2\n"));
}

TEST_CASE("goldens and bounds are there before a result is", "[assertion]") {
  Example example(ROPEPROOF_ROPE);
  example.problem.q.out = nullptr;
  ropeproof_judgement* judgement = nullptr;
  CHECK(ropeproof_judge(&example.problem, nullptr, &judgement) ==
        ROPEPROOF_INVALID);
  REQUIRE(ropeproof_expect(&example.problem, nullptr, &judgement) ==
          ROPEPROOF_OK);
  CHECK(ropeproof_wrong(judgement) == -1);
  CHECK(ropeproof_golden(judgement)[0] == example.x[0]);  // at position 0
  CHECK(ropeproof_bound(judgement)[9] > 0);
  CHECK_THAT(ropeproof_text(judgement), ContainsSubstring("no result"));
  ropeproof_free(judgement);
}

TEST_CASE("a lookup names the rows that were taken", "[assertion]") {
  Example example(ROPEPROOF_LOOKUP);
  const std::vector<std::int64_t> ids = {2, 0, 1};
  example.problem.ids = ids.data(), example.problem.cache_rows = kSeq;
  example.problem.position_batch_stride = kSeq;
  // Rows 0, 1, 2 are what the example's result was made with.
  CHECK_THAT(found(example.problem).text,
             ContainsSubstring("rows 0, 1, 2, ... of the table, whatever"));
  const std::vector<std::int64_t> right = {0, 1, 2}, beyond = {0, 1, 3};
  example.problem.ids = right.data();
  CHECK(found(example.problem).wrong == 0);
  example.problem.ids = beyond.data();
  CHECK_THAT(found(example.problem).text, ContainsSubstring("the row 3"));
}

TEST_CASE("where a claim accepts any rotation there is no verdict",
          "[assertion]") {
  const std::vector<std::int64_t> far(kSeq, std::int64_t{1} << 40);
  Example example(ROPEPROOF_ROPE);
  example.problem.positions = far.data();
  example.problem.q.out = example.x.data();  // not rotated
  ropeproof_judgement* judgement = nullptr;
  CHECK(ropeproof_judge(&example.problem, nullptr, &judgement) ==
        ROPEPROOF_UNSUPPORTED);
  CHECK_THAT(ropeproof_error(),
             ContainsSubstring("positions of 2^40 and more: there the claim A1 "
                               "accepts any rotation, so 48 of 48 elements"));
  CHECK(ropeproof_unjudged(judgement) == kSeq * kHeads * kDim);
  CHECK(ropeproof_bound(judgement)[0] > 0);
  ropeproof_free(judgement);
  const ropeproof_claim exact{};  // A0
  CHECK(found(example.problem, &exact).wrong > 0);
}

TEST_CASE("a problem of no elements is right", "[assertion]") {
  const auto is_right = [](const auto& change) {
    Example example(ROPEPROOF_ROPE);
    change(example.problem);
    const Found empty = found(example.problem);
    CAPTURE(empty.text);
    CHECK(empty.status == ROPEPROOF_OK);
    CHECK(empty.wrong == 0);
    CHECK_THAT(empty.text, ContainsSubstring("nothing to judge"));
  };
  using P = ropeproof_problem;
  is_right([](P& p) { p.batch = 0; });
  is_right([](P& p) { p.seq = 0, p.positions = nullptr, p.q.in = nullptr; });
  is_right([](P& p) { p.q.heads = 0; });
}

TEST_CASE("a stricter claim has a narrower bound", "[assertion]") {
  const Example example(ROPEPROOF_ROPE);
  const ropeproof_claim exact{};  // A0
  CHECK(found(example.problem, &exact).wrong > 0);
}

TEST_CASE("goldens of f32 are the correctly rounded results", "[assertion]") {
  const Example example(ROPEPROOF_ROTATE);
  ropeproof_judgement* judgement = nullptr;
  REQUIRE(ropeproof_judge(&example.problem, nullptr, &judgement) ==
          ROPEPROOF_OK);
  REQUIRE(ropeproof_elements(judgement) == kSeq * kHeads * kDim);
  for (std::size_t i = 0; i < example.y.size(); ++i) {
    const double golden = ropeproof_golden(judgement)[i];
    CHECK(std::abs(example.y[i] - golden) <= ropeproof_bound(judgement)[i]);
    CHECK(std::abs(golden) < 4);
  }
  ropeproof_free(judgement);
}

// Sets fields of a scaling to numbers that every kind takes.
ropeproof_scaling with(ropeproof_scaling scaling,
                       const std::set<std::string>& fields) {
  static constexpr double kList[kPairs] = {1, 2, 3, 4};
  const auto give = [&](const char* name, const auto& field) {
    using Value = std::decay_t<decltype(field)>;
    if (!fields.contains(name)) return;
    if constexpr (std::is_pointer_v<Value>) {
      const_cast<Value&>(field) = kList;
    } else {
      const_cast<Value&>(field) = 4096;
    }
  };
  plugin::for_each_field(std::as_const(scaling), give);
  return scaling;
}

TEST_CASE("a scaling lacks what its kind is said to need, and nothing else",
          "[assertion]") {
  const auto status_of = [](const ropeproof_scaling& scaling) {
    Example example(ROPEPROOF_ROPE);
    example.problem.scaling = &scaling;
    ropeproof_judgement* judgement = nullptr;
    const auto status = ropeproof_judge(&example.problem, nullptr, &judgement);
    ropeproof_free(judgement);
    return status;
  };
  ropeproof_scaling begun{};
  begun.struct_size = sizeof begun;
  for (const auto& [kind, word] : plugin::kScalingWords) {
    std::istringstream words(ropeproof_begin_scaling(kind, &begun));
    std::string own;
    words >> own;
    CHECK(own == word);
    const std::set<std::string> needed(
        std::istream_iterator<std::string>(words), {});
    CHECK(status_of(with(begun, needed)) == ROPEPROOF_OK);
    for (const std::string& lacking : needed) {
      CAPTURE(word, lacking);
      std::set<std::string> others = needed;
      others.erase(lacking);
      CHECK(status_of(with(begun, others)) == ROPEPROOF_INVALID);
    }
  }
  CHECK(ropeproof_begin_scaling(1U << 31, &begun) == nullptr);
  CHECK(ropeproof_begin_scaling(ROPEPROOF_YARN, nullptr) == nullptr);
  begun.struct_size = 8;  // of a caller that knows no fields
  begun.factor = 3;
  CHECK(ropeproof_begin_scaling(ROPEPROOF_YARN, &begun) != nullptr);
  CHECK(begun.kind == ROPEPROOF_YARN);
  CHECK(begun.factor == 3);
}

TEST_CASE("a config.json says what a problem is", "[assertion]") {
  const std::string types = ROPEPROOF_SOURCE_DIR "/vectors/models";
  const std::string config = R"({"model_type": "llama", "head_dim": 8,
      "num_attention_heads": 2, "hidden_size": 16, "rope_theta": 10000,
      "max_position_embeddings": 8192})";
  const auto read = [&](const std::string& text, ropeproof_model** model,
                        const char* layers = nullptr) {
    return ropeproof_read_config(text.c_str(), types.c_str(), layers, 0, 0,
                                 model);
  };
  ropeproof_model* model = nullptr;
  REQUIRE(read(config, &model) == ROPEPROOF_OK);
  Example example(ROPEPROOF_ROPE);
  example.problem.base = 7;
  example.problem.pairing = ROPEPROOF_INTERLEAVED;
  ropeproof_set_model(model, &example.problem);
  CHECK(found(example.problem).wrong == 0);
  ropeproof_model_free(model);

  const std::string layered = R"({"model_type": "gemma3_text",
      "head_dim": 8, "rope_local_base_freq": 10000, "rope_theta": 1000000,
      "num_attention_heads": 2, "hidden_size": 16})";
  CHECK(read(layered, &model) == ROPEPROOF_INVALID);
  CHECK_THAT(ropeproof_error(), ContainsSubstring("sliding_attention"));
  CHECK(ropeproof_layers(layered.c_str(), types.c_str()) ==
        std::string("full_attention, sliding_attention"));
  CHECK(ropeproof_layers(config.c_str(), nullptr) == std::string());
  CHECK(ropeproof_layers("{", nullptr) == nullptr);
  REQUIRE(read(layered, &model, "sliding_attention") == ROPEPROOF_OK);
  ropeproof_set_model(model, &example.problem);
  CHECK(found(example.problem).wrong == 0);
  ropeproof_model_free(model);
  CHECK(read(R"({"model_type": "bert"})", &model) == ROPEPROOF_INVALID);
  CHECK_THAT(ropeproof_error(), ContainsSubstring("no RoPE"));
  CHECK(read("{", &model) == ROPEPROOF_INVALID);
  CHECK(ropeproof_read_config(config.c_str(), nullptr, nullptr, 99, 0,
                              &model) == ROPEPROOF_INVALID);
  CHECK_THAT(ropeproof_error(), ContainsSubstring("pairing is 99"));
  CHECK(ropeproof_read_config(config.c_str(), nullptr, nullptr, 0, -1,
                              &model) == ROPEPROOF_INVALID);
  CHECK_THAT(ropeproof_error(), ContainsSubstring("seq_len is -1"));
}

TEST_CASE("a problem that cannot be judged is refused in one line",
          "[assertion]") {
  const auto refused = [](const auto& change, const std::string& line) {
    Example example(ROPEPROOF_ROPE);
    change(example.problem);
    const Found found = assertion::found(example.problem);
    CHECK(found.status == ROPEPROOF_INVALID);
    CHECK_THAT(found.text, ContainsSubstring(line));
    CHECK(found.text.find('\n') == std::string::npos);
  };
  using P = ropeproof_problem;
  refused([](P& p) { p.operation = 3; }, "operation is 3");
  refused([](P& p) { p.struct_size = 0; }, "problem.struct_size is 0");
  refused([](P& p) { p.rotary_dim = 7; }, "rotary_dim is 7");
  refused([](P& p) { p.pairing = 0; }, "pairing is 0");
  refused([](P& p) { p.direction = 2; }, "direction is 2");
  refused([](P& p) { p.dtype = 77; }, "dtype is 77");
  refused([](P& p) { p.positions = nullptr; }, "positions is NULL");
  refused([](P& p) { p.q.out = nullptr; }, "q.out is NULL");
  refused([](P& p) { p.base = -1; }, "base");
  refused([](P& p) { p.base = 0; }, "inv_freq is NULL");
  refused([](P& p) { p.batch = -1; }, "batch is -1");
  refused([](P& p) { p.q.heads = -1; }, "q.heads is -1");
  refused([](P& p) { p.q = {}; }, "q.in is NULL");
  refused([](P& p) { p.table_dtype = 99; }, "table_dtype is 99");
  refused([](P& p) { p.cache = 99; }, "cache is 99");
  refused([](P& p) { p.axis_map = 99; }, "axis_map is 99");
  refused([](P& p) { p.axis_map = ROPEPROOF_AXES_ANY; }, "axis_of_pair is");
  refused([](P& p) { p.struct_size = sizeof p + 8; }, "older than your header");
  CHECK(ropeproof_judge(nullptr, nullptr, nullptr) == ROPEPROOF_INVALID);
  int stale = 0;  // what a failed call must not leave
  auto* judgement = reinterpret_cast<ropeproof_judgement*>(&stale);
  CHECK(ropeproof_judge(nullptr, nullptr, &judgement) == ROPEPROOF_INVALID);
  CHECK(judgement == nullptr);
  CHECK(ropeproof_wrong(judgement) == -1);
  CHECK_THAT(ropeproof_text(judgement), ContainsSubstring("is NULL"));
  ropeproof_claim claim{};
  claim.angle_class = 7;
  CHECK_THAT(found(Example(ROPEPROOF_ROPE).problem, &claim).text,
             ContainsSubstring("angle_class"));
}

}  // namespace ropeproof::conformance::assertion
