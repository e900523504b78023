// prover.h -- the goldens of golden.h, for one family of arithmetic.
//
// Instantiated twice: oracle_mpfi.cc (the certificate) and oracle_bin_float.cc
// (the second opinion). Both evaluate the text of rope.h.
#ifndef ROPEPROOF_REFERENCE_PROVER_H_
#define ROPEPROOF_REFERENCE_PROVER_H_

#include <bit>
#include <exception>
#include <memory>
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
class Prover : public OracleProver {
 public:
  using First = typename Family::template Real<Family::kRungs[0]>;

  // `positions` is [axes, tokens].
  Prover(const Spec& spec, std::span<const double> positions)
      : rope_(reference::resolve<Family>(spec)),
        pairs_(spec.layout.rotary_dim / 2) {
    for (std::int64_t j = 0; j < pairs_; ++j) {
      theta_.push_back(frequency<First>(rope_, j));
    }
    const std::int64_t tokens = count(positions) / spec.axes.count;
    for (std::int64_t token = 0; token < tokens; ++token) {
      positions_.push_back(position_of(positions, spec.axes.count, token));
    }
    cos_sin_.assign(static_cast<std::size_t>(tokens * pairs_),
                    CosSin<First>{First(0), First(0)});
    parallel_for(count(cos_sin_), [&](std::int64_t i) {
      cos_sin_[at(i)] =
          cos_sin_at(rope_, theta_[at(i % pairs_)], position(i), i % pairs_);
    });
  }

  const Resolution& resolution() const override { return rope_.resolution; }

  std::vector<WideGolden> frequencies() const override {
    std::vector<WideGolden> result(theta_.size());
    parallel_for(pairs_, [&](std::int64_t j) {
      result[at(j)] = decide_wide<Family>(theta_[at(j)], [&]<class Real>() {
        return frequency<Real>(rope_, j);
      });
    });
    return result;
  }

  std::vector<GoldenCosSin> table() const override {
    std::vector<GoldenCosSin> result(cos_sin_.size());
    parallel_for(count(cos_sin_),
                 [&](std::int64_t i) { prove_cos_sin(i, result[at(i)]); });
    return result;
  }

  std::vector<WideCosSin> wide_table() const override {
    std::vector<WideCosSin> result(cos_sin_.size());
    parallel_for(count(cos_sin_),
                 [&](std::int64_t i) { prove_cos_sin(i, result[at(i)]); });
    return result;
  }

  std::vector<Golden> rope(std::int64_t heads,
                           std::span<const double> x) const override {
    return rotated<Golden>(heads, x);
  }

  std::vector<WideGolden> wide_rope(std::int64_t heads,
                                    std::span<const double> x) const override {
    return rotated<WideGolden>(heads, x);
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  template <class Items>
  static std::int64_t count(const Items& items) {
    return static_cast<std::int64_t>(items.size());
  }

  // The position of entry i, [tokens, pairs].
  std::span<const double> position(std::int64_t i) const {
    return positions_[at(i / pairs_)];
  }

  // CosSin i on a wider rung.
  template <class Real>
  CosSin<Real> wider(std::int64_t i) const {
    return cos_sin_at<Real>(rope_, position(i), i % pairs_);
  }

  template <class Real, class Evaluate>
  static void prove(const Real& first, const Evaluate& evaluate, Golden& y) {
    y = decide<Family>(first, evaluate);
  }
  template <class Real, class Evaluate>
  static void prove(const Real& first, const Evaluate& evaluate,
                    WideGolden& y) {
    y = decide_wide<Family>(first, evaluate);
  }

  template <class Real>
  static Real cosine(const CosSin<Real>& cos_sin) {
    return cos_sin.divisor ? Real(cos_sin.c / *cos_sin.divisor) : cos_sin.c;
  }
  template <class Real>
  static Real sine(const CosSin<Real>& cos_sin) {
    return cos_sin.divisor ? Real(cos_sin.s / *cos_sin.divisor) : cos_sin.s;
  }

  // `result` is a GoldenCosSin or a WideCosSin.
  void prove_cos_sin(std::int64_t i, auto& result) const {
    const CosSin<First>& first = cos_sin_[at(i)];
    prove(
        cosine(first), [&]<class Real>() { return cosine(wider<Real>(i)); },
        result.cos);
    prove(
        sine(first), [&]<class Real>() { return sine(wider<Real>(i)); },
        result.sin);
    result.amplitude = amplitude(i);
  }

  // The cosine of a zero angle.
  Golden amplitude(std::int64_t i) const {
    if (!rope_.spec.frequencies.xpos) {
      return {std::bit_cast<std::uint64_t>(rope_.resolution.amplitude), 0};
    }
    const auto evaluate = [&]<class Real>() {
      return cosine(cos_sin_at<Real>(rope_, Real(0), position(i), i % pairs_));
    };
    return decide<Family>(evaluate.template operator()<First>(), evaluate);
  }

  // `Proved` is Golden or WideGolden.
  template <class Proved>
  std::vector<Proved> rotated(std::int64_t heads,
                              std::span<const double> x) const {
    const Spec& spec = rope_.spec;
    const std::int64_t d = spec.layout.head_dim;
    std::vector<Proved> y(x.size());
    parallel_for(count(positions_) * heads, [&](std::int64_t row) {
      const auto x_row = x.subspan(at(row * d), at(d));
      const auto y_row = std::span(y).subspan(at(row * d), at(d));
      for (std::size_t t = 0; t < x_row.size(); ++t) {
        y_row[t] = {std::bit_cast<std::uint64_t>(x_row[t])};
      }
      for (std::int64_t j = 0; j < pairs_; ++j) {
        const Pair from = source_pair(spec, j), to = target_pair(spec, j);
        const std::int64_t i = row / heads * pairs_ + j;
        const double x_u = x_row[at(from.u)], x_v = x_row[at(from.v)];
        const auto out =
            rotate(cos_sin_[at(i)], spec.direction, First(x_u), First(x_v));
        const auto wide = [&]<class Real>() {
          return rotate(wider<Real>(i), spec.direction, Real(x_u), Real(x_v));
        };
        prove(
            out[0],
            [&]<class Real>() { return wide.template operator()<Real>()[0]; },
            y_row[at(to.u)]);
        prove(
            out[1],
            [&]<class Real>() { return wide.template operator()<Real>()[1]; },
            y_row[at(to.v)]);
      }
    });
    return y;
  }

  Rope rope_;
  std::int64_t pairs_;
  std::vector<First> theta_;
  std::vector<std::vector<double>> positions_;  // [tokens][axes]
  std::vector<CosSin<First>> cos_sin_;          // [tokens, pairs], first rung
};

template <class Family>
std::unique_ptr<OracleProver> make_prover(const Spec& spec,
                                          std::span<const double> positions) {
  return std::make_unique<Prover<Family>>(spec, positions);
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_PROVER_H_
