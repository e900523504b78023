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
#include "reference/rope.h"
#include "reference/spec.h"

namespace ropeproof::reference {

// Runs body(0) .. body(count-1) on all threads; each writes its own elements,
// so the result does not depend on their number. Rethrows the first exception.
template <class Body>
void parallel_for(std::int64_t count, const Body& body) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 16)
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
      : spec_(spec), pairs_(spec.layout.rotary_dim / 2) {
    validate(spec);
    for (std::int64_t j = 0; j < pairs_; ++j) {
      theta_.push_back(theta<First>(j));
    }
  }

  std::vector<GoldenFrequency> frequencies() const {
    std::vector<GoldenFrequency> result(static_cast<std::size_t>(pairs_));
    parallel_for(pairs_, [&](std::int64_t j) {
      const auto whole = [&]<class Real>() { return theta<Real>(j); };
      const Golden hi = decide<Family>(theta_[static_cast<std::size_t>(j)],
                                       whole, Rounding::kNearestEven);
      const auto rest = [&]<class Real>() {
        return Real(theta<Real>(j) - Real(std::bit_cast<double>(hi.bits)));
      };
      const Golden lo = decide<Family>(rest.template operator()<First>(), rest,
                                       Rounding::kNearestEven);
      result[static_cast<std::size_t>(j)] = {hi.bits, lo.bits,
                                             lo.precision_bits};
    });
    return result;
  }

  std::vector<GoldenTurn> table(std::span<const std::int64_t> positions) const {
    const std::vector<Turn<First>> turns = turns_at(positions);
    std::vector<GoldenTurn> result(turns.size());
    parallel_for(count(turns), [&](std::int64_t i) {
      const std::int64_t p = positions[static_cast<std::size_t>(i / pairs_)];
      const std::int64_t j = i % pairs_;
      const auto& first = turns[static_cast<std::size_t>(i)];
      auto& golden = result[static_cast<std::size_t>(i)];
      golden.cos = decide<Family>(
          first.c, [&]<class Real>() { return turn_at<Real>(spec_, p, j).c; });
      golden.sin = decide<Family>(
          first.s, [&]<class Real>() { return turn_at<Real>(spec_, p, j).s; });
    });
    return result;
  }

  std::vector<Golden> rope(const Shape& shape,
                           std::span<const std::int64_t> positions,
                           std::span<const double> x) const {
    const std::vector<Turn<First>> turns = turns_at(positions);
    const std::int64_t d = spec_.layout.head_dim;
    std::vector<Golden> y(x.size());
    const std::int64_t heads = shape.batch * shape.seq * shape.heads;
    parallel_for(heads, [&](std::int64_t row) {
      const std::int64_t token = row / shape.heads;
      const auto at = [&](std::int64_t channel) {
        return static_cast<std::size_t>(row * d + channel);
      };
      for (std::int64_t t = 0; t < d; ++t) {
        y[at(t)] = {std::bit_cast<std::uint64_t>(x[at(t)]), 0};
      }
      for (std::int64_t j = 0; j < pairs_; ++j) {
        const Pair pair = pair_of(spec_.layout, j);
        const Turn<First>& first =
            turns[static_cast<std::size_t>(token * pairs_ + j)];
        const std::int64_t p = positions[static_cast<std::size_t>(token)];
        const double x_u = x[at(pair.u)], x_v = x[at(pair.v)];
        const auto out = rotate(first, spec_.direction, First(x_u), First(x_v));
        const auto wider = [&]<class Real>() {
          return rotate(turn_at<Real>(spec_, p, j), spec_.direction, Real(x_u),
                        Real(x_v));
        };
        y[at(pair.u)] = decide<Family>(out[0], [&]<class Real>() {
          return wider.template operator()<Real>()[0];
        });
        y[at(pair.v)] = decide<Family>(out[1], [&]<class Real>() {
          return wider.template operator()<Real>()[1];
        });
      }
    });
    return y;
  }

 private:
  template <class T>
  static std::int64_t count(const std::vector<T>& items) {
    return static_cast<std::int64_t>(items.size());
  }

  template <class Real>
  Real theta(std::int64_t j) const {
    return frequency<Real>(spec_.frequencies, spec_.layout.rotary_dim, j);
  }

  // The turns of every position and pair on the first rung, formed once and
  // used for every batch row, head and format.
  std::vector<Turn<First>> turns_at(
      std::span<const std::int64_t> positions) const {
    const auto& given = spec_.frequencies.inv_freq;
    std::vector<Turn<First>> turns(
        positions.size() * static_cast<std::size_t>(pairs_),
        Turn<First>{First(0), First(0)});
    parallel_for(count(turns), [&](std::int64_t i) {
      const std::int64_t p = positions[static_cast<std::size_t>(i / pairs_)];
      const auto j = static_cast<std::size_t>(i % pairs_);
      const bool zero = p == 0 || (!given.empty() && given[j] == 0);
      turns[static_cast<std::size_t>(i)] =
          turn(spec_.frequencies, theta_[j], zero, p);
    });
    return turns;
  }

  const Spec& spec_;
  std::int64_t pairs_;
  std::vector<First> theta_;
};

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_PROVER_H_
