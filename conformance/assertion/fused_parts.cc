#include "conformance/assertion/fused_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "conformance/assertion/abi_problem.h"
#include "conformance/assertion/stored_elements.h"
#include "conformance/judge/output_layout.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "reference/fused/norm.h"

namespace ropeproof::conformance::assertion {
namespace {

using reference::Format;
using reference::fused::Stored;

std::vector<double> read_weight(const ropeproof_problem& p,
                                const ropeproof_fused& f, const void* weight) {
  std::vector<double> numbers;
  if (weight == nullptr) return numbers;
  const ElementType type{format_named("weight_dtype", f.weight_dtype),
                         std::nullopt};
  const auto* element = static_cast<const std::byte*>(weight);
  for (std::int64_t c = 0; c < p.head_dim; ++c, element += type.bytes()) {
    numbers.push_back(type.number(element));
    if (!std::isfinite(numbers.back())) {
      throw std::invalid_argument("a weight of the norm, of channel " +
                                  std::to_string(c) + ", is not finite");
    }
  }
  return numbers;
}

std::optional<HeadNorm> read_norm(const ropeproof_problem& p,
                                  const ropeproof_fused& f, bool is_key) {
  if (f.is_normed == 0) return std::nullopt;
  if (!(f.epsilon >= 0) || !std::isfinite(f.epsilon)) {
    throw std::invalid_argument("epsilon is " + text::format("%g", f.epsilon) +
                                "; expected a finite number, at least 0");
  }
  if (!std::isfinite(f.weight_offset)) {
    throw std::invalid_argument("weight_offset is not finite");
  }
  if (f.norm_roundings > 2) {
    throw std::invalid_argument("norm_roundings is " +
                                std::to_string(f.norm_roundings) +
                                "; expected 0 to 2");
  }
  HeadNorm norm{f.epsilon, f.weight_offset, static_cast<int>(f.norm_roundings),
                read_weight(p, f, f.q_weight), read_weight(p, f, f.k_weight)};
  if (is_key) std::swap(norm.weight, norm.other_weight);
  return norm;
}

// The elements of each token's slot; of others zeros.
std::vector<double> numbers_cached(const ropeproof_problem& p,
                                   const ropeproof_fused& f,
                                   const ElementType& type,
                                   const std::vector<char>& is_written) {
  std::vector<double> all;
  const auto* const after = static_cast<const std::byte*>(f.k_cache.after);
  for (std::int64_t token = 0; token < p.batch * p.seq; ++token) {
    const bool is_there = is_written[static_cast<std::size_t>(token)] != 0;
    const std::int64_t slot = f.slots[token];
    for (std::int64_t h = 0; h < p.k.heads; ++h) {
      for (std::int64_t c = 0; c < p.head_dim; ++c) {
        const std::int64_t at =
            is_there ? element_of(f.k_cache, slot, h) + c : 0;
        all.push_back(is_there
                          ? type.number(after + at * static_cast<std::int64_t>(
                                                         type.bytes()))
                          : 0);
      }
    }
  }
  return all;
}

reference::fused::Norm norm_of(const HeadNorm& norm) {
  return {norm.epsilon, norm.offset, norm.weight, norm.roundings};
}

std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }

}  // namespace

FusedParts read_parts(const ropeproof_problem& given, const ropeproof_fused& f,
                      bool is_key) {
  ropeproof_problem p = given;
  (is_key ? p.q : p.k) = {};
  FusedParts parts;
  parts.rotation = read_problem(p);
  parts.dtype = std::exchange(parts.rotation.dtype, Format::kF64);
  const cases::Bits x = std::exchange(
      is_key ? parts.rotation.k : parts.rotation.q, cases::Bits());
  for (const std::uint64_t bits : x) {
    parts.x.push_back(decode(parts.dtype, bits));
  }
  const ropeproof_tensor& tensor = is_key ? p.k : p.q;
  const ropeproof_stored& stored = is_key ? f.k_stored : f.q_stored;
  const char* const name = is_key ? "k_stored" : "q_stored";
  const bool is_cached = is_key && f.slots != nullptr;
  parts.is_written = written_tokens(p, is_cached ? f.slots : nullptr);
  parts.norm = read_norm(p, f, is_key);
  parts.stored = stored_type(name, stored);
  if (p.batch * p.seq == 0) return parts;
  parts.scale = scales_of(name, stored, p, tensor.heads, parts.is_written);
  const ElementType type{parts.dtype, parts.stored};
  if (!is_cached && tensor.out == nullptr) {
    throw std::invalid_argument(is_key ? "k.out is NULL" : "q.out is NULL");
  }
  parts.written = is_cached ? numbers_cached(p, f, type, parts.is_written)
                            : numbers_out(p, tensor, type);
  return parts;
}

