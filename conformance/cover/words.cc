#include "conformance/cover/words.h"

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

std::optional<std::vector<std::string>> known_classes(std::string_view name) {
  struct Known {
    std::string_view name;
    std::vector<std::string> classes;
  };
  static const std::vector<Known> all = {
      {"dtype", list(text::kFormatWords)},
      {"pairing", list(kPairingClasses)},
      {"direction", list(text::kDirectionWords)},
      {"scaling", list(kScalingClasses)},
      {"amplitude", list(kAmplitudeClasses)},
      {"base", list(kBaseClasses)},
      {"axes", list(kAxesClasses)},
      {"numbers", list(kNumberClasses)},
      {"sign", list(kSignClasses)},
      {"magnitude", list(kMagnitudeClasses)},
      {"order", list(kOrderClasses)},
      {"window", list(kWindowClasses)},
      {"values", list(kValuesClasses)},
      {"layout", list(cases::kOrderWords)},
      {"strides", list(cases::kSpacingWords)},
      {"rows", list(cases::kRowSpacingWords)},
      {"place", list(cases::kInPlaceWords)},
      {"edge", list(cases::kEdgeWords)},
      {"pairs", {}},
      {"batch", {}},
      {"seq", {}},
      {"q_heads", {}},
      {"k_heads", {}}};
  for (const Known& known : all) {
    if (known.name == name) return known.classes;
  }
  return std::nullopt;
}

}  // namespace ropeproof::conformance::cover
