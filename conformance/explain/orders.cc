#include "conformance/explain/orders.h"

#include <algorithm>
#include <cstddef>

namespace ropeproof::conformance::explain {
namespace {

using Order = std::array<std::size_t, 4>;  // outermost first
constexpr Order kOurs = {0, 1, 2, 3};
constexpr const char* kNames[] = {"batch", "seq", "heads", "head_dim"};

std::string name_of(const Order& order) {
  std::string text;
  for (const std::size_t axis : order) {
    text += (text.empty() ? "[" : ", ") + std::string(kNames[axis]);
  }
  return text + "]";
}

// The number by one order of the element that has `index` by another.
std::int64_t renumbered(std::int64_t index, const Sizes& sizes, const Order& by,
                        const Order& into) {
  Sizes at{};
  for (std::size_t k = by.size(); k-- > 0;) {
    at[by[k]] = index % sizes[by[k]];
    index /= sizes[by[k]];
  }
  for (const std::size_t axis : into) index = index * sizes[axis] + at[axis];
  return index;
}

}  // namespace

std::string orders_text(
    const Sizes& sizes, std::int64_t telling,
    const std::function<bool(std::int64_t to, std::int64_t from)>& holds) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  Order read = kOurs;
  do {
    Order written = kOurs;
    do {
      const auto is_so = [&](std::int64_t to) {
        const std::int64_t place = renumbered(to, sizes, kOurs, read);
        return holds(to, renumbered(place, sizes, written, kOurs));
      };
      std::int64_t to = 0;
      if (written == read || !is_so(telling)) continue;
      while (to < count && is_so(to)) ++to;
      if (to == count) {
        return "written as " + name_of(written) + " and read as " +
               name_of(read);
      }
    } while (std::ranges::next_permutation(written).found);
  } while (std::ranges::next_permutation(read).found);
  return "";
}

}  // namespace ropeproof::conformance::explain
