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

  explicit Prover(const Spec& spec)
      : rope_(reference::resolve<Family>(spec)),
        pairs_(spec.layout.rotary_dim / 2) {
    for (std::int64_t j = 0; j < pairs_; ++j) {
      theta_.push_back(frequency<First>(rope_, j));
    }
  }

  const Resolution& resolution() const { return rope_.resolution; }

  std::vector<GoldenFrequency> frequencies() const {
    std::vector<GoldenFrequency> result(static_cast<std::size_t>(pairs_));
    parallel_for(pairs_, [&](std::int64_t j) {
      const auto whole = [&]<class Real>() {
        return frequency<Real>(rope_, j);
      };
      const Golden hi = decide<Family>(theta_[static_cast<std::size_t>(j)],
                                       whole, Rounding::kNearestEven);
      const auto rest = [&]<class Real>() {
        return Real(frequency<Real>(rope_, j) -
                    Real(std::bit_cast<double>(hi.bits)));
      };
      const Golden lo = decide<Family>(rest.template operator()<First>(), rest,
                                       Rounding::kNearestEven);
      result[static_cast<std::size_t>(j)] = {hi.bits, lo.bits,
                                             lo.precision_bits};
    });
    return result;
  }

  // `positions` is [axes, tokens].
  std::vector<GoldenTurn> table(std::span<const double> positions) const {
    const std::vector<Turn<First>> turns = turns_at(positions);
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

  std::vector<Golden> rope(const Shape& shape,
                           std::span<const double> positions,
                           std::span<const double> x) const {
    const std::vector<Turn<First>> turns = turns_at(positions);
    const Spec& spec = rope_.spec;
    const std::int64_t d = spec.layout.head_dim;
    std::vector<Golden> y(x.size());
    const std::int64_t heads = shape.batch * shape.seq * shape.heads;
    parallel_for(heads, [&](std::int64_t row) {
      const std::int64_t token = row / shape.heads;
      const auto position = at_token(positions, token);
      const auto at = [&](std::int64_t channel) {
        return static_cast<std::size_t>(row * d + channel);
      };
      for (std::int64_t t = 0; t < d; ++t) {
        y[at(t)] = {std::bit_cast<std::uint64_t>(x[at(t)]), 0};
      }
      for (std::int64_t j = 0; j < pairs_; ++j) {
        const Pair from = source_pair(spec, j), to = target_pair(spec, j);
        const Turn<First>& first =
            turns[static_cast<std::size_t>(token * pairs_ + j)];
        const double x_u = x[at(from.u)], x_v = x[at(from.v)];
        const auto out = rotate(first, spec.direction, First(x_u), First(x_v));
        const auto wider = [&]<class Real>() {
          return rotate(turn_at<Real>(rope_, position, j), spec.direction,
                        Real(x_u), Real(x_v));
        };
        y[at(to.u)] = decide<Family>(out[0], [&]<class Real>() {
          return wider.template operator()<Real>()[0];
        });
        y[at(to.v)] = decide<Family>(out[1], [&]<class Real>() {
          return wider.template operator()<Real>()[1];
        });
      }
    });
    return y;
  }

 private:
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

  // The turns of every position and pair on the first rung, formed once and
  // used for every batch row, head and format.
  std::vector<Turn<First>> turns_at(std::span<const double> positions) const {
    const std::int64_t tokens =
        static_cast<std::int64_t>(positions.size()) / rope_.spec.axes.count;
    std::vector<Turn<First>> turns(static_cast<std::size_t>(tokens * pairs_),
                                   Turn<First>{First(0), First(0)});
    parallel_for(count(turns), [&](std::int64_t i) {
      const std::int64_t j = i % pairs_;
      turns[static_cast<std::size_t>(i)] =
          turn_at(rope_, theta_[static_cast<std::size_t>(j)],
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
          }};
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_PROVER_H_
