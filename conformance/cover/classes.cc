#include "conformance/cover/classes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "conformance/cover/class_words.h"
#include "conformance/cover/offer.h"
#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::cover {
namespace {

constexpr std::int64_t kWideStride = std::int64_t{1} << 16;
constexpr std::int64_t kFarOffsets = std::int64_t{1} << 32;

template <std::size_t kSize>
std::string_view word_of(const text::Words<std::uint32_t, kSize>& words,
                         std::uint32_t value) {
  for (const auto& [known, word] : words) {
    if (known == value) return word;
  }
  return "";
}

class Reader {
 public:
  explicit Reader(const ropeproof_problem& problem) : p_(problem) {}

  std::string_view dtype() const {
    return word_of(plugin::kDtypeWords, p_.dtype);
  }

  std::string_view pairing() const {
    switch (p_.pairing) {
      case ROPEPROOF_HALF_SPLIT:
        return p_.pair_distance == 0 ? "half_split" : "half_split_apart";
      case ROPEPROOF_NESTED_HALF_SPLIT:
        return p_.pairing_blocks > 1 ? "nested_blocks" : "nested";
      case ROPEPROOF_INTERLEAVED:
        return "interleaved";
      default:
        return "interleaved_to_half";
    }
  }

  std::string_view scaling() const {
    if (p_.scaling == nullptr) {
      if (p_.base != 0 || is_grid()) return "none";
      return p_.exponent_numerators != nullptr ? "exponents" : "inv_freq";
    }
    const ropeproof_scaling& s = *p_.scaling;
    switch (s.kind) {
      case ROPEPROOF_DYNAMIC_NTK:
        return s.seq_len > s.original_length   ? "dynamic_ntk"
               : s.seq_len < s.original_length ? "dynamic_ntk_short"
                                               : "dynamic_ntk_trained";
      case ROPEPROOF_YARN:
        return s.attention_factor != 0 ? "yarn_attention"
               : s.mscale != 0         ? "yarn_mscale"
               : s.truncate != 0       ? "yarn"
                                       : "yarn_untruncated";
      case ROPEPROOF_LONG_ROPE:
        return s.seq_len > s.original_length ? "long_rope" : "long_rope_short";
      default:  // one class, of the scaling's own word
        return word_of(plugin::kScalingWords, s.kind);
    }
  }

  std::string_view amplitude() const {
    if (p_.scaling != nullptr && decides_amplitude(p_.scaling->kind)) {
      return "of_scaling";
    }
    if (p_.pair_amplitude != nullptr) return "per_pair";
    const double m = p_.amplitude;
    return m == 1   ? "one"
           : m > 1  ? "large"
           : m > 0  ? "small"
           : m == 0 ? "zero"
                    : "negative";
  }

  std::string_view base() const {
    const double b = p_.base != 0               ? p_.base
                     : p_.pair_bases != nullptr ? p_.pair_bases[0]
                                                : 0;
    if (b == 10000 || b == 0) return "10000";
    if (b <= 256) return "small";
    return static_cast<double>(static_cast<float>(b)) != b ? "fractional"
                                                           : "other";
  }

  std::string axes() const {
    const std::int64_t count = p_.position_axes;
    if (are_axes_inside()) return "sections_inside";
    if (p_.axis_weights != nullptr) return "weights_" + std::to_string(count);
    switch (p_.axis_map) {
      case 0:
        return "one";
      case ROPEPROOF_AXES_SECTIONS:
        return "sections_" + std::to_string(count);
      case ROPEPROOF_AXES_INTERLEAVED:
        return "interleaved";
      case ROPEPROOF_AXES_GRID:
        return count == 2 ? "grid" : "grid_" + std::to_string(count);
      default:
        return "any";
    }
  }

  double position(std::int64_t axis, std::int64_t b, std::int64_t s) const {
    const std::int64_t at =
        axis * p_.position_axis_stride + b * p_.position_batch_stride + s;
    return p_.real_positions != nullptr ? p_.real_positions[at]
                                        : static_cast<double>(p_.positions[at]);
  }

  bool has_negative() const {
    return any_position([](double p) { return p < 0; });
  }

  std::string_view magnitude() const {
    double largest = 0;
    any_position([&](double p) {
      largest = std::max(largest, std::abs(p));
      return false;
    });
    for (const auto& [power, word] : kMagnitudeClasses) {
      if (largest < std::ldexp(1, power)) return word;
    }
    return "";
  }

