#include "reference/arguments.h"

#include <algorithm>
#include <stdexcept>

#include "reference/refuse.h"

namespace ropeproof::reference {

void validate_positions(const Spec& spec, std::span<const double> positions) {
  for (const double p : positions) {
    validate_position(p);
    validate_position(spec, p);
  }
  const auto axes = static_cast<std::size_t>(spec.axes.count);
  if (positions.size() % axes != 0) {
    throw std::invalid_argument(
        "positions has " + std::to_string(positions.size()) +
        " entries; expected a multiple of " + std::to_string(axes));
  }
}

void validate_x(std::int64_t tokens, std::int64_t heads, std::int64_t head_dim,
                std::span<const double> x) {
  check_range("heads", heads, 0, kMaxCount / std::max<std::int64_t>(tokens, 1));
  validate_size("x", x.size(), tokens * heads * head_dim);
  for (const double value : x) {
    if (!is_finite(value)) {
      throw std::invalid_argument("x holds " + std::to_string(value) +
                                  "; expected finite numbers");
    }
  }
}

void validate_size(const std::string& name, std::size_t size,
                   std::int64_t expected) {
  if (size != static_cast<std::size_t>(expected)) {
    throw std::invalid_argument(name + " has " + std::to_string(size) +
                                " entries; expected " +
                                std::to_string(expected));
  }
}

}  // namespace ropeproof::reference