namespace {

std::vector<char> outside_of(const FusedParts& parts) {
  std::vector<char> is_outside(static_cast<std::size_t>(parts.head_dim()), 0);
  for (const std::int64_t c : judge::Channels(parts.rotation.spec).outside) {
    is_outside[static_cast<std::size_t>(c)] = 1;
  }
  return is_outside;
}

// One head, normed.
void norm_head(const FusedParts& parts, const std::vector<char>& is_outside,
               std::span<double> head) {
  if (!std::ranges::all_of(head, [](double v) { return std::isfinite(v); })) {
    throw std::invalid_argument(
        "x is not finite; NaNs and infinities are judged by ropeproof_judge() "
        "alone, of kernels that only rotate");
  }
  if (!parts.norm) return;
  const reference::fused::Norm norm = norm_of(*parts.norm);
  if (!is_normable(norm, parts.dtype, head)) {
    throw std::invalid_argument(
        "the squares of x overflow or vanish beside epsilon " +
        text::format("%g", norm.epsilon) + ": such a norm has no bound");
  }
  const std::vector<double> given(head.begin(), head.end());
  normed(norm, head);
  for (std::size_t c = 0; parts.is_tail_copied && c < head.size(); ++c) {
    if (is_outside[c] != 0) head[c] = given[c];
  }
}

}  // namespace

cases::Problem problem_of(const FusedParts& parts) {
  const auto d = static_cast<std::size_t>(parts.head_dim());
  const std::vector<char> is_outside = outside_of(parts);
  std::vector<double> x = parts.x;
  for (std::size_t row = 0; row < parts.scale.size(); ++row) {
    const std::span<double> head(&x[row * d], d);
    if (!parts.is_row_written(row)) {
      std::ranges::fill(head, 0);
      continue;
    }
    norm_head(parts, is_outside, head);
    for (double& value : head) value /= parts.scale[row];
  }
  cases::Problem problem = parts.rotation;
  cases::Bits& bits = problem.q_heads > 0 ? problem.q : problem.k;
  for (const double value : x) bits.push_back(bits_of(value));
  return problem;
}

double largest_scale(const FusedParts& parts) {
  double largest = 0;
  for (std::size_t row = 0; row < parts.scale.size(); ++row) {
    if (parts.is_row_written(row)) {
      largest = std::max(largest, parts.scale[row]);
    }
  }
  return largest > 0 ? largest : 1;  // nothing is written
}

judge::Claim claim_of(const FusedParts& parts, judge::Claim claim,
                      double scale) {
  claim.output = parts.dtype;
  claim.scale = scale;
  // The quotient by the scale, here.
  claim.formed_x = traits(Format::kF64).unit_roundoff;
  if (parts.norm) {
    reference::fused::Norm norm = norm_of(*parts.norm);
    norm.truncates = claim.rounds == reference::bound::Rounds::kTruncate;
    const reference::fused::NormError error =
        norm_error(norm, parts.dtype, parts.head_dim());
    claim.formed_x += error.relative;
    claim.formed_x_underflow = error.underflow / scale;
  }
  if (parts.stored) {
    claim.stored = stored_error(*parts.stored);
    claim.stored_underflow = traits(*parts.stored).half_step;
  }
  return claim;
}

