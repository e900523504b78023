#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

#include "conformance/assertion/test_fused_kernel.h"

namespace ropeproof::conformance::assertion {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

std::string failure(Fault fault, std::uint32_t type = 0,
                    std::int64_t rotary_dim = FusedCall::kDim) {
  FusedCall call;
  call.type = type, call.rotary_dim = rotary_dim;
  call.reset();
  call.run(fault);
  return call.failure();
}

TEST_CASE("a right fused kernel passes, whatever its cache holds", "[fused]") {
  for (const std::uint32_t type :
       {0u, ROPEPROOF_E4M3 + 0u, ROPEPROOF_E5M2 + 0u, ROPEPROOF_INT8 + 0u}) {
    for (const std::int64_t rotary_dim : {16, 8}) {
      CAPTURE(type, rotary_dim);
      CHECK(failure(Fault::kNone, type, rotary_dim) == "");
    }
  }
}

TEST_CASE("a fused kernel whose norm is wrong is told which norm it has",
          "[fused]") {
  const std::pair<Fault, const char*> named[] = {
      {Fault::kNoNorm, "x is rotated without its norm"},
      {Fault::kNoWeight, "the norm has no weight"},
      {Fault::kWeightPlusOne, "weights have 1 added"},
      {Fault::kOtherWeight, "the norm has the other tensor's weight"},
      {Fault::kWeightAfter, "the weight is applied behind the rotation"},
      {Fault::kNoEpsilon, "epsilon is left out"},
      {Fault::kSmallEpsilon, "epsilon is 1e-6"},
      {Fault::kNoRoot, "divides by the mean of squares, not by its root"},
      {Fault::kSumOfSquares, "by the sum of squares, not their mean"},
      {Fault::kLayerNorm, "subtracts the mean first, as LayerNorm"},
      {Fault::kNormOfToken, "the norm is over all heads of a token"}};
  for (const auto& [fault, words] : named) {
    CAPTURE(words);
    CHECK_THAT(failure(fault), ContainsSubstring(words));
  }
}

TEST_CASE("an epsilon and an offset of weights that are used wrongly are told",
          "[fused]") {
  const std::pair<Fault, const char*> named[] = {
      {Fault::kNone, ""},
      {Fault::kEpsilonOfRoot, "epsilon is added to the root"},
      {Fault::kOffsetLeftOut, "weights have nothing added"}};
  for (const auto& [fault, words] : named) {
    CAPTURE(words);
    FusedCall call;
    call.epsilon = 0.0625f, call.offset = 1;
    call.run(fault);
    CHECK_THAT(call.failure(), ContainsSubstring(words));
    CHECK((call.failure() == "") == (fault == Fault::kNone));
  }
}

TEST_CASE("a fused kernel that stores by the wrong scale is told by which",
          "[fused]") {
  const std::pair<Fault, const char*> named[] = {
      {Fault::kTimesScale, "results are multiplied by the scale"},
      {Fault::kNoScale, "results are stored without a scale"},
      {Fault::kFirstScale, "all results have the scale of the first head"},
      {Fault::kScaleOfHead0, "all heads have the scale of head 0"},
      {Fault::kHalved, "whose numbers are half as large"},
      {Fault::kCut, "results are cut off, not rounded to nearest"}};
  for (const auto& [fault, words] : named) {
    CAPTURE(words);
    CHECK_THAT(failure(fault, ROPEPROOF_E4M3), ContainsSubstring(words));
  }
}

TEST_CASE("results beyond the largest number of their type are told",
          "[fused]") {
  for (const Fault fault : {Fault::kNone, Fault::kNotLimited}) {
    FusedCall call;
    call.type = ROPEPROOF_E4M3;
    call.reset();
    call.scale[7] = 0.002f;
    call.run(fault);
    CHECK((call.failure() == "") == (fault == Fault::kNone));
    if (fault == Fault::kNone) continue;
    CHECK_THAT(call.failure(), ContainsSubstring("are not limited to it"));
  }
}

TEST_CASE("slots that were written by mistake, or not at all, are told",
          "[fused]") {
  CHECK_THAT(failure(Fault::kWrongSlot),
             StartsWith("2 slots of the k cache that no token names changed, "
                        "the first is 4"));
  CHECK_THAT(failure(Fault::kPaddingWritten),
             StartsWith("1 slot of the k cache that no token names changed, "
                        "the first is 0"));
  CHECK_THAT(failure(Fault::kNoWrite),
             ContainsSubstring("1 slot of the k cache that a token names did "
                               "not change, the first is 2, of token 5"));
}

TEST_CASE("a wrong v in the cache is told, and whose it is", "[fused]") {
  CHECK_THAT(failure(Fault::kValueOfKey),
             ContainsSubstring("of v are not in their slots: the first is v["));
  CHECK_THAT(failure(Fault::kOtherValue),
             ContainsSubstring(", v of token 2 of batch row 0"));
  CHECK_THAT(failure(Fault::kOtherValue, ROPEPROOF_INT8),
             ContainsSubstring("of v are not in their slots"));
}

TEST_CASE("bugs of the rotation keep their names behind a norm and a type",
          "[fused]") {
  CHECK_THAT(failure(Fault::kPositionPlusOne),
             ContainsSubstring("position + 1"));
  CHECK_THAT(failure(Fault::kPositionPlusOne, ROPEPROOF_E4M3),
             ContainsSubstring("position + 1"));
}

TEST_CASE("channels outside the window are normed, too", "[fused]") {
  CHECK_THAT(failure(Fault::kTailNotNormed, 0, 8),
             ContainsSubstring("channels outside the window are copied, "
                               "without their norm"));
}

TEST_CASE("padding, which has no slot, may hold anything", "[fused]") {
  FusedCall call;
  call.type = ROPEPROOF_E4M3;
  call.reset();
  const std::int64_t row = FusedCall::kHeads * FusedCall::kDim;
  for (std::int64_t i = 2 * row; i < 3 * row; ++i) {  // token 2
    call.k[static_cast<std::size_t>(i)] = FusedCall::bf16(NAN);
    call.v[static_cast<std::size_t>(i)] = FusedCall::bf16(INFINITY);
  }
  call.scale[4] = call.scale[5] = 0;
  call.run(Fault::kNone);
  CHECK(call.failure() == "");
}

TEST_CASE("a small scale of one token loosens the bound of no other",
          "[fused]") {
  for (const Fault fault : {Fault::kNone, Fault::kNoNorm}) {
    FusedCall call;
    call.type = ROPEPROOF_E4M3;
    call.reset();
    const std::int64_t row = FusedCall::kHeads * FusedCall::kDim;
    for (std::int64_t i = 0; i < row; ++i) {
      call.k[static_cast<std::size_t>(i)] = FusedCall::bf16(0);
      call.v[static_cast<std::size_t>(i)] = FusedCall::bf16(0);
    }
    call.scale[0] = call.scale[1] = 1e-12f;
    call.run(fault);
    CHECK((call.failure() == "") == (fault == Fault::kNone));
  }
}

TEST_CASE("a scale by which nothing shows is no verdict", "[fused]") {
  for (const float scale : {1e5f, 1e-5f}) {
    FusedCall call;
    call.type = ROPEPROOF_INT8;
    call.reset();
    std::ranges::fill(call.scale, scale);
    call.run(Fault::kNone);
    CHECK_THAT(call.failure(), ContainsSubstring("whatever the rotation"));
  }
}

TEST_CASE("a fused call of no elements is right", "[fused]") {
  ropeproof_problem p =
      ropeproof_dense(ROPEPROOF_F32, ROPEPROOF_HALF_SPLIT, 0, 4, 2, 8, nullptr,
                      nullptr, nullptr, 10000);
  ropeproof_fused f{};
  f.struct_size = sizeof f;
  f.is_normed = 1, f.epsilon = 1e-6;
  CHECK(ropeproof_fused_failure(&p, &f, nullptr) == std::string());
}

TEST_CASE("a fused call that contradicts itself is one line", "[fused]") {
  FusedCall call;
  call.run(Fault::kNone);
  call.slots[1] = 3;
  CHECK(call.failure() ==
        "slots has 3 twice: which token it holds is not said");
  call.slots[1] = FusedCall::kSlots;
  CHECK(call.failure() == "slots has 12; expected -1 to 11");
  call.slots[1] = 9;
  call.type = 9;
  CHECK(call.failure() ==
        "k_stored.type is 9; expected 0, ROPEPROOF_E4M3, _E5M2 or _INT8");
  call.type = ROPEPROOF_E4M3;
  call.scale[2] = 0;
  CHECK(call.failure() ==
        "v_stored.scale of batch row 0, token 1, head 0 is 0; expected a "
        "finite number above 0");
}

}  // namespace
}  // namespace ropeproof::conformance::assertion
