// Pictures of one answer: the kernel's frequencies, its cos and sin.
#include <algorithm>
#include <cmath>

#include "conformance/plugin/abi_words.h"
#include "conformance/report/failure_text.h"
#include "conformance/report/html/figures.h"
#include "conformance/report/html/plot.h"
#include "conformance/text/svg.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

using explain::Specimen;
using explain::SpecimenPair;
using text::px;

constexpr const char* kNoSpecimen =
    "no answer of this run shows by which angles the kernel rotates: that "
    "takes rope or table, one axis, a position from 1 to 4096, at most 128 "
    "pairs, and pairs that are rotated.";

constexpr double kFigureTop = 30, kFigureBottom = 240;

std::string source_text(const Specimen& s) {
  return "case " + s.case_id + " (" +
         text::word(plugin::kOperationWords, s.operation) +
         (s.is_wrong ? ", which fails)" : ", which passes)");
}

PairAxis axis_of(const Specimen& s) {
  PairAxis axis;
  for (const SpecimenPair& p : s.pairs) axis.last = std::max(axis.last, p.pair);
  return axis;
}

std::string line_through(const std::vector<std::pair<double, double>>& points,
                         const std::string& classes) {
  std::string d;
  for (const auto& [x, y] : points) {
    d += (d.empty() ? "M" : "L") + px(x) + " " + px(y);
  }
  return text::svg_path(d, classes);
}

std::string frequency_words(const Specimen& s) {
  std::int64_t off = 0, first = -1, last = -1;
  double least = 1, most = 1;
  for (const SpecimenPair& p : s.pairs) {
    if (p.ratio == SpecimenPair::kUnknown || p.ratio == 1) continue;
    if (off++ == 0) first = p.pair;
    last = p.pair;
    least = std::min(least, p.ratio);
    most = std::max(most, p.ratio);
  }
  std::string text = "In " + source_text(s) + ", " + std::to_string(s.known()) +
                     " of " + std::to_string(s.pairs.size()) +
                     " frequencies could be measured; ";
  if (off == 0) return text + "all of them are those that are due.";
  return text + std::to_string(off) +
         " are not those that are due, between pairs " + std::to_string(first) +
         " and " + std::to_string(last) + ": from " + format("%.4g", least) +
         " to " + format("%.4g", most) + " times these.";
}

std::string rotation_words(const Specimen& s) {
  double most = 0;
  std::int64_t where = 0, off = 0;
  for (const SpecimenPair& p : s.pairs) {
    const double error =
        std::max(std::abs(p.cos - p.due_cos), std::abs(p.sin - p.due_sin));
    off += error > 0.01 ? 1 : 0;
    if (!(error > most)) continue;
    most = error, where = p.pair;
  }
  const std::string head = "At position " + format("%.9g", s.position) +
                           " of " + source_text(s) +
                           ", cos and sin, as the results show them, ";
  const std::string worst =
      format("%.2g", most) + " off, in pair " + std::to_string(where);
  return off == 0 ? head + "lie on the exact ones: at most " + worst + "."
                  : head + "leave the exact ones in " + std::to_string(off) +
                        " of " + std::to_string(s.pairs.size()) +
                        " pairs: up to " + worst + ".";
}

}  // namespace

