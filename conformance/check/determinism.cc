// A row, whatever else happens: right for every kernel, and to the bit for
// those that promise it.
#include <algorithm>
#include <numeric>
#include <optional>

#include "conformance/cases/smaller.h"
#include "conformance/check/attempt.h"

namespace ropeproof::conformance::check {
namespace {

constexpr int kCalls = 20;
constexpr std::size_t kTokensAlone = 5;

using Tokens = std::vector<std::int64_t>;

// The call that all others are compared with.
class Plain {
 public:
  Plain(plugin::Kernel& kernel, const Subject& subject)
      : kernel_(kernel), subject_(subject) {
    answer_ =
        call_of(kernel, subject, at(cases::kDense, cases::BufferEdge::kEnd))
            .run(output_);
  }

  // Where equal bits are promised, a pass counts for that.
  Suffixes suffix() const { return is_promised() ? kSuffixD : 0; }
  bool is_promised() const { return offers(kernel_, ROPEPROOF_DETERMINISTIC); }

  Check judge(Aspect aspect) const {
    return judged(kernel_, subject_, answer_, output_, aspect);
  }

  // Token i of the call is token tokens[i] of the plain one. A pass if its
  // elements are right, and of equal bits where that is promised.
  Check compare(Aspect aspect, const cases::Case& c, const Tokens& tokens,
                const std::optional<cases::Storage>& storage,
                const std::string& what) {
    const Subject subject{c, subject_.operation};
    judge::Output output;
    const plugin::Answer answer =
        call_of(kernel_, subject, storage).run(output);
    Check result = result_of(answer, aspect, what);
    if (!result.passes()) return result;
    const std::string reason = difference(output, c.problem, tokens);
    // An output with the bits of the plain call was judged with it.
    if (!reason.empty() || !output.stray.empty()) {
      result = judged(kernel_, subject, answer, output, aspect, what);
    }
    if (!result.passes() || reason.empty() || !is_promised()) return result;
    return failed(aspect, what + ": " + reason, suffix());
  }

 private:
  std::string difference(const judge::Output& got,
                         const cases::Problem& problem,
                         const Tokens& tokens) const {
    const std::int64_t d = problem.spec.layout.head_dim,
                       pairs = problem.pairs();
    const auto rows = [&](const char* name, const cases::Bits& want,
                          const cases::Bits& bits, std::int64_t want_row,
                          std::int64_t row) {
      for (std::size_t i = 0; !bits.empty() && i < tokens.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i) * row;
        for (std::int64_t j = 0; j < row; ++j) {
          const auto g = static_cast<std::size_t>(at + j);
          const auto w = static_cast<std::size_t>(tokens[i] * want_row + j);
          if (bits[g] == want[w]) continue;
          return "other bits in " + std::string(name) + ", element " +
                 std::to_string(j) + " of token " + std::to_string(tokens[i]);
        }
      }
      return std::string();
    };
    const cases::Case& all = subject_.c;
    std::string text = rows("q", output_.q, got.q, all.problem.q_heads * d,
                            problem.q_heads * d);
    if (text.empty()) {
      text = rows("k", output_.k, got.k, all.problem.k_heads * d,
                  problem.k_heads * d);
    }
    if (text.empty()) text = rows("cos", output_.cos, got.cos, pairs, pairs);
    if (text.empty()) text = rows("sin", output_.sin, got.sin, pairs, pairs);
    return text;
  }

