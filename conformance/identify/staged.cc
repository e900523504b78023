#include "conformance/identify/staged.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "conformance/call/call.h"
#include "conformance/cases/families/family.h"
#include "conformance/check/offered.h"
#include "conformance/identify/prober.h"
#include "conformance/identify/shapes.h"
#include "conformance/wrong/pipeline.h"
#include "reference/rope.h"
#include "reference/staged/elementary.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;
using reference::staged::apply;
using reference::staged::Op;

constexpr double kBase = 10000;
constexpr std::int64_t kRotaryDim = 64, kPairs = kRotaryDim / 2;
constexpr std::int64_t kHeads = 4;  // (1, 0), (0, 1), and two of any values

// x > 0, some numbers of f32 further up.
float moved(float x, int steps) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) +
                              static_cast<std::uint32_t>(steps));
}

float next(float x, int steps) {
  const float to = steps < 0 ? -2.0f : 2.0f;
  for (int i = 0; i < std::abs(steps); ++i) x = std::nextafterf(x, to);
  return x;
}

// How the angle follows from the position.
enum class AngleForm { kProduct, kQuotient };
constexpr const char* kAngleFormNames[] = {"position x inv_freq",
                                           "position / base^(2j/r)"};

float angle_of(AngleForm form, float position, float factor) {
  return form == AngleForm::kProduct ? position * factor : position / factor;
}

float rounded(Op op, double a, double b = 0) {
  return static_cast<float>(apply(op, Format::kF32, a, b));
}

// What the factor of pair j may be: the power within n ulp, or its reciprocal,
// or the power of the negative exponent within n ulp.
std::vector<float> candidates(AngleForm form, std::int64_t j, int ulps) {
  const float e = static_cast<float>(2 * j) / static_cast<float>(kRotaryDim);
  const float power = rounded(Op::kPow, kBase, double{e});
  const float inverse = rounded(Op::kPow, kBase, -double{e});
  std::vector<float> list;
  for (int i = -ulps; i <= ulps; ++i) {
    if (form == AngleForm::kQuotient) {
      list.push_back(moved(power, i));
    } else {
      list.push_back(1.0f / moved(power, i));
      list.push_back(moved(inverse, i));
    }
  }
  return list;
}

using F32CosSin = reference::CosSin<float>;

// Whether `got` is within n ulp of the correctly rounded `exact`.
bool is_near(float got, float exact, int ulps) {
  if (std::abs(got) > 1) return false;
  return got >= next(exact, -ulps) && got <= next(exact, ulps);
}

// The forms of a rotation: y_u = x_u c - x_v s and y_v = x_u s + x_v c.
struct RotationForm {
  const char* name;
  wrong::Products u, v;
};
using wrong::Products;
constexpr RotationForm kRotationForms[] = {
    {"no FMA", Products::kRounded, Products::kRounded},
    {"FMA of the first product", Products::kFirstFused, Products::kFirstFused},
    {"FMA of the second product", Products::kSecondFused,
     Products::kSecondFused},
    {"FMA of the cosine", Products::kFirstFused, Products::kSecondFused},
    {"FMA of the sine", Products::kSecondFused, Products::kFirstFused}};

// The problem, and what the kernel makes of it.
class Probe {
 public:
  Probe(plugin::Kernel& kernel, reference::Pairing pairing) : kernel_(kernel) {
    std::vector<double> positions;
    for (const double p : {1.0, 2.0, 3.0, 17.0, 100.0, 257.0, 1000.0, 4095.0,
                           8191.0, 32767.0, 131071.0, 0.0}) {
      const std::int64_t limit = kernel.description().max_position;
      if (limit == 0 || p <= static_cast<double>(limit)) positions.push_back(p);
    }
    const auto tokens = static_cast<std::int64_t>(positions.size());
    case_.problem = cases::make_problem(
        Format::kF32, reference::leading(kRotaryDim, kRotaryDim, pairing),
        kBase, 1, tokens, kHeads, 0, positions);
    // Every bit is random: products and sums then round.
    std::uint64_t count = 0;
    form(case_, [&](std::int64_t, std::int64_t head, std::int64_t t) {
      const double any = drawn(Format::kF32, count++);
      for (std::int64_t j = 0; head < 2 && j < kPairs; ++j) {
        const reference::Pair pair = source_pair(case_.problem.spec, j);
        if (t == pair.u) return head == 0 ? 1.0 : 0.0;
        if (t == pair.v) return head == 0 ? 0.0 : 1.0;
      }
      return any;
    });
  }

  const cases::Case& problem() const { return case_; }

  plugin::Answer run() {
    return call::Call(kernel_, ROPEPROOF_ROPE, case_, Format::kF32)
        .run(output_);
  }

  float in(std::int64_t token, std::int64_t head, std::int64_t channel) const {
    return value(case_.problem.q, token, head, channel);
  }
  float out(std::int64_t token, std::int64_t head, std::int64_t channel) const {
    return value(output_.q, token, head, channel);
  }

 private:
  static std::size_t at(std::int64_t token, std::int64_t head,
                        std::int64_t channel) {
    return static_cast<std::size_t>((token * kHeads + head) * kRotaryDim +
                                    channel);
  }
  static float value(const cases::Bits& bits, std::int64_t token,
                     std::int64_t head, std::int64_t channel) {
    return std::bit_cast<float>(
        static_cast<std::uint32_t>(bits[at(token, head, channel)]));
  }
  plugin::Kernel& kernel_;
  cases::Case case_;
  judge::Output output_;
};

