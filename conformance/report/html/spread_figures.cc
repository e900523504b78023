// Pictures of how errors are spread: over pairs and positions, over classes of
// cases, over their own sizes.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/scalings.h"
#include "conformance/report/failure_text.h"
#include "conformance/report/html/figures.h"
#include "conformance/report/html/plot.h"
#include "conformance/report/text_parts.h"
#include "conformance/text/markup.h"
#include "conformance/text/svg.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

using text::escaped;
using text::px;

// Colours of an error over its bound: up to these, then beyond.
constexpr double kHeats[] = {0.01, 0.1, 0.25, 0.5, 1, 10, 1000};
constexpr int kHeatCount = static_cast<int>(std::size(kHeats)) + 1;
constexpr int kFirstBeyond = 5;
constexpr const char* kHeatWords[] = {"0.01", "0.1", "0.25", "0.5",
                                      "1",    "10",  "1000", ""};

int heat_of(double ratio) {
  return static_cast<int>(
      std::ranges::find_if(kHeats, [&](double x) { return ratio <= x; }) -
      std::begin(kHeats));
}

constexpr const char* kNoFigures =
    "the report holds no such figures: nothing was judged by numbers, or an "
    "earlier version wrote it";

constexpr double kMapTop = 6, kCellHeight = 10;
constexpr double kCellWidth =
    (kPlotRight - kPlotLeft) / static_cast<double>(judge::kPairColumns);

template <class Takes>
std::string cells(const judge::Spread& spread, std::int64_t first_size,
                  const std::string& classes, bool is_crossed,
                  const Takes& takes) {
  std::string d;
  for (const auto& [size, row] : spread.by_pair) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (!takes(row[k])) continue;
      const double x = kPlotLeft + kCellWidth * static_cast<double>(k);
      const double y =
          kMapTop + kCellHeight * static_cast<double>(size - first_size);
      const std::string w = px(kCellWidth), h = px(kCellHeight);
      d += "M" + px(x) + " " + px(y);
      d += is_crossed ? "l" + w + " " + h + "m-" + w + " 0l" + w + " -" + h
                      : "h" + w + "v" + h + "h-" + w + "z";
    }
  }
  return d.empty() ? "" : text::svg_path(d, classes);
}

std::string size_words(std::int64_t size) {
  if (size == 0) return "below 1";
  if (size == 1) return "1";
  return size < 12 ? std::to_string(1LL << (size - 1)) + " to " +
                         std::to_string((1LL << size) - 1)
                   : "2^" + std::to_string(size - 1) + " to 2^" +
                         std::to_string(size);
}

// What a map says: where the largest error is, and how many cells are beyond 1.
std::string map_words(const judge::Spread& spread) {
  double most = -1;
  std::int64_t where = 0, beyond = 0, judged = 0, unjudged = 0;
  std::size_t column = 0;
  for (const auto& [size, row] : spread.by_pair) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      judged += row[k] >= 0 ? 1 : 0;
      unjudged += row[k] == judge::kNotJudged ? 1 : 0;
      beyond += row[k] > 1 ? 1 : 0;
      if (row[k] <= most) continue;
      most = row[k], where = size, column = k;
    }
  }
  if (most < 0) return "No angle was judged.";
  const double middle = (static_cast<double>(column) + 0.5) /
                        static_cast<double>(judge::kPairColumns);
  std::string text =
      beyond == 0
          ? "No answer's error exceeds its bound"
          : "In " + std::to_string(beyond) + " of " + std::to_string(judged) +
                " cells, red and crossed, an error exceeds its bound";
  text += "; the largest is " + ratio_text(most) + " times it, at positions " +
          size_words(where) + ", " + format("%.0f", 100 * middle) +
          " % of the way from the fastest pair to the slowest.";
  if (unjudged > 0) {
    text +=
        " Where cells are hatched, the bound of the claim accepts any "
        "angle.";
  }
  return text;
}

std::string heat_legend(double y) {
  std::string svg;
  double x = kPlotLeft;
  for (int heat = 0; heat < kHeatCount; ++heat) {
    svg += text::svg_rect(x, y, 40, 10, "heat" + std::to_string(heat));
    svg += plot_label(x + 40, y + 24, kHeatWords[heat], "middle", "label soft");
    x += 40;
  }
  svg += plot_label(x + 6, y + 9, "of the bound", "start", "label soft");
  const double left = kPlotLeft, below = y + 34;
  const std::string hatch =
      "M" + px(left) + " " + px(below) + "l40 10m-40 0l40 -10";
  return svg + text::svg_rect(left, below, 40, 10, "unjudged") +
         text::svg_path(hatch, "hatch") +
         plot_label(left + 46, below + 9, "any angle is within it") +
         text::svg_rect(left + 230, below, 40, 10, "nothing") +
         plot_label(left + 276, below + 9, "not asked");
}

// One class of cases: an operation and a scaling, in one dtype.
struct ClassCell {
  double ratio = -1;
  std::int64_t judged = 0, failed = 0, crashed = 0;
};

