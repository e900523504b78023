#include "reference/golden.h"

#include <bit>
#include <string>

#include "reference/oracle.h"

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

// As doubles: exact.
template <class Position>
std::vector<double> checked(const Spec& spec,
                            std::span<const Position> positions) {
  std::vector<double> result;
  result.reserve(positions.size());
  for (const Position p : positions) {
    validate_position(p);
    result.push_back(static_cast<double>(p));
    validate_position(spec, result.back());
  }
  return result;
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

template <class Position>
std::vector<double> table_positions(const Spec& spec,
                                    std::span<const Position> positions) {
  validate(spec);
  std::vector<double> p = checked(spec, positions);
  const auto axes = static_cast<std::size_t>(spec.axes.count);
  if (p.size() % axes != 0) {
    throw std::invalid_argument("positions has " + std::to_string(p.size()) +
                                " entries; expected a multiple of " +
                                std::to_string(axes));
  }
  return p;
}

template <class Position>
std::vector<double> rope_positions(const Spec& spec, const Shape& shape,
                                   std::span<const Position> positions,
                                   std::span<const double> x) {
  validate(spec);
  validate(shape);
  std::vector<double> p = checked(spec, positions);
  const std::int64_t tokens = shape.batch * shape.seq;
  validate_size("positions", p.size(), spec.axes.count * tokens);
  validate_size("x", x.size(), tokens * shape.heads * spec.layout.head_dim);
  for (const double value : x) {
    if (!is_finite(value)) {
      throw std::invalid_argument("x holds " + std::to_string(value) +
                                  "; expected finite numbers");
    }
  }
  return p;
}

}  // namespace

bool available(Oracle oracle) { return find(oracle) != nullptr; }

Resolution golden_resolution(Oracle oracle, const Spec& spec) {
  validate(spec);
  return get(oracle).resolution(spec);
}

std::vector<GoldenFrequency> golden_frequencies(Oracle oracle,
                                                const Spec& spec) {
  validate(spec);
  return get(oracle).frequencies(spec);
}

std::vector<GoldenTurn> golden_table(Oracle oracle, const Spec& spec,
                                     std::span<const double> positions) {
  return get(oracle).table(spec, table_positions(spec, positions));
}

std::vector<GoldenTurn> golden_table(Oracle oracle, const Spec& spec,
                                     std::span<const std::int64_t> positions) {
  return get(oracle).table(spec, table_positions(spec, positions));
}

std::vector<Golden> golden_rope(Oracle oracle, const Spec& spec,
                                const Shape& shape,
                                std::span<const double> positions,
                                std::span<const double> x) {
  return get(oracle).rope(spec, shape,
                          rope_positions(spec, shape, positions, x), x);
}

std::vector<Golden> golden_rope(Oracle oracle, const Spec& spec,
                                const Shape& shape,
                                std::span<const std::int64_t> positions,
                                std::span<const double> x) {
  return get(oracle).rope(spec, shape,
                          rope_positions(spec, shape, positions, x), x);
}

std::vector<GoldenTurnSum> golden_turn_sums(Oracle oracle, const Spec& spec,
                                            std::span<const double> positions) {
  return get(oracle).turn_sums(spec, table_positions(spec, positions));
}

std::vector<GoldenSum> golden_rope_sums(Oracle oracle, const Spec& spec,
                                        const Shape& shape,
                                        std::span<const double> positions,
                                        std::span<const double> x) {
  return get(oracle).rope_sums(spec, shape,
                               rope_positions(spec, shape, positions, x), x);
}

}  // namespace ropeproof::reference