  // Of the first batch row: what it was formed by, and more than one can be
  // true of a short one. |p|, rounded up, undoes signs and fractions.
  std::string_view order() const {
    const auto at = [&](std::int64_t s) {
      return std::ceil(std::abs(position(0, 0, s)));
    };
    const std::int64_t n = p_.seq;
    if (n <= 1) return "ascending";
    std::int64_t ups = 0, equals = 0, zeros = 0, around = 0;
    for (std::int64_t s = 0; s + 1 < n; ++s) {
      const double step = at(s + 1) - at(s);
      if (step == 1) ++ups;
      if (step == 0) ++equals;
      if (step < 0 && at(s + 1) == 0) ++zeros;
      // Ascending, but for the token in the middle.
      if (s + 1 != n / 2 && s != n / 2 && (step == 1 || step == 0)) ++around;
    }
    if (equals == n - 1) return "constant";
    if (ups == n - 1) return "ascending";
    if (zeros > 0 && ups + zeros + equals == n - 1) return "packed";
    const std::int64_t middle = n / 2, next = std::min(middle + 1, n - 1);
    const double across = next == middle ? 2 : at(next) - at(middle - 1);
    const bool is_far = at(middle) > at(middle - 1) + 1 &&
                        (next == middle || at(middle) > at(next));
    return is_far && (across == 2 || across == 1 || across == 0) &&
                   around >= n - 3
               ? "one_far"
               : "shuffled";
  }

  std::string_view window() const {
    const bool is_odd = p_.head_dim % 2 != 0;
    const std::int64_t width = p_.pair_distance == 0
                                   ? p_.rotary_dim
                                   : p_.rotary_dim / 2 + p_.pair_distance;
    const std::int64_t behind = p_.head_dim - p_.rotary_offset - width;
    if (p_.rotary_offset == 0) {
      if (behind == 0) return p_.pair_distance == 0 ? "full" : "";
      return is_odd ? "leading_odd" : "leading";
    }
    if (behind > 0) return p_.rotary_offset % 2 == 0 ? "middle" : "middle_odd";
    return p_.rotary_offset >= kFarOffset ? "far" : "trailing";
  }

  std::string_view layout() const {
    const ropeproof_tensor& q = p_.q;
    if (is_packed()) return "packed";
    if (p_.seq > 1 && q.heads > 1 && q.in_head_stride > q.in_token_stride) {
      return "bhsd";
    }
    return p_.seq > 1 && p_.batch > 1 && q.in_batch_stride != 0 &&
                   q.in_token_stride > q.in_batch_stride
               ? "sbhd"
               : "bshd";
  }

  std::string_view strides() const {
    const ropeproof_tensor &q = p_.q, &k = p_.k;
    if (span() > kFarOffsets) return "far";
    if (p_.batch > 1 && q.in_batch_stride == 0) return "broadcast";
    const std::int64_t d = p_.head_dim;
    const std::int64_t in = fastest(q.in_head_stride, q.in_token_stride);
    const std::int64_t out = fastest(q.out_head_stride, q.out_token_stride);
    const bool is_whole =
        span() == size() ||
        (is_packed() && q.in_token_stride == (q.heads + 2 * k.heads) * d &&
         (p_.batch == 1 || q.in_batch_stride == p_.seq * q.in_token_stride));
    if (k.heads > 0 && p_.batch > 1 && k.in_batch_stride == 0) {
      return "k_broadcast";
    }
    if (in == d && out == d && is_whole) {
      return is_key_elsewhere() && !is_packed() ? "k_cache" : "dense";
    }
    const auto is_wide = [](std::int64_t count, std::int64_t stride) {
      return count > 1 && stride > kWideStride;
    };
    if ((in == d || in > kWideStride) && out - in < 8 &&
        (is_wide(p_.batch, q.in_batch_stride) ||
         is_wide(p_.seq, q.in_token_stride) ||
         is_wide(q.heads, q.in_head_stride))) {
      return "wide";
    }
    if (k.heads > 0 && fastest(k.in_head_stride, k.in_token_stride) != in) {
      return fastest(k.in_head_stride, k.in_token_stride) == d ? "q_apart"
                                                               : "k_apart";
    }
    return in == d && out != d ? "outputs_apart" : "gaps";
  }

  std::string_view rows() const {
    if (p_.operation == ROPEPROOF_ROTATE) {
      return rows_by(p_.seq * (p_.rotary_dim / 2), p_.table_batch_stride,
                     (p_.batch - 1) * p_.table_batch_stride +
                         (p_.seq - 1) * p_.table_token_stride);
    }
    return rows_by(are_axes_inside() ? p_.position_axes * p_.seq : p_.seq,
                   p_.position_batch_stride,
                   (p_.batch - 1) * p_.position_batch_stride +
                       (p_.position_axes - 1) * p_.position_axis_stride);
  }

  std::string_view place() const {
    const bool is_q_in = p_.q.out == p_.q.in;
    const bool is_k_in = p_.k.heads > 0 ? p_.k.out == p_.k.in : is_q_in;
    return is_q_in ? (is_k_in ? "in" : "q_in") : is_k_in ? "k_in" : "out";
  }
  const ropeproof_problem& problem() const { return p_; }

 private:
  // The exponents begin anew with each axis; of frequencies alone nothing says
  // how many axes.
  bool is_grid() const {
    if (p_.exponent_numerators == nullptr) return false;
    for (const std::int64_t axes : {2, 3}) {
      const std::int64_t pairs = p_.rotary_dim / 2;
      if (pairs % axes == 0 && p_.exponent_numerators[pairs / axes] == 0) {
        return true;
      }
    }
    return false;
  }

