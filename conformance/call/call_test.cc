// What a call hands to a kernel, and what it notices afterwards.
#include "conformance/call/call.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/call/cache.h"
#include "conformance/cases/case_words.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/judge/test_matchers.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/guarded_kernel.h"
#include "conformance/plugin/test_outcomes.h"

CATCH_REGISTER_ENUM(ropeproof::conformance::plugin::Trespass,
                    ropeproof::conformance::plugin::Trespass::kNone,
                    ropeproof::conformance::plugin::Trespass::kReadPastEnd,
                    ropeproof::conformance::plugin::Trespass::kWrotePastEnd,
                    ropeproof::conformance::plugin::Trespass::kWroteInside,
                    ropeproof::conformance::plugin::Trespass::kOther)

namespace ropeproof::conformance::call {
namespace {

using cases::BufferEdge;
using cases::Spacing;
using cases::Storage;
using plugin::Trespass;
constexpr reference::Format kF32 = reference::Format::kF32;

constexpr std::uint32_t kWords = 4;  // bytes of an element of f32

// A kernel of this process, whose memory lies between guard pages.
struct OwnKernel : plugin::GuardedKernel {
  using Run = std::function<void(const ropeproof_problem&)>;

  explicit OwnKernel(Run solves = [](const ropeproof_problem&) {})
      : solve(std::move(solves)) {}
  const plugin::Description& description() const override { return offers; }
  plugin::Answer run(const ropeproof_problem& problem) override {
    ++calls;
    solve(problem);
    return {};
  }
  plugin::Answer supports(const ropeproof_problem&) override { return choice; }
  bool has_supports() const override { return true; }

  plugin::Description offers = plugin::everything("own");
  plugin::Answer choice;
  Run solve;
  int calls = 0;
};

// Calls f(from, to) for every row of a tensor.
void for_rows(const ropeproof_problem& p, const ropeproof_tensor& t,
              const std::function<void(const float*, float*)>& f) {
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t s = 0; s < p.seq; ++s) {
      for (std::int64_t h = 0; h < t.heads; ++h) {
        f(static_cast<const float*>(t.in) + b * t.in_batch_stride +
              s * t.in_token_stride + h * t.in_head_stride,
          static_cast<float*>(t.out) + b * t.out_batch_stride +
              s * t.out_token_stride + h * t.out_head_stride);
      }
    }
  }
}

void copy(const ropeproof_problem& p) {
  for (const ropeproof_tensor& t : {p.q, p.k}) {
    for_rows(p, t, [&](const float* from, float* to) {
      std::memmove(to, from, static_cast<std::size_t>(p.head_dim) * kWords);
    });
  }
}

// q and k, two batch rows of three tokens, a partial head, f32.
const cases::Case& asked() { return cases::committed_case("contract-005"); }

// Every order, spacing, place and edge of tensors.
std::vector<Storage> all_storages() {
  std::vector<Storage> all;
  for (const auto& [order, order_word] : cases::kOrderWords) {
    for (const auto& [spacing, spacing_word] : cases::kSpacingWords) {
      for (const auto& [edge, edge_word] : cases::kEdgeWords) {
        for (const auto& [place, place_word] : cases::kInPlaceWords) {
          all.push_back({.order = order,
                         .spacing = spacing,
                         .in_place = place,
                         .edge = edge});
        }
      }
    }
  }
  return all;
}

Call call_in(plugin::Kernel& kernel, const Storage& storage,
             const cases::Case& c = asked()) {
  return {kernel, ROPEPROOF_ROPE, c, kF32, storage};
}

// The case with the batch row that is its first, again and again.
cases::Case with_equal_rows() {
  cases::Case c = asked();
  for (cases::Bits* bits : {&c.problem.q, &c.problem.k}) {
    const auto row =
        static_cast<std::ptrdiff_t>(bits->size()) / c.problem.batch;
    std::copy_n(bits->begin(), row, bits->begin() + row);
  }
  return c;
}

