// parallel_for.h -- a loop on all threads.
#pragma once

#include <algorithm>
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

// Runs body(first, last) for the parts of 0 .. count-1, of 16 each, as above:
// what a body prepares serves a part.
template <class Body>
void parallel_parts(std::int64_t count, const Body& body) {
  constexpr std::int64_t kPart = 16;
  parallel_for((count + kPart - 1) / kPart,
               [&](std::int64_t part) {
                 body(part * kPart, std::min(count, (part + 1) * kPart));
               },
               count > 64 ? 1 : 2);
}

}  // namespace ropeproof::reference
