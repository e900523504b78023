#include "conformance/report/unasked.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

using check::Check;
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

// Something that a kernel declares: bits of the ABI, 0 for anything.
struct CallKind {
  std::string name = {};
  std::uint32_t operations = 0;
  std::uint32_t dtype = 0, pairing = 0, scaling = 0, axis_map = 0;
  std::uint32_t features = 0;
  double position = 0;  // the largest |position|

  // Whether a check that was judged has to do with what is declared.
  bool holds(const Check& check, const plugin::Needs& judged) const {
    const auto fits = [](std::uint32_t declared, std::uint32_t bit) {
      return declared == 0 || (declared & bit) != 0;
    };
    return (operations & check.operation) != 0 && fits(dtype, judged.dtype) &&
           fits(pairing, judged.pairing) && fits(scaling, judged.scaling) &&
           fits(axis_map, judged.axis_map) && fits(features, check.features) &&
           kPositionFactor * judged.largest_position >= position;
  }
};

std::vector<CallKind> declared_kinds(const plugin::Description& kernel,
                                     bool is_smoke) {
  const std::uint32_t operations = kernel.operations;
  std::vector<CallKind> kinds;
  // `like` for each word of the bits, which are its `member`.
  const auto add = [&](CallKind like, const auto& words, std::uint32_t bits,
                       std::uint32_t CallKind::*member) {
    if ((operations & like.operations) == 0) return;
    const std::string before = like.name;
    for (const auto& [bit, word] : words) {
      if ((bits & bit) == 0) continue;
      like.name = before + std::string(word);
      like.*member = bit;
      kinds.push_back(like);
    }
  };
  add({.operations = ~0u}, plugin::kOperationWords, operations,
      &CallKind::operations);
  // Weights of a type say nothing of what is rotated in it.
  const std::uint32_t typed =
      (operations & kTensors) != 0 ? kTensors : 0u + ROPEPROOF_PERMUTE;
  add({.operations = typed}, plugin::kDtypeWords, kernel.dtypes,
      &CallKind::dtype);
  add({.operations = kTensors | ROPEPROOF_PERMUTE}, plugin::kAbiPairingWords,
      kernel.pairings, &CallKind::pairing);
  if ((operations & kTensors) != 0 &&
      (kernel.features & ROPEPROOF_ADJOINT) != 0) {
    kinds.push_back(
        {.name = "adjoint", .operations = ~0u, .features = ROPEPROOF_ADJOINT});
  }
  for (const auto& [scaling, word] : plugin::kScalingWords) {
    if ((kernel.scalings & scaling) == 0) continue;
    CallKind kind{.name = std::string(word),
                  .operations = kAngles | ROPEPROOF_FREQUENCIES,
                  .scaling = scaling};
    if (is_smoke || (operations & ROPEPROOF_ROPE) == 0) {
      kinds.push_back(kind);
      continue;
    }
    kind.name += " x ";
    kind.operations = ROPEPROOF_ROPE;
    add(kind, plugin::kAbiPairingWords, kernel.pairings, &CallKind::pairing);
    add(kind, plugin::kDtypeWords, kernel.dtypes, &CallKind::dtype);
  }
  add({.name = "axis map ", .operations = kAngles}, plugin::kAxisMapWords,
      kernel.axis_maps, &CallKind::axis_map);
  for (CallKind& kind : kinds) {
    if (kind.axis_map == ROPEPROOF_AXES_ANY) kind.axis_map = ~0u;
  }
  if (!is_smoke && (operations & kAngles) != 0 && kernel.max_position > 0) {
    kinds.push_back(
        {.name = "positions up to " + std::to_string(kernel.max_position),
         .operations = kAngles,
         .position = static_cast<double>(kernel.max_position)});
  }
  return kinds;
}

// The declared features that calls of some operation may need, and what core
// alone asks: promises and lengths beyond the positions. But for the adjoint,
// which counts its cases.
std::uint32_t declared_features(const plugin::Description& kernel,
                                bool is_smoke) {
  std::uint32_t features = 0;
  for (const plugin::Feature& feature : plugin::kFeatures) {
    const bool is_promise = feature.operations == 0,
               is_of_core =
                   is_promise || feature.bit == ROPEPROOF_EXPLICIT_LENGTH;
    if (is_of_core && is_smoke) continue;
    if (is_promise || (feature.operations & kernel.operations) != 0) {
      features |= feature.bit;
    }
  }
  return features & kernel.features & ~std::uint32_t{ROPEPROOF_ADJOINT};
}

// What is declared and was not asked: kinds of calls, and features.
struct Unasked {
  std::vector<CallKind> kinds = {};
  std::uint32_t features = 0;
};

Unasked find_unasked(const check::Run& run) {
  if (!run.tier || !run.is_whole_tier || !run.shard.is_whole()) return {};
  const bool is_smoke = *run.tier == cases::Tier::kSmoke;
  const std::vector<CallKind> kinds = declared_kinds(run.kernel, is_smoke);
  std::vector<std::set<std::string>> ids(kinds.size());  // of judged cases
  std::uint32_t features = declared_features(run.kernel, is_smoke);
  const std::uint32_t rotations =
      run.kernel.operations & ~std::uint32_t{ROPEPROOF_PERMUTE};
  for (const Check& check : run.checks) {
    if (!check::is_judged(check.verdict)) continue;
    // That weights are permuted says nothing of what is rotated.
    if (check.operation != ROPEPROOF_PERMUTE || rotations == 0) {
      features &= ~check.features;
    }
    if (!check.is_of_values()) continue;
    const plugin::Needs judged = run.needs_of(check.case_id);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i].holds(check, judged)) ids[i].insert(check.case_id);
    }
  }
  if (!run.shares_memory) features &= ~kMemory;
  Unasked missing{{}, features};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (std::ssize(ids[i]) < kEnoughCases) missing.kinds.push_back(kinds[i]);
  }
  return missing;
}

}  // namespace

std::vector<std::string> unasked(const check::Run& run) {
  const Unasked missing = find_unasked(run);
  std::vector<std::string> names;
  for (const CallKind& kind : missing.kinds) names.push_back(kind.name);
  std::ranges::move(text::words_of(plugin::kFeatureWords, missing.features),
                    std::back_inserter(names));
  return names;
}

void forget_unasked(const Scope& demanded, check::Run& run) {
  const Unasked missing = find_unasked(run);
  plugin::Description& kernel = run.kernel;
  kernel.features &= ~missing.features | demanded.features;
  for (const CallKind& kind : missing.kinds) {
    kernel.features &= ~kind.features | demanded.features;
    kernel.scalings &= ~kind.scaling | demanded.scalings;
    kernel.axis_maps &= ~kind.axis_map | demanded.axis_maps;
  }
}

}  // namespace ropeproof::conformance::report
