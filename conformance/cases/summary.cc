#include "conformance/cases/summary.h"

#include <sstream>

#include "conformance/cases/words.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::cases {

std::string summary(const RopeCase& c) {
  const reference::Layout& layout = c.spec.layout;
  std::ostringstream text;
  text << text::word(text::kFormatWords, c.dtype) << " "
       << text::word(text::kPairingWords, layout.pairing) << ", head_dim "
       << layout.head_dim << ", rotary_dim " << layout.rotary_dim;
  if (layout.rotary_offset > 0) text << " from " << layout.rotary_offset;
  text << ", base " << c.spec.frequencies.base;
  if (c.amplitude != 1) {
    text << ", amplitude " << c.amplitude;
  }
  if (c.spec.direction == reference::Direction::kAdjoint) text << ", adjoint";
  const std::string scaling = plugin::scaling_word(c.spec.frequencies.scaling);
  if (!scaling.empty()) text << ", " << scaling;
  if (c.spec.frequencies.xpos) text << ", xpos";
  if (c.spec.axes.count > 1) text << ", " << c.spec.axes.count << " axes";
  text << ", batch " << c.batch << ", seq " << c.seq << ", heads " << c.q_heads;
  if (c.k_heads > 0) text << " + " << c.k_heads;
  if (c.memory != Memory::kDense) {
    text << ", " << text::word(kMemoryWords, c.memory);
  }
  return text.str();
}

std::string summary(const PermuteCase& c) {
  std::ostringstream text;
  text << text::word(text::kFormatWords, c.dtype) << " "
       << text::word(text::kPairingWords, c.layout.pairing) << ", head_dim "
       << c.layout.head_dim << ", " << c.heads << " heads, " << c.columns
       << (c.columns == 1 ? " column" : " columns");
  return text.str();
}

std::string summary(const RejectCase& c) {
  return c.of + " with the defect " + text::word(kDefectWords, c.defect);
}

std::string summary(const SequenceCase& c) {
  std::string text = std::to_string(c.calls.size()) + " calls:";
  for (const std::string& call : c.calls) text += " " + call;
  return text;
}

}  // namespace ropeproof::conformance::cases
