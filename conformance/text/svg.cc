#include "conformance/text/svg.h"

#include <algorithm>
#include <cmath>

#include "conformance/text/format.h"

namespace ropeproof::conformance::text {
namespace {

constexpr double kWidth = 960;

// Colours that keep apart on white and on near-black, also for most of those
// who see fewer of them.
constexpr const char* kStyle = R"(<style>
text { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; )"
                               R"(font-size: 13px; fill: #1f2328; }
.title { font-size: 19px; font-weight: 600; }
.power { font-size: 10px; }
.soft { fill: #59636e; }
.page { fill: #ffffff; }
.grid { stroke: #e3e6ea; stroke-width: 1; }
.frame { stroke: #8b949e; stroke-width: 1; fill: none; }
.c0 { stroke: #0969da; } .d0 { fill: #0969da; }
.c1 { stroke: #c2560c; } .d1 { fill: #c2560c; }
.c2 { stroke: #1a7f37; } .d2 { fill: #1a7f37; }
.c3 { stroke: #8250df; } .d3 { fill: #8250df; }
.c4 { stroke: #9a6700; } .d4 { fill: #9a6700; }
.c5 { stroke: #bf3989; } .d5 { fill: #bf3989; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.soft { fill: #9da7b3; }
.page { fill: #0d1117; }
.grid { stroke: #21262d; }
.c0 { stroke: #58a6ff; } .d0 { fill: #58a6ff; }
.c1 { stroke: #f0883e; } .d1 { fill: #f0883e; }
.c2 { stroke: #3fb950; } .d2 { fill: #3fb950; }
.c3 { stroke: #bc8cff; } .d3 { fill: #bc8cff; }
.c4 { stroke: #d29922; } .d4 { fill: #d29922; }
.c5 { stroke: #f778ba; } .d5 { fill: #f778ba; }
}
)";

std::string attribute(const char* name, double x) {
  return std::string(" ") + name + "=\"" + px(x) + "\"";
}

}  // namespace

std::string px(double x) {
  return format("%.1f", x + 0.0);  // 0 has no sign
}

std::string svg_text(double x, double y, const std::string& inner,
                     const std::string& attributes) {
  return "<text" + attribute("x", x) + attribute("y", y) + attributes + ">" +
         inner + "</text>\n";
}

std::string svg_line(double x1, double y1, double x2, double y2,
                     const std::string& classes) {
  return "<line class=\"" + classes + "\"" + attribute("x1", x1) +
         attribute("y1", y1) + attribute("x2", x2) + attribute("y2", y2) +
         "/>\n";
}

std::string svg_rect(double x, double y, double width, double height,
                     const std::string& classes) {
  return "<rect class=\"" + classes + "\"" + attribute("x", x) +
         attribute("y", y) + attribute("width", width) +
         attribute("height", height) + "/>\n";
}

std::string svg_dot(double x, double y, double radius,
                    const std::string& classes, const std::string& title) {
  return "<circle class=\"" + classes + "\"" + attribute("cx", x) +
         attribute("cy", y) + attribute("r", radius) +
         (title.empty() ? "/>\n" : "><title>" + title + "</title></circle>\n");
}

std::string svg_path(const std::string& d, const std::string& classes) {
  return "<path class=\"" + classes + "\" d=\"" + d + "\"/>\n";
}

double LogScale::y(double x) const {
  const double log = std::clamp(std::log10(std::max(x, 1e-300)), low, high);
  return bottom - (log - low) / (high - low) * (bottom - top);
}

PairChart::PairChart(double height, const std::string& title,
                     const std::string& heading, std::int64_t last_pair,
                     const std::string& style)
    : last_pair_(std::max<std::int64_t>(last_pair, 1)) {
  out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
         attribute("width", kWidth) + attribute("height", height) +
         " viewBox=\"0 0 " + px(kWidth) + " " + px(height) +
         "\" role=\"img\">\n<title>" + title + "</title>\n" + kStyle + style +
         "</style>\n" + svg_rect(0, 0, kWidth, height, "page") +
         svg_text(kLeft, 36, heading, " class=\"title\"");
}

double PairChart::x(double pair) const {
  constexpr double kMargin = 14;
  return kLeft + kMargin +
         pair / static_cast<double>(last_pair_) *
             (kRight - kLeft - 2 * kMargin);
}

void PairChart::panel(const LogScale& scale, const std::string& what) {
  for (double power = std::ceil(scale.low); power <= scale.high;
       power += scale.high - scale.low > 10 ? 2 : 1) {
    const double y = scale.y(std::pow(10, power));
    add(svg_line(kLeft, y, kRight, y, "grid"));
    // Two texts: not every viewer places a raised tspan.
    add(svg_text(kLeft - 21, y + 5, "10", " text-anchor=\"end\""));
    add(svg_text(kLeft - 20, y - 1, std::to_string(static_cast<int>(power)),
                 " class=\"power\""));
  }
  add(svg_rect(kLeft, scale.top, kRight - kLeft, scale.bottom - scale.top,
               "frame"));
  const double middle = (scale.top + scale.bottom) / 2;
  add(svg_text(22, middle, what,
               " text-anchor=\"middle\" transform=\"rotate(-90 22 " +
                   px(middle) + ")\""));
}

std::string PairChart::finish(double bottom) {
  std::int64_t step = 1;
  while (last_pair_ / step > 10) step *= 2;
  for (std::int64_t j = 0; j <= last_pair_; j += step) {
    const double at = x(static_cast<double>(j));
    add(svg_line(at, bottom, at, bottom + 5, "frame"));
    add(svg_text(at, bottom + 20, std::to_string(j),
                 " text-anchor=\"middle\""));
  }
  add(svg_text((kLeft + kRight) / 2, bottom + 46, "pair j",
               " text-anchor=\"middle\""));
  return out_ + "</svg>\n";
}

}  // namespace ropeproof::conformance::text
