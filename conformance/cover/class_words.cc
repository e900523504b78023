#include "conformance/cover/class_words.h"

#include "conformance/plugin/fields.h"

namespace ropeproof::conformance::cover {
namespace {

template <class Value, std::size_t kSize>
std::vector<std::string> list(const text::Words<Value, kSize>& words) {
  std::vector<std::string> classes;
  for (const auto& [value, word] : words) classes.emplace_back(word);
  return classes;
}

}  // namespace

std::uint32_t scaling_of(ScalingClass scaling) {
  const std::string name = text::word(kScalingClasses, scaling);
  for (const auto& [bit, word] : plugin::kScalingWords) {
    if (name.starts_with(word)) return bit;
  }
  return 0;
}

bool decides_amplitude(std::uint32_t scaling) {
  return reference::decides_amplitude(
      plugin::scaling_named(text::word(plugin::kScalingWords, scaling)));
}

const std::vector<KnownDimension>& known_dimensions() {
  using plugin::kAngles, plugin::kTensors;
  constexpr std::uint32_t kLayouts = kTensors | ROPEPROOF_PERMUTE;
  constexpr std::uint32_t kFormulas = kAngles | ROPEPROOF_FREQUENCIES;
  constexpr std::uint32_t kCalls = kTensors | ROPEPROOF_TABLE;
  static const std::vector<KnownDimension> kAll = {
      {"dtype", list(text::kFormatWords), kLayouts},
      {"pairing", list(kPairingClasses), kLayouts},
      {"direction", list(text::kDirectionWords), kTensors},
      {"scaling", list(kScalingClasses), kFormulas},
      {"amplitude", list(kAmplitudeClasses), kAngles},
      {"base", list(kBaseClasses), kFormulas},
      {"axes", list(kAxesClasses), kAngles},
      {"numbers", list(kNumberClasses), kAngles},
      {"sign", list(kSignClasses), kAngles},
      {"magnitude", list(kMagnitudeClasses), kAngles},
      {"order", list(kOrderClasses), kAngles},
      {"window", list(kWindowClasses), kLayouts},
      {"values", list(kValuesClasses), kTensors},
      {"layout", list(cases::kOrderWords), kTensors},
      {"strides", list(cases::kSpacingWords), kTensors},
      {"rows", list(cases::kRowSpacingWords), kCalls},
      {"place", list(cases::kInPlaceWords), kTensors},
      {"edge", list(cases::kEdgeWords), kCalls | ROPEPROOF_PERMUTE},
      {"pairs", {}, kCalls | ROPEPROOF_FREQUENCIES | ROPEPROOF_PERMUTE},
      {"batch", {}, kCalls},
      {"seq", {}, kCalls | ROPEPROOF_PERMUTE},
      {"q_heads", {}, kLayouts},
      {"k_heads", {}, kTensors}};
  return kAll;
}

const KnownDimension* find_dimension(std::string_view name) {
  for (const KnownDimension& known : known_dimensions()) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

}  // namespace ropeproof::conformance::cover
