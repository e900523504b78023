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
#include "conformance/wrong/arithmetic.h"
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

// The number of f32 that is some steps further up, or down.
float next(float x, int steps) {
  const float end = std::copysign(INFINITY, static_cast<float>(steps));
  for (int i = 0; i < std::abs(steps); ++i) x = std::nextafter(x, end);
  return x;
}

float rounded(Op op, double a, double b = 0) {
  return static_cast<float>(apply(op, Format::kF32, a, b));
}

// How the angle follows from the position and a factor for each pair.
struct AngleForm {
  const char* name;
  bool is_quotient;

  float angle(float position, float factor) const {
    return is_quotient ? position / factor : position * factor;
  }
  // What the factor of pair j may be: the power within n ulp, or its
  // reciprocal, or the power of the negative exponent within n ulp.
  std::vector<float> factors(std::int64_t j, int ulps) const {
    const float e = static_cast<float>(2 * j) / static_cast<float>(kRotaryDim);
    const float power = rounded(Op::kPow, kBase, double{e});
    const float inverse = rounded(Op::kPow, kBase, -double{e});
    std::vector<float> list;
    for (int i = -ulps; i <= ulps; ++i) {
      if (is_quotient) {
        list.push_back(next(power, i));
      } else {
        list.insert(list.end(), {1.0f / next(power, i), next(inverse, i)});
      }
    }
    return list;
  }
};
constexpr AngleForm kAngleForms[] = {{"position x inv_freq", false},
                                     {"position / base^(2j/r)", true}};

// Whether `got` is within n ulp of the correctly rounded `exact`.
bool is_near(float got, float exact, int ulps) {
  return std::abs(got) <= 1 && got >= next(exact, -ulps) &&
         got <= next(exact, ulps);
}

// The forms of a rotation: y_u = x_u c - x_v s and y_v = x_u s + x_v c.
using wrong::Products;
struct RotationForm {
  const char* name;
  Products u, v;
};
constexpr RotationForm kRotationForms[] = {
    {"no FMA", Products::kRounded, Products::kRounded},
    {"FMA of the first product", Products::kFirstFused, Products::kFirstFused},
    {"FMA of the second product", Products::kSecondFused,
     Products::kSecondFused},
    {"FMA of the cosine", Products::kFirstFused, Products::kSecondFused},
    {"FMA of the sine", Products::kSecondFused, Products::kFirstFused}};

