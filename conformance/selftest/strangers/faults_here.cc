#include "conformance/selftest/strangers/faults_here.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "conformance/judge/codec.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

using reference::Format;

std::int64_t cut(std::int64_t i, double bits, bool is_signed) {
  const int away = 64 - static_cast<int>(bits);
  const auto up = static_cast<std::uint64_t>(i) << away;
  return is_signed ? static_cast<std::int64_t>(up) >> away
                   : static_cast<std::int64_t>(up >> away);
}

// Operations and features are tables, a line for each.
// clang-format off

std::int64_t altered(const Fault& fault, std::int64_t i, std::int64_t dense,
                     std::int64_t bytes) {
  const auto n = static_cast<std::int64_t>(fault.number);
  switch (fault.op) {
    case Op::kCutSigned: return cut(i, fault.number, true);
    case Op::kCutUnsigned: return cut(i, fault.number, false);
    case Op::kBytesCutSigned: return cut(i * bytes, fault.number, true) / bytes;
    case Op::kBytesCutUnsigned:
      return cut(i * bytes, fault.number, false) / bytes;
    case Op::kInFloat: return static_cast<std::int64_t>(static_cast<float>(i));
    case Op::kModulo: return i % n;
    case Op::kClamped: return std::min(i, n);
    case Op::kPlus: return i + n;
    case Op::kIgnored: return 0;
    case Op::kDense: return dense;
    default:
      return i;
  }
}

// clang-format on

double to_bits(double x, int bits) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)),
                    exponent - bits);
}

double without_bit(double x, double bit) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return double{std::bit_cast<float>(bits & ~(1u << static_cast<int>(bit)))};
}

// Cosine or sine by Taylor's polynomials on [-pi/4, pi/4]; 0 terms short is as
// good as f32 is.
double by_polynomial(double angle, bool is_sine, int short_by) {
  const double turns = std::nearbyint(angle / (std::numbers::pi / 2));
  const double r = angle - turns * (std::numbers::pi / 2);
  const auto quarter = static_cast<std::int64_t>(turns) + (is_sine ? 0 : 1);
  const bool is_odd = quarter % 2 != 0;  // then the cosine of r
  double sum = 0, term = is_odd ? 1 : r;
  const int terms = 6 - short_by;
  for (int i = 0; i < terms; ++i) {
    sum += term;
    const int n = 2 * i + (is_odd ? 1 : 2);
    term *= -r * r / (n * (n + 1));
  }
  return (quarter % 4 + 4) % 4 >= 2 ? -sum : sum;
}

}  // namespace

// clang-format off
Turn Here::turn(Point loop, std::int64_t i, std::int64_t count) const {
  Turn turn{1, i};
  for (const Fault& fault : program_.faults) {
    if (fault.point != loop || !holds(fault)) continue;
    const auto tile = static_cast<std::int64_t>(fault.number);
    const std::int64_t tail = count - count % tile;
    switch (fault.op) {
      case Op::kTailMissed: turn.times *= i < tail; break;
      case Op::kTailTwice: turn.times *= i < tail ? 1 : 2; break;
      case Op::kTailAsFirst: if (i >= tail) turn.index = i - tail; break;
      case Op::kLastTileAgain:
        turn.times *=
            tail > 0 && tail < count && i >= count - tile && i < tail ? 2 : 1;
        break;
      case Op::kFirstTileOnly: turn.times *= i < tile; break;
      case Op::kLastOfTileMissed: turn.times *= i % tile != tile - 1; break;
      case Op::kShortMissed: turn.times *= count >= tile; break;
      case Op::kWrapped: turn.index = i % tile; break;
      case Op::kLastMissed:
        turn.times *= count <= tile || i != count - 1;
        break;
      default:
        break;
    }
  }
  return turn;
}

// clang-format on
std::int64_t Here::index(Point point, std::int64_t i,
                         std::int64_t dense) const {
  for (const Fault& fault : program_.faults) {
    if (fault.point != point || !holds(fault)) continue;
    const bool is_position = point == Point::kPositionBatch ||
                             point == Point::kPositionToken ||
                             point == Point::kPositionOffset;
    const std::int64_t bytes = is_position                 ? 8
                               : p_.dtype == ROPEPROOF_F32 ? 4
                                                           : 2;
    i = altered(fault, i, dense, bytes);
  }
  return i;
}

