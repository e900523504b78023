#include "reference/golden.h"

#include <bit>
#include <numeric>
#include <string>

#include "reference/oracle.h"
#include "reference/rope.h"

namespace ropeproof::reference {
namespace {

const OracleFunctions* find(Oracle oracle) {
  return oracle == Oracle::kMpfi ? mpfi_oracle() : bin_float_oracle();
}

const OracleFunctions& get(Oracle oracle) {
  const OracleFunctions* functions = find(oracle);
  if (functions == nullptr) {
    throw std::invalid_argument(
        "the MPFI oracle is not built in: configure with ROPEPROOF_MPFI=ON");
  }
  return *functions;
}

void validate_positions(std::span<const std::int64_t> positions) {
  for (const std::int64_t p : positions) validate_position(p);
}

bool is_finite(double x) {
  constexpr std::uint64_t kExponent = 0x7ff0000000000000u;
  return (std::bit_cast<std::uint64_t>(x) & kExponent) != kExponent;
}

void validate_size(const std::string& what, std::size_t size,
                   std::int64_t expected) {
  if (size != static_cast<std::size_t>(expected)) {
    throw std::invalid_argument(what + " has " + std::to_string(size) +
                                " entries; expected " +
                                std::to_string(expected));
  }
}

}  // namespace

std::optional<int> exact_frequency_exponent(double base,
                                            std::int64_t rotary_dim,
                                            std::int64_t j) {
  if (j == 0) return 0;
  constexpr std::uint64_t kFraction = 0x000fffffffffffffu;
  const auto bits = std::bit_cast<std::uint64_t>(base);
  const auto biased = static_cast<std::int64_t>((bits >> 52) & 0x7ff);
  // Subnormal powers of two are no base that anybody uses; leaving them to the
  // ladder is safe: it throws rather than guess.
  if ((bits & kFraction) != 0 || biased == 0) return std::nullopt;
  const std::int64_t numerator = -2 * j * (biased - 1023);
  if (numerator % rotary_dim != 0) return std::nullopt;
  return static_cast<int>(numerator / rotary_dim);
}

bool available(Oracle oracle) { return find(oracle) != nullptr; }

std::vector<GoldenFrequency> golden_frequencies(Oracle oracle,
                                                const Spec& spec) {
  validate(spec);
  return get(oracle).frequencies(spec);
}

std::vector<GoldenTurn> golden_table(Oracle oracle, const Spec& spec,
                                     std::span<const std::int64_t> positions) {
  validate(spec);
  validate_positions(positions);
  return get(oracle).table(spec, positions);
}

std::vector<Golden> golden_rope(Oracle oracle, const Spec& spec,
                                const Shape& shape,
                                std::span<const std::int64_t> positions,
                                std::span<const double> x) {
  validate(spec);
  validate(shape);
  validate_positions(positions);
  validate_size("positions", positions.size(), shape.batch * shape.seq);
  validate_size("x", x.size(),
                shape.batch * shape.seq * shape.heads * spec.layout.head_dim);
  for (const double value : x) {
    if (!is_finite(value)) {
      throw std::invalid_argument("x holds " + std::to_string(value) +
                                  "; expected finite numbers");
    }
  }
  return get(oracle).rope(spec, shape, positions, x);
}

}  // namespace ropeproof::reference
