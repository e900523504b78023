#include "conformance/plugin/answers.h"

#include <map>
#include <stdexcept>

#include "conformance/text/one_line.h"

namespace ropeproof::conformance::plugin {
namespace {

// Of what both functions may say.
Answer said_by(const std::string& function, const Solved& solved,
               const char* expected) {
  if (solved.device != DeviceFault::kNone) {
    return {Outcome::kError, solved.device == DeviceFault::kNoMemory
                                 ? "the device's allocate gave no memory"
                                 : "the device's copy failed"};
  }
  if (solved.before != solved.after) {
    return {Outcome::kError, function + " changed " +
                                 name_changes(solved.before, solved.after) +
                                 "; restore it"};
  }
  switch (solved.status) {
    case ROPEPROOF_OK:
      return {};
    case ROPEPROOF_UNSUPPORTED:
      return {Outcome::kUnsupported, function + ": ROPEPROOF_UNSUPPORTED"};
    case ROPEPROOF_INVALID:
      return {Outcome::kInvalid, function + ": ROPEPROOF_INVALID"};
    default:
      return {.outcome = Outcome::kError,
              .detail = function + " returned " +
                        std::to_string(solved.status) +
                        "; it must be ROPEPROOF_OK" + expected,
              .code = solved.status};
  }
}

}  // namespace

Answer answer_of(const Solved& solved) {
  const bool is_of_fault =
      solved.status == ROPEPROOF_FAILED || solved.status == ROPEPROOF_UNUSABLE;
  if (is_of_fault && solved.why[0] != '\0' &&
      solved.device == DeviceFault::kNone) {
    return {Outcome::kFailed, text::one_line(solved.why)};
  }
  return said_by("ropeproof_run", solved, ", _UNSUPPORTED or _INVALID");
}

Answer answer_to_question(const Solved& solved) {
  Answer answer = said_by("ropeproof_supports", solved, " or _UNSUPPORTED");
  if (answer.outcome == Outcome::kUnsupported) return {Outcome::kDeclined, ""};
  if (answer.outcome == Outcome::kInvalid) {
    return {Outcome::kError,
            answer.detail + "; it must be ROPEPROOF_OK or _UNSUPPORTED"};
  }
  return answer;
}

std::optional<Answer> answer_of(const std::string& status,
                                const std::string& message) {
  static const std::map<std::string, Outcome> kOutcomes = {
      {"unsupported", Outcome::kUnsupported},
      {"invalid", Outcome::kInvalid},
      {"failed", Outcome::kFailed},
      {"unusable", Outcome::kFailed},
      {"error", Outcome::kError}};
  const auto found = kOutcomes.find(status);
  if (found == kOutcomes.end()) return std::nullopt;
  return Answer{
      found->second,
      text::one_line(message.empty() ? "status \"" + status + "\"" : message)};
}

void refuse_machine(const std::string& kernel, const std::string& lack) {
  throw std::invalid_argument(text::one_line(kernel) + ": " +
                              text::one_line(lack));
}

std::string load_fault(const Loaded& loaded) {
  const std::string changes = name_changes(loaded.before, loaded.loaded);
  if (!changes.empty()) {
    const bool is_fast_math = differ_in_flushing(loaded.before, loaded.loaded);
    return "sets " + changes + " when it is loaded: " +
           (is_fast_math ? "linked with -ffast-math?" : "restore it");
  }
  const std::string left = name_changes(loaded.before, loaded.described);
  return left.empty() ? ""
                      : "ropeproof_describe changed " + left + "; restore it";
}

}  // namespace ropeproof::conformance::plugin
