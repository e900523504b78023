#include "conformance/report/html/plot.h"

#include "conformance/text/markup.h"
#include "conformance/text/svg.h"

namespace ropeproof::conformance::report {

using text::escaped;
using text::px;

std::string plot_label(double x, double y, const std::string& inner,
                       const std::string& anchor, const std::string& classes) {
  return text::svg_text(
      x, y, inner, " class=\"" + classes + "\" text-anchor=\"" + anchor + "\"");
}

std::string power_label(double x, double y, const std::string& base, int power,
                        const std::string& anchor) {
  return plot_label(x, y,
                    base + "<tspan dy=\"-5\" class=\"power\">" +
                        (power < 0 ? "−" : "") +
                        std::to_string(power < 0 ? -power : power) + "</tspan>",
                    anchor);
}

std::string plot_figure(const std::string& id, const std::string& heading,
                        double height, const std::string& inner,
                        const std::string& sentence) {
  return "<figure tabindex=\"0\" aria-labelledby=\"" + id + "-h\">\n<h3 id=\"" +
         id + "-h\">" + escaped(heading) + "</h3>\n<svg viewBox=\"0 0 " +
         px(kPlotWidth) + " " + px(height) + "\" role=\"img\" " +
         "aria-labelledby=\"" + id + "-t " + id + "-d\">\n<title id=\"" + id +
         "-t\">" + escaped(heading) + "</title>\n<desc id=\"" + id + "-d\">" +
         escaped(sentence) + "</desc>\n" + inner + "</svg>\n<figcaption>" +
         escaped(sentence) + "</figcaption>\n</figure>\n";
}

std::string no_figure(const std::string& heading, const std::string& why) {
  return "<div class=\"absent\"><h3>" + escaped(heading) + "</h3>\n<p>" +
         "Not drawn: " + escaped(why) + "</p></div>\n";
}

std::string PairAxis::numbers(double bottom) const {
  std::string svg;
  std::int64_t step = 1;
  while (last / step > 8) step *= 2;
  for (std::int64_t j = 0; j <= last; j += step) {
    const double at = x(static_cast<double>(j));
    svg += text::svg_line(at, bottom, at, bottom + 4, "axis");
    svg += plot_label(at, bottom + 17, std::to_string(j), "middle");
  }
  return svg + plot_label(kPlotRight, bottom + 34, "pair", "end", "label soft");
}

}  // namespace ropeproof::conformance::report
