#include "conformance/check/run.h"

#include "conformance/text/words.h"

namespace ropeproof::conformance::check {

std::string verdict_word(Verdict verdict) {
  return text::word(kVerdictWords, verdict);
}

bool is_failure(Verdict verdict) {
  return is_judged(verdict) && verdict != Verdict::kPass &&
         verdict != Verdict::kXfail;
}

bool is_judged(Verdict verdict) {
  return verdict != Verdict::kUnsupported && verdict != Verdict::kDeclined;
}

}  // namespace ropeproof::conformance::check