class Probe {
 public:
  Probe(plugin::Kernel& kernel, reference::Pairing pairing) : kernel_(kernel) {
    std::vector<double> positions;
    for (const double p : {1.0, 2.0, 3.0, 17.0, 100.0, 257.0, 1000.0, 4095.0,
                           8191.0, 32767.0, 131071.0, 0.0}) {
      const std::int64_t limit = kernel.description().max_position;
      if (limit == 0 || p <= static_cast<double>(limit)) positions.push_back(p);
    }
    case_.problem = cases::make_problem(
        Format::kF32, reference::leading(kRotaryDim, kRotaryDim, pairing),
        kBase, 1, std::ssize(positions), kHeads, 0, positions);
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

  const cases::Problem& problem() const { return case_.problem; }

  plugin::Answer run() {
    return call::Call(kernel_, ROPEPROOF_ROPE, case_, Format::kF32)
        .run(output_);
  }

  // Where this form of the angle does not explain a pair within n ulp; empty:
  // it explains all.
  std::string unexplained(const AngleForm& form, int ulps) {
    for (std::int64_t j = 0; j < kPairs; ++j) {
      std::int64_t farthest = 0;
      for (const float factor : form.factors(j, ulps)) {
        std::int64_t token = 0;
        while (token < problem().seq &&
               is_explained(form, factor, j, token, ulps)) {
          ++token;
        }
        farthest = std::max(farthest, token);
        if (farthest == problem().seq) break;
      }
      if (farthest < problem().seq) return place(j, farthest);
    }
    return {};
  }

  // Where the form does not give an output's bits from the kernel's own c and
  // s; empty: it gives all.
  std::string unrotated(const RotationForm& form) const {
    wrong::Pipeline of_u, of_v;
    of_u.products = form.u;
    of_v.products = form.v;
    const wrong::Arithmetic u(of_u, Format::kF32), v(of_v, Format::kF32);
    for (std::int64_t token = 0; token < problem().seq; ++token) {
      for (std::int64_t j = 0; j < kPairs; ++j) {
        for (std::int64_t head = 1; head < kHeads; ++head) {
          if (!is_rotated(u, v, token, head, j)) return place(j, token);
        }
      }
    }
    return {};
  }

 private:
  static float value(const cases::Bits& bits, std::int64_t token,
                     std::int64_t head, std::int64_t channel) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(
        reference::at(bits, (token * kHeads + head) * kRotaryDim + channel)));
  }

  // The kernel's cosine and sine, and those of an f32 angle, correctly rounded
  // once each.
  using F32CosSin = reference::CosSin<float>;
  F32CosSin own(std::int64_t token, std::int64_t j) const {
    const reference::Pair to = target_pair(problem().spec, j);
    return {value(output_.q, token, 0, to.u), value(output_.q, token, 0, to.v)};
  }
  const F32CosSin& exact(float angle) {
    const auto [found, is_new] =
        exact_.try_emplace(std::bit_cast<std::uint32_t>(angle));
    if (is_new) {
      found->second = {rounded(Op::kCos, double{angle}),
                       rounded(Op::kSin, double{angle})};
    }
    return found->second;
  }

  bool is_explained(const AngleForm& form, float factor, std::int64_t j,
                    std::int64_t token, int ulps) {
    const auto position =
        static_cast<float>(reference::at(problem().positions, token));
    const auto [c, s] = own(token, j);
    const F32CosSin& due = exact(form.angle(position, factor));
    return is_near(c, due.c, ulps) && is_near(s, due.s, ulps);
  }

  bool is_rotated(const wrong::Arithmetic& u, const wrong::Arithmetic& v,
                  std::int64_t token, std::int64_t head, std::int64_t j) const {
    const reference::Pair from = source_pair(problem().spec, j);
    const reference::Pair to = target_pair(problem().spec, j);
    const auto [c, s] = own(token, j);
    const double x_u = value(problem().q, token, head, from.u);
    const double x_v = value(problem().q, token, head, from.v);
    // +0 and -0 are equal.
    return u.sum(x_u, c, -x_v, s) ==
               double{value(output_.q, token, head, to.u)} &&
           v.sum(x_u, s, x_v, c) == double{value(output_.q, token, head, to.v)};
  }

  std::string place(std::int64_t j, std::int64_t token) const {
    return "pair " + std::to_string(j) + " at position " +
           std::to_string(static_cast<std::int64_t>(
               reference::at(problem().positions, token)));
  }

  plugin::Kernel& kernel_;
  cases::Case case_;
  judge::Output output_;
  std::map<std::uint32_t, F32CosSin> exact_;
};

}  // namespace

StagedResult check_staged(plugin::Kernel& kernel) {
  StagedResult result;
  if (!reference::staged::available()) return result;
  std::vector<reference::Pairing> pairings = pairings_of(kernel.description());
  std::erase(pairings, reference::Pairing::kNestedHalfSplit);
  if (pairings.empty()) return result;
  Probe probe(kernel, pairings.front());
  if (!check::missing_feature(kernel.description(), ROPEPROOF_ROPE,
                              probe.problem(), kernel.shares_memory())
           .empty()) {
    return result;
  }
  result.is_offered = true;
  const plugin::Answer answer = probe.run();
  if (answer.outcome != plugin::Outcome::kOk) {
    result.text = "no S1: no answer to the probe (" + answer.detail + ")";
    return result;
  }
  std::string first;
  for (int ulps = 1; ulps <= kMaxStagedUlp; ++ulps) {
    for (const AngleForm& form : kAngleForms) {
      const std::string where = probe.unexplained(form, ulps);
      if (first.empty()) first = where;
      if (!where.empty()) continue;
      for (const RotationForm& rotation : kRotationForms) {
        if (!probe.unrotated(rotation).empty()) continue;
        result.holds = true;
        result.text = "S1(" + std::to_string(ulps) + "), " + form.name + ", " +
                      rotation.name;
        return result;
      }
      result.text = "no S1: no form of the rotation gives the bits of " +
                    probe.unrotated(kRotationForms[0]);
      return result;
    }
  }
  result.text = "no S1: no f32 frequency within " +
                std::to_string(kMaxStagedUlp) + " ulp explains " + first;
  return result;
}

}  // namespace ropeproof::conformance::identify
