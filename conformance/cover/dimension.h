// dimension.h -- the table of dimensions: of each its classes, the operations
// that have it, whether a kernel offers a class, how a class is read off a call
// and how it is drawn.
//
// The rows stand by topic in sizes.cc, memory.cc, layout.cc, positions.cc and
// frequencies.cc. How a class is drawn and how it is read share no code: tests
// compare the two.
#ifndef ROPEPROOF_CONFORMANCE_COVER_DIMENSION_H_
#define ROPEPROOF_CONFORMANCE_COVER_DIMENSION_H_

#include <ropeproof_kernel.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
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

// A problem that becomes that of a recipe, one dimension after the other.
struct Drawing {
  const Recipe& recipe;
  cases::Draw draw;
  std::int64_t max_position;  // as a kernel declares it
  cases::Problem problem;
  std::int64_t largest = 0;  // |position|
};

// Who decides a dimension: in a profile the model, or always the call.
enum class By { kModel, kCall };

struct KnownDimension {
  std::string_view name;
  std::vector<std::string> classes;  // none of one of ranges
  std::uint32_t operations;          // whose problems say something of it
  By decided;
  // Whether a kernel offers a class, a number among those of a model.
  std::function<bool(const Offer&, const Dimension&, std::uint8_t)> is_offered;
  // kOpen where no class of the model fits.
  std::function<std::uint8_t(const ropeproof_problem&, const Dimension&)> read;
  // The dimensions before this one are drawn.
  std::function<void(Drawing&)> draw;
  // Classes that an operation does not have, though it has the dimension.
  std::vector<std::pair<std::uint32_t, std::string_view>> without = {};
};

// All dimensions in the order in which they are drawn. A model uses some of
// them, that of vectors/coverage/ all.
const std::vector<KnownDimension>& known_dimensions();

// Null if it is not known.
const KnownDimension* find_dimension(std::string_view name);

// The rows of the table by topic.
std::vector<KnownDimension> size_dimensions();
std::vector<KnownDimension> memory_dimensions();
std::vector<KnownDimension> layout_dimensions();
std::vector<KnownDimension> position_dimensions();
std::vector<KnownDimension> frequency_dimensions();

// A row of the table whose classes have words. Without `offers` every kernel
// takes all of them, without `read` no field of a call says which it is.
template <class Value, std::size_t kSize>
KnownDimension dimension(
    const Classes<Value, kSize>& classes, std::uint32_t operations, By decided,
    const std::function<bool(const Offer&, std::type_identity_t<Value>)>&
        offers,
    const std::function<std::string(const ropeproof_problem&)>& read,
    const std::function<void(Drawing&, std::type_identity_t<Value>)>& draw) {
  KnownDimension row{classes.dimension, {}, operations, decided, {}, {}, {}};
  for (const auto& [value, word] : classes.words) {
    row.classes.emplace_back(word);
  }
  row.is_offered = [=](const Offer& offer, const Dimension& d, std::uint8_t c) {
    return !offers ||
           offers(offer, text::find_word(classes.words, d.classes[c]).value());
  };
  row.read = [=](const ropeproof_problem& p, const Dimension& d) {
    return read ? d.find(read(p)) : kOpen;
  };
  row.draw = [=](Drawing& d) {
    if (draw) draw(d, d.recipe.class_of(classes));
  };
  return row;
}

// Whether the axes of a call lie inside its batch rows.
bool are_axes_inside(const ropeproof_problem& p);

// A scaling of this class.
reference::Scaling scaling_of(ScalingClass c);

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_DIMENSION_H_
