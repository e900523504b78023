#include "conformance/identify/shapes.h"

#include <algorithm>
#include <utility>

#include "conformance/cases/counter_generator.h"
#include "conformance/cases/families/family.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;
using reference::Layout;
using reference::Pairing;

constexpr std::int64_t kHeadDims[] = {64, 128, 32, 16, 80, 96, 256, 8};
constexpr std::pair<std::int64_t, std::int64_t> kOneHead[] = {
    {1, 0}, {1, 1}, {2, 1}, {4, 2}, {8, 8}, {32, 8}};
constexpr std::pair<std::int64_t, std::int64_t> kManyHeads[] = {
    {3, 1}, {4, 2}, {3, 3}, {8, 8}, {32, 8}, {1, 1}, {1, 0}};

Layout layout_of(std::int64_t head_dim, const Layout& quarters) {
  Layout layout{head_dim, head_dim * quarters.rotary_dim / kWhole,
                head_dim * quarters.rotary_offset / kWhole, quarters.pairing};
  if (layout.pairing == Pairing::kNestedHalfSplit) layout.blocks = 2;
  return layout;
}

}  // namespace

double drawn(Format format, std::uint64_t i) {
  return decode(format, cases::random_number(format, 0, i));
}

std::optional<cases::Case> shaped(Prober& prober, std::uint32_t operation,
                                  const cases::Problem& wanted, Heads heads) {
  std::vector<double> positions;
  for (std::int64_t i = 0; i < wanted.tokens(); ++i) {
    positions.push_back(wanted.positions[static_cast<std::size_t>(i) %
                                         wanted.positions.size()]);
  }
  const auto first = [&](const auto& all) -> std::optional<cases::Case> {
    for (const std::int64_t head_dim : kHeadDims) {
      for (const auto& [q, k] : all) {
        cases::Case c;
        c.problem = cases::make_problem(
            wanted.dtype, layout_of(head_dim, wanted.spec.layout),
            wanted.spec.frequencies.base, wanted.batch, wanted.seq, q, k,
            positions);
        set_elements(c, [](auto, auto, auto) { return 0.0; });
        if (!prober.takes(operation, {c.problem, c.id})) continue;
        std::uint64_t count = 0;
        form(c,
             [&](auto, auto, auto) { return drawn(c.problem.dtype, count++); });
        return c;
      }
    }
    return std::nullopt;
  };
  return heads == Heads::kMany ? first(kManyHeads) : first(kOneHead);
}

std::vector<Format> dtypes_of(const plugin::Description& kernel) {
  std::vector<Format> all;
  for (const Format format :
       {Format::kF32, Format::kF64, Format::kF16, Format::kBF16}) {
    if ((kernel.dtypes & plugin::abi_dtype(format)) != 0) all.push_back(format);
  }
  return all;
}

std::vector<Pairing> pairings_of(const plugin::Description& kernel) {
  std::vector<Pairing> all;
  for (const auto& [pairing, word] : text::kPairingWords) {
    if ((kernel.pairings & plugin::abi_pairing(pairing)) != 0) {
      all.push_back(pairing);
    }
  }
  return all;
}

std::optional<cases::Case> small_problem(Prober& prober,
                                         std::uint32_t operation,
                                         cases::Problem wanted) {
  const std::int64_t limit = prober.description().max_position;
  wanted.seq = 3;
  wanted.positions.clear();
  for (const std::int64_t p : {3, 0, 17, 5, 1, 30}) {
    wanted.positions.push_back(
        static_cast<double>(limit > 0 ? std::min<std::int64_t>(p, limit) : p));
  }
  if ((prober.description().features & ROPEPROOF_PARTIAL) != 0) {
    wanted.spec.layout.rotary_dim = kHalf;
  }
  for (const std::int64_t batch : {2, 1}) {
    wanted.batch = batch;
    if (auto c = shaped(prober, operation, wanted, Heads::kMany)) return c;
  }
  return std::nullopt;
}

cases::Corpus problems_of_every_kind(
    Prober& prober, std::uint32_t operation, const cases::Problem& wanted,
    std::span<const check::Variation> variations) {
  const auto limit = static_cast<double>(prober.description().max_position);
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
      cases::Problem w = wanted;
      w.dtype = dtype;
      w.spec.layout.pairing = pairing;
      if (auto c = small_problem(prober, operation, w)) take(std::move(*c));
      w.seq = 10;
      w.spec.frequencies.base =
          5e5;  // the last two positions are none of f32's
      w.positions = {1,     257,   513,    2049,     4097,
                     32769, 65791, 131071, 16777217, 1073741827};
      for (double& p : w.positions) p = limit > 0 ? std::min(p, limit) : p;
      if (auto c = shaped(prober, operation, w)) take(std::move(*c));
    }
  }
  cases::Corpus corpus;
  corpus.groups.push_back(std::move(group));
  return corpus;
}

}  // namespace ropeproof::conformance::identify
