#include "conformance/weights/row_maps.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "reference/permutation.h"

namespace ropeproof::conformance::weights {
namespace {

using reference::Layout;
using reference::Pairing;

constexpr Direction kBoth[] = {Direction::kToInterleaved,
                               Direction::kToHalfSplit};

RowMap identity(std::size_t size) {
  RowMap map(size);
  std::iota(map.begin(), map.end(), 0u);
  return map;
}

// `second` of what `first` gives.
RowMap then(const RowMap& first, const RowMap& second) {
  RowMap map(first.size());
  for (std::size_t t = 0; t < map.size(); ++t) map[t] = first[second[t]];
  return map;
}

Layout window(std::uint64_t head_dim, std::int64_t rotary_dim,
              std::int64_t offset) {
  Layout layout;
  layout.head_dim = static_cast<std::int64_t>(head_dim);
  layout.rotary_dim = rotary_dim;
  layout.rotary_offset = offset;
  return layout;
}

class CandidateList {
 public:
  explicit CandidateList(const Heads& heads) : heads_(heads) {}

  std::vector<Candidate> take() {
    add(Change::kRight, Direction::kNone, identity(1));
    if (heads_.layouts.empty()) {
      add_divisors(Change::kRight);
    } else {
      for (const Layout& layout : heads_.layouts) {
        for (const Direction d : kBoth) {
          add(Change::kRight, d, head_map(layout, d));
        }
      }
      for (const Layout& layout : heads_.layouts) add_wrong(layout);
      add_divisors(Change::kHeadCount);
    }
    return std::move(all_);
  }

 private:
  // One that moves nothing is no change; one that is there is not there twice.
  void add(Change change, Direction direction, RowMap map) {
    if (map.empty() || heads_.rows % map.size() != 0) return;
    const bool is_there =
        map == identity(map.size())
            ? !all_.empty()
            : std::ranges::any_of(all_, [&](const Candidate& known) {
                return known.map == map && known.direction == direction;
              });
    if (is_there) return;
    all_.push_back(
        {change, direction, heads_.rows / map.size(), std::move(map)});
  }

  void add_divisors(Change change) {
    for (std::uint64_t n = heads_.rows; n >= 4; --n) {
      if (heads_.rows % n != 0 || n % 2 != 0) continue;
      if (heads_.count != 0 && heads_.layouts.empty() &&
          heads_.rows / n != heads_.count) {
        continue;
      }
      const Layout whole = window(n, static_cast<std::int64_t>(n), 0);
      for (const Direction d : kBoth) add(change, d, head_map(whole, d));
    }
  }

  void add_wrong(const Layout& layout) {
    const std::int64_t width = layout.head_dim, r = layout.rotary_dim,
                       o = layout.rotary_offset;
    const auto size = static_cast<std::size_t>(width);
    for (const Direction d : kBoth) {
      const RowMap right = head_map(layout, d);
      add(Change::kTwice, d, then(right, right));
      if (r < width && width % 2 == 0) {
        add(Change::kWholeHead, d, head_map(window(size, width, 0), d));
      }
      if (r < width) {
        const std::int64_t other = o == 0 ? width - r : 0;
        add(Change::kOtherEnd, d, head_map(window(size, r, other), d));
      }
    }
    if (o != 0) {
      RowMap moved = identity(size);
      std::ranges::rotate(moved, moved.end() - r);
      add(Change::kRopeFirst, Direction::kNone, moved);
      for (const Direction d : kBoth) {
        add(Change::kRopeFirst, d, then(head_map(layout, d), moved));
      }
    }
    // Exchanged as they stand, or after they were permuted.
    for (const Direction d : kBoth) {
      Layout named = layout;
      named.pairing = d == Direction::kToInterleaved ? Pairing::kInterleaved
                                                     : Pairing::kHalfSplit;
      RowMap swapped = identity(size);
      for (std::int64_t j = 0; j < r / 2; ++j) {
        const reference::Pair pair = reference::pair_of(named, j);
        std::swap(swapped[static_cast<std::size_t>(pair.u)],
                  swapped[static_cast<std::size_t>(pair.v)]);
      }
      add(Change::kSwappedPairs, d, then(head_map(layout, d), swapped));
      add(Change::kSwappedPairs, Direction::kNone, std::move(swapped));
    }
  }

  const Heads& heads_;
  std::vector<Candidate> all_;
};

}  // namespace

RowMap head_map(Layout layout, Direction direction) {
  if (direction == Direction::kNone) {
    return identity(static_cast<std::size_t>(layout.head_dim));
  }
  layout.pairing = direction == Direction::kToHalfSplit ? Pairing::kInterleaved
                                                        : Pairing::kHalfSplit;
  const auto source = reference::channel_permutation(layout);
  return {source.begin(), source.end()};
}

std::vector<Candidate> candidates(const Heads& heads) {
  return CandidateList(heads).take();
}

bool matches(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
             const RowMap& map, std::uint64_t* first) {
  for (std::size_t t = 0; t < b.size(); ++t) {
    const std::size_t source =
        t / map.size() * map.size() + map[t % map.size()];
    if (source < a.size() && a[source] == b[t]) continue;
    if (first != nullptr) *first = t;
    return false;
  }
  return a.size() == b.size();
}

RowMap rows_of_part(Part part, FusedOrder order, std::uint64_t rows,
                    std::uint64_t heads, std::uint64_t kv_heads) {
  const std::uint64_t all = heads + 2 * kv_heads;
  if (kv_heads == 0 || rows % all != 0 || heads % kv_heads != 0) return {};
  const std::uint64_t width = rows / all, group = heads / kv_heads;
  RowMap map;
  const auto add = [&](std::uint64_t head) {
    for (std::uint64_t c = 0; c < width; ++c) {
      map.push_back(static_cast<std::uint32_t>(head * width + c));
    }
  };
  const std::uint64_t after = part == Part::kV ? 1 : 0;
  const std::uint64_t count = part == Part::kQ ? heads : kv_heads;
  for (std::uint64_t h = 0; h < count; ++h) {
    if (order == FusedOrder::kBlocks) {
      add(part == Part::kQ ? h : heads + after * kv_heads + h);
    } else if (part == Part::kQ) {
      add(h / group * (group + 2) + h % group);
    } else {
      add(h * (group + 2) + group + after);
    }
  }
  return map;
}

}  // namespace ropeproof::conformance::weights
