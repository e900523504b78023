// form_golden.h -- the golden of a problem, from the oracles of reference/.
#pragma once

#include <memory>

#include "conformance/cases/golden.h"
#include "conformance/cases/problem.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cases {

enum class Effort {
  // Every value has a certificate (reference/golden.h), and `precision_bits` is
  // that of the widest. Cost: 10 us for each position and pair, 1 us a value.
  kCertified,
  // Values have the same bits and no certificate
  // (reference/sweep/fast_goldens.h), some hundred times as fast.
  // The low parts of an f64 golden are within kGoldenError of that file.
  kFast,
};

// Forms a golden in two steps, because some values of q and k are chosen to
// suit the cosines and sines that they meet.
class GoldenFormer {
 public:
  // Encloses frequencies and tables; q and k are not read. Throws what
  // reference/golden.h and reference/sweep/fast_goldens.h throw.
  GoldenFormer(const Problem& p, reference::Oracle oracle, Effort effort);
  ~GoldenFormer();
  GoldenFormer(const GoldenFormer&) = delete;
  GoldenFormer& operator=(const GoldenFormer&) = delete;

  // The golden without q and k.
  const Golden& tables() const { return golden_; }

  // The whole golden of `p`, which is the problem of the constructor with q and
  // k. Outside the window, and where special_rules.h decides, elements may be
  // NaN or infinite. Throws what special_rules.h throws, too.
  Golden rotate(const Problem& p) &&;

 private:
  struct Oracles;
  std::unique_ptr<const Oracles> oracles_;
  Golden golden_;
};

// The amplitude m of a problem's golden: the specification's or its scaling's.
// Cost: that of a scaling that decides it, some 0.1 ms.
double amplitude_of(const Problem& p);

// The golden of a problem: both steps, or the permuted weights.
Golden form_golden(const Problem& p, reference::Oracle oracle,
                   Effort effort = Effort::kFast);

}  // namespace ropeproof::conformance::cases
