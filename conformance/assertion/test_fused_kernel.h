// test_fused_kernel.h -- a fused kernel in f32, as engines write it, and the
// ways in which it can be wrong.
#pragma once

#include <ropeproof_fused.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "reference/format.h"
#include "reference/fused/stored.h"

namespace ropeproof::conformance::assertion {

enum class Fault {
  kNone,
  kNoNorm,
  kNoWeight,
  kWeightPlusOne,
  kOffsetLeftOut,  // of weights that are stored less 1
  kOtherWeight,
  kWeightAfter,
  kNoEpsilon,
  kSmallEpsilon,  // 1e-6 for 1e-5
  kEpsilonOfRoot,
  kNoRoot,
  kSumOfSquares,
  kLayerNorm,
  kNormOfToken,
  kTimesScale,
  kNoScale,
  kFirstScale,
  kScaleOfHead0,
  kCut,
  kHalved,          // as numbers of e4m3fnuz
  kNotLimited,      // a NaN beyond the largest number
  kWrongSlot,       // a slot later than the token's
  kPaddingWritten,  // a slot of -1 goes to slot 0
  kNoWrite,         // the last token is left out
  kValueOfKey,      // v's slots hold k
  kOtherValue,      // v of the token before
  kPositionPlusOne,
  kTailNotNormed,  // channels outside the window stay as they were
};

// Tokens of one batch row, bf16, half split, with all that a fused call has.
struct FusedCall {
  static constexpr std::int64_t kTokens = 6, kHeads = 2, kDim = 16, kSlots = 12;

  std::int64_t rotary_dim = kDim;
  std::uint32_t type = 0;             // of k and v in the cache
  float epsilon = 1e-5f, offset = 0;  // of the norm, of weights
  bool is_normed = true, is_cached = true;
  std::vector<std::uint16_t> q, k, v, q_out, q_weight, k_weight;
  std::vector<float> scale;  // [tokens, heads] of k and v
  std::vector<std::int64_t> positions = {0, 1, 300, 4097, 7, 40000};
  std::vector<std::int64_t> slots = {3, 9, -1, 1, 8, 2};
  std::vector<std::uint8_t> k_before, k_after, v_before, v_after;

  std::size_t width() const { return type == 0 ? 2 : 1; }

  FusedCall() { reset(); }

  static std::uint16_t bf16(double x) {
    return static_cast<std::uint16_t>(
        reference::encode(reference::Format::kBF16, x));
  }
  static float number(std::uint16_t bits) {
    return static_cast<float>(
        reference::decode(reference::Format::kBF16, bits));
  }

  void reset() {
    const auto fill = [](std::vector<std::uint16_t>& list, std::int64_t count,
                         int seed) {
      list.clear();
      for (std::int64_t i = 0; i < count; ++i) {
        const auto n = static_cast<int>((i * 37 + seed) % 61) - 27;
        list.push_back(bf16(n / 16.0));
      }
    };
    fill(q, kTokens * kHeads * kDim, 3), fill(k, kTokens * kHeads * kDim, 11);
    fill(v, kTokens * kHeads * kDim, 23);
    fill(q_weight, kDim, 5), fill(k_weight, kDim, 17);
    // A small token, of which epsilon shows.
    for (std::int64_t c = 0; c < kHeads * kDim; ++c) {
      k[static_cast<std::size_t>(c)] = bf16(1e-3 * static_cast<double>(c % 5));
    }
    scale.clear();
    for (std::int64_t i = 0; i < kTokens * kHeads; ++i) {
      scale.push_back(0.01f + 0.003f * static_cast<float>(i));
    }
    q_out.assign(q.size(), 0);
    k_before.assign(static_cast<std::size_t>(kSlots * kHeads * kDim) * width(),
                    0x55);
    v_before = k_before;
    k_after = k_before, v_after = v_before;
  }

