#include "conformance/explain/rotations.h"

#include <ropeproof_kernel.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <ranges>

#include "conformance/judge/codec.h"
#include "reference/rope.h"

namespace ropeproof::conformance::explain {
namespace {

using Complex = std::complex<double>;
using reference::Format;

constexpr double kCircle = 2 * std::numbers::pi;
// More tries than this are a search in the dark.
constexpr double kMostTries = 2e4;
// That a wrong x fits.
constexpr double kMostChance = 0.01;
// Of an angle that a kernel formed in f32, from a frequency in f32.
constexpr double kSlope = 0x1p-22;

// Inputs and outputs of one pair, as complex numbers, over its heads.
struct Sums {
  Complex cross = 0;
  double in = 0, out = 0;

  void add(Complex x, Complex y) {
    cross += y * std::conj(x);
    in += std::norm(x);
    out += std::norm(y);
  }
};

template <Format kFormat>
void add_heads(Sums& sums, const cases::Problem& problem, std::int64_t token,
               std::int64_t j, const cases::Bits& in, const cases::Bits& out,
               std::int64_t heads) {
  const reference::Pair from = source_pair(problem.spec, j);
  const reference::Pair to = target_pair(problem.spec, j);
  for (std::int64_t h = 0; h < heads; ++h) {
    const std::int64_t row = (token * heads + h) * problem.spec.layout.head_dim;
    const auto value = [&](const cases::Bits& bits, std::int64_t channel) {
      return judge::fast_decode<kFormat>(
          bits[static_cast<std::size_t>(row + channel)]);
    };
    sums.add({value(in, from.u), value(in, from.v)},
             {value(out, to.u), value(out, to.v)});
  }
}

// A try at x, and how likely a wrong one fits as well.
struct Try {
  Estimate solved;
  double chance = 1;
};

// Whether an angle surely lies further than `slack`, at most a quarter circle,
// from whole circles: without the calls that an exact remainder takes, which
// thousands of tries would make. The remainder here is off by a few roundings
// of the angle, or by a circle where it is half a one.
bool is_far(double angle, double slack) {
  constexpr double kWhole = 0x1.8p52;  // what is added to it becomes whole
  const double circles = (angle * (1 / kCircle) + kWhole) - kWhole;
  const double rest = std::abs(angle - circles * kCircle);
  return rest > slack + std::abs(angle) * 0x1p-50;
}

// A look at a try before all angles are asked: whether one angle, the first
// that is told apart from the one that tries are made from, is surely not met.
// Of thousands of tries nearly all end here.
class Screen {
 public:
  Screen(const std::vector<Multiple>& multiples, double noise)
      : times_(multiples[0].times), noise_(noise), first_(multiples[0].noise) {
    const auto is_like = [&](const Multiple& m) {
      return std::abs(m.times) == std::abs(times_);
    };
    const auto other = std::ranges::find_if_not(multiples, is_like);
    if (other == multiples.end()) return;
    other_ = *other;
    ratio_ = std::abs(other_.times / times_);
    // Those that are surer than the first move a try, each by twice the error
    // at the most.
    moved_ += 2 * std::count_if(multiples.begin(), other, [&](const auto& m) {
                return m.noise < first_;
              });
  }

  bool is_missed(double x) const {
    const auto off = [&](double times, double more) {
      return noise_ + more + kSlope * std::abs(times * x);
    };
    constexpr double kRounded = 1.001;  // slack of this sum itself
    const double slack =
        kRounded * (off(other_.times, other_.noise) +
                    static_cast<double>(moved_) * off(times_, first_) * ratio_);
    return slack <= std::numbers::pi / 2 &&
           is_far(other_.angle - other_.times * x, slack);
  }

