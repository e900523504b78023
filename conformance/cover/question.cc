#include "conformance/cover/question.h"

namespace ropeproof::conformance::cover {

Question question_of(const Model& model, const Row& row) {
  Question q;
  const auto set = [&](std::string_view dimension, auto& field,
                       const auto& words) {
    if (const auto value = text::find_word(words, model.word(row, dimension))) {
      field = *value;
    }
  };
  const auto set_range = [&](std::string_view dimension, Range& field) {
    field = model.range(row, dimension);
  };
  set("dtype", q.dtype, text::kFormatWords);
  set("pairing", q.pairing, kPairingClasses);
  set("direction", q.direction, text::kDirectionWords);
  set("scaling", q.scaling, kScalingClasses);
  set("amplitude", q.amplitude, kAmplitudeClasses);
  set("base", q.base, kBaseClasses);
  set("axes", q.axes, kAxesClasses);
  set("numbers", q.has_real_positions, kNumberClasses);
  set("sign", q.has_mixed_signs, kSignClasses);
  set("magnitude", q.magnitude, kMagnitudeClasses);
  set("order", q.order, kOrderClasses);
  set("window", q.window, kWindowClasses);
  set("values", q.values, kValuesClasses);
  set("layout", q.storage.order, cases::kOrderWords);
  set("strides", q.storage.spacing, cases::kSpacingWords);
  set("rows", q.storage.rows, cases::kRowSpacingWords);
  set("place", q.storage.in_place, cases::kInPlaceWords);
  set("edge", q.storage.edge, cases::kEdgeWords);
  set_range("pairs", q.pairs);
  set_range("batch", q.batch);
  set_range("seq", q.seq);
  set_range("q_heads", q.q_heads);
  set_range("k_heads", q.k_heads);
  return q;
}

}  // namespace ropeproof::conformance::cover
