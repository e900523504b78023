#include "conformance/weights/faults.h"

#include <map>
#include <unordered_map>

#include "conformance/text/format.h"

namespace ropeproof::conformance::weights {
namespace {

constexpr Direction kDirections[] = {
    Direction::kNone, Direction::kToInterleaved, Direction::kToHalfSplit};

std::string words(Direction direction) {
  return text::word(kDirectionWords, direction);
}

std::string heads_of_width(std::uint64_t heads, std::uint64_t rows) {
  return std::to_string(heads) + (heads == 1 ? " head of " : " heads of ") +
         std::to_string(rows / heads);
}

// What should be done to rows in this direction.
std::string right_way(const Compared& compared, Direction direction) {
  if (direction == Direction::kNone) return "keep its rows as they are";
  const Heads& heads = compared.heads;
  std::string way = "permute it " + words(direction);
  if (heads.layouts.empty()) return way;
  const reference::Layout& layout = heads.layouts.front();
  way += " as " + heads_of_width(heads.count, heads.rows);
  if (layout.rotary_dim < layout.head_dim) {
    way += text::format(
        ", channels %lld to %lld of each",
        static_cast<long long>(layout.rotary_offset),
        static_cast<long long>(layout.rotary_offset + layout.rotary_dim - 1));
  }
  return way;
}

class Namer {
 public:
  Namer(const Compared& compared, const Expected& expected)
      : compared_(compared), expected_(expected) {}

  // A right rearrangement, and not the expected one.
  std::string of_direction(Direction found) const {
    const Kind kind = compared_.kind;
    if (compared_.part == Part::kV) {
      return (found == Direction::kNone ? std::string("rearranged")
                                        : "permuted " + words(found)) +
             "; v has no rotary channels";
    }
    if (kind == Kind::kLoraA) {
      return "rows of LoRA A permuted in place of those of B";
    }
    if (found == Direction::kNone) {
      return kind == Kind::kWeight
                 ? "not permuted"
                 : "not permuted; it moves as the rows of its weight do";
    }
    if (expected_.direction == Direction::kNone) {
      return "permuted " + words(found) + "; it should be equal";
    }
    return "permuted by the inverse, " + words(found);
  }

  std::string of(const Candidate& candidate) const {
    const std::string way = candidate.direction == Direction::kNone
                                ? ""
                                : " (" + words(candidate.direction) + ")";
    if (compared_.part == Part::kV) return of_direction(candidate.direction);
    switch (candidate.change) {
      case Change::kRight:
        return of_direction(candidate.direction);
      case Change::kHeadCount:
        return of_head_count(candidate) + way;
      case Change::kTwice:
        return "permuted twice" + way;
      case Change::kWholeHead:
        return "all channels of a head permuted, not the rotary ones alone" +
               way;
      case Change::kOtherEnd:
        return "rotary channels taken at the other end of the head" + way;
      case Change::kRopeFirst:
        return "rotary channels moved before the others" + way;
      case Change::kSwappedPairs:
        return "the two channels of each pair exchanged: it rotates backwards" +
               way;
    }
    return "";
  }

 private:
  std::string of_head_count(const Candidate& candidate) const {
    if (is_never_permuted(compared_.part, compared_.kind)) {
      return of_direction(candidate.direction);
    }
    const Attention& attention = *expected_.attention;
    const std::uint64_t heads = candidate.heads, rows = compared_.heads.rows;
    const bool is_q = compared_.part == Part::kQ;
    std::string text = "permuted as " + heads_of_width(heads, rows) + ", not " +
                       heads_of_width(compared_.heads.count, rows);
    if (heads == (is_q ? attention.kv_heads : attention.heads)) {
      text = std::string("head count of ") +
             (is_q ? "k taken for q" : "q taken for k") + ": " + text;
    } else if (heads == 1) {
      text = "all heads taken for one: " + text;
    }
    return text;
  }

