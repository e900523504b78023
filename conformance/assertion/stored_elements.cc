#include "conformance/assertion/stored_elements.h"

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "conformance/text/format.h"

namespace ropeproof::conformance::assertion {
namespace {

using reference::fused::Stored;

struct Strides {
  std::int64_t batch, token, head;
};

std::vector<double> numbers(const ropeproof_problem& p, std::int64_t heads,
                            const void* data, const Strides& strides,
                            const ElementType& type) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(p.batch * p.seq * heads * p.head_dim));
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t s = 0; s < p.seq; ++s) {
      for (std::int64_t h = 0; h < heads; ++h) {
        const std::int64_t first =
            b * strides.batch + s * strides.token + h * strides.head;
        for (std::int64_t c = 0; c < p.head_dim; ++c) {
          all.push_back(type.number(
              bytes + (first + c) * static_cast<std::int64_t>(type.bytes())));
        }
      }
    }
  }
  return all;
}

}  // namespace

std::size_t ElementType::bytes() const {
  return stored ? 1 : static_cast<std::size_t>(traits(dtype).total_bits) / 8;
}

double ElementType::number(const std::byte* element) const {
  if (stored) {
    return reference::fused::decode(*stored,
                                    static_cast<std::uint8_t>(*element));
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, bytes());
  return reference::decode(dtype, bits);
}

std::optional<Stored> stored_type(const char* name, const ropeproof_stored& s) {
  switch (s.type) {
    case 0:
      return std::nullopt;
    case ROPEPROOF_E4M3:
      return Stored::kE4M3;
    case ROPEPROOF_E5M2:
      return Stored::kE5M2;
    case ROPEPROOF_INT8:
      return Stored::kInt8;
    default:
      throw std::invalid_argument(
          std::string(name) + ".type is " + std::to_string(s.type) +
          "; expected 0, ROPEPROOF_E4M3, _E5M2 or _INT8");
  }
}

std::vector<char> written_tokens(const ropeproof_problem& p,
                                 const std::int64_t* slots) {
  std::vector<char> is_written;
  for (std::int64_t token = 0; token < p.batch * p.seq; ++token) {
    is_written.push_back(slots == nullptr || slots[token] >= 0);
  }
  return is_written;
}

std::vector<double> scales_of(const char* name, const ropeproof_stored& stored,
                              const ropeproof_problem& p, std::int64_t heads,
                              const std::vector<char>& is_written) {
  const bool has_scale = stored.type != 0 && stored.scale != nullptr;
  std::vector<double> scales;
  for (std::int64_t token = 0; token < p.batch * p.seq; ++token) {
    const bool is_used =
        has_scale && is_written[static_cast<std::size_t>(token)] != 0;
    const std::int64_t first = token / p.seq * stored.batch_stride +
                               token % p.seq * stored.token_stride;
    for (std::int64_t h = 0; h < heads; ++h) {
      scales.push_back(is_used ? stored.scale[first + h * stored.head_stride]
                               : 1);
      if (!(scales.back() > 0) || !std::isfinite(scales.back())) {
        throw std::invalid_argument(std::string(name) + ".scale of batch row " +
                                    std::to_string(token / p.seq) + ", token " +
                                    std::to_string(token % p.seq) + ", head " +
                                    std::to_string(h) + " is " +
                                    text::format("%g", scales.back()) +
                                    "; expected a finite number above 0");
      }
    }
  }
  return scales;
}

std::vector<double> numbers_in(const ropeproof_problem& p,
                               const ropeproof_tensor& t,
                               const ElementType& type) {
  return numbers(p, t.heads, t.in,
                 {t.in_batch_stride, t.in_token_stride, t.in_head_stride},
                 type);
}
std::vector<double> numbers_out(const ropeproof_problem& p,
                                const ropeproof_tensor& t,
                                const ElementType& type) {
  return numbers(p, t.heads, t.out,
                 {t.out_batch_stride, t.out_token_stride, t.out_head_stride},
                 type);
}

std::int64_t element_of(const ropeproof_cached& cache, std::int64_t slot,
                        std::int64_t head) {
  const std::int64_t block = cache.block > 0 ? slot / cache.block : 0;
  const std::int64_t within = cache.block > 0 ? slot % cache.block : slot;
  return block * cache.block_stride + within * cache.slot_stride +
         head * cache.head_stride;
}

}  // namespace ropeproof::conformance::assertion
