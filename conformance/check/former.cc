#include "conformance/check/former.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "conformance/check/choices.h"
#include "conformance/check/offered.h"
#include "conformance/cover/form_goldens.h"
#include "reference/golden.h"

namespace ropeproof::conformance::check {
namespace {

using cases::RopeCase;
using reference::Format;

// Whether a cosine or sine of the two differs by more than any class may be off.
bool is_visible(const RopeCase& a, const RopeCase& b) {
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

bool is_finite(const RopeCase& c) {
  const auto is_number = [&](std::uint64_t x) {
    return std::isfinite(decode(c.dtype, x));
  };
  return std::ranges::all_of(c.q, is_number) &&
         std::ranges::all_of(c.k, is_number);
}

bool offers_all(const plugin::Kernel& kernel, std::uint32_t operation,
                const RopeCase& c) {
  return missing_feature(kernel.description(), operation, c,
                         kernel.shares_memory())
      .empty();
}

}  // namespace

bool takes(plugin::Kernel& kernel, std::uint32_t operation, const RopeCase& c) {
  return offers_all(kernel, operation, c) && !declines(kernel, operation, c);
}

// Other values for a number, the likeliest to be taken first.
std::vector<double> others(double x) {
  if (x == 0) return {1, 0.5};
  return {x * 2, x / 2, x * 1.5, x * 0.75, x * 4, x + 1, x * 64};
}

bool Former::begin(RopeCase base) {
  if (!takes(base)) return false;
  variation_.base = std::move(base);
  return true;
}

void Former::add(const std::string& field, bool is_of_angles,
                 const std::vector<Edit>& edits) {
  if (known_.contains(field)) return;
  for (const Edit& edit : edits) {
    RopeCase c = base();
    edit(c);
    if (!takes(c) || (is_of_angles && !is_visible(base(), c))) continue;
    known_.insert(field);
    variation_.changes.push_back({field, std::move(c)});
    return;
  }
}

bool Former::takes(RopeCase& c) const {
  try {
    reference::validate(c.spec);
    if (!offers_all(kernel_, operation_, c) || !is_finite(c)) return false;
    // Its elements are there already.
    cover::form_goldens(c, reference::best_oracle(), [](RopeCase&) {});
  } catch (const std::invalid_argument&) {
    return false;
  } catch (const reference::Undecided&) {  // at no precision
    return false;
  }
  return check::takes(kernel_, operation_, c);  // the amplitude is a golden
}

}  // namespace ropeproof::conformance::check
