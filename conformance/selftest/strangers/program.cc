#include "conformance/selftest/strangers/program.h"

#include <iterator>

#include "conformance/text/format.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

// In the order of their enumerations.
constexpr const char* kPartWords[] = {"loop", "index", "value", "memory",
                                      "scaling"};
// clang-format off
constexpr const char* kPointWords[] = {
    "batch loop", "token loop", "loop over batch x tokens", "head loop",
    "loop over batch x tokens x heads", "pair loop", "copy outside the window",
    "batch x stride of positions", "token of positions", "offset of positions",
    "axis of the pair", "index of the frequency", "batch x stride read",
    "token x stride read", "head x stride read", "offset read", "channel read",
    "batch x stride written", "token x stride written", "head x stride written",
    "offset written", "channel written", "offset of the table",
    "row of the cache", "position", "frequency", "angle", "cosine", "sine",
    "amplitude", "input", "product", "result", "channel outside", "store",
    "load", "table", "base", "dimension", "factor", "original length",
    "sequence length", "beta_fast", "beta_slow", "low end of the ramp",
    "high end of the ramp", "part of the ramp", "low_freq_factor",
    "high_freq_factor", "amplitude of the scaling"};
static_assert(std::size(kPointWords) ==
              static_cast<std::size_t>(Point::kScalingAmplitude) + 1);
constexpr const char* kOpWords[] = {
    "tiles of %g: tail missed", "tiles of %g: tail done twice",
    "tiles of %g: tail done as the first",
    "tiles of %g: tail done by going back to a full tile",
    "nothing beyond %g done", "tiles of %g: last of each missed",
    "nothing done below %g", "index modulo %g", "last of more than %g missed",
    "cut to %g bits, signed", "cut to %g bits",
    "in bytes cut to %g bits, signed", "in bytes cut to %g bits",
    "held in an f32", "modulo %g", "at most %g", "%+g", "ignored",
    "as of dense memory", "rounded to a 16-bit format", "rounded to %g bits",
    "made whole", "0 below %g", "at most %g", "bit %g lost", "times %.9g",
    "%+g", "negated", "0", "without its sign", "always %g",
    "by a polynomial %g terms short", "from a table of %g entries",
    "reduced by a 2 pi of %g bits", "from the one before by a product",
    "u stored before v is read", "missed", "added to what is there",
    "in vectors of %g, beyond the row", "in vectors of %g, beyond the row",
    "kept under a key of %g bits", "not clamped"};
static_assert(std::size(kOpWords) ==
              static_cast<std::size_t>(Op::kUnclamped) + 1);
// clang-format on

template <std::size_t kCount, class E>
const char* word_of(const char* const (&words)[kCount], E e) {
  return words[static_cast<std::size_t>(e)];
}

// The pattern with its number, which stands where % does.
std::string with_number(const char* pattern, double x) {
  return text::format(pattern, x);
}

std::string words(const When& when) {
  const std::string feature = row_of(when.feature).words;
  if (row_of(when.feature).kind == FeatureRow::kYesOrNo) {
    return when.constant == 0 ? "not: " + feature : feature;
  }
  switch (when.compare) {
    case Compare::kAbove:
      return text::format("%s > %.9g", feature.c_str(), when.constant);
    case Compare::kBelow:
      return text::format("%s < %.9g", feature.c_str(), when.constant);
    case Compare::kEqual:
      return text::format("%s is %.9g", feature.c_str(), when.constant);
    case Compare::kModulo:
      break;
  }
  return text::format("%s modulo %.9g is %.9g", feature.c_str(), when.constant,
                      when.rest);
}

// "seq, axes; 16 bits"
std::string key_words(const Fault& fault) {
  std::string text;
  for (std::size_t i = 0; i < std::size(kKeyFields); ++i) {
    if ((fault.key >> i & 1) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(kKeyFields[i]);
  }
  return text;
}

}  // namespace

std::string word(Part part) { return word_of(kPartWords, part); }

std::string words(const Fault& fault) {
  std::string text = std::string(word_of(kPointWords, fault.point)) + " " +
                     with_number(word_of(kOpWords, fault.op), fault.number);
  if (fault.op == Op::kToFormat) text += fault.number == 1 ? ", bf16" : ", f16";
  if (fault.op == Op::kStale) text += ": " + key_words(fault);
  if (fault.when) text += ", where " + words(*fault.when);
  return text;
}

std::string words(const Program& program) {
  std::string text = program.is_wide ? "wide: " : "narrow: ";
  if (program.faults.empty()) text += "honest";
  for (std::size_t i = 0; i < program.faults.size(); ++i) {
    text += (i == 0 ? "" : "; and ") + words(program.faults[i]);
  }
  return text;
}

}  // namespace ropeproof::conformance::selftest::strangers