// The word of a case's scaling, by which rows are sorted; "" without one.
std::string scaling_of(const Report& report, const std::string& id) {
  const std::uint32_t scaling = report.needs_of(id).scaling;
  return scaling == 0 ? "" : text::word(plugin::kScalingWords, scaling);
}

using ClassRow = std::map<std::uint32_t, ClassCell>;  // by dtype

std::string class_cell(const ClassCell& cell) {
  if (cell.judged == 0) return "<td class=\"none\">not judged</td>";
  const int heat = cell.failed > 0 ? std::max(heat_of(cell.ratio), kFirstBeyond)
                                   : heat_of(std::max(cell.ratio, 0.0));
  std::string text =
      cell.ratio < 0 ? "no answer" : escaped(ratio_text(cell.ratio));
  text += "<span>" +
          (cell.failed > 0 ? std::to_string(cell.failed) + " of " +
                                 counted(cell.judged, "check") + " fail"
                           : counted(cell.judged, "check")) +
          "</span>";
  return "<td class=\"heat" + std::to_string(heat) + "\">" + text + "</td>";
}

}  // namespace

std::string pair_figure(const Report& report) {
  const judge::Spread& spread = report.shown.spread;
  const char* const kHeading = "Error over its bound, by pair and position";
  if (spread.by_pair.empty()) {
    const bool has_any = !spread.by_ulp.empty();
    return no_figure(
        kHeading,
        has_any ? "the kernel formed no angle that was judged" : kNoFigures);
  }
  const std::int64_t first = spread.by_pair.begin()->first,
                     last = spread.by_pair.rbegin()->first;
  const double bottom =
      kMapTop + kCellHeight * static_cast<double>(last - first + 1);
  std::string svg = "<g shape-rendering=\"crispEdges\">\n" +
                    text::svg_rect(kPlotLeft, kMapTop, kPlotRight - kPlotLeft,
                                   bottom - kMapTop, "nothing") +
                    cells(spread, first, "unjudged", false,
                          [](double x) { return x == judge::kNotJudged; });
  for (int heat = 0; heat < kHeatCount; ++heat) {
    svg += cells(spread, first, "heat" + std::to_string(heat), false,
                 [&](double x) { return x >= 0 && heat_of(x) == heat; });
  }
  svg += "</g>\n" +
         cells(spread, first, "cross", true, [](double x) { return x > 1; }) +
         cells(spread, first, "hatch", true,
               [](double x) { return x == judge::kNotJudged; });
  for (std::int64_t size = first; size <= last; ++size) {
    if (size != 0 && (size - 1) % 4 != 0) continue;
    if (size == 1 && first == 0) continue;  // too near to the 0
    const double y =
        kMapTop + kCellHeight * (static_cast<double>(size - first) + 0.5) + 4;
    svg += size == 0 ? plot_label(kPlotLeft - 6, y, "0", "end")
                     : power_label(kPlotLeft - 6, y, "2",
                                   static_cast<int>(size) - 1, "end");
  }
  svg += plot_label(12, (kMapTop + bottom) / 2, "position", "middle",
                    "label soft upright") +
         plot_label(kPlotLeft, bottom + 16, "fastest pair") +
         plot_label(kPlotRight, bottom + 16, "slowest pair", "end") +
         heat_legend(bottom + 28);
  return plot_figure("by-pair", kHeading, bottom + 82, svg, map_words(spread));
}

std::string class_figure(const Report& report) {
  std::map<std::pair<std::uint32_t, std::string>, ClassRow> rows;
  std::uint32_t dtypes = 0;
  for (const check::Check& check : report.checks) {
    if (!check.is_of_values() || check.dtype == 0 ||
        !check::is_judged(check.verdict)) {
      continue;
    }
    ClassCell& cell =
        rows[{check.operation, scaling_of(report, check.case_id)}][check.dtype];
    dtypes |= check.dtype;
    ++cell.judged;
    if (!check.passes()) ++cell.failed;
    if (check.measurement && check.measurement->worst) {
      cell.ratio = std::max(cell.ratio, check.measurement->worst->ratio());
    }
  }
  const char* const kHeading = "Error over its bound, by class of cases";
  if (rows.empty()) return no_figure(kHeading, "no values were judged.");
  std::string html =
      "<figure class=\"classes\"><h3>" + std::string(kHeading) +
      "</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"" +
      kHeading + "\"><table>\n<caption>";
  std::int64_t failing = 0;
  for (const auto& [key, row] : rows) {
    for (const auto& [dtype, cell] : row) failing += cell.failed > 0 ? 1 : 0;
  }
  html += failing == 0
              ? "Each cell is the largest error over its bound: all stay "
                "within 1."
              : "Each cell is the largest error over its bound; " +
                    std::to_string(failing) +
                    (failing == 1 ? " class fails" : " classes fail") +
                    ", marked red.";
  html +=
      "</caption>\n<thead><tr><th scope=\"col\">operation</th><th "
      "scope=\"col\">scaling</th>";
  for (const std::string& word : text::words_of(plugin::kDtypeWords, dtypes)) {
    html += "<th scope=\"col\">" + word + "</th>";
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& [key, row] : rows) {
    html += "<tr><th scope=\"row\">" +
            text::word(plugin::kOperationWords, key.first) + "</th><td>" +
            (key.second.empty() ? "none" : escaped(key.second)) + "</td>";
    for (const auto& [dtype, word] : plugin::kDtypeWords) {
      if ((dtypes & dtype) == 0) continue;
      const auto cell = row.find(dtype);
      html += class_cell(cell == row.end() ? ClassCell() : cell->second);
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></figure>\n";
}

// What half of the elements and the worst of them are off by. `sizes` counts
// them by the size of their error.
std::string ulp_sentence(const std::string& name,
                         const judge::UlpSizes& sizes) {
  const std::int64_t all =
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  std::int64_t half = 0;
  std::size_t middle = 0, last = 0;
  while (middle < sizes.size() && 2 * (half += sizes[middle]) < all) ++middle;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] != 0) last = k;
  }
  const auto limit = [](std::size_t k) {
    return k + 1 == judge::kUlpSizes
               ? std::string("more")
               : "less than 2^" + std::to_string(static_cast<int>(k) - 8);
  };
  return name + ": half of the " + std::to_string(all) +
         " elements are off by " + limit(middle) +
         " ulp of their pair's length, the worst by " + limit(last) + ".";
}