  bool are_axes_inside() const {
    return p_.position_axes > 1 && p_.batch > 1 &&
           p_.position_axis_stride < p_.position_batch_stride;
  }

  // Whether k is written in other strides than it is read.
  bool is_key_elsewhere() const {
    const ropeproof_tensor& k = p_.k;
    return k.heads > 0 && (k.out_head_stride != k.in_head_stride ||
                           k.out_token_stride != k.in_token_stride ||
                           k.out_batch_stride != k.in_batch_stride);
  }

  template <class Is>
  bool any_position(const Is& is) const {
    for (std::int64_t axis = 0; axis < p_.position_axes; ++axis) {
      for (std::int64_t b = 0; b < p_.batch; ++b) {
        for (std::int64_t s = 0; s < p_.seq; ++s) {
          if (is(position(axis, b, s))) return true;
        }
      }
    }
    return false;
  }

  // `stride` between batch rows, `dense` where they lie back to back; `last` is
  // where the last row begins.
  std::string_view rows_by(std::int64_t dense, std::int64_t stride,
                           std::int64_t last) const {
    if (last > kFarOffsets) return "far";
    if (p_.batch > 1 && stride == 0) return "shared";
    return stride == dense ? "dense" : stride > kWideStride ? "wide" : "gaps";
  }

  const void* element(const void* data, std::int64_t index) const {
    const auto bytes = static_cast<std::int64_t>(
        plugin::bytes_of(plugin::format_of(p_.dtype)));
    return static_cast<const std::byte*>(data) + index * bytes;
  }

  std::int64_t size() const {
    return p_.batch * p_.seq * p_.q.heads * p_.head_dim;
  }
  // From the first element of q to the last.
  std::int64_t span() const {
    return (p_.batch - 1) * p_.q.in_batch_stride +
           (p_.seq - 1) * p_.q.in_token_stride +
           (p_.q.heads - 1) * p_.q.in_head_stride + p_.head_dim;
  }

  // Of the fastest dimension, which has no other inside it.
  static std::int64_t fastest(std::int64_t head, std::int64_t token) {
    return std::min(head, token);
  }

  bool is_packed() const {
    const ropeproof_tensor &q = p_.q, &k = p_.k;
    return k.heads > 0 && k.in == element(q.in, q.heads * q.in_head_stride) &&
           k.in_token_stride == q.in_token_stride;
  }

  const ropeproof_problem& p_;
};

}  // namespace

Row classes_of(const Model& model, const ropeproof_problem& problem) {
  const Reader reader(problem);
  const Masks seen = seen_by(model, problem.operation);
  Row row(model.size(), kOpen);
  const auto set = [&](std::string_view dimension, const auto& word) {
    const std::size_t d = model.at(dimension);
    if (seen[d] == 0) return;
    const std::uint8_t c = model.at(d, word());
    if (c < model.dimensions()[d].classes.size()) row[d] = c;
  };
  const auto set_size = [&](std::string_view dimension, std::int64_t size) {
    const std::size_t d = model.at(dimension);
    if (seen[d] == 0) return;
    const auto& ranges = model.dimensions()[d].ranges;
    for (std::size_t c = 0; c < ranges.size(); ++c) {
      if (size >= ranges[c].low) row[d] = static_cast<std::uint8_t>(c);
    }
  };
  const auto choice = [](bool is, const char* yes, const char* no) {
    return [=] { return std::string_view(is ? yes : no); };
  };
  set("dtype", [&] { return reader.dtype(); });
  set("pairing", [&] { return reader.pairing(); });
  set("direction", choice(problem.direction < 0, "adjoint", "forward"));
  set("scaling", [&] { return reader.scaling(); });
  set("amplitude", [&] { return reader.amplitude(); });
  set("base", [&] { return reader.base(); });
  set("axes", [&] { return reader.axes(); });
  set("numbers", choice(problem.real_positions != nullptr, "real", "integer"));
  set("sign", [&]() -> std::string_view {
    return reader.has_negative() ? "mixed" : "positive";
  });
  set("magnitude", [&] { return reader.magnitude(); });
  set("order", [&] { return reader.order(); });
  set("window", [&] { return reader.window(); });
  set("layout", [&] { return reader.layout(); });
  set("strides", [&] { return reader.strides(); });
  set("rows", [&] { return reader.rows(); });
  set("place", [&] { return reader.place(); });
  const bool is_permute = problem.operation == ROPEPROOF_PERMUTE;
  set_size("pairs", problem.rotary_dim / 2);
  set_size("batch", problem.batch);
  set_size("seq", is_permute ? problem.permute_columns : problem.seq);
  set_size("q_heads", is_permute ? problem.permute_heads : problem.q.heads);
  set_size("k_heads", problem.k.heads);
  return row;
}

}  // namespace ropeproof::conformance::cover
