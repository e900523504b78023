// Two panels over the pairs: the frequencies, and how far they are from those
// due.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "conformance/identify/frequencies.h"
#include "conformance/identify/identify.h"
#include "conformance/text/markup.h"
#include "conformance/text/svg.h"

namespace ropeproof::conformance::identify {
namespace {

constexpr double kHeight = 640, kTop = 96, kMiddle = 396, kSecond = 428,
                 kBottom = 576;

constexpr const char* kStyle =
    ".due { fill: none; stroke-width: 1.5; stroke-dasharray: 6 4; opacity: "
    "0.8; "
    "}\n";

// The powers of ten around all frequencies.
text::LogScale scale_of(const std::vector<Spectrum>& spectra) {
  double low = 0, high = 0;
  for (const Spectrum& spectrum : spectra) {
    for (const PairFrequency& p : spectrum.pairs) {
      for (const double x : {std::abs(p.due), std::abs(p.measured)}) {
        if (!(x > 0) || !std::isfinite(x)) continue;
        low = low == 0 ? x : std::min(low, x);
        high = std::max(high, x);
      }
    }
  }
  if (low == 0) low = high = 1;
  return {std::floor(std::log10(low) - 0.1), std::ceil(std::log10(high) + 0.1),
          kTop, kMiddle};
}

double distance(const PairFrequency& p) {
  return p.due == 0 ? 0 : std::abs(std::abs(p.measured) - p.due) / p.due;
}

std::int64_t last_pair(const std::vector<Spectrum>& spectra) {
  std::int64_t last = 0;
  for (const Spectrum& spectrum : spectra) {
    for (const PairFrequency& p : spectrum.pairs) last = std::max(last, p.pair);
  }
  return last;
}

class Picture {
 public:
  explicit Picture(const Identified& found)
      : found_(found),
        theta_(scale_of(found.spectra)),
        chart_(kHeight, "Frequencies of " + text::escaped(found.kernel.name),
               text::escaped(found.kernel.name + " " + found.kernel.version) +
                   ": frequency of each pair, measured and due",
               last_pair(found.spectra), kStyle) {}

  std::string draw() {
    chart_.panel(theta_, "rad per position");
    chart_.panel(kError, "relative error");
    unit("ulp of f32", 0x1p-23);
    unit("ulp of bf16", 0x1p-7);
    double legend = Chart::kLeft;
    for (std::size_t i = 0; i < found_.spectra.size(); ++i) {
      const std::string colour = std::to_string(i % Chart::kColours);
      series(found_.spectra[i], colour);
      chart_.add(text::svg_dot(legend + 5, 66, 4, "d" + colour));
      const std::string& title = found_.spectra[i].title;
      chart_.add(text::svg_text(legend + 16, 70, text::escaped(title)));
      legend += 16 + 7.0 * static_cast<double>(title.size()) + 20;
    }
    chart_.add(text::svg_line(legend, 66, legend + 28, 66, "due c0"));
    chart_.add(text::svg_text(legend + 36, 70, "due"));
    return chart_.finish(kBottom);
  }

 private:
  using Chart = text::PairChart;
  static constexpr text::LogScale kError{-12, 1, kSecond, kBottom};

  void unit(const char* words, double size) {
    const double y = kError.y(size);
    chart_.add(text::svg_line(Chart::kLeft, y, Chart::kRight, y, "frame"));
    chart_.add(text::svg_text(Chart::kRight - 8, y - 4, words,
                              " text-anchor=\"end\""));
  }

  void series(const Spectrum& spectrum, const std::string& colour) {
    std::string path;
    for (const PairFrequency& p : spectrum.pairs) {
      if (!(p.due > 0)) continue;
      path += (path.empty() ? "M" : " L") + text::px(x_of(p)) + " " +
              text::px(theta_.y(p.due));
    }
    chart_.add(text::svg_path(path, "due c" + colour));
    for (const PairFrequency& p : spectrum.pairs) {
      const std::string title = text::escaped(
          spectrum.title + ", pair " + std::to_string(p.pair) + ": measured " +
          number_words(p.measured, 9) + ", due " + number_words(p.due, 9));
      const auto dot = [&](double y) {
        chart_.add(text::svg_dot(x_of(p), y, 2.6, "d" + colour, title));
      };
      if (p.measured != 0) dot(theta_.y(std::abs(p.measured)));
      if (distance(p) > 0) dot(kError.y(distance(p)));
    }
  }

  double x_of(const PairFrequency& p) const {
    return chart_.x(static_cast<double>(p.pair));
  }

  const Identified& found_;
  text::LogScale theta_;
  Chart chart_;
};

}  // namespace

std::string identified_svg(const Identified& found) {
  const bool has_pairs = std::ranges::any_of(
      found.spectra, [](const Spectrum& s) { return !s.pairs.empty(); });
  return has_pairs ? Picture(found).draw() : "";
}

}  // namespace ropeproof::conformance::identify
