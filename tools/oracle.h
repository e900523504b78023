// oracle.h -- the oracle that proves cases at run time.
#ifndef ROPEPROOF_TOOLS_ORACLE_H_
#define ROPEPROOF_TOOLS_ORACLE_H_

#include "reference/golden.h"

namespace ropeproof::tools {

// The certifying one where it is built in; both give the same bits.
inline reference::Oracle best_oracle() {
  return reference::available(reference::Oracle::kMpfi)
             ? reference::Oracle::kMpfi
             : reference::Oracle::kBinFloat;
}

}  // namespace ropeproof::tools

#endif  // ROPEPROOF_TOOLS_ORACLE_H_
