#include "conformance/identify/every_kind.h"

#include <algorithm>
#include <utility>

#include "conformance/text/format.h"

namespace ropeproof::conformance::identify {

using reference::Format;
using reference::Pairing;

std::optional<cases::Case> small_problem(Prober& prober, Wanted wanted) {
  const std::int64_t limit = prober.description().max_position;
  wanted.seq = 3;
  wanted.has_many_heads = true;
  wanted.positions.clear();
  for (const std::int64_t p : {3, 0, 17, 5, 1, 30}) {
    wanted.positions.push_back(
        static_cast<double>(limit > 0 ? std::min<std::int64_t>(p, limit) : p));
  }
  if ((prober.description().features & ROPEPROOF_PARTIAL) != 0) {
    wanted.window = Window::kLeading;
  }
  for (const std::int64_t batch : {2, 1}) {
    wanted.batch = batch;
    if (auto c = shaped(prober, wanted)) return c;
  }
  return std::nullopt;
}

cases::Corpus problems_of_every_kind(
    Prober& prober, const Wanted& wanted,
    std::span<const check::Variation> variations, double max_position) {
  cases::Group group;
  group.tier = cases::Tier::kCore;
  group.name = "identify";
  const auto take = [&](cases::Case c) {
    c.id = text::format("probe-%03zu", group.rope_cases.size() + 1);
    group.rope_cases.push_back(std::move(c));
  };
  for (const check::Variation& variation : variations) {
    take(variation.base);
    for (const check::Change& change : variation.changes) take(change.c);
  }
  for (const Format dtype : dtypes_of(prober.description())) {
    for (const Pairing pairing : pairings_of(prober.description())) {
      Wanted w = wanted;
      w.dtype = dtype;
      w.pairing = pairing;
      if (auto c = small_problem(prober, w)) take(std::move(*c));
      w.seq = 8;
      w.base = 5e5;
      w.positions.clear();
      for (const double p :
           {1.0, 257.0, 513.0, 2049.0, 4097.0, 32769.0, 65791.0, 131071.0}) {
        w.positions.push_back(std::min(p, max_position));
      }
      if (auto c = shaped(prober, w)) take(std::move(*c));
    }
  }
  cases::Corpus corpus;
  corpus.groups.push_back(std::move(group));
  return corpus;
}

}  // namespace ropeproof::conformance::identify