std::uintptr_t address(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace

TEST_CASE("a kernel that copies by the strides gives the inputs back",
          "[conformance][call]") {
  OwnKernel kernel(copy);
  for (const Storage& storage : all_storages()) {
    const cases::Case c = with_equal_rows();
    judge::Output output;
    Call call = call_in(kernel, storage, c);
    const ropeproof_problem p = call.begin();
    CHECK((p.q.in == p.q.out) == storage.is_in_place(false));
    CHECK((p.k.in == p.k.out) == storage.is_in_place(true));
    REQUIRE(call.run(output).outcome == plugin::Outcome::kOk);
    CHECK(output.stray == "");
    CHECK_THAT(output.q, judge::HasBits(kF32, c.problem.q));
    CHECK_THAT(output.k, judge::HasBits(kF32, c.problem.k));
  }
  // One that takes the heads to lie back to back does not.
  kernel.solve = [](ropeproof_problem p) {
    p.q.in_head_stride = p.q.out_head_stride = p.head_dim;
    copy(p);
  };
  judge::Output output;
  call_in(kernel, {.order = cases::DimensionOrder::kBhsd}).run(output);
  CHECK_THAT(output.q, !judge::HasBits(kF32, asked().problem.q));
  CHECK_THAT(output.k, judge::HasBits(kF32, asked().problem.k));
}

TEST_CASE("a broadcast is a batch stride of 0, of inputs that repeat alone",
          "[conformance][call]") {
  OwnKernel kernel;
  const auto strides = [&](const cases::Case& c) {
    Call call = call_in(kernel, {.spacing = Spacing::kBroadcast}, c);
    const ropeproof_problem p = call.begin();
    CHECK(p.q.out_batch_stride != 0);
    return std::pair{p.q.in_batch_stride, p.k.in_batch_stride};
  };
  CHECK(strides(with_equal_rows()) == std::pair<std::int64_t, std::int64_t>());
  CHECK(strides(asked()).first != 0);
  CHECK(strides(asked()).second != 0);
}

TEST_CASE("every buffer lies at the edge of a page that is asked for",
          "[conformance][call]") {
  constexpr std::uintptr_t kPage = 4096;
  OwnKernel kernel;
  const auto q_at = [&](BufferEdge edge) {
    Call call = call_in(kernel, at(cases::kDense, edge));
    const ropeproof_problem p = call.begin();
    const std::size_t bytes = asked().problem.q.size() * kWords;
    return std::pair{address(p.q.in) % kPage,
                     (address(p.q.out) + bytes) % kPage};
  };
  CHECK(q_at(BufferEdge::kStart).first == 0);
  CHECK(q_at(BufferEdge::kEnd).second == 0);
  CHECK(q_at(BufferEdge::kUnaligned).first == kWords);
}

TEST_CASE("an output that is not written shows, whatever it would be",
          "[conformance][call]") {
  OwnKernel kernel;
  judge::Output output;
  call_in(kernel, cases::kStrided).run(output);
  for (const cases::Bits* bits : {&output.q, &output.k}) {
    REQUIRE_FALSE(bits->empty());
    for (const std::uint64_t x : *bits) {
      CHECK(cases::is_output_fill(kF32, x));
    }
  }
}

TEST_CASE("a write beside the outputs is told, with buffer and place",
          "[conformance][call]") {
  const auto float_at = [](const void* p) {
    return static_cast<float*>(const_cast<void*>(p));
  };
  const auto last = static_cast<std::ptrdiff_t>(asked().problem.q.size());
  const struct {
    Storage storage;
    OwnKernel::Run spoil;
    Trespass kind;
    const char* text;
  } rows[] = {
      {at(cases::kDense, BufferEdge::kStart),
       [&](const ropeproof_problem& p) { float_at(p.q.out)[last] = 1; },
       Trespass::kWrotePastEnd, "wrote past the end of q.out"},
      {at(cases::kDense, BufferEdge::kEnd),
       [&](const ropeproof_problem& p) { float_at(p.k.out)[-1] = 1; },
       Trespass::kOther, "wrote before the start of k.out"},
      {cases::kDense,
       [&](const ropeproof_problem& p) {
         reinterpret_cast<std::uint32_t*>(float_at(p.q.in))[1] ^= 1;
       },
       Trespass::kWroteInside, "changed byte 4 of q, which is no output"},
      {cases::kStrided,
       [&](const ropeproof_problem& p) { float_at(p.q.out)[p.head_dim] = 1; },
       Trespass::kWroteInside, " of q.out, which is no output"},
      {cases::kDense,
       [&](const ropeproof_problem& p) {
         *const_cast<std::int64_t*>(p.positions) ^= 1;
       },
       Trespass::kWroteInside, "changed byte 0 of positions, which is no"}};
  for (const auto& [storage, spoil, kind, text] : rows) {
    OwnKernel kernel([&](const ropeproof_problem& p) {
      copy(p);
      spoil(p);
    });
    judge::Output output;
    CHECK(call_in(kernel, storage).run(output).trespass == kind);
    CHECK_THAT(output.stray, Catch::Matchers::ContainsSubstring(text));
  }
}

TEST_CASE("a kernel that refuses may not have written even to its output",
          "[conformance][call]") {
  OwnKernel kernel;
  Call call = call_in(kernel, cases::kDense);
  const ropeproof_problem p = call.begin();
  CHECK(call.find_change().text == "");
  copy(p);
  CHECK(call.find_change().text.starts_with("changed byte "));
}

TEST_CASE("the access that ended a call is named by the buffer beside it",
          "[conformance][call]") {
  OwnKernel kernel;
  Call call = call_in(kernel, cases::kDense);
  const ropeproof_problem p = call.begin();
  const std::size_t bytes = asked().problem.q.size() * kWords;
  const auto named = [&](std::uintptr_t where, plugin::Fault::Access access) {
    judge::Output output;
    return call.finish(
        {plugin::Outcome::kCrash, "killed", plugin::Fault{where, access}},
        output);
  };
  using Access = plugin::Fault::Access;
  const plugin::Answer wrote = named(address(p.q.out) + bytes, Access::kWrite);
  CHECK(wrote.place == "wrote past the end of q.out, at byte " +
                           std::to_string(bytes) + " of " +
                           std::to_string(bytes));
  CHECK(wrote.trespass == Trespass::kWrotePastEnd);
  const plugin::Answer read = named(address(p.q.in) - 4, Access::kRead);
  CHECK(read.place == "read before the start of q, at byte -4");
  CHECK(read.trespass == Trespass::kOther);
  CHECK(named(16, Access::kRead).place == "");
}

TEST_CASE("a kernel gets the calls that it offers, and none that it declines",
          "[conformance][call]") {
  std::vector<std::int64_t> heads;
  OwnKernel kernel([&](const ropeproof_problem& p) {
    CHECK(p.q.in == p.q.out);
    CHECK(p.k.heads == 0);
    heads.push_back(p.q.heads);
    copy(p);
  });
  kernel.offers.features &=
      ~std::uint32_t{ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS};
  judge::Output output;
  Call call(kernel, ROPEPROOF_ROPE, asked(), kF32);
  CHECK(call.questions().size() == 2);
  CHECK(call.run(output).outcome == plugin::Outcome::kOk);
  // q, then k as another q.
  CHECK(heads == std::vector{asked().problem.q_heads, asked().problem.k_heads});
  CHECK_THAT(output.k, judge::HasBits(kF32, asked().problem.k));
  kernel.choice = {plugin::Outcome::kDeclined, ""};
  CHECK(call.run(output).outcome == plugin::Outcome::kDeclined);
  CHECK(heads.size() == 2);
}

TEST_CASE("tables without goldens number the positions of tokens",
          "[conformance][call]") {
  cases::Problem p = asked().problem;
  p.positions = {5, 3, 5, 9, 3, 5};
  const cases::Golden golden = numbered_tables(p);
  const auto cosine = [&](std::int64_t token) {
    return golden.cos[static_cast<std::size_t>(token * p.pairs())];
  };
  CHECK(cosine(0) == cosine(2));
  CHECK(cosine(1) == cosine(4));
  CHECK(cosine(0) != cosine(1));
  CHECK(cosine(3) != cosine(0));
  CHECK(cosine(3) != cosine(1));
}

}  // namespace ropeproof::conformance::call
