#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "reference/encodings/relative.h"

namespace ropeproof::reference::encodings {

std::int64_t t5_bucket(const T5& e, std::int64_t distance) {
  using boost::multiprecision::cpp_int;
  const std::int64_t n = e.is_causal ? e.buckets : e.buckets / 2;
  if (e.is_causal && distance > 0) return 0;
  const std::int64_t first = distance > 0 ? n : 0;
  const std::int64_t r = distance < 0 ? -distance : distance;
  const std::int64_t exact = n / 2;
  if (r < exact) return first + r;
  // D itself is beyond the last bound, t = n - e.
  if (r >= e.max_distance) return first + n - 1;
  const auto steps = static_cast<unsigned>(n - exact);
  // r^(n-e) e^t against D^t e^(n-e)
  cpp_int left = pow(cpp_int(r), steps), right = pow(cpp_int(exact), steps);
  std::int64_t t = -1;
  for (; left >= right; ++t) {
    left *= exact;
    right *= e.max_distance;
  }
  return first + std::min(exact + t, n - 1);
}

}  // namespace ropeproof::reference::encodings