 private:
  double times_, noise_, first_;
  std::ptrdiff_t moved_ = 1;
  double ratio_ = 0;
  Multiple other_;  // without one, any try meets it
};

// What is left of a try that all angles agree with, made exact by them; it was
// made from the first one.
std::optional<Try> agreed(Try tried, const std::vector<Multiple>& multiples,
                          double noise) {
  auto& [solved, chance] = tried;
  double last = multiples[0].times;  // says nothing of the try made from it
  for (const auto& [times, angle, more] : multiples | std::views::drop(1)) {
    const double expected = times * solved.x;
    const double own = noise + more + kSlope * std::abs(expected);
    const double slack = own + solved.error * std::abs(times);
    if (slack > std::numbers::pi / 2) continue;  // it may be any circle
    if (is_far(angle - expected, slack)) return std::nullopt;
    const double off = in_half_circle(angle - expected);
    if (std::abs(off) > slack) return std::nullopt;
    if (own / std::abs(times) < solved.error) {
      solved = {solved.x + off / times, own / std::abs(times)};
    }
    if (std::abs(times) != std::abs(last)) chance *= slack / std::numbers::pi;
    last = times;
  }
  return tried;
}

}  // namespace

double in_half_circle(double angle) {
  return std::fma(-kCircle, std::nearbyint(angle / kCircle), angle);
}

double rotation_noise(Format format) {
  // f32 kernels form angles and tables with errors of their own.
  return (is_16_bit(format) ? 4 : 16) * traits(format).unit_roundoff;
}

std::vector<Rotation> rotations(const cases::Problem& problem,
                                const cases::Golden& golden,
                                std::uint32_t operation,
                                const judge::Output& output, Format table,
                                Tensors tensors) {
  const bool is_table = operation == ROPEPROOF_TABLE;
  const double noise = rotation_noise(is_table ? table : problem.dtype);
  const double sense =
      problem.spec.direction == reference::Direction::kAdjoint && !is_table ? -1
                                                                            : 1;
  std::vector<Rotation> all;
  for (std::int64_t token = 0; token < problem.tokens(); ++token) {
    const std::vector<double> position = reference::position_of(
        problem.positions, problem.spec.axes.count, token);
    for (std::int64_t j = 0; j < problem.pairs(); ++j) {
      const double m = golden.amplitude_of(token, j);
      Sums sums;
      if (is_table) {
        const auto i = static_cast<std::size_t>(token * problem.pairs() + j);
        sums.add(1,
                 {decode(table, output.cos[i]), decode(table, output.sin[i])});
      } else {
        Sums of_k;
        judge::with_format(problem.dtype, [&]<Format kFormat>() {
          if (tensors.q) {
            add_heads<kFormat>(sums, problem, token, j, problem.q, output.q,
                               problem.q_heads);
          }
          if (tensors.k) {
            add_heads<kFormat>(of_k, problem, token, j, problem.k, output.k,
                               problem.k_heads);
          }
        });
        const Complex apart = sums.cross * std::conj(of_k.cross);
        if (apart != 0.0 && std::abs(std::arg(apart)) > 2 * noise) continue;
        sums.cross += of_k.cross, sums.in += of_k.in, sums.out += of_k.out;
      }
      const double lengths = std::sqrt(sums.in) * std::sqrt(sums.out);
      const bool is_seen = lengths > 0 && std::isfinite(lengths) && m != 0;
      // Shorter where the heads went apart.
      if (!is_seen || !(std::abs(sums.cross) > lengths * (1 - noise))) continue;
      all.push_back({token, j,
                     reference::coordinate<double>(problem.spec, position, j),
                     sense * std::arg(sums.cross * (m < 0 ? -1.0 : 1.0)),
                     std::sqrt(sums.out / sums.in) / std::abs(m)});
    }
  }
  return all;
}

std::optional<double> Estimate::whole() const {
  const double nearest = std::round(x);
  const bool is_near = std::abs(x - nearest) <= std::max(2 * error, 1e-3);
  return is_near ? std::optional(nearest) : std::nullopt;
}

std::optional<Estimate> solve(std::vector<Multiple> multiples, double limit,
                              double noise, double expected) {
  std::erase_if(multiples, [](const Multiple& m) { return m.times == 0; });
  if (multiples.empty()) return std::nullopt;
  std::ranges::sort(multiples, {},
                    [](const Multiple& m) { return std::abs(m.times); });
  const auto [times, angle, more] = multiples[0];
  const double most = std::ceil(std::abs(times) * limit / kCircle) + 1;
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (!(most <= kMostTries)) return Estimate{0, kUnknown};
  std::optional<Try> found;
  std::optional<Estimate> reversed;
  int fitting = 0, tries = 0;
  const Screen screen(multiples, noise);
  const double per_time = 1 / times;
  const auto at = [&](double circles) -> std::optional<Try> {
    Try tried;
    Estimate& start = tried.solved;
    const double whole = angle + circles * kCircle, near = whole * per_time;
    if (std::abs(near) > limit) return std::nullopt;
    ++tries;
    if (screen.is_missed(near)) return std::nullopt;
    start.x = whole / times;
    start.error =
        (noise + more + kSlope * std::abs(times * start.x)) / std::abs(times);
    return agreed(tried, multiples, noise);
  };
  const auto is_expected = [&](const Estimate& solved) {
    return std::abs(solved.x - expected) <= 2 * solved.error;
  };
  // Where the expected one fits, it is it, whatever else does.
  const double due = std::nearbyint((times * expected - angle) / kCircle);
  for (double circles = due - 1; circles <= due + 1; ++circles) {
    const std::optional<Try> fits = at(circles);
    if (fits && is_expected(fits->solved)) return fits->solved;
  }
  tries = 0;
  for (double circles = -most; circles <= most; ++circles) {
    const std::optional<Try> fits = at(circles);
    if (!fits) continue;
    const Estimate& solved = fits->solved;
    if (is_expected(solved)) return solved;
    if (std::abs(solved.x + expected) <= 2 * solved.error) reversed = solved;
    ++fitting;
    found = fits;
  }
  if (reversed) return reversed;
  if (!found) return std::nullopt;
  if (fitting > 1 || (tries > 1 && tries * found->chance > kMostChance)) {
    return Estimate{0, kUnknown};
  }
  return found->solved;
}

}  // namespace ropeproof::conformance::explain
