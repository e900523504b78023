#include "conformance/diagnosis/longer_lists.h"

#include <algorithm>

namespace ropeproof::conformance::diagnosis {
namespace {

// `blocks` lists of `from` entries each, as lists of `to`.
template <class T>
void lengthen(const T*& list, std::vector<T>& longer, std::int64_t blocks,
              std::int64_t from, std::int64_t to) {
  if (list == nullptr) return;
  longer.assign(static_cast<std::size_t>(blocks * to), T{});
  for (std::int64_t b = 0; b < blocks; ++b) {
    std::copy_n(list + b * from, from, longer.begin() + b * to);
  }
  list = longer.data();
}

}  // namespace

LongerLists::LongerLists(const ropeproof_problem& given, ropeproof_problem& p) {
  const std::int64_t from = given.rotary_dim / 2, to = p.rotary_dim / 2;
  if (to <= from) return;
  lengthen(p.inv_freq, inv_freq_, 1, from, to);
  lengthen(p.inv_freq_lo, inv_freq_lo_, 1, from, to);
  lengthen(p.axis_weights, weights_, given.position_axes, from, to);
  lengthen(p.axis_of_pair, axis_of_pair_, 1, from, to);
}

}  // namespace ropeproof::conformance::diagnosis
