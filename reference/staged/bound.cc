#include "reference/staged/bound.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "reference/log_bound.h"

namespace ropeproof::reference::staged {
namespace {

// Pays for the roundings of this file, and for exponents that meet several
// roundings: |ln theta| gamma(3u) <= |ln theta| 3u (1 + 2^-20).
constexpr double kUp = 1 + 0x1p-20;

struct Counter {
  const Pipeline& pipeline;
  Format t;
  const Parameters& parameters;
  std::int64_t position, j;
  double abs_ln_theta;

  Format format(const Roundings& row) const {
    return resolve(row.type, pipeline, t);
  }

  double weight(const Roundings& row) const {
    const auto unless = [](bool exact, double w) { return exact ? 0 : w; };
    const auto r = static_cast<double>(parameters.rotary_dim);
    // a / r is a number of the type if rounding it and multiplying by r, which
    // is exact in binary64 for types of up to 26 bits, gives a back. For f64 it
    // counts always.
    const auto is_exact_quotient = [&](double a) {
      return format(row) != Format::kF64 &&
             round_to(format(row), a / r) * r == a;
    };
    switch (row.weight) {
      case Weight::kOnce:
        return 1;
      case Weight::kPerPair:
        return static_cast<double>(j);
      case Weight::kExponent:
        return abs_ln_theta;
      case Weight::kExponent2jR:
        return unless(is_exact_quotient(2 * static_cast<double>(j)),
                      abs_ln_theta);
      case Weight::kExponent2R:
        return unless(is_exact_quotient(2), abs_ln_theta);
      case Weight::kUnlessBase:
        return unless(is_number_of(format(row), parameters.base), 1);
      case Weight::kUnlessP:
        return unless(is_number_of(format(row), static_cast<double>(position)),
                      1);
      case Weight::kUnlessOne:
        return unless(parameters.amplitude == 1, 1);
      case Weight::kUnlessF32:
        return unless(format(row) == Format::kF32, 1);
      case Weight::kUnlessW:
        return unless(format(row) == resolve(Type::kW, pipeline, t), 1);
    }
    throw std::logic_error("not a weight");
  }

  // Correctly rounded operations, and what an n-ulp libm is worth in them.
  double count(const Roundings& row, int ulp) const {
    return weight(row) * (row.correct + row.libm * std::max(1, 2 * ulp));
  }

  // The sum of k u over a stage.
  double relative(const Stage& stage, int ulp) const {
    double sum = 0;
    for (const Roundings& row : stage.roundings) {
      sum += count(row, ulp) * traits(format(row)).unit_roundoff;
    }
    return sum;
  }

  // The product of (1 + u)^count, of whole counts. It pays for an n-ulp libm,
  // since (1 + u)^2n >= 1 + 2n u.
  double growth(std::span<const Roundings> rows, int ulp) const {
    double product = 1;
    for (const Roundings& row : rows) {
      const double u = traits(format(row)).unit_roundoff;
      const int times = static_cast<int>(count(row, ulp));
      for (int i = 0; i < times; ++i) product *= 1 + u;
    }
    return product;
  }

  double subnormal(std::span<const Roundings> rows, int ulp) const {
    double sum = 0;
    for (const Roundings& row : rows) {
      sum += count(row, ulp) * reference::ulp(format(row), 0) / 2;
    }
    return sum;
  }
};

}  // namespace

double Bound::output(double x_u, double x_v) const {
  const double length = std::sqrt(x_u * x_u + x_v * x_v);
  const double entries = std::abs(x_u) + std::abs(x_v);
  const double relative = amplitude * length * (angle + local);
  const double absolute =
      std::max(1.0, amplitude) * entries * table_underflow + underflow;
  return kUp * (relative + (1 + local) * absolute);
}

Bound bound(const Pipeline& pipeline, Format t, const Parameters& parameters,
            std::int64_t position, std::int64_t j, double theta, Libm libm) {
  const Counter counter{pipeline, t, parameters,
                        position, j, abs_ln_bound(theta)};
  const double sum = counter.relative(pipeline.frequency, libm.frequency_ulp) +
                     counter.relative(pipeline.angle, libm.frequency_ulp);
  const double phi = std::abs(static_cast<double>(position) * theta);
  const Format unit = resolve(pipeline.angle.steps.back().type, pipeline, t);

  Bound result;
  result.k = sum / traits(unit).unit_roundoff;
  result.angle = sum < 1 ? std::min(2.0, kUp * phi * sum / (1 - sum)) : 2;
  result.local = counter.growth(pipeline.trig.roundings, libm.trig_ulp) *
                     counter.growth(pipeline.storage.roundings, 0) *
                     counter.growth(rotation_roundings(), 0) -
                 1;
  result.amplitude = std::abs(parameters.amplitude);
  result.table_underflow =
      counter.subnormal(pipeline.trig.roundings, libm.trig_ulp) +
      counter.subnormal(pipeline.storage.roundings, 0);
  result.underflow = counter.subnormal(rotation_roundings(), 0);
  return result;
}

}  // namespace ropeproof::reference::staged
