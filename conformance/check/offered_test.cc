#include "conformance/check/offered.h"

#include <catch2/catch_test_macros.hpp>
#include <functional>

#include "conformance/cases/families/family.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/text/word_tables.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Problem;

// A dense case that needs nothing but calls out of place.
Problem plain_problem() {
  const reference::Layout layout =
      reference::leading(8, 8, reference::Pairing::kHalfSplit);
  return cases::make_problem(reference::Format::kF32, layout, 10000, 1, 2, 1, 0,
                             {3, 5});
}

struct Row {
  std::uint32_t feature;
  std::function<void(Problem&)> change;
  const char* phrase;  // "": never missing
  std::uint32_t operations;
};

using plugin::kAngles;
using plugin::kTensors;

std::vector<Row> rows() {
  using reference::Linear;
  return {
      {ROPEPROOF_PARTIAL, [](auto& c) { c.spec.layout.rotary_dim = 4; },
       "rotary_dim < head_dim", kTensors},
      {ROPEPROOF_WINDOW_OFFSET,
       [](auto& c) { c.spec.layout.rotary_offset = 2; }, "rotary_offset > 0",
       kTensors},
      {ROPEPROOF_PAIR_DISTANCE,
       [](auto& c) { c.spec.layout.pair_distance = 4; }, "pair_distance",
       kTensors},
      {ROPEPROOF_ADJOINT,
       [](auto& c) { c.spec.direction = reference::Direction::kAdjoint; },
       "adjoint", kTensors},
      {ROPEPROOF_SPECIAL_VALUES, [](auto& c) { c.is_special = true; },
       "special values", kTensors},
      {ROPEPROOF_STRIDED, [](auto& c) { c.storage = cases::kStrided; },
       "strided tensors", kTensors},
      {ROPEPROOF_IN_PLACE, [](auto& c) { c.storage = cases::kInPlace; },
       "in-place calls", kTensors},
      {ROPEPROOF_STRIDED,
       [](auto& c) { c.storage.order = cases::DimensionOrder::kBhsd; },
       "strided tensors", kTensors},
      {ROPEPROOF_STRIDED,
       [](auto& c) { c.storage.spacing = cases::Spacing::kFar; },
       "strided tensors", kTensors},
      {ROPEPROOF_STRIDED,
       [](auto& c) { c.storage.rows = cases::RowSpacing::kShared; },
       "strided tensors", kTensors},
      {ROPEPROOF_IN_PLACE,
       [](auto& c) { c.storage.in_place = cases::InPlace::kBoth; },
       "in-place calls", kTensors},
      {ROPEPROOF_KEYS, [](auto& c) { c.k_heads = 1; }, "", kTensors},
      {ROPEPROOF_INV_FREQ,
       [](auto& c) {
         c.spec.frequencies.inv_freq = {2, 3};
       },
       "given frequencies", kAngles},
      {ROPEPROOF_INV_FREQ,
       [](auto& c) { c.spec.frequencies.scaling = Linear{2}; },
       "scaling linear", kAngles},
      {ROPEPROOF_AMPLITUDE, [](auto& c) { c.spec.frequencies.amplitude = 2; },
       "amplitude", kAngles},
      {ROPEPROOF_PAIR_AMPLITUDE,
       [](auto& c) { c.spec.frequencies.xpos.emplace(); }, "pair_amplitude",
       kAngles},
      {ROPEPROOF_AXIS_WEIGHTS, [](auto& c) { c.spec.axes.weights = {1}; },
       "axis_weights", kAngles},
      {ROPEPROOF_REAL_POSITIONS, [](auto& c) { c.positions[1] = 0.5; },
       "real positions", kAngles},
      {ROPEPROOF_NEGATIVE_POSITIONS, [](auto& c) { c.positions[1] = -1; },
       "negative positions", kAngles}};
}

TEST_CASE("a case needs exactly the features that it shows",
          "[conformance][runner]") {
  plugin::Description all = wrong::full_description(ROPEPROOF_A0);
  all.scalings = 0;
  const auto plain = [](std::uint32_t operation) -> std::uint32_t {
    return (operation & kTensors) != 0 ? ROPEPROOF_OUT_OF_PLACE : 0;
  };
  for (const std::uint32_t operation : kRopeOperations) {
    CAPTURE(text::word(plugin::kOperationWords, operation));
    CHECK(needed_features(operation, plain_problem(), all, true) ==
          plain(operation));
    for (const Row& row : rows()) {
      CAPTURE(text::word(plugin::kFeatureWords, row.feature));
      Problem p = plain_problem();
      row.change(p);
      const bool is_asked = (row.operations & operation) != 0;
      std::uint32_t needed = plain(operation);
      if (is_asked) needed |= row.feature;
      if (is_asked && row.feature == ROPEPROOF_IN_PLACE) {
        needed = ROPEPROOF_IN_PLACE;
      }
      CHECK(needed_features(operation, p, all, true) == needed);
      CHECK(missing_feature(all, operation, plain_problem(), true).empty());

      plugin::Description d = all;
      d.features &= ~row.feature;
      // Nobody gives inv_freq to the operation that makes it.
      const bool is_missing = is_asked || (operation == ROPEPROOF_FREQUENCIES &&
                                           row.feature == ROPEPROOF_INV_FREQ);
      CHECK(missing_feature(d, operation, p, true) ==
            (is_missing ? row.phrase : ""));
    }
  }
}

