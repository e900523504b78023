// arguments.h -- what goldens require of positions and tensors, for golden.h
// and for sweep/.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "reference/spec.h"

namespace ropeproof::reference {

// Throw std::invalid_argument, as spec.h does.

// [axes, tokens], each in its range.
void validate_positions(const Spec& spec, std::span<const double> positions);
// [tokens, heads, head_dim], finite numbers.
void validate_x(std::int64_t tokens, std::int64_t heads, std::int64_t head_dim,
                std::span<const double> x);
void validate_size(const std::string& name, std::size_t size,
                   std::int64_t expected);

}  // namespace ropeproof::reference
