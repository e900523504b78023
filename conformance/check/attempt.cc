#include "conformance/check/attempt.h"

#include <iterator>
#include <numeric>

#include "conformance/judge/judge.h"

namespace ropeproof::conformance::check {
namespace {

Check check_of(const std::string& aspect, const std::string& suffixes,
               Verdict verdict, const std::string& reason) {
  Check check;
  check.aspect = aspect;
  check.suffixes = suffixes;
  check.verdict = verdict;
  check.reason = reason;
  return check;
}

}  // namespace

Check passed(const std::string& aspect, const std::string& suffixes) {
  return check_of(aspect, suffixes, Verdict::kPass, "");
}

Check failed(const std::string& aspect, const std::string& suffixes,
             const std::string& reason) {
  return check_of(aspect, suffixes, Verdict::kFail, reason);
}

Check not_checked(const std::string& aspect, const std::string& suffixes,
                  const std::string& reason) {
  return check_of(aspect, suffixes, Verdict::kUnsupported, reason);
}

Check declined(const std::string& aspect, const std::string& suffixes) {
  return check_of(aspect, suffixes, Verdict::kDeclined, "");
}

std::string reason_of(const plugin::Answer& answer) {
  switch (answer.outcome) {
    case plugin::Outcome::kUnsupported:
      return "refused what it declares (" + answer.detail + ")";
    case plugin::Outcome::kInvalid:
      return "refused a valid problem (" + answer.detail + ")";
    default:
      return answer.detail;
  }
}

std::string error_of(const plugin::Answer& answer) {
  return answer.outcome == plugin::Outcome::kFailed ? answer.detail : "";
}

Check result_of(const plugin::Answer& answer, const std::string& aspect,
                const std::string& suffixes, const std::string& what) {
  Check check = passed(aspect, suffixes);
  if (answer.outcome == plugin::Outcome::kOk) return check;
  check.verdict = verdict_of(answer.outcome);
  check.reason = (what.empty() ? "" : what + ": ") + reason_of(answer);
  check.error = error_of(answer);
  return check;
}

Check judged(const Subject& subject, const cases::RopeCase& c,
             const plugin::Answer& answer, const judge::Output& output,
             const std::string& aspect, const std::string& suffixes,
             const std::string& what) {
  const std::string of = what.empty() ? "" : what + ": ";
  Check result = result_of(answer, aspect, suffixes, what);
  if (!result.passes()) return result;
  if (!output.stray.empty()) {
    return failed(aspect, suffixes, of + output.stray);
  }
  const judge::Measurement m =
      judge::judge(c, subject.operation, subject.claim, output);
  if (m.pass()) return result;
  return failed(aspect, suffixes, of + m.pattern);
}

Check attempt(plugin::Kernel& kernel, const Subject& subject,
              const cases::RopeCase& c, const call::Placement& placement,
              const std::string& aspect, const std::string& suffixes,
              const std::string& what) {
  judge::Output output;
  const plugin::Answer answer =
      call::Call(kernel, subject.operation, c, subject.claim.table, placement)
          .run(output);
  return judged(subject, c, answer, output, aspect, suffixes, what);
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
  std::vector<std::int64_t> on_all_axes;
  for (std::int64_t axis = 0; axis < c.spec.axes.count; ++axis) {
    for (const std::int64_t token : tokens) {
      on_all_axes.push_back(axis * c.tokens() + token);
    }
  }
  picked.positions = pick_rows(c.positions, on_all_axes, 1);
  const std::int64_t d = c.spec.layout.head_dim;
  picked.q = pick_rows(c.q, tokens, c.q_heads * d);
  picked.k = pick_rows(c.k, tokens, c.k_heads * d);
  for (const cases::GoldenTensor& golden : cases::goldens_of(c)) {
    if (golden.per_token == 0) continue;
    picked.*golden.bits =
        pick_rows(c.*golden.bits, tokens, golden.per_token * golden.row);
  }
  return picked;
}

cases::RopeCase pick_heads(const cases::RopeCase& c,
                           const std::vector<std::int64_t>& q_heads,
                           const std::vector<std::int64_t>& k_heads) {
  const auto pick = [&](const cases::Bits& all, std::int64_t count,
                        const std::vector<std::int64_t>& heads) {
    std::vector<std::int64_t> rows;
    for (std::int64_t token = 0; token < c.tokens(); ++token) {
      for (const std::int64_t head : heads)
        rows.push_back(token * count + head);
    }
    return pick_rows(all, rows, c.spec.layout.head_dim);
  };
  cases::RopeCase picked = c;
  picked.q_heads = std::ssize(q_heads);
  picked.k_heads = std::ssize(k_heads);
  picked.q = pick(c.q, c.q_heads, q_heads);
  picked.k = pick(c.k, c.k_heads, k_heads);
  for (const cases::GoldenTensor& golden : cases::goldens_of(c)) {
    if (golden.hi == &cases::RopeCase::q_out) {
      picked.*golden.bits = pick(c.*golden.bits, c.q_heads, q_heads);
    } else if (golden.hi == &cases::RopeCase::k_out) {
      picked.*golden.bits = pick(c.*golden.bits, c.k_heads, k_heads);
    }
  }
  return picked;
}

cases::RopeCase first_heads(const cases::RopeCase& c, std::int64_t q_heads,
                            std::int64_t k_heads) {
  const auto first = [](std::int64_t count) {
    std::vector<std::int64_t> heads(static_cast<std::size_t>(count));
    std::iota(heads.begin(), heads.end(), 0);
    return heads;
  };
  return pick_heads(c, first(q_heads), first(k_heads));
}

}  // namespace ropeproof::conformance::check