// Cosine and sine of f32 angles, correctly rounded, once each.
class Trig {
 public:
  const F32CosSin& of(float angle) {
    const auto [found, is_new] =
        values_.try_emplace(std::bit_cast<std::uint32_t>(angle));
    if (is_new) {
      found->second = {rounded(Op::kCos, double{angle}),
                       rounded(Op::kSin, double{angle})};
    }
    return found->second;
  }

 private:
  std::map<std::uint32_t, F32CosSin> values_;
};

std::string place(std::int64_t j, std::int64_t token, const cases::Problem& c) {
  return "pair " + std::to_string(j) + " at position " +
         std::to_string(static_cast<std::int64_t>(
             c.positions[static_cast<std::size_t>(token)]));
}

// Whether one candidate explains pair j at all positions; else the token that
// got farthest.
bool is_explained(const Probe& probe, Trig& trig, AngleForm form,
                  std::int64_t j, int ulps, std::int64_t& farthest) {
  const cases::Case& c = probe.problem();
  const reference::Pair to = target_pair(c.problem.spec, j);
  farthest = 0;
  for (const float factor : candidates(form, j, ulps)) {
    std::int64_t token = 0;
    for (; token < c.problem.seq; ++token) {
      const auto position = static_cast<float>(
          c.problem.positions[static_cast<std::size_t>(token)]);
      const F32CosSin& exact = trig.of(angle_of(form, position, factor));
      if (!is_near(probe.out(token, 0, to.u), exact.c, ulps) ||
          !is_near(probe.out(token, 0, to.v), exact.s, ulps)) {
        break;
      }
    }
    if (token == c.problem.seq) return true;
    farthest = std::max(farthest, token);
  }
  return false;
}

// Empty: this form of the angle explains every pair within n ulp.
std::string unexplained(const Probe& probe, Trig& trig, AngleForm form,
                        int ulps) {
  for (std::int64_t j = 0; j < kPairs; ++j) {
    std::int64_t token = 0;
    if (!is_explained(probe, trig, form, j, ulps, token)) {
      return place(j, token, probe.problem().problem);
    }
  }
  return {};
}

// Empty: the form gives every output's bits from the kernel's own c and s.
std::string unrotated(const Probe& probe, const RotationForm& form) {
  const cases::Case& c = probe.problem();
  for (std::int64_t token = 0; token < c.problem.seq; ++token) {
    for (std::int64_t j = 0; j < kPairs; ++j) {
      const reference::Pair from = source_pair(c.problem.spec, j);
      const reference::Pair to = target_pair(c.problem.spec, j);
      const double cosine = probe.out(token, 0, to.u);
      const double sine = probe.out(token, 0, to.v);
      for (std::int64_t head = 1; head < kHeads; ++head) {
        const double x_u = probe.in(token, head, from.u);
        const double x_v = probe.in(token, head, from.v);
        const double y_u = wrong::sum_of_products(form.u, Format::kF32, x_u,
                                                  cosine, -x_v, sine);
        const double y_v = wrong::sum_of_products(form.v, Format::kF32, x_u,
                                                  sine, x_v, cosine);
        // +0 and -0 are equal.
        if (y_u != double{probe.out(token, head, to.u)} ||
            y_v != double{probe.out(token, head, to.v)}) {
          return place(j, token, c.problem);
        }
      }
    }
  }
  return {};
}

}  // namespace

StagedResult check_staged(plugin::Kernel& kernel) {
  StagedResult result;
  if (!reference::staged::available()) return result;
  std::vector<reference::Pairing> pairings = pairings_of(kernel.description());
  std::erase(pairings, reference::Pairing::kNestedHalfSplit);
  if (pairings.empty()) return result;
  Probe probe(kernel, pairings.front());
  if (!check::missing_feature(kernel.description(), ROPEPROOF_ROPE,
                              probe.problem().problem, kernel.shares_memory())
           .empty()) {
    return result;
  }
  result.is_offered = true;
  const plugin::Answer answer = probe.run();
  if (answer.outcome != plugin::Outcome::kOk) {
    result.text = "no S1: no answer to the probe (" + answer.detail + ")";
    return result;
  }
  Trig trig;
  std::string first;
  for (int ulps = 1; ulps <= kMaxStagedUlp; ++ulps) {
    for (const AngleForm form : {AngleForm::kProduct, AngleForm::kQuotient}) {
      const std::string where = unexplained(probe, trig, form, ulps);
      if (first.empty()) first = where;
      if (!where.empty()) continue;
      for (const RotationForm& rotation : kRotationForms) {
        if (!unrotated(probe, rotation).empty()) continue;
        result.holds = true;
        result.text = "S1(" + std::to_string(ulps) + "), " +
                      kAngleFormNames[static_cast<std::size_t>(form)] + ", " +
                      rotation.name;
        return result;
      }
      result.text = "no S1: no form of the rotation gives the bits of " +
                    unrotated(probe, kRotationForms[0]);
      return result;
    }
  }
  result.text = "no S1: no f32 frequency within " +
                std::to_string(kMaxStagedUlp) + " ulp explains " + first;
  return result;
}

}  // namespace ropeproof::conformance::identify
