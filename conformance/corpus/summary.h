// summary.h -- cases without tensors, in one line.
#ifndef ROPEPROOF_CONFORMANCE_CORPUS_SUMMARY_H_
#define ROPEPROOF_CONFORMANCE_CORPUS_SUMMARY_H_

#include <string>

#include "conformance/corpus/case.h"

namespace ropeproof::conformance {

std::string summary(const RejectCase& c);
std::string summary(const SequenceCase& c);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_CORPUS_SUMMARY_H_
