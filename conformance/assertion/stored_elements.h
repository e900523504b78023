// stored_elements.h -- elements of a tensor or a cache as numbers.
#pragma once

#include <ropeproof_fused.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/format.h"
#include "reference/fused/stored.h"

namespace ropeproof::conformance::assertion {

// What elements are held in: a dtype, or a type of 8 bits.
struct ElementType {
  reference::Format dtype;
  std::optional<reference::fused::Stored> stored;

  std::size_t bytes() const;
  double number(const std::byte* element) const;
};

// The type that a tensor is stored in. Throws std::invalid_argument.
std::optional<reference::fused::Stored> stored_type(const char* name,
                                                    const ropeproof_stored& s);

// Whether each token has a slot, [tokens]; all have where there are no slots.
std::vector<char> written_tokens(const ropeproof_problem& problem,
                                 const std::int64_t* slots);

// The scale of each head of each token, [tokens, heads]; 1 of tokens that are
// not written. Throws std::invalid_argument for one that is no finite number
// above 0.
std::vector<double> scales_of(const char* name, const ropeproof_stored& stored,
                              const ropeproof_problem& problem,
                              std::int64_t heads,
                              const std::vector<char>& is_written);

// `in` of a tensor, or `out`, [tokens, heads, head_dim].
std::vector<double> numbers_in(const ropeproof_problem& problem,
                               const ropeproof_tensor& tensor,
                               const ElementType& type);
std::vector<double> numbers_out(const ropeproof_problem& problem,
                                const ropeproof_tensor& tensor,
                                const ElementType& type);

// Where the elements of a head in a slot begin, in elements.
std::int64_t element_of(const ropeproof_cached& cache, std::int64_t slot,
                        std::int64_t head);

}  // namespace ropeproof::conformance::assertion
