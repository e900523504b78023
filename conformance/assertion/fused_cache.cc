#include "conformance/assertion/fused_cache.h"

#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <vector>

#include "conformance/assertion/stored_elements.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/format.h"
#include "reference/bound/bound.h"

namespace ropeproof::conformance::assertion {
namespace {

using Slots = std::map<std::int64_t, std::int64_t>;  // slot -> token

Slots slots_of(const ropeproof_problem& p, const ropeproof_fused& f) {
  Slots slots;
  for (std::int64_t token = 0; token < p.batch * p.seq; ++token) {
    const std::int64_t slot = f.slots[token];
    if (slot < -1 || slot >= f.slot_count) {
      throw std::invalid_argument("slots has " + std::to_string(slot) +
                                  "; expected -1 to " +
                                  std::to_string(f.slot_count - 1));
    }
    if (slot >= 0 && !slots.emplace(slot, token).second) {
      throw std::invalid_argument("slots has " + std::to_string(slot) +
                                  " twice: which token it holds is not said");
    }
  }
  return slots;
}

// k's cache or v's, as a list of heads of slots.
struct Cache {
  const char* name;
  const ropeproof_cached& at;
  std::int64_t heads, head_dim;
  ElementType type;

  const std::byte* head(const void* data, std::int64_t slot,
                        std::int64_t h) const {
    return static_cast<const std::byte*>(data) +
           element_of(at, slot, h) * static_cast<std::int64_t>(type.bytes());
  }
  std::size_t head_bytes() const {
    return static_cast<std::size_t>(head_dim) * type.bytes();
  }
  // Whether a slot holds what it held before the call.
  bool is_as_before(std::int64_t slot) const {
    for (std::int64_t h = 0; h < heads; ++h) {
      if (std::memcmp(head(at.before, slot, h), head(at.after, slot, h),
                      head_bytes()) != 0) {
        return false;
      }
    }
    return true;
  }
};

std::string count_text(std::size_t count, const char* one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

// Slots that changed, though no token names them.
std::string strays_text(const Cache& cache, const Slots& slots,
                        std::int64_t slot_count) {
  std::vector<std::int64_t> strays;
  for (std::int64_t slot = 0; slot < slot_count; ++slot) {
    if (!slots.contains(slot) && !cache.is_as_before(slot)) {
      strays.push_back(slot);
    }
  }
  if (strays.empty()) return "";
  return count_text(strays.size(), "slot") + " of the " + cache.name +
         " cache that no token names changed, the first is " +
         std::to_string(strays[0]) + "\n";
}

// What v is in its slot: the same number, or the nearest one of a type of 8
// bits.
class Copies {
 public:
  Copies(const ropeproof_problem& p, const ropeproof_fused& f,
         const Cache& cache)
      : p_(p),
        cache_(cache),
        v_(numbers_in(p, f.v, {plugin::format_of(p.dtype), std::nullopt})),
        scale_(scales_of("v_stored", f.v_stored, p, f.v.heads,
                         written_tokens(p, f.slots))) {}

  bool is_right(std::int64_t token, std::int64_t slot, std::int64_t h,
                std::int64_t channel) const {
    const double v = value(token, h, channel);
    const double got = number(slot, h, channel);
    if (std::isnan(v)) return std::isnan(got) || !can_be_nan();
    if (!cache_.type.stored) return got == v;
    const reference::fused::Stored type = *cache_.type.stored;
    const auto [u, half, least, largest] = traits(type);
    const double error = stored_error(type) * std::abs(v) + half;
    return (std::isfinite(v) && std::abs(got - v) <= error) ||
           (got == largest && v > largest) ||
           (v < -largest && (got == least || got == -largest));
  }
  // Whether a slot holds v of a token, head by head.
  bool holds(std::int64_t slot, std::int64_t token) const {
    for (std::int64_t h = 0; h < cache_.heads; ++h) {
      for (std::int64_t c = 0; c < cache_.head_dim; ++c) {
        if (!is_right(token, slot, h, c)) return false;
      }
    }
    return true;
  }
  bool can_be_nan() const {
    return cache_.type.stored != reference::fused::Stored::kInt8;
  }
  // In units of the scale.
  double value(std::int64_t token, std::int64_t h, std::int64_t c) const {
    const auto row = static_cast<std::size_t>(token * cache_.heads + h);
    return v_[row * static_cast<std::size_t>(cache_.head_dim) +
              static_cast<std::size_t>(c)] /
           scale_[row];
  }
  double number(std::int64_t slot, std::int64_t h, std::int64_t c) const {
    return cache_.type.number(
        cache_.head(cache_.at.after, slot, h) +
        c * static_cast<std::int64_t>(cache_.type.bytes()));
  }

 private:
  const ropeproof_problem& p_;
  const Cache& cache_;
  std::vector<double> v_, scale_;
};

// The first element of v that is wrong in its slot, and whose v stands there.
std::string copies_text(const ropeproof_problem& p, const ropeproof_fused& f,
                        const Cache& cache, const Slots& slots) {
  const Copies copies(p, f, cache);
  std::string text;
  std::int64_t wrong = 0;
  for (const auto& [slot, token] : slots) {
    for (std::int64_t h = 0; h < cache.heads; ++h) {
      for (std::int64_t c = 0; c < cache.head_dim; ++c) {
        if (copies.is_right(token, slot, h, c)) continue;
        if (++wrong > 1) continue;
        text = ": the first is v[" + std::to_string(token / p.seq) + "," +
               std::to_string(token % p.seq) + "," + std::to_string(h) + "," +
               std::to_string(c) + "], " +
               text::format("%g, and slot ", copies.value(token, h, c)) +
               std::to_string(slot) +
               text::format(" holds %g", copies.number(slot, h, c));
        for (std::int64_t other = 0; other < p.batch * p.seq; ++other) {
          if (other != token && copies.holds(slot, other)) {
            text += ", v of token " + std::to_string(other % p.seq) +
                    " of batch row " + std::to_string(other / p.seq);
            break;
          }
        }
      }
    }
  }
  if (wrong == 0) return "";
  return count_text(static_cast<std::size_t>(wrong), "element") +
         " of v are not in their slots" + text + "\n";
}

Cache key_cache(const ropeproof_problem& p, const ropeproof_fused& f) {
  return {"k",
          f.k_cache,
          p.k.heads,
          p.head_dim,
          {plugin::format_of(p.dtype), stored_type("k_stored", f.k_stored)}};
}

void check_cached(const char* name, const ropeproof_cached& cache) {
  const std::string cached = name;
  if (cache.before == nullptr || cache.after == nullptr) {
    throw std::invalid_argument(cached + ".before or .after is NULL");
  }
  if (cache.slot_stride <= 0 || cache.block < 0) {
    throw std::invalid_argument(cached + ".slot_stride is " +
                                std::to_string(cache.slot_stride) + ", block " +
                                std::to_string(cache.block) +
                                "; expected elements of a slot, and slots of a "
                                "block or 0");
  }
}

}  // namespace

void check_cache(const ropeproof_problem& p, const ropeproof_fused& f) {
  if (f.slot_count < 0 || f.slot_count > reference::kMaxHeadDim << 20) {
    throw std::invalid_argument("slot_count is " +
                                std::to_string(f.slot_count) +
                                "; expected 0 to 2^40");
  }
  slots_of(p, f);
  if (p.k.heads > 0) check_cached("k_cache", f.k_cache);
  if (f.v.in == nullptr) return;
  check_cached("v_cache", f.v_cache);
  if (f.v.heads <= 0 || f.v.heads > reference::kMaxHeadDim) {
    throw std::invalid_argument("v.heads is " + std::to_string(f.v.heads) +
                                "; expected 1 to 2^20");
  }
}

std::string cache_failures(const ropeproof_problem& p,
                           const ropeproof_fused& f) {
  const Slots slots = slots_of(p, f);
  std::string text;
  if (p.k.heads > 0) {
    text = strays_text(key_cache(p, f), slots, f.slot_count);
  }
  if (f.v.in == nullptr) return text;
  const Cache values{
      "v",
      f.v_cache,
      f.v.heads,
      p.head_dim,
      {plugin::format_of(p.dtype), stored_type("v_stored", f.v_stored)}};
  return text + strays_text(values, slots, f.slot_count) +
         copies_text(p, f, values, slots);
}

std::string unwritten_text(const ropeproof_problem& p,
                           const ropeproof_fused& f) {
  const Cache cache = key_cache(p, f);
  std::size_t count = 0;
  std::string first;
  for (const auto& [slot, token] : slots_of(p, f)) {
    if (!cache.is_as_before(slot) || ++count > 1) continue;
    first = std::to_string(slot) + ", of token " +
            std::to_string(token % p.seq) + " of batch row " +
            std::to_string(token / p.seq);
  }
  if (count == 0) return "";
  return count_text(count, "slot") +
         " of the k cache that a token names did not change, the first is " +
         first + "\n";
}

}  // namespace ropeproof::conformance::assertion
