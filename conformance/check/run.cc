#include "conformance/check/run.h"

namespace ropeproof::conformance::check {

Verdict verdict_of(plugin::Outcome outcome) {
  switch (outcome) {
    case plugin::Outcome::kOk:
      return Verdict::kPass;
    case plugin::Outcome::kUnsupported:
    case plugin::Outcome::kInvalid:
    case plugin::Outcome::kFailed:
      return Verdict::kFail;
    case plugin::Outcome::kDeclined:
      return Verdict::kDeclined;
    case plugin::Outcome::kError:
      return Verdict::kError;
    case plugin::Outcome::kCrash:
      return Verdict::kCrash;
    case plugin::Outcome::kMissing:
      return Verdict::kMissing;
    case plugin::Outcome::kTimeout:
      break;
  }
  return Verdict::kTimeout;
}

bool is_failure(Verdict verdict) {
  return is_judged(verdict) && verdict != Verdict::kPass &&
         verdict != Verdict::kXfail;
}

bool is_judged(Verdict verdict) {
  return verdict != Verdict::kUnsupported && verdict != Verdict::kDeclined;
}

plugin::Needs Run::needs_of(const std::string& id) const {
  const auto found = facts.find(id);
  return found == facts.end() ? plugin::Needs()
                              : check::needs_of(found->second);
}

}  // namespace ropeproof::conformance::check
