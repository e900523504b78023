// The oracle without MPFR: balls of cpp_bin_float, 50 -> 100 -> 200 digits.
#include <array>

#include "reference/ball.h"
#include "reference/oracle.h"
#include "reference/prover.h"

namespace ropeproof::reference {
namespace {

struct BinFloatFamily {
  static constexpr std::array<unsigned, 3> kRungs{50, 100, 200};

  template <unsigned kDigits>
  using Real = Ball<kDigits>;

  template <unsigned kDigits>
  static constexpr int kBits = Ball<kDigits>::kBits;

  template <class Real>
  static Real pi() {
    return Real::pi();
  }

  template <unsigned kDigits>
  static std::pair<Pieces, Pieces> ends(const Ball<kDigits>& x) {
    return {pieces_of(x.lower()), pieces_of(x.upper())};
  }
};

}  // namespace

MakeProver* bin_float_oracle() { return &make_prover<BinFloatFamily>; }

}  // namespace ropeproof::reference