std::string ulp_figure(const Report& report) {
  const auto& by_ulp = report.shown.spread.by_ulp;
  const char* const kHeading = "Elements by the size of their error";
  if (by_ulp.empty()) return no_figure(kHeading, kNoFigures);
  constexpr double kTop = 24, kBottom = 214;
  double most = 1;
  for (const auto& [format, sizes] : by_ulp) {
    for (const std::int64_t n : sizes) {
      most = std::max(most, static_cast<double>(n));
    }
  }
  const double powers = std::ceil(std::log10(most) + 1e-9);
  const auto y_of = [&](double n) {
    return kBottom -
           (std::log10(n) + 0.15) / (powers + 0.15) * (kBottom - kTop);
  };
  std::string svg;
  for (int power = 0; power <= static_cast<int>(powers); ++power) {
    const double y = y_of(std::pow(10, power));
    svg += text::svg_line(kPlotLeft, y, kPlotRight, y, "rule") +
           power_label(kPlotLeft - 6, y + 4, "10", power, "end");
  }
  const double step =
      (kPlotRight - kPlotLeft) / static_cast<double>(judge::kUlpSizes);
  const double width = (step - 2) / static_cast<double>(by_ulp.size());
  std::string sentence;
  double legend = kPlotLeft, offset = 1;
  int colour = 0;
  for (const auto& [format, sizes] : by_ulp) {
    const std::string classes = "fill" + std::to_string(colour++);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      if (sizes[k] == 0) continue;
      const double y = y_of(static_cast<double>(sizes[k]));
      svg += text::svg_rect(kPlotLeft + step * static_cast<double>(k) + offset,
                            y, width, kBottom - y, classes);
    }
    offset += width;
    const std::string name = text::word(format);
    svg += text::svg_rect(legend, 6, 10, 10, classes) +
           plot_label(legend + 15, 15, name);
    legend += 62;
    sentence += (sentence.empty() ? "" : " ") + ulp_sentence(name, sizes);
  }
  for (std::size_t k = 1; k < judge::kUlpSizes; k += 4) {
    svg += power_label(kPlotLeft + step * static_cast<double>(k), kBottom + 17,
                       "2", static_cast<int>(k) - 9, "middle");
  }
  svg += text::svg_line(kPlotLeft, kBottom, kPlotRight, kBottom, "axis") +
         plot_label(kPlotRight, kBottom + 34, "error in ulp of the length",
                    "end", "label soft") +
         plot_label(kPlotRight, 15, "elements, on a log scale", "end",
                    "label soft");
  return plot_figure("by-ulp", kHeading, kBottom + 40, svg, sentence);
}

std::string figure_style() {
  std::string style;
  constexpr int kPercent[] = {12, 20, 30, 48, 70, 42, 66, 92};
  constexpr int kBehindText[] = {4, 8, 14, 20, 28, 18, 28, 38};
  for (int heat = 0; heat < kHeatCount; ++heat) {
    style += ".heat" + std::to_string(heat) +
             " { --heat: color-mix(in oklab, var(--" +
             (heat < kFirstBeyond ? "low" : "high") + ") " +
             std::to_string(kPercent[heat]) +
             "%, var(--zero)); fill: var(--heat); }\ntd.heat" +
             std::to_string(heat) +
             " { background: color-mix(in oklab, var(--" +
             (heat < kFirstBeyond ? "low" : "high") + ") " +
             std::to_string(kBehindText[heat]) + "%, var(--page)); }\n";
  }
  return style;
}

}  // namespace ropeproof::conformance::report
