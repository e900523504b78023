// form_goldens.h -- the goldens of a formed case.
#ifndef ROPEPROOF_CONFORMANCE_COVER_FORM_GOLDENS_H_
#define ROPEPROOF_CONFORMANCE_COVER_FORM_GOLDENS_H_

#include <functional>

#include "conformance/cases/case.h"
#include "reference/golden.h"

namespace ropeproof::conformance::cover {

// Replaces the goldens: fills in frequencies and tables, calls choose_values(c),
// which fills in q and k, and rotates these. Inside the window only what is_special
// may be NaN or infinite. Throws what reference/sweep/fast_goldens.h and
// cases/special_rules.h throw.
void form_goldens(cases::RopeCase& c, reference::Oracle oracle,
                  const std::function<void(cases::RopeCase&)>& choose_values);

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_FORM_GOLDENS_H_
