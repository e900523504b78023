// encoding_check.h -- proves the values of encodings.json anew.
#ifndef ROPEPROOF_TOOLS_PROVE_SECOND_ORACLE_ENCODING_CHECK_H_
#define ROPEPROOF_TOOLS_PROVE_SECOND_ORACLE_ENCODING_CHECK_H_

#include "tools/prove/second_oracle/recheck.h"
#include "tools/prove/second_oracle/vectors.h"

namespace ropeproof::second_oracle {

// As recheck() of a group: undecided is a disagreement.
Result recheck(const std::vector<Encoding>& encodings);

}  // namespace ropeproof::second_oracle

#endif  // ROPEPROOF_TOOLS_PROVE_SECOND_ORACLE_ENCODING_CHECK_H_
