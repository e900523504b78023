#include "conformance/identify/channel_map.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "reference/rope.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;
using reference::Layout;
using reference::Pairing;

using Matrix = std::vector<std::vector<double>>;  // [output][input]

// Channels that are joined by an entry of the matrix.
struct Island {
  std::vector<std::int64_t> in, out;
};

std::vector<Island> islands_of(const Matrix& m) {
  const std::size_t d = m.size();
  std::vector<bool> seen(d, false);
  std::vector<Island> islands;
  for (std::size_t k = 0; k < d; ++k) {
    if (seen[k]) continue;
    std::set<std::size_t> in = {k}, out;
    for (std::size_t before = 0; before != in.size() + out.size();) {
      before = in.size() + out.size();
      for (std::size_t o = 0; o < d; ++o) {
        const bool is_joined = std::ranges::any_of(
            in, [&](std::size_t i) { return m[o][i] != 0; });
        if (is_joined) out.insert(o);
      }
      for (std::size_t i = 0; i < d; ++i) {
        const bool is_joined = std::ranges::any_of(
            out, [&](std::size_t o) { return m[o][i] != 0; });
        if (is_joined) in.insert(i);
      }
    }
    for (const std::size_t i : in) seen[i] = true;
    islands.push_back({{in.begin(), in.end()}, {out.begin(), out.end()}});
  }
  return islands;
}

SeenPair pair_of(const Matrix& m, const Island& island, double noise) {
  const auto entry = [&](std::int64_t o, std::int64_t i) {
    return m[static_cast<std::size_t>(o)][static_cast<std::size_t>(i)];
  };
  const auto read = [&](std::int64_t to_u, std::int64_t to_v) {
    SeenPair pair{island.in[0], island.in[1], to_u, to_v, {}, {}, false};
    pair.in_u = {entry(to_u, pair.u), entry(to_u, pair.v)};
    pair.in_v = {entry(to_v, pair.u), entry(to_v, pair.v)};
    pair.rotates = std::abs(pair.in_u[0] - pair.in_v[1]) <= noise &&
                   std::abs(pair.in_u[1] + pair.in_v[0]) <= noise;
    return pair;
  };
  const SeenPair straight = read(island.out[0], island.out[1]);
  const SeenPair crossed = read(island.out[1], island.out[0]);
  return crossed.rotates && !straight.rotates ? crossed : straight;
}

bool is_same(const SeenPair& seen, const reference::Pair& from,
             const reference::Pair& to) {
  return seen.u == std::min(from.u, from.v) &&
         seen.v == std::max(from.u, from.v) &&
         std::min(seen.to_u, seen.to_v) == std::min(to.u, to.v) &&
         std::max(seen.to_u, seen.to_v) == std::max(to.u, to.v);
}

std::string words_of(const Layout& l) {
  const std::string first =
      l.rotary_offset == 0 ? "" : std::to_string(l.rotary_offset) + " + ";
  const std::string half =
      std::to_string(l.pair_distance != 0 ? l.pair_distance : l.rotary_dim / 2);
  switch (l.pairing) {
    case Pairing::kInterleaved:
      return "(" + first + "2j, " + first + "2j + 1)";
    case Pairing::kHalfSplit:
      return "(" + first + "j, " + first + "j + " + half + ")";
    case Pairing::kInterleavedToHalf:
      return "(" + first + "2j, " + first + "2j + 1) into (" + first + "j, " +
             first + "j + " + half + ")";
    case Pairing::kNestedHalfSplit:
      return "half-split in each of " + std::to_string(l.blocks) + " blocks";
  }
  return "";
}

}  // namespace

double noise_of(Format format) {
  return 4 * reference::traits(format).unit_roundoff;
}

std::optional<ChannelMap> read_map(Prober& prober, std::uint32_t operation,
                                   const cases::Case& like) {
  // The sine of a slow pair is far above this; what is below is no rotation's.
  const double least = noise_of(like.problem.dtype) * 0x1p-8;
  const std::int64_t d = like.problem.spec.layout.head_dim;
  const auto size = static_cast<std::size_t>(d);
  Matrix m(size, std::vector<double>(size, 0));
  std::vector<bool> is_written(size, false);
  cases::Case c = like;
  for (std::int64_t k = 0; k < d; ++k) {
    set_elements(c, [=](std::int64_t, std::int64_t, std::int64_t t) {
      return t == k ? 1.0 : 0.0;
    });
    const auto output = prober.ask(operation, c);
    if (!output) return std::nullopt;
    for (std::size_t o = 0; o < size; ++o) {
      if (cases::is_output_fill(c.problem.dtype, output->q[o])) continue;
      is_written[o] = true;
      const double entry = decode(c.problem.dtype, output->q[o]);
      if (!(std::abs(entry) < least)) m[o][static_cast<std::size_t>(k)] = entry;
    }
  }
  ChannelMap map;
  for (std::size_t o = 0; o < size; ++o) {
    if (!is_written[o]) map.unwritten.push_back(static_cast<std::int64_t>(o));
  }
  const double noise = noise_of(c.problem.dtype);
  for (const Island& island : islands_of(m)) {
    const std::int64_t k = island.in[0];
    if (island.in.size() == 2 && island.out.size() == 2) {
      map.pairs.push_back(pair_of(m, island, noise));
    } else if (island.out.empty()) {
      const bool is_written_to = is_written[static_cast<std::size_t>(k)];
      if (is_written_to) map.lost.push_back(k);
    } else if (island.in.size() == 1 && island.out.size() == 1) {
      const std::int64_t o = island.out[0];
      const double times =
          m[static_cast<std::size_t>(o)][static_cast<std::size_t>(k)];
      if (o == k && times == 1) {
        map.copied.push_back(k);
      } else {
        map.moved.push_back({k, o, times});
      }
    } else {
      map.tangled.insert(map.tangled.end(), island.in.begin(), island.in.end());
    }
  }
  std::ranges::sort(map.pairs, {}, &SeenPair::u);
  std::ranges::sort(map.copied);
  std::ranges::sort(map.tangled);
  return map;
}

