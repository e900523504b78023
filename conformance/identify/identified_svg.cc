// Two panels over the pairs: the frequencies, and how far they are from those due.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "conformance/identify/frequency_words.h"
#include "conformance/identify/identified_text.h"
#include "conformance/text/format.h"
#include "conformance/text/markup.h"

namespace ropeproof::conformance::identify {
namespace {

// Pixels.
constexpr double kWidth = 960, kHeight = 640, kLeft = 84, kRight = 932;
constexpr double kTop = 96, kMiddle = 396, kSecond = 428, kBottom = 576;

constexpr const char* kStyle = R"(<style>
text { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 13px; fill: #1f2328; }
.title { font-size: 19px; font-weight: 600; }
.page { fill: #ffffff; }
.grid { stroke: #e3e6ea; stroke-width: 1; }
.frame { stroke: #8b949e; stroke-width: 1; fill: none; }
.due { fill: none; stroke-width: 1.5; stroke-dasharray: 6 4; opacity: 0.8; }
.c0 { stroke: #0969da; } .d0 { fill: #0969da; }
.c1 { stroke: #c2560c; } .d1 { fill: #c2560c; }
.c2 { stroke: #1a7f37; } .d2 { fill: #1a7f37; }
.c3 { stroke: #8250df; } .d3 { fill: #8250df; }
.c4 { stroke: #9a6700; } .d4 { fill: #9a6700; }
.c5 { stroke: #bf3989; } .d5 { fill: #bf3989; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.page { fill: #0d1117; }
.grid { stroke: #21262d; }
.c0 { stroke: #58a6ff; } .d0 { fill: #58a6ff; }
.c1 { stroke: #f0883e; } .d1 { fill: #f0883e; }
.c2 { stroke: #3fb950; } .d2 { fill: #3fb950; }
.c3 { stroke: #bc8cff; } .d3 { fill: #bc8cff; }
.c4 { stroke: #d29922; } .d4 { fill: #d29922; }
.c5 { stroke: #f778ba; } .d5 { fill: #f778ba; }
}
</style>
)";
constexpr std::size_t kColours = 6;

std::string px(double x) { return text::format("%.1f", x); }

// A range of powers of ten.
struct Scale {
  double low = 0, high = 0;  // log10
  double top = 0, bottom = 0;

  void take(double x) {
    if (!(x > 0) || !std::isfinite(x)) return;
    const double log = std::log10(x);
    const bool is_first = low == 0 && high == 0;
    low = is_first ? log : std::min(low, log);
    high = is_first ? log : std::max(high, log);
  }
  void round() { low = std::floor(low - 0.1), high = std::ceil(high + 0.1); }
  double y(double x) const {
    const double log = std::clamp(std::log10(std::max(x, 1e-300)), low, high);
    return bottom - (log - low) / (high - low) * (bottom - top);
  }
};

double distance(const PairFrequency& p) {
  return p.due == 0 ? 0 : std::abs(std::abs(p.measured) - p.due) / p.due;
}

class Picture {
 public:
  explicit Picture(const Identified& found) : found_(found) {
    theta_.top = kTop, theta_.bottom = kMiddle;
    error_.top = kSecond, error_.bottom = kBottom;
    for (const Spectrum& spectrum : found.spectra) {
      for (const PairFrequency& p : spectrum.pairs) {
        theta_.take(std::abs(p.due));
        theta_.take(std::abs(p.measured));
        last_ = std::max(last_, p.pair);
      }
    }
    theta_.round();
    error_.low = -12, error_.high = 1;
  }

  std::string draw() {
    const std::string size = px(kWidth) + "\" height=\"" + px(kHeight);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size +
           "\" viewBox=\"0 0 " + px(kWidth) + " " + px(kHeight) +
           "\" role=\"img\">\n<title>Frequencies of " +
           text::escaped(found_.kernel.name) + "</title>\n" + kStyle +
           "<rect class=\"page\" width=\"" + size + "\"/>\n";
    write(kLeft, 34,
          text::escaped(found_.kernel.name + " " + found_.kernel.version) +
              ": frequency of each pair, measured and due",
          " class=\"title\"");
    axes(theta_, "rad per position");
    axes(error_, "relative error");
    unit("ulp of f32", 0x1p-23);
    unit("ulp of bf16", 0x1p-7);
    for (std::int64_t j = 0; j <= last_; j += step()) {
      const double x = x_of(j);
      line(x, kBottom, x, kBottom + 5, "frame");
      write(x, kBottom + 20, std::to_string(j), " text-anchor=\"middle\"");
    }
    write((kLeft + kRight) / 2, kBottom + 44, "pair j",
          " text-anchor=\"middle\"");
    double legend = kLeft;
    for (std::size_t i = 0; i < found_.spectra.size(); ++i) {
      series(found_.spectra[i], std::to_string(i % kColours));
      dot(legend + 5, 66, 4, std::to_string(i % kColours), "");
      const std::string& title = found_.spectra[i].title;
      write(legend + 16, 70, text::escaped(title));
      legend += 16 + 7.0 * static_cast<double>(title.size()) + 20;
    }
    line(legend, 66, legend + 28, 66, "due c0");
    write(legend + 36, 70, "due");
    return out_ + "</svg>\n";
  }

 private:
  std::int64_t step() const {
    std::int64_t step = 1;
    while (last_ / step > 10) step *= 2;
    return step;
  }
  double x_of(std::int64_t pair) const {
    const auto most = static_cast<double>(std::max<std::int64_t>(last_, 1));
    return kLeft + 14 +
           static_cast<double>(pair) / most * (kRight - kLeft - 28);
  }

  void write(double x, double y, const std::string& inner,
             const std::string& attributes = "") {
    out_ += "<text x=\"" + px(x) + "\" y=\"" + px(y) + "\"" + attributes + ">" +
            inner + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2,
            const std::string& classes) {
    out_ += "<line class=\"" + classes + "\" x1=\"" + px(x1) + "\" y1=\"" +
            px(y1) + "\" x2=\"" + px(x2) + "\" y2=\"" + px(y2) + "\"/>\n";
  }
  void dot(double x, double y, double radius, const std::string& colour,
           const std::string& title) {
    out_ +=
        "<circle class=\"d" + colour + "\" cx=\"" + px(x) + "\" cy=\"" + px(y) +
        "\" r=\"" + px(radius) + "\"" +
        (title.empty() ? "/>\n" : "><title>" + title + "</title></circle>\n");
  }

  void axes(const Scale& scale, const char* what) {
    const double range = scale.high - scale.low;
    for (double power = scale.low; power <= scale.high;
         power += range > 8 ? 2 : 1) {
      const double y = scale.y(std::pow(10, power));
      line(kLeft, y, kRight, y, "grid");
      write(kLeft - 8, y + 5, text::format("1e%d", static_cast<int>(power)),
            " text-anchor=\"end\"");
    }
    out_ += "<rect class=\"frame\" x=\"" + px(kLeft) + "\" y=\"" +
            px(scale.top) + "\" width=\"" + px(kRight - kLeft) +
            "\" height=\"" + px(scale.bottom - scale.top) + "\"/>\n";
    const double middle = (scale.top + scale.bottom) / 2;
    write(22, middle, what,
          " text-anchor=\"middle\" transform=\"rotate(-90 22 " + px(middle) +
              ")\"");
  }

  void unit(const char* words, double size) {
    const double y = error_.y(size);
    line(kLeft, y, kRight, y, "frame");
    write(kRight - 8, y - 4, words, " text-anchor=\"end\"");
  }

  void series(const Spectrum& spectrum, const std::string& colour) {
    std::string path;
    for (const PairFrequency& p : spectrum.pairs) {
      if (!(p.due > 0)) continue;
      path += (path.empty() ? "M" : " L") + px(x_of(p.pair)) + " " +
              px(theta_.y(p.due));
    }
    out_ += "<path class=\"due c" + colour + "\" d=\"" + path + "\"/>\n";
    for (const PairFrequency& p : spectrum.pairs) {
      const std::string title =
          spectrum.title + ", pair " + std::to_string(p.pair) + ": measured " +
          number_words(p.measured, 9) + ", due " + number_words(p.due, 9);
      if (p.measured != 0) {
        dot(x_of(p.pair), theta_.y(std::abs(p.measured)), 2.6, colour,
            text::escaped(title));
      }
      if (distance(p) > 0) {
        dot(x_of(p.pair), error_.y(distance(p)), 2.6, colour,
            text::escaped(title));
      }
    }
  }

  const Identified& found_;
  Scale theta_, error_;
  std::int64_t last_ = 0;
  std::string out_;
};

}  // namespace

std::string identified_svg(const Identified& found) {
  const bool has_pairs = std::ranges::any_of(
      found.spectra, [](const Spectrum& s) { return !s.pairs.empty(); });
  return has_pairs ? Picture(found).draw() : "";
}

}  // namespace ropeproof::conformance::identify