  std::vector<float> normed(const std::vector<float>& x,
                            const std::vector<std::uint16_t>& weight,
                            Fault fault, float of_token) const {
    if (!is_normed || fault == Fault::kNoNorm) return x;
    float mean = std::accumulate(x.begin(), x.end(), 0.0f) / kDim;
    if (fault != Fault::kLayerNorm) mean = 0;
    float sum = 0;
    for (const float value : x) sum += (value - mean) * (value - mean);
    if (fault == Fault::kNormOfToken) sum = of_token / kHeads;
    if (fault != Fault::kSumOfSquares) sum /= kDim;
    const bool is_of_root = fault == Fault::kEpsilonOfRoot;
    if (fault != Fault::kNoEpsilon && !is_of_root) {
      sum += fault == Fault::kSmallEpsilon ? 1e-6f : epsilon;
    }
    float root = fault == Fault::kNoRoot ? sum : std::sqrt(sum);
    if (is_of_root) root += epsilon;
    const auto start = static_cast<std::size_t>(
        fault == Fault::kTailNotNormed ? rotary_dim : kDim);
    std::vector<float> n = x;
    for (std::size_t c = 0; c < start; ++c) {
      float w = number(weight[c]) + (fault == Fault::kWeightPlusOne ? 1 : 0);
      if (fault != Fault::kOffsetLeftOut) w += offset;
      if (fault == Fault::kNoWeight || fault == Fault::kWeightAfter) w = 1;
      n[c] = (x[c] - mean) / root * w;
    }
    return n;
  }

  void rotate(std::vector<float>& x, std::int64_t position) const {
    const auto half = static_cast<std::size_t>(rotary_dim / 2);
    for (std::size_t j = 0; j < half; ++j) {
      const float phi = static_cast<float>(position) *
                        std::pow(10000.0f, -static_cast<float>(2 * j) /
                                               static_cast<float>(rotary_dim));
      const float c = std::cos(phi), s = std::sin(phi);
      const float u = x[j], w = x[j + half];
      x[j] = u * c - w * s, x[j + half] = u * s + w * c;
    }
  }

  void store(std::vector<std::uint8_t>& cache, std::int64_t slot,
             std::int64_t head, const std::vector<float>& y, float by,
             Fault fault) const {
    std::uint8_t* at =
        &cache[static_cast<std::size_t>((slot * kHeads + head) * kDim) *
               width()];
    for (const float value : y) {
      if (type == 0) {
        const std::uint16_t bits = bf16(value);
        std::memcpy(at, &bits, 2);
      } else {
        *at = nearest(value / by, fault);
      }
      at += width();
    }
  }

  std::uint8_t nearest(float t, Fault fault) const {
    if (fault == Fault::kHalved) t *= 2;
    if (fault == Fault::kNotLimited && std::abs(t) > 448) return 0x7f;
    using reference::fused::Stored;
    const Stored kind = type == ROPEPROOF_E4M3   ? Stored::kE4M3
                        : type == ROPEPROOF_E5M2 ? Stored::kE5M2
                                                 : Stored::kInt8;
    int best = 0;
    for (int byte = 1; byte < 256; ++byte) {
      const double x = decode(kind, static_cast<std::uint8_t>(byte));
      const double y = decode(kind, static_cast<std::uint8_t>(best));
      const bool is_allowed =
          fault != Fault::kCut ||
          (std::abs(x) <= std::abs(t) && x * static_cast<double>(t) >= 0);
      if (is_allowed && std::abs(x - t) < std::abs(y - t)) best = byte;
    }
    return static_cast<std::uint8_t>(best);
  }

  void run(Fault fault) {
    for (std::int64_t token = 0; token < kTokens; ++token) {
      for (std::int64_t h = 0; h < kHeads; ++h) run_head(fault, token, h);
    }
  }