// clang-format off
double Here::number(Point point, double x) const {
  for (const Fault& fault : program_.faults) {
    if (fault.point != point || !holds(fault)) continue;
    const double n = fault.number;
    const bool is_sine = point == Point::kSine;
    switch (fault.op) {
      case Op::kToFormat:
        x = judge::fast_round_to(n == 1 ? Format::kBF16 : Format::kF16, x);
        break;
      case Op::kToBits: x = to_bits(x, static_cast<int>(n)); break;
      case Op::kToInteger: x = std::trunc(x); break;
      case Op::kFlushed: if (std::abs(x) < n) x = 0; break;
      case Op::kSaturated: x = std::clamp(x, -n, n); break;
      case Op::kLostBit: x = without_bit(x, n); break;
      case Op::kTimes: x *= n; break;
      case Op::kAdded: x += n; break;
      case Op::kNegated: x = -x; break;
      case Op::kZeroed: x = 0; break;
      case Op::kAbsolute: x = std::abs(x); break;
      case Op::kConstant: x = n; break;
      case Op::kByRecurrence: {  // x is of this pair, the ratio one f32
        const auto ratio = static_cast<float>(
            pair == 0 ? 1 : std::pow(x, 1 / static_cast<double>(pair)));
        float product = 1;
        for (std::int64_t i = 0; i < pair; ++i) product *= ratio;
        x = double{product};
        break;
      }
      case Op::kCoarseReduction: {
        const double turn = to_bits(2 * std::numbers::pi, static_cast<int>(n));
        x -= std::nearbyint(x / turn) * turn;
        break;
      }
      // This step and the next begin again from the angle.
      case Op::kShortPolynomial:
        x = by_polynomial(angle, is_sine, static_cast<int>(n));
        break;
      case Op::kFewEntries: {
        const double step = 2 * std::numbers::pi / n;
        const double entry = std::nearbyint(angle / step) * step;
        x = is_sine ? std::sin(entry) : std::cos(entry);
        break;
      }
      default:  // of a whole number
        x = static_cast<double>(
            altered(fault, static_cast<std::int64_t>(x), 0, 8));
    }
  }
  return x;
}

// clang-format on
const Fault* Here::find(Point point, Op op) const {
  for (const Fault& fault : program_.faults) {
    if (fault.point == point && fault.op == op && holds(fault)) return &fault;
  }
  return nullptr;
}

bool Here::has(Point point) const {
  return std::ranges::any_of(program_.faults, [&](const Fault& fault) {
    return fault.point == point;
  });
}

// clang-format off
double Here::feature(Feature f) const {
  const ropeproof_tensor& t = tensor();
  const std::int64_t tokens = p_.batch * p_.seq, row = batch * p_.seq + token;
  const auto address = [](const void* data, std::int64_t element,
                          std::int64_t bytes) {
    return static_cast<double>(
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) +
        element * bytes);
  };
  const std::int64_t bytes = p_.dtype == ROPEPROOF_F32 ? 4 : 2;
  const auto number = [](std::int64_t i) { return static_cast<double>(i); };
  switch (f) {
    case Feature::kBatch: return number(p_.batch);
    case Feature::kSeq: return number(p_.seq);
    case Feature::kHeads: return number(t.heads);
    case Feature::kHeadDim: return number(p_.head_dim);
    case Feature::kRotaryDim: return number(p_.rotary_dim);
    case Feature::kTokens: return number(tokens);
    case Feature::kSeqHeads: return number(p_.seq * t.heads);
    case Feature::kRows: return number(tokens * t.heads);
    case Feature::kElements: return number(tokens * t.heads * p_.head_dim);
    case Feature::kRowElements: return number(t.heads * p_.head_dim);
    case Feature::kBatchIndex: return number(batch);
    case Feature::kTokenIndex: return number(token);
    case Feature::kHeadIndex: return number(head);
    case Feature::kPairIndex: return number(pair);
    case Feature::kRowIndex: return number(row);
    case Feature::kElementIndex:
      return number((row * t.heads + head) * p_.head_dim + pair);
    case Feature::kPositionIs: return position;
    case Feature::kMagnitude: return magnitude;
    case Feature::kCalls: return number(calls_);
    case Feature::kInAddress:
      return address(t.in,
                     batch * t.in_batch_stride + token * t.in_token_stride +
                         head * t.in_head_stride,
                     bytes);
    case Feature::kOutAddress:
      return address(t.out,
                     batch * t.out_batch_stride + token * t.out_token_stride +
                         head * t.out_head_stride,
                     bytes);
    case Feature::kBaseIs: return p_.base;
    case Feature::kIsKey: return is_key;
    case Feature::kHasKeys: return p_.k.heads > 0;
    case Feature::kIsInPlace: return t.in == t.out;
    case Feature::kIsStrided: return t.in_head_stride != p_.head_dim;
    case Feature::kIsAdjoint: return p_.direction < 0;
    case Feature::kIsPartial: return p_.rotary_dim < p_.head_dim;
    case Feature::kHasOffset: return p_.rotary_offset > 0;
    case Feature::kIsInterleaved: return p_.pairing == ROPEPROOF_INTERLEAVED;
    case Feature::kIsBF16: return p_.dtype == ROPEPROOF_BF16;
    case Feature::kIsF16: return p_.dtype == ROPEPROOF_F16;
    case Feature::kHasAxes: return p_.position_axes > 1;
    case Feature::kIsScaled: return p_.scaling != nullptr;
    case Feature::kIsGivenTable: return p_.cos != nullptr;
  }
  return 0;
}

// clang-format on
bool Here::holds(const When& when) const {
  const double x = feature(when.feature);
  switch (when.compare) {
    case Compare::kAbove:
      return x > when.constant;
    case Compare::kBelow:
      return x < when.constant;
    case Compare::kEqual:
      return x == when.constant;
    case Compare::kModulo:
      break;
  }
  return std::fmod(x, when.constant) == when.rest;
}

}  // namespace ropeproof::conformance::selftest::strangers