  plugin::Kernel& kernel_;
  const Subject& subject_;
  judge::Output output_;
  plugin::Answer answer_;
};

Check check_repeats(Plain& plain, const cases::Case& c, const Tokens& all) {
  for (int call = 2; call <= kCalls; ++call) {
    // Another place each time: the bits must not depend on the address.
    const cases::Storage placed =
        at(cases::kDense, call % 3 == 0   ? cases::BufferEdge::kUnaligned
                          : call % 2 == 0 ? cases::BufferEdge::kStart
                                          : cases::BufferEdge::kEnd);
    Check result = plain.compare(Aspect::kRepeats, c, all, {placed},
                                 "call " + std::to_string(call));
    if (!result.passes()) return result;
  }
  return passed(Aspect::kRepeats, plain.suffix());
}

Check check_alone(Plain& plain, const cases::Case& c) {
  const auto count = static_cast<std::size_t>(c.problem.tokens());
  const std::size_t step = std::max<std::size_t>(count / kTokensAlone, 1);
  for (std::size_t t = 0; t < count; t += step) {
    const Tokens one{static_cast<std::int64_t>(t)};
    Check result = plain.compare(Aspect::kRowsAlone, pick_tokens(c, one, 1, 1),
                                 one, {}, "token " + std::to_string(t));
    if (!result.passes()) return result;
  }
  return passed(Aspect::kRowsAlone, plain.suffix());
}

// Asks the tokens as other batches; then the first heads without the others.
Check check_neighbours(Plain& plain, const cases::Case& c, const Tokens& all) {
  constexpr Aspect kAspect = Aspect::kNeighbours;
  const auto count = static_cast<std::int64_t>(all.size());
  const auto times = [&](int copies) {
    Tokens tokens;
    while (copies-- > 0) tokens.insert(tokens.end(), all.begin(), all.end());
    return tokens;
  };
  struct Shape {
    std::string what;
    Tokens tokens;
    std::int64_t batch, seq;
  };
  std::vector<Shape> shapes = {
      {"in reverse",
       {all.rbegin(), all.rend()},
       c.problem.batch,
       c.problem.seq},
      {"twice", times(2), 2 * c.problem.batch, c.problem.seq},
      {"twice in a row", times(2), 2, count},
      {"three times in a row", times(3), 3, count}};
  for (std::int64_t batch = 1; batch <= count; ++batch) {
    if (count % batch != 0 || batch == c.problem.batch) continue;
    shapes.push_back(
        {"as a batch of " + std::to_string(batch), all, batch, count / batch});
  }
  for (const Shape& shape : shapes) {
    Check result = plain.compare(
        kAspect, pick_tokens(c, shape.tokens, shape.batch, shape.seq),
        shape.tokens, {}, shape.what);
    if (!result.passes()) return result;
  }
  Check result = plain.compare(
      kAspect, first_heads(c, 1, std::min<std::int64_t>(c.problem.k_heads, 1)),
      all, {}, "without the other heads");
  return result.passes() ? passed(kAspect, plain.suffix()) : result;
}

Check check_threads(plugin::Kernel& kernel, Plain& plain, const cases::Case& c,
                    const Tokens& all) {
  constexpr Aspect kAspect = Aspect::kThreadCount;
  if (!kernel.restart(1)) {
    return not_checked(kAspect, "a fresh process of this kernel",
                       plain.suffix());
  }
  Check result = plain.compare(kAspect, c, all, {}, "one thread");
  kernel.restart(0);
  if (result.passes()) {
    result = plain.compare(kAspect, c, all, {}, "a fresh process");
  }
  return result.passes() ? passed(kAspect, plain.suffix()) : result;
}

}  // namespace

std::vector<Check> check_determinism(plugin::Kernel& kernel,
                                     const Subject& subject) {
  Plain plain(kernel, subject);
  const bool is_promised = plain.is_promised();
  std::vector<Check> results;
  if (const auto no = not_offered(kernel, Aspect::kSameBits)) {
    results.push_back(*no);
  }
  const Check first = plain.judge(Aspect::kRepeats);
  if (!first.passes()) {
    results.push_back(first);
    return results;
  }
  const cases::Case& c = subject.c;
  Tokens all(static_cast<std::size_t>(c.problem.tokens()));
  std::iota(all.begin(), all.end(), 0);
  results.push_back(check_repeats(plain, c, all));
  results.push_back(check_alone(plain, c));
  results.push_back(check_neighbours(plain, c, all));
  // A command may take seconds to start again.
  if (is_promised || kernel.shares_memory()) {
    results.push_back(check_threads(kernel, plain, c, all));
  }
  return results;
}

}  // namespace ropeproof::conformance::check
