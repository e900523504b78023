// parallel_for.h -- a loop on all threads.
#ifndef ROPEPROOF_REFERENCE_PARALLEL_FOR_H_
#define ROPEPROOF_REFERENCE_PARALLEL_FOR_H_

#include <cstdint>
#include <exception>

namespace ropeproof::reference {

// Runs body(0) .. body(count-1) on all threads; each writes its own elements,
// so the result does not depend on their number. Rethrows the first exception.
// A thread takes `at_once` at a time: 1 where each takes long. A few short
// bodies run on the calling thread: waking others would take longer.
template <class Body>
void parallel_for(std::int64_t count, const Body& body, int at_once = 16) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, \
                                  at_once) if (at_once == 1 || count > 64)
  for (std::int64_t i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {
#pragma omp critical(ropeproof_reference_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ropeproof::reference

#endif  // ROPEPROOF_REFERENCE_PARALLEL_FOR_H_
