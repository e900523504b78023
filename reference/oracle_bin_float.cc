// The oracle without MPFR.
#include "reference/bin_float_family.h"
#include "reference/oracle.h"
#include "reference/prover.h"

namespace ropeproof::reference {
MakeProver* bin_float_oracle() { return &make_prover<BinFloatFamily>; }
}  // namespace ropeproof::reference
