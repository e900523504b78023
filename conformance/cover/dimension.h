// dimension.h -- the table of dimensions: of each its classes, the operations
// that have it, whether a kernel offers a class, how a class is read off a call
// and how it is drawn.
//
// The rows stand by topic in sizes.cc, memory.cc, layout.cc, positions.cc,
// scalings.cc and frequencies.cc. How a class is drawn and how it is read share
// no code: tests compare the two.
#pragma once

#include <ropeproof_kernel.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "conformance/cases/draw.h"
#include "conformance/cases/problem.h"
#include "conformance/cover/class_words.h"
#include "conformance/cover/model.h"
#include "conformance/cover/recipe.h"
#include "conformance/plugin/features.h"

namespace ropeproof::conformance::cover {

// A kernel, as far as it offers classes.
struct Offer {
  const plugin::Description& kernel;
  bool shares_memory;  // as Kernel says

  // Whether it offers all that the calls of a class need.
  bool takes(const plugin::Needs& needs) const;
};

// The problem of a recipe, in the making: dimension after dimension is drawn.
struct Drawing {
  const Recipe& recipe;
  cases::Draw draw;
  std::int64_t max_position;  // as a kernel declares it
  cases::Problem problem;
  std::int64_t largest = 0;  // |position|
};

// All dimensions in the order in which they are drawn.
const std::vector<Dimension>& known_dimensions();

// Null if it is not known.
const Dimension* find_dimension(std::string_view name);

// The rows of the table by topic.
std::vector<Dimension> size_dimensions();
std::vector<Dimension> memory_dimensions();
std::vector<Dimension> layout_dimensions();
std::vector<Dimension> position_dimensions();
std::vector<Dimension> frequency_dimensions();
Dimension scaling_dimension();  // one of the former

// A row of the table whose classes have words. Without `offers` every kernel
// takes all of them; nothing is read where no class fits.
template <class Value, std::size_t kSize>
Dimension dimension(
    const Classes<Value, kSize>& classes, std::uint32_t operations, By decided,
    const std::function<bool(const Offer&, std::type_identity_t<Value>)>&
        offers,
    const std::function<std::optional<std::type_identity_t<Value>>(
        const ropeproof_problem&)>& read,
    const std::function<void(Drawing&, std::type_identity_t<Value>)>& draw) {
  Dimension row{.name = std::string(classes.dimension),
                .operations = operations,
                .decided = decided};
  for (const auto& [value, word] : classes.words) {
    row.classes.emplace_back(word);
  }
  row.is_offered = [=](const Offer& offer, const Dimension& d, std::uint8_t c) {
    return !offers ||
           offers(offer, text::find_word(classes.words, d.classes[c]).value());
  };
  if (read) {
    row.read = [=](const ropeproof_problem& p, const Dimension& d) {
      const std::optional<Value> value = read(p);
      return value ? d.find(text::word(classes.words, *value)) : kOpen;
    };
  }
  row.draw = [=](Drawing& d) {
    if (draw) draw(d, d.recipe.class_of(classes));
  };
  return row;
}

// The largest |positions| of a class of magnitudes.
Range magnitude_range(int magnitude);

// Whether the axes of a call lie inside its batch rows.
bool are_axes_inside(const ropeproof_problem& p);

inline constexpr std::string_view kScalingDimension = "scaling";

// An example of each class of scaling, in their order; the example of a
// recipe's class; and whether a kernel offers the class of an example.
const std::vector<reference::Frequencies>& scaling_examples();
const reference::Frequencies& scaling_example(const Recipe& recipe);
bool offers_scaling(const Offer& offer, const reference::Frequencies& example);

}  // namespace ropeproof::conformance::cover
