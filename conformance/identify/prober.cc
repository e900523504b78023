#include "conformance/identify/prober.h"

#include "conformance/call/call.h"
#include "conformance/cases/form_golden.h"
#include "conformance/check/run.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"
#include "reference/golden.h"

namespace ropeproof::conformance::identify {
namespace {

// Ends of its process, or refusals, after which a kernel is left alone.
constexpr int kMostEnds = 3;

std::string words_of(std::uint32_t operation, const cases::Problem& p) {
  std::string text = text::word(plugin::kOperationWords, operation) + " in " +
                     text::word(text::kFormatWords, p.dtype) + ", [" +
                     std::to_string(p.batch) + ", " + std::to_string(p.seq) +
                     ", " + std::to_string(p.q_heads) + ", " +
                     std::to_string(p.spec.layout.head_dim) + "]";
  if (!p.positions.empty()) {
    text += ", position " +
            std::to_string(static_cast<std::int64_t>(p.positions.front()));
  }
  return text;
}

void fill(const cases::Case& c, cases::Bits& bits, std::int64_t heads,
          const Element& element) {
  const std::int64_t d = c.problem.spec.layout.head_dim;
  bits.clear();
  bits.reserve(static_cast<std::size_t>(c.problem.tokens() * heads * d));
  for (std::int64_t row = 0; row < c.problem.tokens() * heads; ++row) {
    for (std::int64_t t = 0; t < d; ++t) {
      bits.push_back(
          encode(c.problem.dtype, element(row / heads, row % heads, t)));
    }
  }
}

}  // namespace

reference::Format Prober::table_of(std::uint32_t operation,
                                   const cases::Case& c) const {
  return judge::claim_of(kernel_.description(), c.problem.dtype, operation)
      .table;
}

std::optional<judge::Output> Prober::ask_once(std::uint32_t operation,
                                              const cases::Case& c) {
  if (has_given_up_) return std::nullopt;
  ++calls_;
  judge::Output output;
  const plugin::Answer answer =
      call::Call(kernel_, operation, c, table_of(operation, c)).run(output);
  if (answer.outcome == plugin::Outcome::kOk) {
    if (!output.stray.empty() && trouble_.empty()) trouble_ = output.stray;
    return output;
  }
  if (answer.outcome == plugin::Outcome::kDeclined) return std::nullopt;
  if (trouble_.empty()) {
    trouble_ = text::word(check::verdict_of(answer.outcome)) + " (" +
               words_of(operation, c.problem) + "): " + answer.detail;
  }
  has_given_up_ =
      ++ends_ >= kMostEnds || answer.outcome == plugin::Outcome::kTimeout;
  return std::nullopt;
}

std::optional<judge::Output> Prober::ask(std::uint32_t operation,
                                         const cases::Case& c) {
  std::optional<judge::Output> first = ask_once(operation, c);
  if (!first) return first;
  const std::optional<judge::Output> second = ask_once(operation, c);
  if (second && !judge::same_bits(*first, *second) && trouble_.empty()) {
    trouble_ =
        "other bits when asked again (" + words_of(operation, c.problem) + ")";
  }
  return first;
}

void set_elements(cases::Case& c, const Element& element) {
  fill(c, c.problem.q, c.problem.q_heads, element);
  fill(c, c.problem.k, c.problem.k_heads, element);
}

void form(cases::Case& c, const Element& element) {
  set_elements(c, element);
  form_again(c);
}

void form_again(cases::Case& c) {
  static const reference::Oracle oracle = reference::best_oracle();
  c.golden = cases::form_golden(c.problem, oracle);
}

}  // namespace ropeproof::conformance::identify
