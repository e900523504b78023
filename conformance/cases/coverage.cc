#include "conformance/cases/coverage.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "conformance/cases/case_words.h"
#include "conformance/cases/families/choices.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/axis_map.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {
namespace {

constexpr int kPairsPerRow = 8;

// k with 2^k <= |p| < 2^(k+1); -1 below 1.
int binade_of(double p) { return std::abs(p) < 1 ? -1 : std::ilogb(p); }

void count_rotations(const Problem& p, Coverage& coverage) {
  if (p.is_special || p.q_heads + p.k_heads == 0) return;
  const std::int64_t pairs = std::min<std::int64_t>(p.pairs(), kCoveredPairs);
  for (std::int64_t token = 0; token < p.tokens(); ++token) {
    for (std::int64_t j = 0; j < pairs; ++j) {
      const std::int64_t axis = axis_of(p.spec.axes, j);
      const int binade = binade_of(p.position(axis, token));
      if (binade < 0 || binade >= kCoveredBinades) continue;
      ++reference::at(reference::at(coverage.rotations, j), binade);
    }
  }
}

void count_kinds(const Problem& p, Coverage& coverage) {
  const auto count = [&](const std::string& kind) { ++coverage.cases[kind]; };
  const reference::Frequencies& f = p.spec.frequencies;
  count("dtype and pairing: " + text::word(text::kFormatWords, p.dtype) + " " +
        text::word(text::kPairingWords, p.spec.layout.pairing));
  const std::string scaling = plugin::scaling_word(f.scaling);
  count("scaling: " + (scaling.empty() ? "none" : scaling));
  count("memory: " + text::word(kStorageWords, p.nearest_storage()));
  count("axes: " + std::to_string(p.spec.axes.count));
  if (!p.spec.axes.weights.empty()) count("axes: weights");
  const std::uint32_t map = plugin::axis_map_of(p.spec);
  if (map != 0) {
    count("axis map: " + text::word(plugin::kAxisMapWords, map));
  }
  const bool has_gaps = !p.storage.is_dense();
  if (p.spec.axes.count > 1 && has_gaps) count("axes: several, with gaps");
  if (std::max(p.q_heads, p.k_heads) > 16) count("wide: more than 16 heads");
  if (p.pairs() > 128) count("wide: more than 128 pairs");
  if (p.seq > 256) count("wide: more than 256 tokens");
  if (f.xpos) count("scaling: xpos");
  if (!f.inv_freq.empty()) count("scaling: given frequencies");
  if (!f.pair_factors.empty()) count("frequencies: pair factors");
  if (p.is_special) count("values: special");
  if (p.has_real_positions()) count("positions: real");
  if (p.spec.direction == reference::Direction::kAdjoint) {
    count("direction: adjoint");
  }
  if (p.q.empty() || (p.k_heads > 0 && p.k.empty())) count("sizes: empty");
  for (const double boundary : kBoundaries) {
    for (const double sign : {1.0, -1.0}) {
      if (std::find(p.positions.begin(), p.positions.end(), sign * boundary) !=
          p.positions.end()) {
        std::ostringstream text;
        text << std::fixed << std::setprecision(0) << sign * boundary;
        count("boundary: " + text.str());
      }
    }
  }
}

}  // namespace

Coverage coverage_of(const std::vector<Group>& groups) {
  Coverage coverage;
  for (const Group& group : groups) {
    for (const Case& c : group.rope_cases) {
      count_rotations(c.problem, coverage);
      count_kinds(c.problem, coverage);
    }
    for_each_type(group, [&](const std::string& type, const auto& cases) {
      if (cases.empty()) return;
      coverage.cases["type: " + type] +=
          static_cast<std::int64_t>(cases.size());
    });
  }
  return coverage;
}

std::vector<std::string> empty_cells(const Coverage& coverage) {
  std::vector<std::string> lines;
  for (std::size_t j = 0; j < kCoveredPairs; ++j) {
    for (std::size_t k = 0; k < kCoveredBinades; ++k) {
      if (coverage.rotations[j][k] == 0) {
        lines.push_back("pair " + std::to_string(j) + ", positions from 2^" +
                        std::to_string(k));
      }
    }
  }
  return lines;
}

std::string coverage_text(const Coverage& coverage) {
  std::ostringstream text;
  text
      << "rotations of pair j at positions from 2^k, the least of eight pairs\n"
      << "      k";
  for (std::size_t k = 0; k < kCoveredBinades; ++k) text << std::setw(5) << k;
  text << "\n";
  for (std::size_t first = 0; first < kCoveredPairs; first += kPairsPerRow) {
    const std::string row =
        std::to_string(first) + "-" + std::to_string(first + kPairsPerRow - 1);
    text << std::setw(7) << row;
    for (std::size_t k = 0; k < kCoveredBinades; ++k) {
      auto least = std::numeric_limits<std::int64_t>::max();
      for (std::size_t j = first; j < first + kPairsPerRow; ++j) {
        least = std::min(least, coverage.rotations[j][k]);
      }
      text << std::setw(5) << least;
    }
    text << "\n";
  }
  constexpr std::size_t kCells = std::size_t{kCoveredPairs} * kCoveredBinades;
  text << kCells - empty_cells(coverage).size() << " of " << kCells
       << " cells covered\n\ncases\n";
  for (const auto& [kind, count] : coverage.cases) {
    text << std::setw(7) << count << "  " << kind << "\n";
  }
  return text.str();
}

}  // namespace ropeproof::conformance::cases
