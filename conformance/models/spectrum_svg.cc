#include "conformance/models/spectrum_svg.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/models/config_object.h"
#include "conformance/models/figures.h"
#include "conformance/text/markup.h"

namespace ropeproof::conformance::models {
namespace {

// Pixels.
constexpr double kWidth = 960, kHeight = 560;
constexpr double kLeft = 76, kRight = kWidth - 28;
constexpr double kTop = 104, kBottom = kHeight - 64;

// Colours that keep apart on white and on near-black, also for most of those
// who see fewer of them.
constexpr const char* kStyle = R"(<style>
text { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 13px; fill: #1f2328; }
.title { font-size: 19px; font-weight: 600; }
.power { font-size: 10px; }
.soft { fill: #59636e; }
.page { fill: #ffffff; }
.grid { stroke: #e3e6ea; stroke-width: 1; }
.frame { stroke: #8b949e; stroke-width: 1; fill: none; }
.context { stroke: #59636e; stroke-width: 1; stroke-dasharray: 2 4; }
.blend { fill: #8b949e; fill-opacity: 0.16; }
.line { fill: none; stroke-width: 2; }
.unscaled { fill: none; stroke-width: 1.5; stroke-dasharray: 6 4; opacity: 0.75; }
.through { fill: none; stroke: #8b949e; stroke-width: 1.2; }
.c0 { stroke: #0969da; } .d0 { fill: #0969da; }
.c1 { stroke: #c2560c; } .d1 { fill: #c2560c; }
.c2 { stroke: #1a7f37; } .d2 { fill: #1a7f37; }
.c3 { stroke: #8250df; } .d3 { fill: #8250df; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.soft { fill: #9da7b3; }
.page { fill: #0d1117; }
.grid { stroke: #21262d; }
.context { stroke: #9da7b3; }
.blend { fill-opacity: 0.28; }
.c0 { stroke: #58a6ff; } .d0 { fill: #58a6ff; }
.c1 { stroke: #f0883e; } .d1 { fill: #f0883e; }
.c2 { stroke: #3fb950; } .d2 { fill: #3fb950; }
.c3 { stroke: #bc8cff; } .d3 { fill: #bc8cff; }
}
</style>
)";
constexpr std::size_t kColours = 4;

std::string px(double x) { return digits(x, std::chars_format::fixed, 1); }

std::string text_at(double x, double y, const std::string& inner,
                    const std::string& attributes = "") {
  return "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\"" + attributes + ">" +
         inner + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2,
                 const std::string& classes) {
  return "<line class=\"" + classes + "\" x1=\"" + px(x1) + "\" y1=\"" +
         px(y1) + "\" x2=\"" + px(x2) + "\" y2=\"" + px(y2) + "\"/>\n";
}

struct Series {
  const ModelRope* rope;
  Figures figures;
  bool is_scaled;
};

class Plot {
 public:
  explicit Plot(const Model& model) : model_(model) {
    double low = 0, high = 0;
    for (const ModelRope& rope : model.ropes) {
      if (!rope.has_frequencies) continue;
      series_.push_back({&rope, figures_of(rope),
                         !std::holds_alternative<reference::Default>(
                             rope.spec.frequencies.scaling)});
      const Figures& figures = series_.back().figures;
      last_pair_ = std::max(last_pair_, figures.pairs.size() - 1);
      for (const PairFigures& pair : figures.pairs) {
        for (const double w : {pair.wavelength, pair.unscaled_wavelength}) {
          if (!std::isfinite(w)) continue;
          low = low == 0 ? w : std::min(low, w);
          high = std::max(high, w);
        }
      }
      for (const std::int64_t length :
           {figures.original_length, rope.context_length}) {
        high = std::max(high, static_cast<double>(length));
      }
    }
    if (low == 0) {
      throw std::invalid_argument("no spectrum to draw: the frequencies of " +
                                  model.id + " are not known, or all zero");
    }
    low_ = std::log10(low) - 0.15;
    high_ = std::log10(high) + 0.2;
  }

  std::string draw() {
    const std::string size = px(kWidth) + "\" height=\"" + px(kHeight);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size +
           "\" viewBox=\"0 0 " + px(kWidth) + " " + px(kHeight) +
           "\" role=\"img\">\n<title>Spectrum of " + text::escaped(model_.id) +
           "</title>\n" + kStyle + "<rect class=\"page\" width=\"" + size +
           "\"/>\n";
    const std::string& name = model_.title.empty() ? model_.id : model_.title;
    out_ +=
        text_at(kLeft, 36, text::escaped(name) + ": wavelength of each pair",
                " class=\"title\"");
    draw_blend();
    draw_axes();
    draw_contexts();
    for (std::size_t i = 0; i < series_.size(); ++i) draw_series(i);
    draw_legend();
    return out_ + "</svg>\n";
  }

 private:
  double x_of(double pair) const {
    const double most =
        static_cast<double>(std::max<std::size_t>(last_pair_, 1));
    return kLeft + 14 + pair / most * (kRight - kLeft - 28);
  }
  double y_of(double wavelength) const {
    return kBottom -
           (std::log10(wavelength) - low_) / (high_ - low_) * (kBottom - kTop);
  }

  void draw_axes() {
    for (double power = std::ceil(low_); power <= high_; power += 1) {
      const double y = y_of(std::pow(10, power));
      out_ += line(kLeft, y, kRight, y, "grid");
      // Two texts: not every viewer places a raised tspan.
      out_ += text_at(kLeft - 19, y + 5, "10", " text-anchor=\"end\"");
      out_ +=
          text_at(kLeft - 18, y - 1, std::to_string(static_cast<int>(power)),
                  " class=\"power\"");
    }
    std::size_t step = 1;
    while (last_pair_ / step > 10) step *= 2;
    for (std::size_t j = 0; j <= last_pair_; j += step) {
      const double x = x_of(static_cast<double>(j));
      out_ += line(x, kBottom, x, kBottom + 5, "frame");
      out_ += text_at(x, kBottom + 20, std::to_string(j),
                      " text-anchor=\"middle\"");
    }
    out_ += "<rect class=\"frame\" x=\"" + px(kLeft) + "\" y=\"" + px(kTop) +
            "\" width=\"" + px(kRight - kLeft) + "\" height=\"" +
            px(kBottom - kTop) + "\"/>\n";
    out_ += text_at((kLeft + kRight) / 2, kBottom + 46, "pair j",
                    " text-anchor=\"middle\"");
    const double middle = (kTop + kBottom) / 2;
    out_ += text_at(22, middle, "positions per full circle, 2π / inv_freq",
                    " text-anchor=\"middle\" transform=\"rotate(-90 22 " +
                        px(middle) + ")\"");
  }

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
      out_ += "<rect class=\"blend\" x=\"" + px(x_of(first - 0.4)) + "\" y=\"" +
              px(kTop) + "\" width=\"" +
              px(x_of(last + 0.4) - x_of(first - 0.4)) + "\" height=\"" +
              px(kBottom - kTop) + "\"/>\n";
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
      const double y = y_of(static_cast<double>(length));
      out_ += line(kLeft, y, kRight, y, "context");
      const double text_y = std::min(y - 6, above - 16);
      above = text_y;
      out_ += text_at(kLeft + 10, text_y, what + " " + std::to_string(length),
                      " class=\"soft\"");
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
           px(x_of(static_cast<double>(j))) + " " + px(y_of(w));
      previous = w;
    }
    return d;
  }

  void draw_series(std::size_t i) {
    const auto& [rope, figures, is_scaled] = series_[i];
    const std::string colour = std::to_string(i % kColours);
    const bool has_axes = !rope->axis_names.empty();
    if (is_scaled) {
      out_ += "<path class=\"unscaled c" + colour + "\" d=\"" +
              path(figures, &PairFigures::unscaled_wavelength) + "\"/>\n";
    }
    out_ += "<path class=\"" +
            (has_axes ? std::string("through") : "line c" + colour) +
            "\" d=\"" + path(figures, &PairFigures::wavelength) + "\"/>\n";
    const double radius = last_pair_ <= 40 ? 3.2 : last_pair_ <= 64 ? 2.6 : 1.8;
    for (std::size_t j = 0; j < figures.pairs.size(); ++j) {
      const PairFigures& pair = figures.pairs[j];
      if (!std::isfinite(pair.wavelength)) continue;
      const auto axis = static_cast<std::size_t>(pair.axis);
      const std::string dot =
          has_axes ? std::to_string(axis % kColours) : colour;
      out_ +=
          "<circle class=\"d" + dot + "\" cx=\"" +
          px(x_of(static_cast<double>(j))) + "\" cy=\"" +
          px(y_of(pair.wavelength)) + "\" r=\"" + px(radius) +
          "\"><title>pair " + std::to_string(j) +
          (has_axes ? ", axis " + text::escaped(rope->axis_names[axis]) : "") +
          ": " + digits(pair.wavelength, std::chars_format::general, 6) +
          "</title></circle>\n";
    }
  }

  // A sample of `mark` and its name; moves to the right.
  void entry(const std::string& mark, double width, const std::string& name) {
    out_ += mark + text_at(legend_x_ + width + 8, 74, text::escaped(name));
    legend_x_ += width + 8 + 7.2 * static_cast<double>(name.size()) + 22;
  }

  void draw_legend() {
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const auto& [rope, figures, is_scaled] = series_[i];
      const std::string colour = std::to_string(i % kColours);
      const std::string layers =
          rope->layers.empty() ? "" : rope->layers + ", ";
      for (std::size_t k = 0; k < rope->axis_names.size(); ++k) {
        entry("<circle class=\"d" + std::to_string(k % kColours) + "\" cx=\"" +
                  px(legend_x_ + 5) + "\" cy=\"70\" r=\"4\"/>\n",
              10, layers + "axis " + rope->axis_names[k]);
      }
      const auto sample = [&](const std::string& kind) {
        return line(legend_x_, 70, legend_x_ + 26, 70, kind + " c" + colour);
      };
      const std::string scaling(scaling_name(rope->spec.frequencies.scaling));
      if (rope->axis_names.empty()) {
        entry(sample("line"), 26, layers + (is_scaled ? scaling : "unscaled"));
      }
      if (is_scaled) entry(sample("unscaled"), 26, layers + "unscaled");
    }
    if (has_blend_) {
      entry("<rect class=\"blend\" x=\"" + px(legend_x_) +
                "\" y=\"62\" width=\"20\" height=\"16\"/>\n",
            20, "blended pairs");
    }
  }

  const Model& model_;
  std::vector<Series> series_;
  std::size_t last_pair_ = 0;
  double low_ = 0, high_ = 0;  // log10 of the wavelengths shown
  double legend_x_ = kLeft;
  bool has_blend_ = false;
  std::string out_;
};

}  // namespace

std::string spectrum_svg(const Model& model) { return Plot(model).draw(); }

}  // namespace ropeproof::conformance::models
