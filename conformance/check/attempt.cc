#include "conformance/check/attempt.h"

#include <utility>

#include "conformance/judge/judge.h"

namespace ropeproof::conformance::check {
namespace {

// Rows of `row` elements, those numbered `rows`, once for each of `blocks`
// blocks of `count` rows.
template <class List>
List pick_rows(const List& all, const std::vector<std::int64_t>& rows,
               std::int64_t count, std::int64_t blocks, std::int64_t row) {
  List picked;
  if (all.empty()) return picked;
  for (std::int64_t block = 0; block < blocks; ++block) {
    for (const std::int64_t r : rows) {
      const auto first = all.begin() + (block * count + r) * row;
      picked.insert(picked.end(), first, first + row);
    }
  }
  return picked;
}

}  // namespace

ContractResult passed(std::string check, char suffix) {
  return {std::move(check), suffix, plugin::Outcome::kOk, true, ""};
}

ContractResult failed(std::string check, char suffix, std::string reason) {
  return {std::move(check), suffix, plugin::Outcome::kOk, false,
          std::move(reason)};
}

ContractResult not_checked(std::string check, char suffix, std::string reason) {
  return {std::move(check), suffix, plugin::Outcome::kUnsupported, false,
          std::move(reason)};
}

std::string error_of(const plugin::Answer& answer) {
  return answer.outcome == plugin::Outcome::kFailed ? answer.detail : "";
}

ContractResult result_of(const plugin::Answer& answer, std::string check,
                         char suffix, const std::string& what) {
  const std::string of = what.empty() ? "" : what + ": ";
  switch (answer.outcome) {
    case plugin::Outcome::kOk:
      return passed(std::move(check), suffix);
    case plugin::Outcome::kUnsupported:
      return failed(std::move(check), suffix,
                    of + "refused what it declares (" + answer.detail + ")");
    case plugin::Outcome::kInvalid:
      return failed(std::move(check), suffix,
                    of + "refused a valid problem (" + answer.detail + ")");
    default:
      return {std::move(check),   suffix,          answer.outcome, false,
              of + answer.detail, error_of(answer)};
  }
}

ContractResult judged(const Subject& subject, const cases::RopeCase& c,
                      const plugin::Answer& answer, const judge::Output& output,
                      std::string check, char suffix, const std::string& what) {
  const std::string of = what.empty() ? "" : what + ": ";
  ContractResult result = result_of(answer, check, suffix, what);
  if (!result.pass) return result;
  if (!output.stray.empty()) {
    return failed(std::move(check), suffix, of + output.stray);
  }
  const judge::Measurement m =
      judge::judge(c, subject.operation, subject.claim, output);
  if (m.pass()) return result;
  return failed(std::move(check), suffix, of + m.pattern);
}

bool offers(const plugin::Kernel& kernel, std::uint32_t feature) {
  return (kernel.description().features & feature) != 0;
}

cases::RopeCase pick_tokens(const cases::RopeCase& c,
                            const std::vector<std::int64_t>& tokens,
                            std::int64_t batch, std::int64_t seq) {
  cases::RopeCase picked = c;
  picked.batch = batch;
  picked.seq = seq;
  const std::int64_t d = c.spec.layout.head_dim;
  const auto pick = [&](const auto& list, std::int64_t row,
                        std::int64_t blocks = 1) {
    return pick_rows(list, tokens, c.tokens(), blocks, row);
  };
  picked.positions = pick(c.positions, 1, c.spec.axes.count);
  picked.pair_amplitude = pick(c.pair_amplitude, c.pairs());
  picked.q = pick(c.q, c.q_heads * d);
  picked.k = pick(c.k, c.k_heads * d);
  picked.q_out = pick(c.q_out, c.q_heads * d);
  picked.k_out = pick(c.k_out, c.k_heads * d);
  picked.q_out_lo = pick(c.q_out_lo, c.q_heads * d);
  picked.k_out_lo = pick(c.k_out_lo, c.k_heads * d);
  picked.cos = pick(c.cos, c.pairs());
  picked.sin = pick(c.sin, c.pairs());
  picked.cos_lo = pick(c.cos_lo, c.pairs());
  picked.sin_lo = pick(c.sin_lo, c.pairs());
  return picked;
}

cases::RopeCase pick_heads(const cases::RopeCase& c, std::int64_t q_heads,
                           std::int64_t k_heads) {
  cases::RopeCase picked = c;
  picked.q_heads = q_heads;
  picked.k_heads = k_heads;
  const std::int64_t d = c.spec.layout.head_dim;
  const auto pick = [&](const cases::Bits& all, std::int64_t heads,
                        std::int64_t wanted) {
    cases::Bits bits;
    for (std::int64_t t = 0; !all.empty() && t < c.tokens(); ++t) {
      const auto first = all.begin() + t * heads * d;
      bits.insert(bits.end(), first, first + wanted * d);
    }
    return bits;
  };
  picked.q = pick(c.q, c.q_heads, q_heads);
  picked.k = pick(c.k, c.k_heads, k_heads);
  picked.q_out = pick(c.q_out, c.q_heads, q_heads);
  picked.k_out = pick(c.k_out, c.k_heads, k_heads);
  picked.q_out_lo = pick(c.q_out_lo, c.q_heads, q_heads);
  picked.k_out_lo = pick(c.k_out_lo, c.k_heads, k_heads);
  return picked;
}

}  // namespace ropeproof::conformance::check
