// The tolerance table as text.
#include <cmath>
#include <cstdio>

#include "conformance/judge/tolerance.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::judge {
namespace {

using reference::Format;

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, pattern, arguments...);
  return buffer;
}

// "3 + 3 j + 4 |ln t|".
std::string roundings_text(const AngleRow& row) {
  std::string text;
  const auto add = [&text](double count, const char* what) {
    if (count == 0) return;
    if (!text.empty()) text += " + ";
    text +=
        what[0] != '\0' && count == 1 ? what + 1 : format("%g%s", count, what);
  };
  add(row.constant, "");
  add(row.per_pair, " j");
  add(row.exponent, " |ln t|");
  if (row.exact == Quotient::k2jOverR) text += " [2j/r inexact]";
  if (row.exact == Quotient::k2OverR) text += " [2/r inexact]";
  return text;
}

int log2_of(double power_of_two) {
  int exponent = 0;
  std::frexp(power_of_two, &exponent);
  return exponent - 1;
}

}  // namespace

std::string name_of(const AngleRow& row) {
  return text::word(plugin::kAngleClassWords, row.angle_class) + " " +
         text::word(plugin::kPowerWords, row.power) + " " +
         text::word(text::kFormatWords, row.arithmetic);
}

std::string name_of(const LocalRow& row) {
  return "table " + text::word(text::kFormatWords, row.table) + " " +
         text::word(plugin::kRoundingWords, row.rounding) + " " +
         text::word(text::kFormatWords, row.output);
}

std::string tolerance_text() {
  std::string text =
      "|y^ - y| <= ||x|| |m| (min(2, |phi| gamma_k(u)) + L) + eta, for each "
      "output of each pair\n\n"
      "angle: k roundings from base to theta (t); then 1 for the product, 1 "
      "for a rounded position,\n"
      "2 per axis of a sum. A0 has no angle term; its k is that of "
      "frequencies given out.\n\n"
      "  class      u      k\n";
  for (const AngleRow& row : angle_rows()) {
    text += format("  %-12s 2^%-4d %s\n", name_of(row).c_str(),
                   log2_of(reference::traits(row.arithmetic).unit_roundoff),
                   roundings_text(row).c_str());
  }
  text +=
      "\nL: the stored cosine and sine, then the roundings to the arithmetic W "
      "and to the output type;\n"
      "sin and cos within 1 ulp. In units of u of the output type.\n\n"
      "  row                     W  out   L given  L formed  L with "
      "amplitude\n";
  for (const LocalRow& row : local_rows()) {
    Claim claim;
    claim.angle_class = ROPEPROOF_A0;
    claim.table = row.table;
    claim.rounding = row.rounding;
    claim.output = row.output;
    const double u = reference::traits(row.output).unit_roundoff;
    text += format("  %-21s %3d  %3d  %8.4g  %8.4g  %16.4g\n",
                   name_of(row).c_str(), row.in_arithmetic, row.in_output,
                   local_error(claim, true, false) / u,
                   local_error(claim, false, false) / u,
                   local_error(claim, false, true) / u);
  }
  return text;
}

}  // namespace ropeproof::conformance::judge
