// failure_text.h -- one failing check for people, and how its parts are
// written.
#pragma once

#include <string>

#include "conformance/explain/account.h"
#include "conformance/explain/equation.h"
#include "conformance/judge/judge.h"
#include "conformance/report/report.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::report {

// Says where, what, which formula where no diagnosis does, how to replay it.
// With details also the formula, the worst element, and the debugger's line.
std::string failure_text(const Report& report, const check::Check& check,
                         bool has_details);

// Says what is wrong with an output, and with details its worst element.
std::string wrong_text(const judge::Measurement& wrong,
                       const explain::Account& account, bool has_details);

const explain::Equation& equation_of(const check::Check& check);

// 0.64, 12.3, 4.1e+06: three digits are enough to compare a ratio with 1.
std::string ratio_text(double ratio);

// "q[0,22,0,1]", or of a table "cos[0,22,1]"
std::string index_text(const judge::Element& element);

// "q[0,22,0,1] pair 1 position 2147483647"
std::string place(const judge::Element& element);

// "  first    q[0,22,0,1] pair 1 position 3, off by ..." and what was wanted.
std::string element_text(const std::string& label,
                         const judge::Element& element);

inline constexpr std::size_t kColumns = 100;

// "  label    text", broken at blanks; the text begins at column `indent`.
std::string paragraph(const std::string& label, const std::string& text,
                      std::size_t indent = 11);

using text::format;

}  // namespace ropeproof::conformance::report
