#include "conformance/cover/dimension.h"

#include <algorithm>

namespace ropeproof::conformance::cover {

bool Offer::takes(const plugin::Needs& needs) const {
  // Without these a kernel gets other calls, of other classes.
  constexpr std::uint32_t kOtherCalls = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS;
  const std::uint32_t needed =
      plugin::needed_features(ROPEPROOF_ROPE, needs) & kOtherCalls;
  return (needed & ~kernel.features) == 0 &&
         (shares_memory || (!needs.is_strided && !needs.is_in_place)) &&
         plugin::missing(kernel, ROPEPROOF_ROPE, needs).empty();
}

const std::vector<Dimension>& known_dimensions() {
  static const std::vector<Dimension> kAll = [] {
    std::vector<Dimension> all;
    for (const auto& rows :
         {size_dimensions(), memory_dimensions(), layout_dimensions(),
          position_dimensions(), frequency_dimensions()}) {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return kAll;
}

const Dimension* find_dimension(std::string_view name) {
  const auto& all = known_dimensions();
  const auto found = std::ranges::find(all, name, &Dimension::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace ropeproof::conformance::cover
