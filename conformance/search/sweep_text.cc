// A sweep in words.
#include <algorithm>
#include <cinttypes>

#include "conformance/search/sweep_report.h"
#include "conformance/text/format.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::search {
namespace {

using judge::Element;
using text::format;

// "sin, position 69891, pair 28"; a unit vector comes out as "q[64], ...".
std::string place(const Element& e) {
  return text::word(e.tensor) +
         (e.tensor == judge::Tensor::kQ ? format("[%" PRId64 "]", e.channel)
                                        : "") +
         format(", position %.0f, pair %" PRId64, e.position, e.pair);
}

std::string row_text(const SweepRow& row) {
  const judge::Measurement& m = row.measurement;
  const auto counted = [&](std::int64_t count) {
    return format(
        "%12" PRId64 " %8.4f %%", count,
        100 * static_cast<double>(count) /
            static_cast<double>(std::max<std::int64_t>(m.elements, 1)));
  };
  std::string text = format("  %-9.9g %12" PRId64 " ", row.base, m.elements) +
                     counted(m.elements - m.not_nearest) + " " +
                     counted(m.elements - m.wrong);
  if (m.worst) {
    text += format("  %9.3g %11.3g  ", m.max_norm_ulp, m.worst->ratio()) +
            place(*m.worst);
  }
  text += "\n";
  if (m.vacuous > 0) {
    text +=
        format("    %" PRId64 " values had a bound that accepts any rotation\n",
               m.vacuous);
  }
  if (m.first_wrong) {
    const Element& wrong = *m.first_wrong;
    text += format("    FAIL  %" PRId64 " values; first: ", m.wrong) +
            place(wrong) +
            format(
                "\n          got %.9g, exact %.9g, error %.3g, bound "
                "%.3g\n",
                wrong.got, wrong.want, wrong.error, wrong.bound);
  }
  if (row.answered == check::Verdict::kDeclined) {
    text += format("    DECLINED after %" PRId64 " values\n", m.elements);
  } else if (row.answered != check::Verdict::kPass) {
    text += "    " + text::word(row.answered) + "  " + row.detail + "\n";
  }
  return text;
}

// "positions 0 to 131071", of a part also of how many.
std::string positions_text(const Sweep& sweep) {
  const SweepRow& row = sweep.rows.front();
  if (row.first == row.end) return "no position";
  std::string text =
      format("positions %" PRId64 " to %" PRId64, row.first, row.end - 1);
  if (row.end - row.first < sweep.positions) {
    text += format(" of 0 to %" PRId64, sweep.positions - 1);
  }
  return text;
}

}  // namespace

std::string sweep_text(const Sweep& sweep) {
  std::string text = "kernel    " + sweep.kernel.name + " " +
                     sweep.kernel.version + ", " + sweep.kernel_argument + "\n";
  if (!sweep.is_certified) {
    text += "built without MPFI: exact values are uncertified\n";
  }
  text +=
      "judged    cos and sin in " +
      text::word(text::kFormatWords, sweep.format) + ", " +
      (sweep.operation == ROPEPROOF_TABLE ? "operation table"
                                          : "operation rope on unit vectors") +
      ", " + positions_text(sweep) +
      format(", rotary_dim %" PRId64 "\n\n", sweep.rotary_dim) +
      format("  %-9s %12s %23s %23s  %9s %11s  %s\n", "base", "values",
             "correctly rounded", "within bound", "norm-ulp", "worst/bound",
             "worst");
  std::int64_t values = 0;
  for (const SweepRow& row : sweep.rows) {
    text += row_text(row);
    values += row.measurement.elements;
  }
  if (sweep.is_complete()) {
    text +=
        format("\ncomplete  %" PRId64 " values: each position below %" PRId64
               ", each pair, cos and sin, once for each base\n",
               values, sweep.positions);
  }
  const int status = sweep.exit_status();
  const char* const verdict = status == 0   ? "PASS"
                              : status == 1 ? "FAIL"
                                            : "NOTHING WAS JUDGED";
  return text::printable(text + "\n" + verdict + "\n");
}

}  // namespace ropeproof::conformance::search