  std::vector<float> head(const std::vector<std::uint16_t>& x,
                          std::int64_t token, std::int64_t h) const {
    std::vector<float> numbers;
    const std::int64_t first = (token * kHeads + h) * kDim;
    for (std::int64_t c = first; c < first + kDim; ++c) {
      numbers.push_back(number(x[static_cast<std::size_t>(c)]));
    }
    return numbers;
  }

  std::vector<float> turned(const std::vector<std::uint16_t>& x,
                            const std::vector<std::uint16_t>& weight,
                            Fault fault, std::int64_t token,
                            std::int64_t h) const {
    float of_token = 0;
    for (std::int64_t other = 0; other < kHeads; ++other) {
      for (const float value : head(x, token, other)) of_token += value * value;
    }
    std::vector<float> y = normed(head(x, token, h), weight, fault, of_token);
    rotate(y, positions[static_cast<std::size_t>(token)] +
                  (fault == Fault::kPositionPlusOne ? 1 : 0));
    if (fault == Fault::kWeightAfter) {
      for (std::size_t c = 0; c < y.size(); ++c) y[c] *= number(weight[c]);
    }
    return y;
  }

  void run_head(Fault fault, std::int64_t token, std::int64_t h) {
    const auto row = static_cast<std::size_t>(token * kHeads + h);
    const std::vector<float> turned_q = turned(q, q_weight, fault, token, h);
    for (std::size_t c = 0; c < turned_q.size(); ++c) {
      q_out[row * kDim + c] = bf16(turned_q[c]);
    }
    std::int64_t slot = slots[static_cast<std::size_t>(token)];
    if (fault == Fault::kPaddingWritten) slot = std::max<std::int64_t>(slot, 0);
    if (slot < 0 || (fault == Fault::kNoWrite && token + 1 == kTokens)) return;
    if (fault == Fault::kWrongSlot) slot += 1;
    float by = scale[fault == Fault::kFirstScale ? 0 : row];
    if (fault == Fault::kScaleOfHead0) by = scale[row - row % kHeads];
    if (fault == Fault::kTimesScale) by = 1 / by;
    if (fault == Fault::kNoScale) by = 1;
    const bool is_other = fault == Fault::kOtherWeight;
    const std::vector<float> turned_k =
        turned(k, is_other ? q_weight : k_weight, fault, token, h);
    store(k_after, slot, h, turned_k, by, fault);
    const std::int64_t from =
        fault == Fault::kOtherValue && token > 0 ? token - 1 : token;
    store(v_after, slot, h,
          fault == Fault::kValueOfKey ? turned_k : head(v, from, h), by, fault);
  }

  // What is wrong with it, as the judge says it.
  std::string failure() const {
    ropeproof_problem p = ropeproof_dense(
        ROPEPROOF_BF16, ROPEPROOF_HALF_SPLIT, 1, kTokens, kHeads, kDim,
        q.data(), q_out.data(), positions.data(), 10000);
    p.rotary_dim = rotary_dim;
    p.k = p.q, p.k.in = k.data(), p.k.out = nullptr;
    ropeproof_fused f{};
    f.struct_size = sizeof f;
    f.is_normed = is_normed;
    f.weight_dtype = ROPEPROOF_BF16;
    f.epsilon = static_cast<double>(epsilon), f.weight_offset = offset;
    f.q_weight = q_weight.data(), f.k_weight = k_weight.data();
    f.k_stored = {type, scale.data(), 0, kHeads, 1};
    f.v_stored = f.k_stored;
    f.slots = slots.data(), f.slot_count = kSlots;
    f.v = p.k, f.v.in = v.data();
    // Blocks of four slots.
    f.k_cache = {k_before.data(),   k_after.data(), 4,
                 4 * kHeads * kDim, kHeads * kDim,  kDim};
    f.v_cache = f.k_cache;
    f.v_cache.before = v_before.data(), f.v_cache.after = v_after.data();
    return ropeproof_fused_failure(&p, &f, nullptr);
  }
};

}  // namespace ropeproof::conformance::assertion
