// prover.h -- the goldens of golden.h, for one family of arithmetic.
//
// Instantiated twice: oracle_mpfi.cc (the certificate) and oracle_bin_float.cc
// (the second opinion). Both evaluate the text of rope.h.
#ifndef ROPEPROOF_REFERENCE_PROVER_H_
#define ROPEPROOF_REFERENCE_PROVER_H_

#include <bit>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "reference/decide.h"
#include "reference/golden.h"
#include "reference/oracle.h"
#include "reference/resolve.h"
#include "reference/rope.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// Runs body(0) .. body(count-1) on all threads; each writes its own elements,
// so the result does not depend on their number. Rethrows the first exception.
// A few bodies are sooner done than threads woken.
template <class Body>
void parallel_for(std::int64_t count, const Body& body) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 16) if (count > 64)
  for (std::int64_t i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {
#pragma omp critical(ropeproof_reference_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

template <class Family>
class Prover {
 public:
  using First = typename Family::template Real<Family::kRungs[0]>;
  // Where a sum of two doubles starts: 106 bits, and as many as the angle has.
  using Second = typename Family::template Real<Family::kRungs[1]>;

  explicit Prover(const Spec& spec)
      : rope_(reference::resolve<Family>(spec)),
        pairs_(spec.layout.rotary_dim / 2) {
    theta_ = thetas<First>();
  }

  const Resolution& resolution() const { return rope_.resolution; }

  std::vector<GoldenFrequency> frequencies() const {
    std::vector<GoldenFrequency> result(static_cast<std::size_t>(pairs_));
    parallel_for(pairs_, [&](std::int64_t j) {
      const auto whole = [&]<class Real>() {
        return frequency<Real>(rope_, j);
      };
      result[static_cast<std::size_t>(j)] =
          sum<0>(theta_[static_cast<std::size_t>(j)], whole);
    });
    return result;
  }

  // `positions` is [axes, tokens].
  std::vector<GoldenTurn> table(std::span<const double> positions) const {
    const std::vector<Turn<First>> turns = turns_at(theta_, positions);
    std::vector<GoldenTurn> result(turns.size());
    parallel_for(count(turns), [&](std::int64_t i) {
      const auto position = at_token(positions, i / pairs_);
      const std::int64_t j = i % pairs_;
      const Turn<First>& first = turns[static_cast<std::size_t>(i)];
      const auto wider = [&]<class Real>() {
        return turn_at<Real>(rope_, position, j);
      };
      auto& golden = result[static_cast<std::size_t>(i)];
      golden.cos = decide<Family>(cosine(first), [&]<class Real>() {
        return cosine(wider.template operator()<Real>());
      });
      golden.sin = decide<Family>(sine(first), [&]<class Real>() {
        return sine(wider.template operator()<Real>());
      });
      golden.amplitude = amplitude(position, j);
    });
    return result;
  }

  std::vector<GoldenTurnSum> turn_sums(
      std::span<const double> positions) const {
    const std::vector<Turn<Second>> turns =
        turns_at(thetas<Second>(), positions);
    std::vector<GoldenTurnSum> result(turns.size());
    parallel_for(count(turns), [&](std::int64_t i) {
      const auto position = at_token(positions, i / pairs_);
      const std::int64_t j = i % pairs_;
      const Turn<Second>& first = turns[static_cast<std::size_t>(i)];
      result[static_cast<std::size_t>(i)] = {
          sum<1>(cosine(first),
                 [&]<class Real>() {
                   return cosine(turn_at<Real>(rope_, position, j));
                 }),
          sum<1>(sine(first), [&]<class Real>() {
            return sine(turn_at<Real>(rope_, position, j));
          })};
    });
    return result;
  }

  std::vector<Golden> rope(const Shape& shape,
                           std::span<const double> positions,
                           std::span<const double> x) const {
    return rotated<Golden>(theta_, shape, positions, x,
                           [](const First& y, const auto& evaluate) {
                             return decide<Family>(y, evaluate);
                           });
  }

  std::vector<GoldenSum> rope_sums(const Shape& shape,
                                   std::span<const double> positions,
                                   std::span<const double> x) const {
    return rotated<GoldenSum>(thetas<Second>(), shape, positions, x,
                              [](const Second& y, const auto& evaluate) {
                                return sum<1>(y, evaluate);
                              });
  }

 private:
  // hi = RN(y), lo = RN(y - hi), where `value` of rung kRung encloses y. Beside
  // an infinite hi, lo is zero.
  template <std::size_t kRung, class Real, class Evaluate>
  static GoldenSum sum(const Real& value, const Evaluate& evaluate) {
    const Golden hi =
        decide<Family, kRung>(value, evaluate, Rounding::kNearestEven);
    const double high = std::bit_cast<double>(hi.bits);
    if (high - high != 0) return {hi.bits, 0, hi.precision_bits};
    const auto rest = [&]<class Wider>() {
      return Wider(evaluate.template operator()<Wider>() - Wider(high));
    };
    const Golden lo = decide<Family, kRung>(Real(value - Real(high)), rest,
                                            Rounding::kNearestEven);
    return {hi.bits, lo.bits, lo.precision_bits};
  }

  // The rotated tensor; `decide` turns an enclosure into a Result.
  template <class Result, class Real, class Decide>
  std::vector<Result> rotated(const std::vector<Real>& theta,
                              const Shape& shape,
                              std::span<const double> positions,
                              std::span<const double> x,
                              const Decide& decide) const {
    const std::vector<Turn<Real>> turns = turns_at(theta, positions);
    const Spec& spec = rope_.spec;
    const std::int64_t d = spec.layout.head_dim;
    std::vector<Result> y(x.size());
    const std::int64_t heads = shape.batch * shape.seq * shape.heads;
    parallel_for(heads, [&](std::int64_t row) {
      const std::int64_t token = row / shape.heads;
      const auto position = at_token(positions, token);
      const auto at = [&](std::int64_t channel) {
        return static_cast<std::size_t>(row * d + channel);
      };
      for (std::int64_t t = 0; t < d; ++t) {
        y[at(t)] = Result{std::bit_cast<std::uint64_t>(x[at(t)])};
      }
      for (std::int64_t j = 0; j < pairs_; ++j) {
        const Pair from = source_pair(spec, j), to = target_pair(spec, j);
        const Turn<Real>& first =
            turns[static_cast<std::size_t>(token * pairs_ + j)];
        const double x_u = x[at(from.u)], x_v = x[at(from.v)];
        const auto out = rotate(first, spec.direction, Real(x_u), Real(x_v));
        const auto wider = [&]<class Wider>() {
          return rotate(turn_at<Wider>(rope_, position, j), spec.direction,
                        Wider(x_u), Wider(x_v));
        };
        y[at(to.u)] = decide(out[0], [&]<class Wider>() {
          return wider.template operator()<Wider>()[0];
        });
        y[at(to.v)] = decide(out[1], [&]<class Wider>() {
          return wider.template operator()<Wider>()[1];
        });
      }
    });
    return y;
  }

  // The cosine of a turn of no angle.
  Golden amplitude(std::span<const double> position, std::int64_t j) const {
    if (!rope_.spec.frequencies.xpos) {
      return {std::bit_cast<std::uint64_t>(rope_.resolution.amplitude), 0};
    }
    const auto evaluate = [&]<class Real>() {
      return cosine(turn_at<Real>(rope_, Real(0), position, j));
    };
    return decide<Family>(evaluate.template operator()<First>(), evaluate);
  }

  template <class T>
  static std::int64_t count(const std::vector<T>& items) {
    return static_cast<std::int64_t>(items.size());
  }

  template <class Real>
  static Real cosine(const Turn<Real>& turn) {
    return turn.divisor ? Real(turn.c / *turn.divisor) : turn.c;
  }
  template <class Real>
  static Real sine(const Turn<Real>& turn) {
    return turn.divisor ? Real(turn.s / *turn.divisor) : turn.s;
  }

  std::vector<double> at_token(std::span<const double> positions,
                               std::int64_t token) const {
    return position_of(positions, rope_.spec.axes.count, token);
  }

  template <class Real>
  std::vector<Real> thetas() const {
    std::vector<Real> theta;
    for (std::int64_t j = 0; j < pairs_; ++j) {
      theta.push_back(frequency<Real>(rope_, j));
    }
    return theta;
  }

  // The turns of every position and pair on the first rung that is tried, formed
  // once and used for every batch row, head and format.
  template <class Real>
  std::vector<Turn<Real>> turns_at(const std::vector<Real>& theta,
                                   std::span<const double> positions) const {
    const std::int64_t tokens =
        static_cast<std::int64_t>(positions.size()) / rope_.spec.axes.count;
    std::vector<Turn<Real>> turns(static_cast<std::size_t>(tokens * pairs_),
                                  Turn<Real>{Real(0), Real(0)});
    parallel_for(count(turns), [&](std::int64_t i) {
      const std::int64_t j = i % pairs_;
      turns[static_cast<std::size_t>(i)] =
          turn_at(rope_, theta[static_cast<std::size_t>(j)],
                  at_token(positions, i / pairs_), j);
    });
    return turns;
  }

  Rope rope_;
  std::int64_t pairs_;
  std::vector<First> theta_;
};

// The functions of oracle.h, in this family.
template <class Family>
constexpr OracleFunctions oracle_functions() {
  return {[](const Spec& spec) { return Prover<Family>(spec).resolution(); },
          [](const Spec& spec) { return Prover<Family>(spec).frequencies(); },
          [](const Spec& spec, std::span<const double> positions) {
            return Prover<Family>(spec).table(positions);
          },
          [](const Spec& spec, const Shape& shape,
             std::span<const double> positions, std::span<const double> x) {
            return Prover<Family>(spec).rope(shape, positions, x);
          },
          [](const Spec& spec, std::span<const double> positions) {
            return Prover<Family>(spec).turn_sums(positions);
          },
          [](const Spec& spec, const Shape& shape,
             std::span<const double> positions, std::span<const double> x) {
            return Prover<Family>(spec).rope_sums(shape, positions, x);
          }};
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_PROVER_H_
