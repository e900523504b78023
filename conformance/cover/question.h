// question.h -- a row by the meaning of its classes.
#ifndef ROPEPROOF_CONFORMANCE_COVER_QUESTION_H_
#define ROPEPROOF_CONFORMANCE_COVER_QUESTION_H_

#include "conformance/cover/class_words.h"
#include "conformance/cover/model.h"

namespace ropeproof::conformance::cover {

struct Question {
  reference::Format dtype = reference::Format::kF32;
  PairingClass pairing{reference::Pairing::kHalfSplit, false, false};
  reference::Direction direction = reference::Direction::kForward;
  ScalingClass scaling = ScalingClass::kNone;
  AmplitudeClass amplitude = AmplitudeClass::kOne;
  BaseClass base = BaseClass::k10000;
  AxesClass axes = AxesClass::kOne;
  bool has_real_positions = false, has_mixed_signs = false;
  int magnitude = 8;  // of kMagnitudeClasses
  OrderClass order = OrderClass::kAscending;
  WindowClass window = WindowClass::kFull;
  std::int64_t head_dim = 0;  // of a leading window; 0: drawn
  Range pairs{4, 4}, batch{1, 1}, seq{1, 1}, q_heads{1, 1}, k_heads{0, 0};
  // Of q, or of k, at the most, where the classes of the sizes allow it: what
  // larger calls add is asked in the shapes of real models.
  std::int64_t elements = 1 << 14;
  Values values = Values::kRandom;
  cases::Storage storage{.edge = cases::BufferEdge::kEnd};
};

// `row` is whole.
Question question_of(const Model& model, const Row& row);

}  // namespace ropeproof::conformance::cover

#endif  // ROPEPROOF_CONFORMANCE_COVER_QUESTION_H_
