#include "conformance/report/failure_text.h"

#include <algorithm>
#include <cmath>

#include "conformance/plugin/abi_words.h"
#include "conformance/text/hex.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

std::string value_text(double value, std::uint64_t bits,
                       reference::Format number_format) {
  return format("%.9g", value) + " (" +
         text::hex(bits, reference::traits(number_format).total_bits / 4) + ")";
}

}  // namespace

std::string element_text(const std::string& label, const judge::Element& e) {
  std::string where = place(e);
  if (std::isfinite(e.error)) {
    where += format(", off by %.3g = ", e.error) + ratio_text(e.ratio()) +
             " x the bound";
  }
  return paragraph(label, where) +
         paragraph("", "got " + value_text(e.got, e.got_bits, e.format) +
                           ", want " +
                           value_text(e.want, e.want_bits, e.format));
}

std::string ratio_text(double ratio) {
  if (std::isinf(ratio)) return "inf";
  if (ratio < 1000) return format("%.3g", ratio);
  // An error where the exact result is zero exceeds any sensible multiple.
  return ratio < 1e12 ? format("%.1e", ratio) : ">1e12";
}

std::string index_text(const judge::Element& e) {
  const bool is_table =
      e.tensor == judge::Tensor::kCos || e.tensor == judge::Tensor::kSin;
  return text::word(e.tensor) + "[" + std::to_string(e.batch) + "," +
         std::to_string(e.token) + "," +
         (is_table ? "" : std::to_string(e.head) + ",") +
         std::to_string(e.channel) + "]";
}

std::string place(const judge::Element& e) {
  if (e.tensor == judge::Tensor::kInvFreq) {
    return "inv_freq[" + std::to_string(e.channel) + "]";
  }
  if (e.tensor == judge::Tensor::kPermuted) {
    return "head " + std::to_string(e.head) + " row " +
           std::to_string(e.channel) + " column " + std::to_string(e.token);
  }
  std::string text = index_text(e);
  if (e.pair >= 0) text += " pair " + std::to_string(e.pair);
  const bool whole = e.position == std::floor(e.position);
  text += " position " + format(whole ? "%.0f" : "%.12g", e.position);
  if (e.pair < 0) text += ", outside the window";
  return text;
}

std::string paragraph(const std::string& label, const std::string& text,
                      std::size_t indent) {
  std::string result, line = "  " + label + " ";
  if (line.size() < indent) line.resize(indent, ' ');
  std::size_t start = line.size();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, blank - at);
    if (line.size() > start && line.size() + 1 + word.size() > kColumns) {
      result += line + "\n";
      line = std::string(indent, ' ');
      start = indent;
    }
    if (line.size() > start) line += " ";
    line += word;
    at = blank + 1;
  }
  return result + line + "\n";
}

std::string wrong_text(const judge::Measurement& m,
                       const explain::Account& account, bool has_details) {
  std::string text = element_text("first", *m.first_wrong);
  if (has_details && m.worst) text += element_text("worst", *m.worst);
  if (!account.pattern.empty()) text += paragraph("pattern", account.pattern);
  std::string label = "measured";
  for (const std::string& sentence : account.measured) {
    text += paragraph(label, sentence);
    label = "";
  }
  return text;
}

const explain::Equation& equation_of(const check::Check& check) {
  const bool has_wrong_values = check.account.equation != 0;
  return explain::equation(has_wrong_values
                               ? check.account.equation
                               : explain::equation_of(check.operation));
}

std::string failure_text(const Report& report, const check::Check& check,
                         bool has_details) {
  const std::string operation =
      text::word(plugin::kOperationWords, check.operation);
  std::string text = text::word(check.verdict) + "  " + check.case_id + "  " +
                     operation + (check.is_of_values() ? "" : "  ") +
                     text::word(check.aspect) + "\n" +
                     paragraph("case", check.summary);
  if (!check.reason.empty()) text += paragraph("because", check.reason);
  const bool is_wrong = check.measurement && !check.measurement->pass();
  if (is_wrong) {
    text += wrong_text(*check.measurement, check.account, has_details);
  }
  // What the diagnosis of the run says is not said again.
  if (report.diagnoses.empty() || has_details) {
    const explain::Equation& equation = equation_of(check);
    text += paragraph("equation", "(R" + std::to_string(equation.number) +
                                      ") " + std::string(equation.text));
  }
  const std::string replay =
      report.transport == Transport::kSocket
          ? "ropeproof.judge(..., cases=[\"" + check.case_id + "\"])"
          : "ropeproof " + subcommand(report) + " " + report.kernel_argument +
                " --case " + check.case_id + " --operation " + operation +
                (check::promise(check.aspect).from == cases::Tier::kFull
                     ? " --tier full"
                     : "");
  text += "  replay   " + replay + "\n";
  if ((has_details || check.verdict == check::Verdict::kCrash) &&
      report.transport == Transport::kLibrary) {
    text += "  debug    gdb --args " + replay + " --no-fork\n";
  }
  return text;
}

}  // namespace ropeproof::conformance::report
