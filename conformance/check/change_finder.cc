#include "conformance/check/change_finder.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "conformance/cases/form_golden.h"
#include "conformance/check/offered.h"
#include "reference/golden.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Golden;
using cases::Problem;
using reference::Format;

// Whether a cosine or sine of the two differs by more than any class may be
// off.
bool is_visible(const Golden& a, const Golden& b) {
  const auto differ = [](const cases::Bits& x, const cases::Bits& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double u = decode(Format::kF64, x[i]);
      const double v = decode(Format::kF64, y[i]);
      if (std::abs(u - v) > 0.125) return true;
    }
    return false;
  };
  return a.cos.size() != b.cos.size() || differ(a.cos, b.cos) ||
         differ(a.sin, b.sin);
}

bool is_finite(const Problem& problem) {
  const auto is_number = [&](std::uint64_t x) {
    return std::isfinite(decode(problem.dtype, x));
  };
  return std::ranges::all_of(problem.q, is_number) &&
         std::ranges::all_of(problem.k, is_number);
}

bool offers_all(const plugin::Kernel& kernel, std::uint32_t operation,
                const Problem& problem) {
  return missing_feature(kernel.description(), operation, problem,
                         kernel.shares_memory())
      .empty();
}

}  // namespace

bool takes(plugin::Kernel& kernel, std::uint32_t operation,
           const Question& asked) {
  return offers_all(kernel, operation, asked.problem) &&
         !declines(kernel, operation, asked);
}

bool ChangeFinder::begin(const Problem& base) {
  std::optional<cases::Case> c = taken(base);
  if (c) variation_.base = *std::move(c);
  return c.has_value();
}

void ChangeFinder::add(const std::string& field, ChangeOf of,
                       const std::vector<Edit>& edits) {
  if (known_.contains(field)) return;
  for (const Edit& edit : edits) {
    Problem p = base();
    edit(p);
    std::optional<cases::Case> c = taken(p);
    if (!c || (of != ChangeOf::kOther &&
               !is_visible(variation_.base.golden, c->golden))) {
      continue;
    }
    known_.insert(field);
    variation_.changes.push_back({field, of, *std::move(c)});
    return;
  }
}

std::optional<cases::Case> ChangeFinder::taken(const Problem& p) const {
  cases::Case c;
  c.id = id_;
  c.problem = p;
  try {
    reference::validate(p.spec);
    if (!offers_all(kernel_, operation_, p) || !is_finite(p)) return {};
    c.golden = cases::form_golden(p, reference::best_oracle());
  } catch (const std::invalid_argument&) {
    return {};
  } catch (const reference::Undecided&) {  // at no precision
    return {};
  }
  if (declines(kernel_, operation_, c)) return {};
  return c;
}

}  // namespace ropeproof::conformance::check