std::string frequency_figure(const Report& report) {
  const char* const kHeading = "Frequencies, measured beside those due";
  const auto& s = report.shown.specimen;
  if (!s) return no_figure(kHeading, kNoSpecimen);
  if (s->known() == 0) {
    return no_figure(kHeading, "the results of " + source_text(*s) +
                                   " are rotated by no frequency that could "
                                   "be measured.");
  }
  text::LogScale scale{0, 0, kFigureTop, kFigureBottom};
  for (const SpecimenPair& p : s->pairs) {
    for (const double x : {p.theta, p.theta * p.ratio}) {
      if (!std::isfinite(x) || x == 0) continue;
      scale.low = std::min(scale.low, std::floor(std::log10(std::abs(x))));
      scale.high = std::max(scale.high, std::ceil(std::log10(std::abs(x))));
    }
  }
  const PairAxis axis = axis_of(*s);
  std::string svg;
  for (double power = scale.low; power <= scale.high; ++power) {
    const double y = scale.y(std::pow(10, power));
    svg +=
        text::svg_line(kPlotLeft, y, kPlotRight, y, "rule") +
        power_label(kPlotLeft - 6, y + 4, "10", static_cast<int>(power), "end");
  }
  std::vector<std::pair<double, double>> due;
  std::string dots;
  for (const SpecimenPair& p : s->pairs) {
    const double x = axis.x(static_cast<double>(p.pair));
    if (p.theta != 0) due.emplace_back(x, scale.y(std::abs(p.theta)));
    if (p.ratio == SpecimenPair::kUnknown) continue;
    dots += text::svg_dot(x, scale.y(std::abs(p.theta * p.ratio)), 2.2,
                          p.ratio == 1 ? "fill0" : "fill1");
  }
  svg += line_through(due, "curve stroke2") + dots +
         axis.numbers(kFigureBottom) +
         text::svg_line(kPlotLeft, 12, kPlotLeft + 20, 12, "curve stroke2") +
         plot_label(kPlotLeft + 26, 16, "due") +
         text::svg_dot(kPlotLeft + 76, 12, 3, "fill0") +
         plot_label(kPlotLeft + 84, 16, "measured") +
         text::svg_dot(kPlotLeft + 166, 12, 3, "fill1") +
         plot_label(kPlotLeft + 174, 16, "others") +
         plot_label(kPlotRight, 16, "rad per position", "end", "label soft");
  return plot_figure("frequencies", kHeading, kFigureBottom + 40, svg,
                     frequency_words(*s));
}

std::string rotation_figure(const Report& report) {
  const char* const kHeading = "cos and sin beside the exact ones";
  const auto& s = report.shown.specimen;
  if (!s) return no_figure(kHeading, kNoSpecimen);
  double most = 1;
  for (const SpecimenPair& p : s->pairs) {
    for (const double x : {p.cos, p.sin, p.due_cos, p.due_sin}) {
      if (std::isfinite(x)) most = std::max(most, std::abs(x));
    }
  }
  const PairAxis axis = axis_of(*s);
  const auto y_of = [&](double x) {
    return (kFigureTop + kFigureBottom) / 2 -
           x / most * (kFigureBottom - kFigureTop) / 2;
  };
  std::string svg;
  for (const double y : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    svg += text::svg_line(kPlotLeft, y_of(y), kPlotRight, y_of(y),
                          y == 0 ? "axis" : "rule") +
           plot_label(kPlotLeft - 6, y_of(y) + 4,
                      (y < 0 ? "−" : "") + format("%g", std::abs(y)), "end");
  }
  std::vector<std::pair<double, double>> cos, sin;
  std::string dots;
  for (const SpecimenPair& p : s->pairs) {
    const double x = axis.x(static_cast<double>(p.pair));
    cos.emplace_back(x, y_of(p.due_cos));
    sin.emplace_back(x, y_of(p.due_sin));
    dots += text::svg_dot(x, y_of(p.cos), 2.2, "fill0") +
            text::svg_dot(x, y_of(p.sin), 2.2, "fill1");
  }
  svg +=
      line_through(cos, "curve stroke0") + line_through(sin, "curve stroke1") +
      dots + axis.numbers(kFigureBottom) +
      text::svg_line(kPlotLeft, 12, kPlotLeft + 20, 12, "curve stroke0") +
      plot_label(kPlotLeft + 26, 16, "cos") +
      text::svg_line(kPlotLeft + 66, 12, kPlotLeft + 86, 12, "curve stroke1") +
      plot_label(kPlotLeft + 92, 16, "sin") +
      plot_label(kPlotRight, 16, "lines: exact; dots: the kernel's", "end",
                 "label soft");
  return plot_figure("rotations", kHeading, kFigureBottom + 40, svg,
                     rotation_words(*s));
}

}  // namespace ropeproof::conformance::report
