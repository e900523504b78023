// The certificate.
#include "reference/oracle.h"

#ifdef ROPEPROOF_HAVE_MPFI

#include "reference/mpfi_family.h"
#include "reference/prover.h"

namespace ropeproof::reference {
MakeProver* mpfi_oracle() { return &make_prover<MpfiFamily>; }
}  // namespace ropeproof::reference

#else

namespace ropeproof::reference {
MakeProver* mpfi_oracle() { return nullptr; }
}  // namespace ropeproof::reference

#endif
