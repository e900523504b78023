#include "conformance/check/declarations.h"

#include <functional>
#include <string>

#include "conformance/plugin/description.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::check {
namespace {

// The plain call: q alone, dense, from a base.
plugin::Description plain(const std::string& name) {
  plugin::Description d;
  d.name = name;
  d.version = "1";
  d.operations = ROPEPROOF_ROPE;
  d.dtypes = ROPEPROOF_F32;
  d.pairings = ROPEPROOF_HALF_SPLIT;
  d.features = ROPEPROOF_OUT_OF_PLACE;
  return d;
}

constexpr std::uint32_t kAnywhere = ROPEPROOF_PARTIAL | ROPEPROOF_WINDOW_OFFSET;
constexpr std::uint32_t kEngine =
    ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED | ROPEPROOF_KEYS | kAnywhere;
constexpr std::uint32_t kHalves =
    ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16;
constexpr std::uint32_t kBothPairings =
    ROPEPROOF_HALF_SPLIT | ROPEPROOF_INTERLEAVED;

}  // namespace

std::vector<plugin::Description> typical_declarations() {
  std::vector<plugin::Description> all = {plugin::everything("everything")};
  const auto add = [&](const std::string& name,
                       const std::function<void(plugin::Description&)>& with) {
    all.push_back(plain(name));
    with(all.back());
  };
  using D = plugin::Description;
  add("f32 half-split", [](D&) {});
  add("f32 interleaved", [](D& d) { d.pairings = ROPEPROOF_INTERLEAVED; });
  add("bf16 half-split", [](D& d) { d.dtypes = ROPEPROOF_BF16; });
  add("f16 interleaved", [](D& d) {
    d.dtypes = ROPEPROOF_F16;
    d.pairings = ROPEPROOF_INTERLEAVED;
  });
  add("f64 half-split", [](D& d) { d.dtypes = ROPEPROOF_F64; });
  add("both pairings, three dtypes", [](D& d) {
    d.dtypes = kHalves;
    d.pairings = kBothPairings;
  });
  add("in place only", [](D& d) { d.features = ROPEPROOF_IN_PLACE; });
  add("in place only, strided",
      [](D& d) { d.features = ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED; });
  add("strided", [](D& d) { d.features |= ROPEPROOF_STRIDED; });
  add("partial", [](D& d) { d.features |= ROPEPROOF_PARTIAL; });
  add("any window", [](D& d) { d.features |= kAnywhere; });
  add("backward too", [](D& d) { d.features |= ROPEPROOF_ADJOINT; });
  add("nested blocks", [](D& d) { d.pairings = ROPEPROOF_NESTED_HALF_SPLIT; });
  add("interleaved to half",
      [](D& d) { d.pairings = ROPEPROOF_INTERLEAVED_TO_HALF; });
  add("halves apart",
      [](D& d) { d.features |= ROPEPROOF_PARTIAL | ROPEPROOF_PAIR_DISTANCE; });
  add("up to position 100", [](D& d) { d.max_position = 100; });
  add("up to position 4095", [](D& d) { d.max_position = 4095; });
  add("up to position 131071, engine", [](D& d) {
    d.max_position = 131071;
    d.features |= kEngine;
    d.dtypes = kHalves;
  });
  add("yarn only", [](D& d) { d.scalings = ROPEPROOF_YARN; });
  add("llama3 and linear, engine", [](D& d) {
    d.scalings = ROPEPROOF_LLAMA3 | ROPEPROOF_LINEAR;
    d.features |= kEngine;
    d.dtypes = kHalves;
  });
  add("dynamic NTK, long rope",
      [](D& d) { d.scalings = ROPEPROOF_DYNAMIC_NTK | ROPEPROOF_LONG_ROPE; });
  add("all scalings",
      [](D& d) { d.scalings = text::all_bits(plugin::kScalingWords); });
  add("inv_freq", [](D& d) { d.features |= ROPEPROOF_INV_FREQ; });
  add("inv_freq, amplitude, engine", [](D& d) {
    d.features |= ROPEPROOF_INV_FREQ | ROPEPROOF_AMPLITUDE | kEngine;
    d.dtypes = kHalves;
    d.pairings = kBothPairings;
  });
  add("M-RoPE sections", [](D& d) {
    d.axis_maps = ROPEPROOF_AXES_SECTIONS | ROPEPROOF_AXES_INTERLEAVED;
    d.features |= ROPEPROOF_INV_FREQ;
  });
  add("2-D grid", [](D& d) {
    d.axis_maps = ROPEPROOF_AXES_GRID;
    d.features |= ROPEPROOF_INV_FREQ | ROPEPROOF_REAL_POSITIONS;
  });
  add("any axes, weights", [](D& d) {
    d.axis_maps = ROPEPROOF_AXES_ANY;
    d.features |= ROPEPROOF_INV_FREQ | ROPEPROOF_AXIS_WEIGHTS |
                  ROPEPROOF_NEGATIVE_POSITIONS;
  });
  add("rotate only", [](D& d) { d.operations = ROPEPROOF_ROTATE; });
  add("rotate only, engine", [](D& d) {
    d.operations = ROPEPROOF_ROTATE;
    d.features |= kEngine;
    d.dtypes = kHalves;
    d.pairings = kBothPairings;
  });
  add("lookup only", [](D& d) {
    d.operations = ROPEPROOF_LOOKUP;
    d.caches = ROPEPROOF_CACHE_SIDE_BY_SIDE;
  });
  add("table only", [](D& d) { d.operations = ROPEPROOF_TABLE; });
  add("permute only", [](D& d) {
    d.operations = ROPEPROOF_PERMUTE;
    d.pairings = kBothPairings;
    d.dtypes = ROPEPROOF_BF16;
  });
  return all;
}

}  // namespace ropeproof::conformance::check
