// What an account says of values that stand in the wrong place.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <random>
#include <string>
#include <vector>

#include "conformance/cases/families/family.h"
#include "conformance/cases/form_golden.h"
#include "conformance/explain/account.h"

namespace ropeproof::conformance::explain {
namespace {

using Catch::Matchers::ContainsSubstring;
using Numbers = std::vector<double>;

constexpr std::size_t kSeq = 4, kHeads = 4, kDim = 8;
constexpr std::size_t kSize = kSeq * kHeads * kDim;

std::size_t at(std::size_t token, std::size_t head, std::size_t channel) {
  return (token * kHeads + head) * kDim + channel;
}

// The account of a right result, [token, head, channel], that is changed:
// change(result, input).
template <class Change>
std::string seen(const Change& change,
                 reference::Format format = reference::Format::kF32) {
  auto asked = std::make_shared<cases::Case>();
  cases::Problem& problem = asked->problem = cases::make_problem(
      format, reference::leading(8, 8, reference::Pairing::kHalfSplit), 10000,
      1, 4, 4, 0, {5, 6, 17, 257});
  std::mt19937 random(3);
  Numbers x, y;
  for (std::size_t i = 0; i < kSize; ++i) {
    problem.q.push_back(
        encode(format, static_cast<double>(random() >> 8) * 0x1p-23 - 1));
    x.push_back(decode(format, problem.q.back()));
  }
  asked->golden = cases::form_golden(problem, reference::best_oracle());
  for (const std::uint64_t bits : asked->golden.q) {
    y.push_back(cases::value_of(bits));
  }
  change(y, x);
  judge::Output output;
  for (const double number : y) output.q.push_back(encode(format, number));
  judge::Claim claim;
  claim.output = format;
  const Answer answer = answer_of(asked, ROPEPROOF_ROPE, claim, output);
  CHECK(answer.is_failure());
  const auto account = account_of(answer);
  std::string text;
  for (const std::string& sentence : account.measured) text += sentence + "\n";
  return text;
}

// The same with element i from element from(token, head, channel).
template <class From>
std::string moved(const From& from) {
  return seen([&](Numbers& y, const Numbers&) {
    const Numbers right = y;
    for (std::size_t i = 0; i < kSize; ++i) {
      y[i] = right[from(i / kDim / kHeads, i / kDim % kHeads, i % kDim)];
    }
  });
}

}  // namespace

TEST_CASE("the result of another row or channel is found by value",
          "[conformance][explain]") {
  using S = std::size_t;
  CHECK_THAT(moved([](S t, S h, S c) {
               return at(t, h == 1 ? 2 : h == 2 ? 1 : h, c);
             }),
             ContainsSubstring("heads 1 and 2 hold each other's results\n"));
  CHECK_THAT(moved([](S t, S h, S c) { return at(h, t, c); }),
             ContainsSubstring("q is written as [batch, heads, seq, head_dim] "
                               "and read as [batch, seq, heads, head_dim]\n"));
  CHECK_THAT(moved([](S t, S h, S c) {
               const S place = h * kDim + c;  // in a token of turned heads
               return at(t, place % kHeads, place / kHeads);
             }),
             ContainsSubstring("q is written as [batch, seq, head_dim, heads] "
                               "and read as [batch, seq, heads, head_dim]\n"));
  CHECK_THAT(moved([](S t, S h, S c) { return at(t, h == 3 ? 0 : h, c); }),
             ContainsSubstring("head 3 holds the result of head 0\n"));
  CHECK_THAT(moved([](S t, S h, S c) { return at(t > 0 ? t - 1 : 0, h, c); }),
             ContainsSubstring("tokens 1-3 hold the results of tokens 0-2\n"));
  CHECK_THAT(moved([](S t, S h, S c) { return at(kSeq - 1 - t, h, c); }),
             ContainsSubstring("the tokens hold the results in reverse order"));
  CHECK_THAT(moved([](S t, S h, S c) {
               return at(t, h, t != 2 ? c : c == 1 ? 2 : c == 2 ? 1 : c);
             }),
             ContainsSubstring("channels 1 and 2 hold each other's results; in "
                               "token 2\n"));
  CHECK_THAT(moved([](S t, S h, S c) {
               return t == 1 && h == 1 ? at(3, 2, c) : at(t, h, c);
             }),
             ContainsSubstring("q[0,1,1] holds the result of q[0,3,2]\n"));
}

TEST_CASE("constants, the input, factors and terms are found by value",
          "[conformance][explain]") {
  CHECK_THAT(seen([](Numbers& y, auto&) { y[at(1, 2, 3)] = std::nan(""); }),
             ContainsSubstring("NaN stands in 1 of 1 wrong elements; only in "
                               "q[0,1,2,3]\n"));
  CHECK_THAT(seen([](Numbers& y, auto&) {
               for (std::size_t c = 0; c < kDim; ++c) y[at(3, 1, c)] = 0;
             }),
             ContainsSubstring("0 stands in 8 of 8 wrong elements; only in "
                               "token 3, head 1\n"));
  CHECK_THAT(seen([](Numbers& y, auto&) {
               for (double& v : y) v = std::clamp(v, -0.25, 0.25);
             }),
             ContainsSubstring("0.25 or its negative stands in"));
  CHECK_THAT(seen([](Numbers& y, const Numbers& x) {
               for (std::size_t c = 0; c < kDim; ++c) {
                 y[at(3, 0, c)] = x[at(3, 0, c)];
               }
             }),
             ContainsSubstring("the input, unchanged, stands in"));
  CHECK_THAT(seen([](Numbers& y, auto&) {
               for (double& number : y) number /= 4;
             }),
             ContainsSubstring("0.25 times the right result stands in"));
  CHECK_THAT(seen([](Numbers& y, auto&) {
               for (double& number : y) number += 0.5;
             }),
             ContainsSubstring("the right result plus 0.5 stands in"));
  CHECK_THAT(seen([](Numbers& y, const Numbers& x) {
               for (std::size_t i = 0; i < kSize; ++i) y[i] += x[i];
             }),
             ContainsSubstring("the right result plus the input stands in"));
}

TEST_CASE("a few bf16 errors of their own are taken for nobody else's values",
          "[conformance][explain]") {
  const std::string text = seen(
      [](Numbers& y, auto&) {
        for (std::size_t t = 1; t < kSeq; ++t) {
          for (std::size_t h = 0; h < kHeads; ++h) {
            y[at(t, h, 1)] *= h % 2 == 0 ? 1.02 : 0.98;
          }
        }
      },
      reference::Format::kBF16);
  CHECK_THAT(text, !ContainsSubstring("result"));
}

}  // namespace ropeproof::conformance::explain
