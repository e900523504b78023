#include "conformance/corpus/summary.h"

#include "conformance/corpus/words.h"

namespace ropeproof::conformance {

std::string summary(const RejectCase& c) {
  return c.of + " with the defect " + word(kDefectWords, c.defect);
}

std::string summary(const SequenceCase& c) {
  std::string text = std::to_string(c.calls.size()) + " calls:";
  for (const std::string& call : c.calls) text += " " + call;
  return text;
}

}  // namespace ropeproof::conformance
