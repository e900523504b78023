#include "conformance/models/spectrum_svg.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <variant>
#include <vector>

#include "conformance/models/figures.h"
#include "conformance/models/scalings.h"
#include "conformance/text/format.h"
#include "conformance/text/markup.h"
#include "conformance/text/svg.h"

namespace ropeproof::conformance::models {
namespace {

constexpr double kHeight = 560, kTop = 104, kBottom = kHeight - 64;

constexpr const char* kStyle =
    R"(.context { stroke: #59636e; stroke-width: 1; stroke-dasharray: 2 4; }
.blend { fill: #8b949e; fill-opacity: 0.16; }
.line { fill: none; stroke-width: 2; }
.unscaled { fill: none; stroke-width: 1.5; stroke-dasharray: 6 4; opacity: )"
    R"(0.75; }
.through { fill: none; stroke: #8b949e; stroke-width: 1.2; }
@media (prefers-color-scheme: dark) {
.context { stroke: #9da7b3; }
.blend { fill-opacity: 0.28; }
}
)";

using text::px;
using text::svg_dot;
using text::svg_line;
using text::svg_path;
using text::svg_rect;
using text::svg_text;
using Chart = text::PairChart;

struct Series {
  const ModelRope* rope;
  Figures figures;
  bool is_scaled;
};

std::vector<Series> series_of(const Model& model) {
  std::vector<Series> series;
  for (const ModelRope& rope : model.ropes) {
    if (!rope.has_frequencies) continue;
    series.push_back({&rope, figures_of(rope),
                      !std::holds_alternative<reference::Default>(
                          rope.spec.frequencies.scaling)});
  }
  return series;
}

// Returns a scale around all wavelengths and lengths.
text::LogScale scale_of(const Model& model, const std::vector<Series>& series) {
  double low = 0, high = 0;
  for (const auto& [rope, figures, is_scaled] : series) {
    for (const PairFigures& pair : figures.pairs) {
      for (const double w : {pair.wavelength, pair.unscaled_wavelength}) {
        if (!std::isfinite(w)) continue;
        low = low == 0 ? w : std::min(low, w);
        high = std::max(high, w);
      }
    }
    for (const std::int64_t length :
         {figures.original_length, rope->context_length}) {
      high = std::max(high, static_cast<double>(length));
    }
  }
  if (low == 0) {
    throw std::invalid_argument("no spectrum to draw: the frequencies of " +
                                model.id + " are not known, or all zero");
  }
  return {std::log10(low) - 0.15, std::log10(high) + 0.2, kTop, kBottom};
}

std::int64_t last_pair(const std::vector<Series>& all) {
  std::size_t most = 1;
  for (const Series& series : all) {
    most = std::max(most, series.figures.pairs.size());
  }
  return static_cast<std::int64_t>(most) - 1;
}

class Spectrum {
 public:
  explicit Spectrum(const Model& model)
      : series_(series_of(model)),
        scale_(scale_of(model, series_)),
        last_pair_(last_pair(series_)),
        chart_(kHeight, "Spectrum of " + text::escaped(model.id),
               text::escaped(model.title.empty() ? model.id : model.title) +
                   ": wavelength of each pair",
               last_pair_, kStyle) {}

  std::string draw() {
    draw_blend();
    chart_.panel(scale_, "positions per full circle, 2π / inv_freq");
    draw_contexts();
    for (std::size_t i = 0; i < series_.size(); ++i) draw_series(i);
    draw_legend();
    return chart_.finish(kBottom);
  }

 private:
  // The pairs that YaRN or llama3 blends.
  void draw_blend() {
    for (const Series& series : series_) {
      const reference::Resolution& resolution = series.figures.resolution;
      double first = 0, last = -1;
      if (!resolution.ramps.empty()) {
        first = std::floor(resolution.ramps.front().low) + 1;
        last = std::min(std::ceil(resolution.ramps.front().high) - 1,
                        static_cast<double>(last_pair_));
      }
      const auto& bands = resolution.bands;
      const auto blend = std::ranges::find(bands, reference::Band::kBlend);
      if (blend != bands.end()) {
        first = static_cast<double>(blend - bands.begin());
        last = first - 1 +
               static_cast<double>(
                   std::ranges::count(bands, reference::Band::kBlend));
      }
      if (last < first) continue;
      has_blend_ = true;
      const double left = chart_.x(first - 0.4);
      chart_.add(svg_rect(left, kTop, chart_.x(last + 0.4) - left,
                          kBottom - kTop, "blend"));
      return;  // one is enough to look at
    }
  }

  void draw_contexts() {
    std::map<std::int64_t, std::string> lengths;
    for (const Series& series : series_) {
      const std::int64_t original = series.figures.original_length;
      const std::int64_t longest = series.rope->context_length;
      if (longest > 0) lengths.emplace(longest, "context");
      if (original > 0 && original != longest) {
        lengths[original] = "original context";
      }
    }
    double above = kBottom + 40;
    for (const auto& [length, what] : lengths) {
      const double y = scale_.y(static_cast<double>(length));
      chart_.add(svg_line(Chart::kLeft, y, Chart::kRight, y, "context"));
      const double text_y = std::min(y - 6, above - 16);
      above = text_y;
      chart_.add(svg_text(Chart::kLeft + 10, text_y,
                          what + " " + std::to_string(length),
                          " class=\"soft\""));
    }
  }

  // A curve is broken where it falls: the next axis starts anew.
  std::string path(const Figures& figures,
                   double PairFigures::*wavelength) const {
    std::string d;
    double previous = 0;
    for (std::size_t j = 0; j < figures.pairs.size(); ++j) {
      const double w = figures.pairs[j].*wavelength;
      if (!std::isfinite(w)) break;
      const bool is_start = d.empty() || w < previous;
      d += (d.empty() ? "" : " ") + std::string(is_start ? "M" : "L") +
           px(chart_.x(static_cast<double>(j))) + " " + px(scale_.y(w));
      previous = w;
    }
    return d;
  }

  void draw_series(std::size_t i) {
    const auto& [rope, figures, is_scaled] = series_[i];
    const std::string colour = colour_of(i);
    const bool has_axes = !rope->axis_names.empty();
    if (is_scaled) {
      chart_.add(svg_path(path(figures, &PairFigures::unscaled_wavelength),
                          "unscaled c" + colour));
    }
    chart_.add(svg_path(path(figures, &PairFigures::wavelength),
                        has_axes ? "through" : "line c" + colour));
    const double radius = last_pair_ <= 40 ? 3.2 : last_pair_ <= 64 ? 2.6 : 1.8;
    for (std::size_t j = 0; j < figures.pairs.size(); ++j) {
      const PairFigures& pair = figures.pairs[j];
      if (!std::isfinite(pair.wavelength)) continue;
      const auto axis = static_cast<std::size_t>(pair.axis);
      chart_.add(svg_dot(
          chart_.x(static_cast<double>(j)), scale_.y(pair.wavelength), radius,
          "d" + (has_axes ? colour_of(axis) : colour),
          "pair " + std::to_string(j) +
              (has_axes ? ", axis " + text::escaped(rope->axis_names[axis])
                        : "") +
              ": " + text::format("%.6g", pair.wavelength)));
    }
  }

  // A sample of `mark` and its name; moves to the right.
  void entry(const std::string& mark, double width, const std::string& name) {
    chart_.add(mark + svg_text(legend_x_ + width + 8, 74, text::escaped(name)));
    legend_x_ += width + 8 + 7.2 * static_cast<double>(name.size()) + 22;
  }

  void draw_legend() {
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const auto& [rope, figures, is_scaled] = series_[i];
      const std::string colour = colour_of(i);
      const std::string layers =
          rope->layers.empty() ? "" : rope->layers + ", ";
      for (std::size_t k = 0; k < rope->axis_names.size(); ++k) {
        entry(svg_dot(legend_x_ + 5, 70, 4, "d" + colour_of(k)), 10,
              layers + "axis " + rope->axis_names[k]);
      }
      const auto sample = [&](const std::string& kind) {
        return svg_line(legend_x_, 70, legend_x_ + 26, 70,
                        kind + " c" + colour);
      };
      const std::string scaling(scaling_name(rope->spec.frequencies.scaling));
      if (rope->axis_names.empty()) {
        entry(sample("line"), 26, layers + (is_scaled ? scaling : "unscaled"));
      }
      if (is_scaled) entry(sample("unscaled"), 26, layers + "unscaled");
    }
    if (has_blend_) {
      entry(svg_rect(legend_x_, 62, 20, 16, "blend"), 20, "blended pairs");
    }
  }

  static std::string colour_of(std::size_t i) {
    return std::to_string(i % Chart::kColours);
  }

  std::vector<Series> series_;
  text::LogScale scale_;
  std::int64_t last_pair_;
  Chart chart_;
  double legend_x_ = Chart::kLeft;
  bool has_blend_ = false;
};

}  // namespace

std::string spectrum_svg(const Model& model) { return Spectrum(model).draw(); }

}  // namespace ropeproof::conformance::models