std::int64_t pairs_as_due(const ChannelMap& map, const Layout& layout) {
  reference::Spec spec;
  spec.layout = layout;
  std::int64_t count = 0;
  for (std::int64_t j = 0; j < layout.rotary_dim / 2; ++j) {
    const reference::Pair from = source_pair(spec, j),
                          to = target_pair(spec, j);
    if (std::ranges::any_of(map.pairs, [&](const SeenPair& seen) {
          return seen.rotates && is_same(seen, from, to);
        })) {
      ++count;
    }
  }
  return count;
}

std::vector<std::optional<SeenPair>> pairs_in_order(
    const ChannelMap& map, const reference::Spec& spec) {
  std::vector<std::optional<SeenPair>> all;
  std::vector<SeenPair> rotating;
  for (const SeenPair& pair : map.pairs) {
    if (pair.rotates) rotating.push_back(pair);
  }
  const std::int64_t pairs = spec.layout.rotary_dim / 2;
  std::int64_t found = 0;
  for (std::int64_t j = 0; j < pairs; ++j) {
    const reference::Pair due = source_pair(spec, j);
    const auto it = std::ranges::find_if(rotating, [&](const SeenPair& seen) {
      return seen.u == due.u && seen.v == due.v;
    });
    all.push_back(it == rotating.end() ? std::nullopt : std::optional(*it));
    found += it == rotating.end() ? 0 : 1;
  }
  if (found < static_cast<std::int64_t>(rotating.size())) {
    for (std::int64_t j = 0; j < pairs; ++j) {
      const auto i = static_cast<std::size_t>(j);
      all[i] = i < rotating.size() ? std::optional(rotating[i]) : std::nullopt;
    }
  }
  return all;
}

std::string pairing_words(const ChannelMap& map, const Layout& layout) {
  const auto fits = [&](const Layout& l) {
    return static_cast<std::size_t>(l.rotary_dim / 2) == map.pairs.size() &&
           pairs_as_due(map, l) == l.rotary_dim / 2;
  };
  // What is declared first, then the like with another window.
  std::vector<Layout> candidates = {layout};
  const auto rotary = static_cast<std::int64_t>(2 * map.pairs.size());
  const std::int64_t d = layout.head_dim;
  if (rotary > 0) {
    for (const std::int64_t offset :
         {layout.rotary_offset, std::int64_t{0}, d - rotary}) {
      for (const auto& [pairing, word] : text::kPairingWords) {
        Layout l{d, rotary, offset, pairing};
        if (offset + rotary > d) continue;
        candidates.push_back(l);
        if (pairing != Pairing::kHalfSplit) continue;
        for (const std::int64_t distance : {d / 2, d - rotary / 2}) {
          l.pair_distance = distance;
          if (offset + rotary / 2 + distance <= d) candidates.push_back(l);
        }
      }
    }
  }
  for (const Layout& l : candidates) {
    if (fits(l)) {
      return words_of(l) + ", " + text::word(text::kPairingWords, l.pairing);
    }
  }
  const std::int64_t due = pairs_as_due(map, layout);
  std::string text =
      text::part_of(due, layout.rotary_dim / 2) + " pairs " + words_of(layout);
  const auto rotated = std::ranges::count_if(
      map.pairs, [](const SeenPair& pair) { return pair.rotates; });
  if (rotated != due) {
    text += "; " + std::to_string(rotated) + " pairs rotate, such as ";
    int shown = 0;
    for (const SeenPair& pair : map.pairs) {
      if (!pair.rotates || shown == 3) continue;
      text += (shown++ > 0 ? ", (" : "(") + std::to_string(pair.u) + ", " +
              std::to_string(pair.v) + ")";
    }
  }
  return text;
}

std::string channels_text(const std::vector<std::int64_t>& channels) {
  std::string text;
  for (std::size_t i = 0; i < channels.size();) {
    std::size_t last = i;
    while (last + 1 < channels.size() &&
           channels[last + 1] == channels[last] + 1) {
      ++last;
    }
    text += (text.empty() ? "" : ", ") + std::to_string(channels[i]);
    if (last > i)
      text += (last > i + 1 ? " to " : ", ") + std::to_string(channels[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace ropeproof::conformance::identify
