// form_frequencies.h -- base, scaling and amplitude of a formed case.
#ifndef ROPEPROOF_CONFORMANCE_COVER_FORM_FREQUENCIES_H_
#define ROPEPROOF_CONFORMANCE_COVER_FORM_FREQUENCIES_H_

#include "conformance/cases/case.h"
#include "conformance/cases/draw.h"
#include "conformance/cover/question.h"

namespace ropeproof::conformance::cover {

// Of a case that has its layout, axes and positions: a length that a scaling
// depends on is the largest position + 1.
void form_frequencies(cases::Draw& draw, const Question& question,
                      cases::Problem& c);

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_FORM_FREQUENCIES_H_