TEST_CASE("a scaling that a kernel computes brings its amplitude",
          "[conformance][runner]") {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.features = ROPEPROOF_OUT_OF_PLACE;
  Problem p = plain_problem();
  p.spec.frequencies.scaling = reference::Yarn{4, 4096};
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) == "scaling yarn");
  d.scalings = ROPEPROOF_YARN;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true).empty());
  // An amplitude without a scaling is a knob of its own, and so is one beside a
  // scaling that has none.
  d.scalings = 0;
  d.features |= ROPEPROOF_INV_FREQ;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) == "amplitude");
  d.scalings = ROPEPROOF_LINEAR;
  p.spec.frequencies.scaling = reference::Linear{4};
  p.spec.frequencies.amplitude = 1.5;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) == "amplitude");
}

TEST_CASE("a length that no position shows is for kernels that are told it",
          "[conformance][runner]") {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.features = ROPEPROOF_OUT_OF_PLACE;
  d.scalings = ROPEPROOF_DYNAMIC_NTK;
  Problem p = plain_problem();
  const auto last = static_cast<std::int64_t>(std::ranges::max(p.positions));
  p.spec.frequencies.scaling = reference::DynamicNtk{2, 8, last + 1};
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true).empty());
  p.spec.frequencies.scaling = reference::DynamicNtk{2, 8, last + 2};
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) ==
        "a length beyond the positions");
  d.features |= ROPEPROOF_EXPLICIT_LENGTH;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true).empty());
}

TEST_CASE("axes and exponents are for kernels that declare their kind",
          "[conformance][runner]") {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.features = ROPEPROOF_OUT_OF_PLACE;
  d.axis_maps = 0;
  Problem p = plain_problem();
  p.spec.axes = {2, {0, 1}};
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) == "several position axes");
  d.axis_maps = ROPEPROOF_AXES_GRID;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) == "axis map sections");
  d.axis_maps = ROPEPROOF_AXES_SECTIONS;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true).empty());
  d.axis_maps = ROPEPROOF_AXES_ANY;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true).empty());
  p.spec.frequencies.bases = {2, 3};
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) == "given frequencies");
  d.features |= ROPEPROOF_EXPONENTS;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true).empty());
}

TEST_CASE("a kernel gets its own memory, dtype, scaling and positions",
          "[conformance][runner]") {
  const plugin::Description all = wrong::full_description(ROPEPROOF_A0);
  Problem p = plain_problem();
  p.storage = cases::kStridedInPlace;
  CHECK(needed_features(ROPEPROOF_ROPE, p, all, true) ==
        (ROPEPROOF_STRIDED | ROPEPROOF_IN_PLACE));
  // A process gets dense copies.
  CHECK(needed_features(ROPEPROOF_ROPE, p, all, false) ==
        ROPEPROOF_OUT_OF_PLACE);
  plugin::Description d = all;
  d.features = ROPEPROOF_IN_PLACE;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, false).empty());
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) == "strided tensors");
  CHECK(needed_features(ROPEPROOF_ROPE, plain_problem(), d, true) ==
        ROPEPROOF_IN_PLACE);

  p = plain_problem();
  p.spec.frequencies.scaling = reference::Linear{2};
  d.scalings = ROPEPROOF_LINEAR;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true).empty());
  p = plain_problem();
  p.positions[1] = 4097;
  d.max_position = 4096;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) == "positions above 4096");
  CHECK(missing_feature(d, ROPEPROOF_ROTATE, p, true).empty());
  d.operations = ROPEPROOF_TABLE;
  CHECK(missing_feature(d, ROPEPROOF_ROPE, p, true) == "operation rope");

  p = plain_problem();
  p.dtype = reference::Format::kBF16;
  d = all;
  d.dtypes = ROPEPROOF_F32;
  d.claims[0].table_dtype = 0;
  CHECK(missing_feature(d, ROPEPROOF_ROTATE, p, true) == "dtype bf16");
  CHECK(missing_feature(d, ROPEPROOF_TABLE, p, true) == "dtype bf16");
  CHECK(missing_feature(d, ROPEPROOF_FREQUENCIES, p, true).empty());
  d.claims[0].table_dtype = ROPEPROOF_F32;
  CHECK(missing_feature(d, ROPEPROOF_TABLE, p, true).empty());
  p.dtype = reference::Format::kF64;
  CHECK(missing_feature(d, ROPEPROOF_FREQUENCIES, p, true) == "dtype f64");
  p.dtype = reference::Format::kF32;
  d.pairings = ROPEPROOF_INTERLEAVED;
  CHECK(missing_feature(d, ROPEPROOF_ROTATE, p, true) == "pairing half_split");

  Problem permute;
  permute.task = cases::Task::kPermute;
  permute.spec.layout =
      reference::leading(8, 4, reference::Pairing::kHalfSplit);
  const auto missing = [&] {
    return missing_feature(d, ROPEPROOF_PERMUTE, permute, true);
  };
  d = all;
  CHECK(missing().empty());
  d.features &= ~std::uint32_t{ROPEPROOF_PARTIAL};
  CHECK(missing() == "rotary_dim < head_dim");
  d.operations = ROPEPROOF_ROPE;
  CHECK(missing() == "operation permute");
}

}  // namespace
}  // namespace ropeproof::conformance::check
