// written.h -- numbers as they are found in memory, some of it never written.
#ifndef ROPEPROOF_CONFORMANCE_EXPLAIN_WRITTEN_H_
#define ROPEPROOF_CONFORMANCE_EXPLAIN_WRITTEN_H_

#include <cstdint>

#include "reference/format.h"

namespace ropeproof::conformance::explain {

// An element of an output; for what the buffer held before the call a NaN that
// no arithmetic forms.
double written_number(reference::Format format, std::uint64_t bits);

// What written_number() is of memory that nobody wrote; and of a NaN that may
// be so.
double unwritten_number();
bool may_be_unwritten(double number);

// 0 for two NaNs of the same kind, infinite where one alone is a NaN.
double distance(double a, double b);

}  // namespace ropeproof::conformance::explain

#endif  // ROPEPROOF_CONFORMANCE_EXPLAIN_WRITTEN_H_
