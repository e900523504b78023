// form_positions.h -- positions of a magnitude, in an order.
#ifndef ROPEPROOF_CONFORMANCE_COVER_FORM_POSITIONS_H_
#define ROPEPROOF_CONFORMANCE_COVER_FORM_POSITIONS_H_

#include <cstdint>
#include <vector>

#include "conformance/cases/draw.h"
#include "conformance/cover/question.h"

namespace ropeproof::conformance::cover {

// [axes, batch, seq], each exact. The largest |position| is in the class of the
// question, and `max_position` itself where that is (0: no limit).
std::vector<double> form_positions(cases::Draw& draw, const Question& question,
                                   std::int64_t axes, std::int64_t batch,
                                   std::int64_t seq, std::int64_t max_position);

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_FORM_POSITIONS_H_
