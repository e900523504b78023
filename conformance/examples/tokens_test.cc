// What no example of ropeproof_tokens.h shows.
#include <ropeproof_tokens.h>

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

namespace ropeproof::conformance {
namespace {

// Two batch rows of three tokens; positions of the second row lie ten further.
struct Sample {
  std::vector<std::int64_t> positions = std::vector<std::int64_t>(16, 7);
  ropeproof_problem problem{};

  Sample() {
    problem.batch = 2, problem.seq = 3, problem.position_axes = 1;
    problem.positions = positions.data(), problem.position_batch_stride = 10;
  }
};

TEST_CASE("a position that is no int32 is refused", "[conformance][tokens]") {
  Sample sample;
  std::vector<std::int32_t> got(6);
  for (const std::int64_t position :
       {std::int64_t{INT32_MAX} + 1, std::int64_t{INT32_MIN} - 1}) {
    sample.positions[12] = position;
    CHECK(ropeproof_int32_positions(&sample.problem, got.data()) ==
          ROPEPROOF_UNSUPPORTED);
    CHECK(ropeproof_int32_positions(&sample.problem, nullptr) ==
          ROPEPROOF_UNSUPPORTED);
  }
  sample.positions[12] = INT32_MAX, sample.positions[0] = INT32_MIN;
  CHECK(ropeproof_int32_positions(&sample.problem, got.data()) == ROPEPROOF_OK);
  CHECK(got == std::vector<std::int32_t>{INT32_MIN, 7, 7, 7, 7, INT32_MAX});

  const double real = 0.5;
  sample.problem.positions = nullptr, sample.problem.real_positions = &real;
  CHECK(ropeproof_int32_positions(&sample.problem, nullptr) ==
        ROPEPROOF_UNSUPPORTED);
}

TEST_CASE("int32 positions have every axis", "[conformance][tokens]") {
  Sample sample;
  sample.problem.seq = 1, sample.problem.position_axes = 2;
  sample.problem.position_axis_stride = 5;
  sample.positions[5] = 8, sample.positions[15] = 9;
  std::vector<std::int32_t> got(4);
  CHECK(ropeproof_int32_positions(&sample.problem, got.data()) == ROPEPROOF_OK);
  CHECK(got == std::vector<std::int32_t>{7, 7, 8, 9});
}

TEST_CASE("the walk skips what is absent", "[conformance][tokens]") {
  Sample sample;
  ropeproof_problem& p = sample.problem;
  const auto visits = [&p] {
    int tokens = 0, heads = 0;
    for (auto c = ropeproof_begin(&p); ropeproof_next_token(&c);) ++tokens;
    for (auto c = ropeproof_begin(&p); ropeproof_next_head(&c);) ++heads;
    return std::vector<int>{tokens, heads};
  };
  CHECK(visits() == std::vector<int>{0, 0});
  p.k.heads = 2;
  CHECK(visits() == std::vector<int>{6, 12});
  p.q.heads = 5;
  CHECK(visits() == std::vector<int>{12, 42});
}

TEST_CASE("a head and its row of the table are found by their own dtypes",
          "[conformance][tokens]") {
  Sample sample;
  ropeproof_problem& p = sample.problem;
  std::vector<std::uint16_t> in(200), out(200);
  std::vector<float> cos(100), sin(100);
  const std::vector<std::int64_t> ids(16, 3);
  p.dtype = ROPEPROOF_BF16, p.table_dtype = ROPEPROOF_F32, p.rotary_dim = 4;
  p.q = {in.data(), out.data(), 2, 90, 20, 7, 80, 22, 9};
  p.cos = cos.data(), p.sin = sin.data(), p.ids = ids.data();
  p.table_batch_stride = 30, p.table_token_stride = 5;
  // Head 1 of token 2 of batch row 1.
  const auto last = [&p](std::uint32_t operation, std::uint32_t cache) {
    p.operation = operation, p.cache = cache;
    ropeproof_cursor c = ropeproof_begin(&p), head = c;
    while (ropeproof_next_head(&c)) head = c;
    return head;
  };
  ropeproof_cursor c = last(ROPEPROOF_ROTATE, 0);
  CHECK(c.tensor == &p.q);
  CHECK(c.in == &in[90 + 40 + 7]);
  CHECK(c.out == &out[80 + 44 + 9]);
  CHECK(c.cos == &cos[30 + 10]);
  CHECK(c.sin == &sin[30 + 10]);
  for (const std::uint32_t cache :
       {ROPEPROOF_CACHE_SPLIT, ROPEPROOF_CACHE_DOUBLED}) {
    c = last(ROPEPROOF_LOOKUP, cache);
    CHECK(c.cos == &cos[15]);
    CHECK(c.sin == &sin[15]);
  }
  p.sin = nullptr;
  c = last(ROPEPROOF_LOOKUP, ROPEPROOF_CACHE_SIDE_BY_SIDE);
  CHECK(c.cos == &cos[15]);
  CHECK(c.sin == &cos[15 + 2]);
  p.dtype = ROPEPROOF_F64, p.table_dtype = ROPEPROOF_BF16;
  p.q = {in.data(), out.data(), 1, 0, 0, 0, 0, 0, 0};
  c = last(ROPEPROOF_LOOKUP, ROPEPROOF_CACHE_SIDE_BY_SIDE);
  CHECK(c.cos == reinterpret_cast<std::uint16_t*>(cos.data()) + 15);
  CHECK(c.sin == reinterpret_cast<std::uint16_t*>(cos.data()) + 17);
}

template <class T>
void check_orders(std::uint32_t dtype) {
  const std::int64_t heads = 2, head_dim = 2;
  std::vector<T> x(2 * 3 * heads * (head_dim + 1)), dense(x.size()),
      y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i);
  Sample sample;
  ropeproof_problem& p = sample.problem;
  p.dtype = dtype, p.head_dim = head_dim;
  p.q = {x.data(), y.data(), heads, 18, 6, 3, 18, 6, 3};
  ropeproof_pack(&p, &p.q, ROPEPROOF_HEAD_MAJOR, dense.data());
  CHECK(dense[0] == x[0]);
  CHECK(dense[3] == x[7]);    // token 1 of head 0
  CHECK(dense[6] == x[3]);    // head 1
  CHECK(dense[12] == x[18]);  // batch row 1
  ropeproof_unpack(&p, &p.q, ROPEPROOF_HEAD_MAJOR, dense.data());
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(y[i] == (i % 3 == 2 ? T{} : x[i]));
  ropeproof_pack(&p, &p.q, ROPEPROOF_TOKEN_MAJOR, dense.data());
  for (std::size_t i = 0; i < 24; ++i) CHECK(dense[i] == x[i / 2 * 3 + i % 2]);
  std::fill(y.begin(), y.end(), T{});
  ropeproof_unpack(&p, &p.q, ROPEPROOF_TOKEN_MAJOR, dense.data());
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(y[i] == (i % 3 == 2 ? T{} : x[i]));
}

TEST_CASE("packing keeps elements of each size, and gaps",
          "[conformance][tokens]") {
  check_orders<double>(ROPEPROOF_F64);
  check_orders<float>(ROPEPROOF_F32);
  check_orders<std::uint16_t>(ROPEPROOF_F16);
  check_orders<std::uint16_t>(ROPEPROOF_BF16);
}

}  // namespace
}  // namespace ropeproof::conformance
