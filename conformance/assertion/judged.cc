#include "conformance/assertion/judged.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "conformance/assertion/golden_values.h"
#include "conformance/cases/form_golden.h"
#include "conformance/judge/codec.h"
#include "reference/sweep/kept_frequencies.h"

namespace ropeproof::conformance::assertion {
namespace {

// NaNs and infinities have rules in place of goldens.
bool has_special(reference::Format format, const cases::Bits& x) {
  return judge::with_format(format, [&]<reference::Format kFormat>() {
    return std::ranges::any_of(x, [](std::uint64_t bits) {
      return !std::isfinite(judge::fast_decode<kFormat>(bits));
    });
  });
}

}  // namespace

cases::Golden frequencies_of(const cases::Problem& p) {
  const auto kept =
      reference::sweep::kept_frequencies(reference::best_oracle(), p.spec);
  cases::Golden golden;
  golden.amplitude = kept->prover().resolution().amplitude;
  for (const auto& theta : kept->frequencies()) {
    golden.inv_freq_hi.push_back(theta.hi);
    golden.inv_freq_lo.push_back(theta.lo);
  }
  return golden;
}

std::int64_t Judgement::Judged::elements() const {
  return operation == ROPEPROOF_TABLE
             ? 2 * asked.problem.tokens() * asked.problem.pairs()
             : asked.problem.elements();
}

// With what its elements are, which the screening does not need to know.
const cases::Problem& Judgement::Judged::problem() {
  cases::Problem& p = asked.problem;
  std::call_once(is_looked_at, [&] {
    p.is_special = has_special(p.dtype, p.q) || has_special(p.dtype, p.k);
  });
  return p;
}

// The whole golden, formed once.
const cases::Golden& Judgement::Judged::golden() {
  std::call_once(is_formed, [&] {
    if (given) {
      asked.golden = tables;
      rotate(*given, problem(), asked.golden);
    } else {
      asked.golden = cases::form_golden(problem(), reference::best_oracle());
    }
  });
  return asked.golden;
}

const judge::Measurement& Judgement::Judged::measured() {
  std::call_once(is_measured, [&] {
    if (elements() == 0) return;
    measurement = judge::judge(problem(), golden(), operation, claim, output);
  });
  return measurement;
}

const std::vector<double>& Judgement::Judged::golden_of_each() {
  std::call_once(has_values, [&] {
    if (elements() == 0) {
      values.reserve(1);  // the list is there for C
    } else if (!given && !is_table() && has_plain_goldens(problem())) {
      values = golden_values(problem());
    } else {
      const cases::Golden& g = golden();
      values.reserve(static_cast<std::size_t>(elements()));
      for (const cases::Bits* bits :
           is_table() ? std::array{&g.cos, &g.sin} : std::array{&g.q, &g.k}) {
        std::ranges::transform(*bits, std::back_inserter(values),
                               cases::value_of);
      }
    }
  });
  return values;
}

const std::vector<double>& Judgement::Judged::bound_of_each() {
  std::call_once(has_bounds, [&] {
    const cases::Problem& p = problem();
    if (elements() == 0) {
      each_bound.reserve(1);
    } else if (!is_table() && !p.is_special) {
      const bool is_plain = has_plain_goldens(p);
      each_bound = judge::bounds_of(p, is_plain ? tables : golden(), operation,
                                    claim, golden_of_each());
    } else {
      judge::Output any = output;
      if (any.q.empty() && any.k.empty() && any.cos.empty()) {  // none is given
        any.q = p.q, any.k = p.k;
        any.cos.resize(static_cast<std::size_t>(p.tokens() * p.pairs()));
        any.sin = any.cos;
      }
      for (const judge::Mark& mark :
           judge::judge_each(p, golden(), operation, claim, any).marks) {
        each_bound.push_back(mark.bound);
      }
    }
  });
  return each_bound;
}

}  // namespace ropeproof::conformance::assertion
