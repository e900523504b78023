#include "conformance/report/unasked.h"

#include <algorithm>
#include <map>
#include <set>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

using check::Check;
using check::Facts;
using plugin::kAngles;
using plugin::kTensors;

// Where tensors lie, which the contract varies too.
constexpr std::uint32_t kMemory =
    ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED;
// A position up to this many times smaller than the largest one stands for it.
// What the corpus allows: a plain f32 half-split kernel has three such cases
// where it declares 511, 2^15, 2^18, 1e7 or 2^30, and not where it declares 100
// or 2^28.
constexpr double kPositionFactor = 16;

// A word or a number; "" or 0 where there is none.
template <class Fact>
Fact fact_of(const Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  const auto* fact =
      found == facts.end() ? nullptr : std::get_if<Fact>(&found->second);
  return fact == nullptr ? Fact() : *fact;
}

// Ids of the cases that touched each cell, and the features that were needed.
class Touched {
 public:
  explicit Touched(const check::Run& run) : limit_(run.kernel.max_position) {
    static const Facts kNone;
    for (const Check& check : run.checks) {
      if (!check::is_judged(check.verdict)) continue;
      features_ |= check.features;
      if (!check.aspect.empty()) continue;
      const auto facts = run.facts.find(check.case_id);
      add(check, facts == run.facts.end() ? kNone : facts->second);
    }
  }

  bool enough(const std::string& cell) const {
    const auto found = cells_.find(cell);
    return found != cells_.end() && std::ssize(found->second) >= kEnoughCases;
  }
  std::uint32_t features() const { return features_; }

 private:
  void add(const Check& check, const Facts& facts) {
    const auto touch = [&](const std::string& cell) {
      cells_[cell].insert(check.case_id);
    };
    touch(text::word(plugin::kOperationWords, check.operation));
    if ((check.features & ROPEPROOF_ADJOINT) != 0) touch("adjoint");
    const std::string pairing = fact_of<std::string>(facts, "pairing");
    const std::string dtype = fact_of<std::string>(facts, "dtype");
    const bool has_tensors = (check.operation & kTensors) != 0;
    if (has_tensors) touch(dtype);
    if (has_tensors || check.operation == ROPEPROOF_PERMUTE) touch(pairing);
    if ((check.operation & (kAngles | ROPEPROOF_FREQUENCIES)) == 0) return;
    const std::string scaling = fact_of<std::string>(facts, "scaling");
    if (!scaling.empty()) {
      touch(scaling);
      if (has_tensors) touch(scaling + " x " + pairing);
      if (has_tensors) touch(scaling + " x " + dtype);
    }
    if ((check.operation & kAngles) == 0) return;
    const std::string map = fact_of<std::string>(facts, "axis_map");
    if (!map.empty()) {
      touch("axis map " + map);
      touch("axis map any");
    }
    const double largest = std::max(fact_of<double>(facts, "highest position"),
                                    -fact_of<double>(facts, "lowest position"));
    if (kPositionFactor * largest >= static_cast<double>(limit_)) {
      touch("positions");
    }
  }

  std::int64_t limit_;
  std::map<std::string, std::set<std::string>> cells_;
  std::uint32_t features_ = 0;
};

std::vector<std::string> declared_cells(const check::Run& run) {
  const plugin::Description& kernel = run.kernel;
  const std::uint32_t operations = kernel.operations;
  const bool has_tensors = (operations & kTensors) != 0;
  const auto dtypes = text::words_of(plugin::kDtypeWords, kernel.dtypes);
  const auto pairings =
      text::words_of(plugin::kAbiPairingWords, kernel.pairings);
  std::vector<std::string> cells =
      text::words_of(plugin::kOperationWords, operations);
  const auto append = [&](const std::vector<std::string>& more) {
    cells.insert(cells.end(), more.begin(), more.end());
  };
  if (has_tensors) append(dtypes);
  if (has_tensors || (operations & ROPEPROOF_PERMUTE) != 0) append(pairings);
  if (has_tensors && (kernel.features & ROPEPROOF_ADJOINT) != 0) {
    cells.emplace_back("adjoint");
  }
  for (const std::string& scaling :
       text::words_of(plugin::kScalingWords, kernel.scalings)) {
    if ((operations & ROPEPROOF_ROPE) == 0) {
      cells.push_back(scaling);
      continue;
    }
    for (const std::string& pairing : pairings) {
      cells.push_back(scaling + " x " + pairing);
    }
    for (const std::string& dtype : dtypes) {
      cells.push_back(scaling + " x " + dtype);
    }
  }
  if ((operations & kAngles) != 0) {
    for (const std::string& map :
         text::words_of(plugin::kAxisMapWords, kernel.axis_maps)) {
      cells.push_back("axis map " + map);
    }
    if (kernel.max_position > 0) cells.push_back("positions");
  }
  return cells;
}

}  // namespace

std::vector<std::string> unasked(const check::Run& run) {
  const bool is_tier = run.asked == "tier core" || run.asked == "tier full";
  if (!is_tier || !run.is_whole_tier || !run.shard.is_whole()) return {};
  const Touched touched(run);
  std::vector<std::string> missing;
  for (const std::string& cell : declared_cells(run)) {
    if (touched.enough(cell)) continue;
    missing.push_back(cell != "positions"
                          ? cell
                          : "positions up to " +
                                std::to_string(run.kernel.max_position));
  }
  std::uint32_t features = run.kernel.features & ~touched.features() &
                           ~std::uint32_t{ROPEPROOF_ADJOINT};
  if (!run.shares_memory) features &= ~kMemory;
  for (const std::string& feature :
       text::words_of(plugin::kFeatureWords, features)) {
    missing.push_back(feature);
  }
  return missing;
}

}  // namespace ropeproof::conformance::report
