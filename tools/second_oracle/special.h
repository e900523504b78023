// special.h -- what is expected where an element is no number.
#ifndef ROPEPROOF_TOOLS_SECOND_ORACLE_SPECIAL_H_
#define ROPEPROOF_TOOLS_SECOND_ORACLE_SPECIAL_H_

#include <cstdint>

#include "tools/second_oracle/pattern.h"

namespace ropeproof::second_oracle {

// Whether `golden` says that a channel outside every pair keeps `x`: the same
// number with the same sign, the same infinity, or a NaN.
bool is_copy(const Element& x, std::uint64_t golden);

}  // namespace ropeproof::second_oracle

#endif  // ROPEPROOF_TOOLS_SECOND_ORACLE_SPECIAL_H_
