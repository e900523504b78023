// test_faults.h -- for tests: what is said of a report that is refused.
#ifndef ROPEPROOF_CONFORMANCE_REPORT_TEST_FAULTS_H_
#define ROPEPROOF_CONFORMANCE_REPORT_TEST_FAULTS_H_

#include <string>

#include "conformance/report/report_reader.h"

namespace ropeproof::conformance::report {

// What `call` refuses; empty if it does not.
template <class Call>
std::string fault_of(const Call& call) {
  try {
    call();
  } catch (const ReportError& error) {
    return error.what();
  }
  return "";
}

}  // namespace ropeproof::conformance::report

#endif  // ROPEPROOF_CONFORMANCE_REPORT_TEST_FAULTS_H_
