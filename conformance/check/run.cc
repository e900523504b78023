#include "conformance/check/run.h"

#include "conformance/text/words.h"

namespace ropeproof::conformance::check {

std::string verdict_word(Verdict verdict) {
  return text::word(kVerdictWords, verdict);
}

bool is_failure(Verdict verdict) {
  return verdict != Verdict::kPass && verdict != Verdict::kUnsupported &&
         verdict != Verdict::kXfail;
}

}  // namespace ropeproof::conformance::check