namespace {

// One element: its number, and what it should be.
struct Compared {
  double number, want;
};

// Whether a type of 8 bits says no more of an element than it does here.
bool is_limited(const FusedParts& parts, const Compared& e) {
  const reference::fused::StoredTraits limits = traits(*parts.stored);
  if (parts.is_unlimited && !std::isfinite(e.number)) {
    return e.want > limits.largest || e.want < -limits.largest;
  }
  return (e.number == limits.largest && e.want > limits.largest) ||
         (e.number == limits.least && e.want < limits.least) ||
         (e.number == -limits.largest && e.want < -limits.largest);
}

// Whether it is the next number of the type towards 0.
bool is_cut_off(const FusedParts& parts, const Compared& e) {
  const reference::fused::StoredTraits limits = traits(*parts.stored);
  const double step =
      2 * (limits.unit_roundoff * std::abs(e.want) + limits.half_step);
  return parts.is_cut && e.number * e.want >= 0 &&
         std::abs(e.number) <= std::abs(e.want) &&
         std::abs(e.number - e.want) <= step;
}

// Whether an infinity is what a result rounds to, by what L0 allows.
bool is_overflow(Format dtype, const Compared& e) {
  const double most = e.want * (1 + judge::kStructuralBound);
  return std::isinf(e.number) && decode(dtype, encode(dtype, most)) == e.number;
}

std::int64_t hidden_elements(const FusedParts& parts,
                             const cases::Problem& problem,
                             const cases::Bits& want) {
  if (!parts.stored) return 0;
  const reference::fused::StoredTraits limits = traits(*parts.stored);
  const judge::Channels channels(problem.spec);
  const auto d = static_cast<std::size_t>(parts.head_dim());
  std::int64_t hidden = 0;
  for (std::size_t row = 0; row < parts.scale.size(); ++row) {
    if (!parts.is_row_written(row)) continue;
    for (const reference::Pair& pair : channels.to) {
      const auto value = [&](std::int64_t c) {
        return std::abs(
            cases::value_of(want[row * d + static_cast<std::size_t>(c)]));
      };
      const double u = value(pair.u), v = value(pair.v);
      const double length = std::sqrt(u * u + v * v);
      if (length > 0 && length <= limits.half_step) hidden += 2;
      hidden += (u > 2 * limits.largest) + (v > 2 * limits.largest);
    }
  }
  return hidden;
}

}  // namespace

FusedOutput output_of(const FusedParts& parts, const cases::Problem& problem,
                      const cases::Golden& golden,
                      const judge::Claim& of_rotation) {
  const bool is_key = problem.k_heads > 0;
  const cases::Bits& want = is_key ? golden.k : golden.q;
  const auto d = static_cast<std::size_t>(parts.head_dim());
  const double largest = largest_scale(parts);
  const judge::Claim claim = claim_of(parts, of_rotation, largest);
  // What an element may lose by underflow, half of the type's step aside.
  const double lost =
      (underflow_error(claim, 0) - claim.stored_underflow +
       2 * std::abs(golden.amplitude) * claim.formed_x_underflow) *
      largest;
  const auto local = output_error(claim, false, false);
  const double relative = (1 + local.result) * local.input + local.result;
  const std::vector<char> is_outside = outside_of(parts);
  const bool is_copied = !parts.norm && !parts.stored;
  FusedOutput made;
  cases::Bits& got = is_key ? made.output.k : made.output.q;
  for (std::size_t row = 0; row < parts.scale.size(); ++row) {
    const double underflow = lost / parts.scale[row] + claim.stored_underflow;
    const double spare = lost / parts.scale[row] - lost / largest;
    for (std::size_t i = row * d; i < (row + 1) * d; ++i) {
      const Compared e{parts.written[i], cases::value_of(want[i])};
      const double error = std::abs(e.number - e.want);
      bool is_right = !parts.is_row_written(row) || error <= spare;
      if (is_outside[i % d] != 0 && !is_copied) {
        is_right |= error <= relative * std::abs(e.want) + underflow;
      }
      is_right |= parts.stored ? is_limited(parts, e) || is_cut_off(parts, e)
                               : is_overflow(parts.dtype, e);
      const double less = e.number - std::copysign(spare, e.number - e.want);
      got.push_back(is_right ? want[i] : bits_of(spare > 0 ? less : e.number));
    }
  }
  made.hidden = hidden_elements(parts, problem, want);
  return made;
}

std::string words_of(const FusedParts& parts) {
  std::string words(text::word(text::kFormatWords, parts.dtype));
  if (parts.norm) {
    words += text::format(", RMSNorm with epsilon %g", parts.norm->epsilon);
  }
  if (parts.stored) {
    words += std::string(", stored as ") +
             (*parts.stored == Stored::kE4M3   ? "e4m3"
              : *parts.stored == Stored::kE5M2 ? "e5m2"
                                               : "int8") +
             ", numbers as they are stored";
  }
  return words;
}

}  // namespace ropeproof::conformance::assertion
