#include "conformance/check/varied.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "conformance/cases/smaller.h"
#include "conformance/check/attempt.h"
#include "conformance/check/facts.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::check {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 12;
constexpr std::int64_t kSizes[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 15, 16,
                                   17, 24, 31, 32, 33, 48, 63, 64, 65, 128};

// batch, seq, heads of q, heads of k
using Sizes = std::array<std::int64_t, 4>;

// An answer with facts of its own.
struct OwnFacts {
  cases::Case asked;
  Facts facts;
};

// The case with these sizes, made of its tokens and heads over and over.
cases::Case resized(const cases::Case& c, const Sizes& sizes) {
  const cases::Problem& p = c.problem;
  const auto [batch, seq, q_heads, k_heads] = sizes;
  cases::Indices tokens;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t s = 0; s < seq; ++s) {
      tokens.push_back(b % p.batch * p.seq + s % p.seq);
    }
  }
  const auto heads = [](std::int64_t count, std::int64_t of) {
    cases::Indices some;
    for (std::int64_t h = 0; h < count && of > 0; ++h) some.push_back(h % of);
    return some;
  };
  return cases::pick_heads(cases::pick_tokens(c, tokens, batch, seq),
                           heads(q_heads, p.q_heads),
                           heads(k_heads, p.k_heads));
}

class Varier {
 public:
  Varier(plugin::Kernel& kernel, const explain::Answer& like)
      : kernel_(kernel), like_(like) {}

  std::vector<explain::Answer> answers() {
    const cases::Problem& p = like_.asked->problem;
    const Sizes own = {p.batch, p.seq, p.q_heads, p.k_heads};
    for (std::size_t which = 0; which < own.size(); ++which) {
      if (own[which] > 0) vary(own, which);
    }
    return std::move(all_);
  }

 private:
  void vary(Sizes sizes, std::size_t which) {
    std::map<std::int64_t, bool> is_wrong = {{sizes[which], true}};
    const auto ask_at = [&](std::int64_t size) {
      sizes[which] = size;
      if (is_wrong.contains(size)) return false;
      const std::optional<bool> wrong = ask(sizes);
      if (wrong) is_wrong.emplace(size, *wrong);
      return wrong.has_value();
    };
    for (const std::int64_t size : kSizes) ask_at(size);
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (auto i = is_wrong.begin(); std::next(i) != is_wrong.end(); ++i) {
        const auto next = std::next(i);
        if (i->second == next->second || next->first == i->first + 1) continue;
        is_new = ask_at((i->first + next->first) / 2);
        break;
      }
    }
  }

  // Whether the answer is wrong; nothing where there is none.
  std::optional<bool> ask(const Sizes& sizes) {
    const auto [batch, seq, q_heads, k_heads] = sizes;
    const cases::Problem& p = like_.asked->problem;
    if (batch * seq * (q_heads + k_heads) * p.spec.layout.head_dim >
        kMostElements) {
      return std::nullopt;
    }
    auto own = std::make_shared<OwnFacts>();
    own->asked = resized(*like_.asked, sizes);
    auto output = std::make_shared<judge::Output>();
    const Subject subject{own->asked, like_.operation};
    if (call_of(kernel_, subject).run(*output).outcome !=
        plugin::Outcome::kOk) {
      return std::nullopt;
    }
    own->facts = facts_of(own->asked.problem);
    explain::Answer answer = like_;
    answer.asked = {own, &own->asked};
    answer.output = output;
    answer.facts = &own->facts;
    const judge::Measurement m =
        judge::judge(own->asked.problem, own->asked.golden, like_.operation,
                     like_.claim, *output);
    answer.is_failure = !m.pass();
    answer.elements = m.elements;
    all_.push_back(std::move(answer));
    return !m.pass();
  }

  plugin::Kernel& kernel_;
  const explain::Answer& like_;
  std::vector<explain::Answer> all_;
};

}  // namespace

std::vector<explain::Answer> varied_answers(plugin::Kernel& kernel,
                                            const explain::Answer& like) {
  const cases::Problem& p = like.asked->problem;
  const bool rotates = like.operation == ROPEPROOF_ROPE ||
                       like.operation == ROPEPROOF_ROTATE ||
                       like.operation == ROPEPROOF_LOOKUP;
  const bool is_plain = p.storage.spacing == cases::Spacing::kDense &&
                        p.storage.rows == cases::RowSpacing::kDense;
  if (!rotates || !is_plain || !kernel.is_live()) return {};
  return Varier(kernel, like).answers();
}

}  // namespace ropeproof::conformance::check