  const Compared& compared_;
  const Expected& expected_;
};

// Which head of A each head of B is, and how it was changed.
struct HeadSource {
  std::uint64_t head = 0;
  Direction direction = Direction::kNone;
};

std::optional<std::vector<HeadSource>> sources_of_heads(
    const Compared& compared, const reference::Layout& layout) {
  const auto width = static_cast<std::size_t>(layout.head_dim);
  if (compared.a.size() % width != 0 || compared.b.size() % width != 0) {
    return std::nullopt;
  }
  std::unordered_map<std::uint64_t, std::uint64_t> row_of;  // in A
  for (std::size_t t = compared.a.size(); t-- > 0;) row_of[compared.a[t]] = t;
  std::vector<HeadSource> result;
  for (std::size_t h = 0; h < compared.b.size() / width; ++h) {
    const auto b = std::span(compared.b).subspan(h * width, width);
    bool is_found = false;
    for (const Direction direction : kDirections) {
      const RowMap map = head_map(layout, direction);
      const auto found = row_of.find(b[0]);
      if (found == row_of.end() || found->second % width != map[0]) continue;
      const std::size_t head = found->second / width;
      const auto a = std::span(compared.a).subspan(head * width, width);
      if (!matches(a, b, map)) continue;
      result.push_back({head, direction});
      is_found = true;
      break;
    }
    if (!is_found) return std::nullopt;
  }
  return result;
}

std::string fault_of_heads(const std::vector<HeadSource>& sources,
                           std::uint64_t heads_of_a) {
  std::map<Direction, std::uint64_t> counts;
  std::optional<std::size_t> moved, unlike;
  for (std::size_t h = 0; h < sources.size(); ++h) {
    ++counts[sources[h].direction];
    if (!moved && sources[h].head != h) moved = h;
    if (!unlike && sources[h].direction != sources[0].direction) unlike = h;
  }
  std::string text;
  if (sources.size() != heads_of_a) {
    text = std::to_string(sources.size()) + " heads in B, " +
           std::to_string(heads_of_a) + " in A";
    if (sources.size() % heads_of_a == 0) {
      text += "; those of A occur " +
              std::to_string(sources.size() / heads_of_a) + " times";
    }
  } else if (moved) {
    text = "heads in another order: head " + std::to_string(*moved) +
           " of B is head " + std::to_string(sources[*moved].head) + " of A";
  }
  if (unlike) {
    if (!text.empty()) text += "; ";
    text += "heads treated unlike:";
    for (const auto& [direction, count] : counts) {
      text += " " + std::to_string(count) + " " + words(direction) + ",";
    }
    text += " head " + std::to_string(*unlike) + " is the first that is not " +
            words(sources[0].direction);
  }
  return text;
}

}  // namespace

bool is_never_permuted(Part part, Kind kind) {
  return part == Part::kV || kind == Kind::kLoraA;
}

std::vector<Candidate> right_maps(const Compared& compared) {
  std::vector<Candidate> result;
  for (Candidate& candidate : candidates(compared.heads)) {
    if (candidate.change == Change::kRight &&
        matches(compared.a, compared.b, candidate.map)) {
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

std::optional<Fault> fault_of(const Compared& compared,
                              const Expected& expected) {
  const Namer namer(compared, expected);
  const std::string advice = right_way(compared, expected.direction);
  for (const Candidate& candidate : candidates(compared.heads)) {
    if (matches(compared.a, compared.b, candidate.map)) {
      return Fault{namer.of(candidate), advice};
    }
  }
  for (const reference::Layout& layout : compared.heads.layouts) {
    const auto sources = sources_of_heads(compared, layout);
    if (!sources) continue;
    const auto width = static_cast<std::size_t>(layout.head_dim);
    return Fault{fault_of_heads(*sources, compared.a.size() / width),
                 "keep the order of heads, and " + advice};
  }
  return std::nullopt;
}

}  // namespace ropeproof::conformance::weights
