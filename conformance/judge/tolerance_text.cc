// The tolerance table as text.
#include <cmath>

#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::judge {
namespace {

using reference::Format;
using reference::bound::AngleRow;
using reference::bound::LocalRow;
using reference::bound::Quotient;
using text::format;

// "1 + (1 + 2v) j + |ln t| [2/r inexact]".
std::string roundings_text(Claim claim) {
  const AngleRow once = angle_row(claim);
  claim.power_ulp = 2;
  const AngleRow twice = angle_row(claim);
  std::string text;
  const auto add = [&](double AngleRow::*count, const std::string& what) {
    if (once.*count == 0) return;
    const double slope = twice.*count - once.*count,
                 constant = once.*count - slope;
    const bool is_sum = slope != 0 && constant != 0,
               is_one = slope == 0 && constant == 1;
    std::string factor = is_sum       ? format("%g + %gv", constant, slope)
                         : slope != 0 ? format("%gv", slope)
                                      : format("%g", constant);
    if (!what.empty()) {
      factor = (is_one   ? ""
                : is_sum ? "(" + factor + ") "
                         : factor + " ") +
               what;
    }
    text += (text.empty() ? "" : " + ") + factor;
  };
  add(&AngleRow::constant, "");
  add(&AngleRow::per_pair, "j");
  add(&AngleRow::exponent, "|ln t|");
  if (once.exact == Quotient::k2jOverR) text += " [2j/r inexact]";
  if (once.exact == Quotient::k2OverR) text += " [2/r inexact]";
  return text;
}

int log2_of(double power_of_two) {
  int exponent = 0;
  std::frexp(power_of_two, &exponent);
  return exponent - 1;
}

std::string angle_rows() {
  const struct {
    std::uint32_t angle_class;
    Format arithmetic;
  } kAngles[] = {{ROPEPROOF_A0, Format::kF64}, {ROPEPROOF_A1, Format::kF64},
                 {ROPEPROOF_A1, Format::kF32}, {ROPEPROOF_A2, Format::kF32},
                 {ROPEPROOF_A3, Format::kF16}, {ROPEPROOF_A3, Format::kBF16}};
  std::string text;
  for (const auto& angle : kAngles) {
    for (const auto& [power, name] : plugin::kPowerWords) {
      if (angle.angle_class == ROPEPROOF_A2 && power != ROPEPROOF_POW) continue;
      ropeproof_claim made = plugin::kStrictestClaim;
      made.power = power;
      const Claim claim = with_angle(claim_of(made, 0, Format::kF32),
                                     angle.angle_class, angle.arithmetic);
      const std::string row =
          text::word(plugin::kAngleClassWords, angle.angle_class) + " " +
          std::string(name) + " " +
          text::word(text::kFormatWords, angle.arithmetic);
      text += format("  %-12s 2^%-4d %s\n", row.c_str(),
                     log2_of(traits(angle.arithmetic).unit_roundoff),
                     roundings_text(claim).c_str());
    }
  }
  return text;
}

std::string local_rows(Format output, std::uint32_t rounding) {
  std::string text;
  for (const auto& [table, name] : text::kFormatWords) {
    ropeproof_claim made = plugin::kStrictestClaim;
    made.table_dtype = plugin::abi_dtype(table);
    made.rounding = rounding;
    const Claim claim = claim_of(made, 0, output);
    const LocalRow row = local_row(claim);
    const std::string title = "table " + std::string(name) + " " +
                              text::word(plugin::kRoundingWords, rounding) +
                              " " + text::word(text::kFormatWords, output);
    const double u = traits(output).unit_roundoff;
    const auto in_u = [&](bool given, bool has_amplitude) {
      return output_error(claim, given, has_amplitude).length / u;
    };
    text += format("  %-25s %3d  %3d  %3g  %9.4g  %9.4g  %16.4g\n",
                   title.c_str(), row.in_arithmetic, row.in_output,
                   output_error(claim, true, false).result / u,
                   in_u(true, false), in_u(false, false), in_u(false, true));
  }
  return text;
}

}  // namespace

std::string tolerance_text() {
  return "|y^ - y| <= (1 + rho) ||x|| |m| (min(2, |phi| gamma_k(u)) + L) + rho "
         "|y| + eta, for each output\nof each pair\n\n"
         "angle: k roundings from base to theta (t), powers and logarithms "
         "within v ulp (power_ulp), 1 more if\nthe base is rounded; then 1 for "
         "the product, 1 for a rounded position, 2 per axis of a sum. A0 has\n"
         "no angle term; its k is that of frequencies given out.\n\n"
         "  class      u      k\n" +
         angle_rows() +
         "\nL: the stored cosine and sine, then the roundings to the "
         "arithmetic W and of products to the\noutput type; rho: the "
         "conversion of the result. sin and cos within 1 ulp. In units of u of "
         "the\noutput type.\n\n"
         "  row                         W  out  rho    L given   L formed  L "
         "with amplitude\n" +
         local_rows(Format::kF64, ROPEPROOF_ROUND_ONCE) +
         local_rows(Format::kF32, ROPEPROOF_ROUND_ONCE) +
         local_rows(Format::kF16, ROPEPROOF_ROUND_ONCE) +
         local_rows(Format::kBF16, ROPEPROOF_ROUND_ONCE) +
         local_rows(Format::kF16, ROPEPROOF_ROUND_EACH) +
         local_rows(Format::kBF16, ROPEPROOF_ROUND_EACH) +
         local_rows(Format::kF16, ROPEPROOF_TRUNCATE) +
         local_rows(Format::kBF16, ROPEPROOF_TRUNCATE);
}

}  // namespace ropeproof::conformance::judge
