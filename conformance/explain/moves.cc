#include "conformance/explain/moves.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "conformance/text/format.h"

namespace ropeproof::conformance::explain {
namespace {

constexpr const char* kAxisWords[] = {"tensor", "batch row", "token", "head",
                                      "channel"};
using Map = std::map<std::int64_t, std::int64_t>;

// "1-3, 5".
std::string runs_of(const std::set<std::int64_t>& all) {
  std::string text;
  for (auto i = all.begin(); i != all.end();) {
    const std::int64_t first = *i;
    std::int64_t last = first;
    while (++i != all.end() && *i == last + 1) last = *i;
    text += (text.empty() ? "" : ", ") + std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
  }
  return text;
}

// "head 1", "heads 1-3"; a tensor is "q" or "k".
std::string named(Axis axis, const std::set<std::int64_t>& all) {
  if (axis == kTensor) {
    return all.size() > 1 ? "q and k" : *all.begin() == 0 ? "q" : "k";
  }
  return kAxisWords[axis] + std::string(all.size() > 1 ? "s " : " ") +
         runs_of(all);
}

std::string named(Axis axis, std::int64_t one) {
  return named(axis, std::set{one});
}

// The one axis on which all moves differ, if there is one.
std::optional<Axis> axis_of(const std::vector<Move>& moves) {
  std::optional<Axis> found;
  for (const Axis axis : {kTensor, kBatchRow, kToken, kHead, kChannel}) {
    if (std::ranges::none_of(moves, [&](const Move& move) {
          return move.to[axis] != move.from[axis];
        })) {
      continue;
    }
    if (found) return std::nullopt;
    found = axis;
  }
  return found;
}

// Where each coordinate of an axis comes from; nothing where one comes from
// several.
std::optional<Map> map_of(const std::vector<Move>& moves, Axis axis) {
  Map map;
  for (const Move& move : moves) {
    const auto [known, is_new] = map.emplace(move.to[axis], move.from[axis]);
    if (!is_new && known->second != move.from[axis]) return std::nullopt;
  }
  return map;
}

std::string map_text(const Map& map, Axis axis, const std::string& what,
                     std::int64_t size) {
  std::set<std::int64_t> to, from;
  bool is_shift = true, is_reverse = true, is_exchange = map.size() > 1;
  const std::int64_t by = map.begin()->second - map.begin()->first;
  for (const auto& [i, source] : map) {
    to.insert(i), from.insert(source);
    is_shift = is_shift && source - i == by;
    is_reverse = is_reverse && source == size - 1 - i;
    const auto back = map.find(source);
    is_exchange = is_exchange && back != map.end() && back->second == i;
  }
  const std::string several = what + "s";
  constexpr std::size_t kMost = 4;
  if (is_exchange && map.size() <= 2 * kMost &&
      (map.size() == 2 || !is_reverse)) {
    std::string both;
    for (const auto& [i, source] : map) {
      if (i > source) continue;
      both += (both.empty() ? "" : ", ") + std::to_string(i) + " and " +
              std::to_string(source);
    }
    return (axis == kTensor ? "q and k" : kAxisWords[axis] + ("s " + both)) +
           " hold each other's " + several;
  }
  if (is_reverse && std::ssize(map) >= size - size % 2) {
    return "the " + std::string(kAxisWords[axis]) + "s hold the " + several +
           " in reverse order";
  }
  if (map.size() > 1 && (is_shift || from.size() == 1)) {
    return named(axis, to) + " hold the " +
           (from.size() == 1 ? what : several) + " of " + named(axis, from);
  }
  std::string text;
  std::size_t count = 0;
  for (const auto& [i, source] : map) {
    if (count++ == kMost) {
      return text + " and " + std::to_string(map.size() - kMost) + " more";
    }
    text += (text.empty() ? "" : ", ") + named(axis, i) +
            (text.empty() ? " holds the " + what + " of " : " that of ") +
            named(axis, source);
  }
  return text;
}

// How many elements or rows the smallest box has that holds them.
std::int64_t box_of(const std::vector<Coordinates>& all) {
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis <= kChannel; ++axis) {
    std::set<std::int64_t> values;
    for (const Coordinates& at : all) values.insert(at[axis]);
    count *= std::ssize(values);
  }
  return count;
}

using Order = std::array<std::size_t, 4>;  // outermost first
constexpr Order kOurs = {0, 1, 2, 3};
constexpr const char* kNames[] = {"batch", "seq", "heads", "head_dim"};

std::string order_text(const Order& order) {
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

std::int64_t Extents::size(Axis axis, std::int64_t tensor) const {
  switch (axis) {
    case kTensor:
      return heads[1] > 0 ? 2 : 1;
    case kBatchRow:
      return batch;
    case kToken:
      return seq;
    case kHead:
      return heads[static_cast<std::size_t>(tensor)];
    case kChannel:
      break;
  }
  return channels;
}

Coordinates Extents::coordinates(std::int64_t tensor,
                                 std::int64_t element) const {
  const std::int64_t of_tensor = heads[static_cast<std::size_t>(tensor)];
  const std::int64_t row = element / channels, token = row / of_tensor;
  return {tensor, token / seq, token % seq, row % of_tensor,
          element % channels};
}

std::pair<std::int64_t, std::int64_t> distance_of(const Coordinates& a,
                                                  const Coordinates& b) {
  std::pair<std::int64_t, std::int64_t> off{};
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    off.first += a[axis] != b[axis] ? 1 : 0;
    off.second += std::abs(a[axis] - b[axis]);
  }
  return off;
}

std::string name_of(const Coordinates& at, bool is_row) {
  std::string text = at[kTensor] == 0 ? "q[" : "k[";
  for (std::size_t axis = kBatchRow; axis <= (is_row ? kHead : kChannel);
       ++axis) {
    text += (axis == kBatchRow ? "" : ",") + std::to_string(at[axis]);
  }
  return text + "]";
}

std::string places_of(const std::vector<Coordinates>& all,
                      const Extents& extents, Axis told) {
  std::string text;
  std::set<std::int64_t> tensors;
  for (const Coordinates& at : all) tensors.insert(at[kTensor]);
  for (const Axis axis : {kTensor, kBatchRow, kToken, kHead, kChannel}) {
    std::set<std::int64_t> values;
    for (const Coordinates& at : all) values.insert(at[axis]);
    std::int64_t size = extents.size(axis, 0);
    for (const std::int64_t tensor : tensors) {
      size = std::max(size, extents.size(axis, tensor));
    }
    if (axis == told || std::ssize(values) >= size) continue;
    text += (text.empty() ? "" : ", ") + named(axis, values);
  }
  return text;
}

std::string moves_text(const std::vector<Move>& moves, const Extents& extents,
                       const std::string& what) {
  const bool is_row = std::ranges::all_of(moves, [](const Move& move) {
    return move.to[kChannel] == 0 && move.from[kChannel] == 0;
  });
  const std::optional<Axis> axis = axis_of(moves);
  const std::optional<Map> map =
      axis && moves.size() > 1 ? map_of(moves, *axis) : std::nullopt;
  if (map) {
    std::vector<Coordinates> all;
    for (const Move& move : moves) all.push_back(move.to);
    // Of rows there is no channel to name.
    Extents here = extents;
    if (is_row && *axis != kChannel) here.channels = 1;
    const std::string places = places_of(all, here, *axis);
    const std::int64_t most = box_of(all);
    return map_text(*map, *axis, what,
                    extents.size(*axis, moves[0].to[kTensor])) +
           (places.empty() ? "" : "; in " + places) +
           (std::ssize(all) == most
                ? ""
                : "; " + text::part_of(all.size(), most) + " there");
  }
  constexpr std::size_t kMost = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, moves.size()); ++i) {
    text += (i == 0 ? "" : ", ") + name_of(moves[i].to, is_row) +
            (i == 0 ? " holds the " + what + " of " : " that of ") +
            name_of(moves[i].from, is_row);
  }
  if (moves.size() > kMost) {
    text += " and " + std::to_string(moves.size() - kMost) + " more";
  }
  return text;
}

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
        return "written as " + order_text(written) + " and read as " +
               order_text(read);
      }
    } while (std::ranges::next_permutation(written).found);
  } while (std::ranges::next_permutation(read).found);
  return "";
}

}  // namespace ropeproof::conformance::explain
