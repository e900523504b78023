#include "conformance/gallery/pictures.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "conformance/text/svg.h"
#include "reference/encodings/encoding.h"

namespace ropeproof::conformance::gallery {
namespace {

namespace encodings = reference::encodings;

// Units of the picture; on a telephone one is three quarters of a pixel.
constexpr double kWidth = 480;
constexpr int kLevels = 15;  // of a heat map, odd: the middle one is 0

using text::px;
using text::svg_line;
using text::svg_path;

std::string label(double x, double y, const std::string& text,
                  const std::string& anchor = "start",
                  const std::string& classes = "label") {
  return text::svg_text(
      x, y, text, " class=\"" + classes + "\" text-anchor=\"" + anchor + "\"");
}

std::string picture(double height, const std::string& title,
                    const std::string& inner) {
  return "<svg viewBox=\"0 0 " + px(kWidth) + " " + px(height) +
         "\" role=\"img\">\n<title>" + title + "</title>\n" + inner +
         "</svg>\n";
}

std::vector<std::int64_t> counting(std::int64_t count) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

std::vector<double> values_of(const encodings::Encoding& encoding,
                              const std::vector<std::int64_t>& positions) {
  std::vector<double> values;
  for (const reference::Golden& golden :
       encodings::golden_encoding(reference::best_oracle(), encoding, positions,
                                  reference::Rounding::kNearestEven)) {
    values.push_back(std::bit_cast<double>(golden.bits));
  }
  return values;
}

// Returns the level of a value in [-1, 1].
int level_of(double value) {
  return static_cast<int>(std::lround((value + 1) / 2 * (kLevels - 1)));
}

// Cells of a heat map with this level, as one path of unit squares.
std::string cells(const std::vector<double>& values, std::size_t channels,
                  int level) {
  std::string d;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (level_of(values[i]) != level) continue;
    d += "M" + std::to_string(i / channels) + " " +
         std::to_string(i % channels) + "h1v1h-1z";
  }
  return d;
}

// `values` are [positions, channels]; marks every `x_step` positions.
std::string heat_map(
    const std::vector<double>& values, std::size_t channels, double cell_height,
    std::size_t x_step,
    const std::vector<std::pair<std::size_t, std::string>>& rows,
    const std::string& title) {
  constexpr double kLeft = 46, kTop = 8, kRight = kWidth - 8;
  const std::size_t positions = values.size() / channels;
  const double cell = (kRight - kLeft) / static_cast<double>(positions);
  const double bottom = kTop + cell_height * static_cast<double>(channels);
  std::string inner = "<g transform=\"translate(" + px(kLeft) + " " + px(kTop) +
                      ") scale(" + std::to_string(cell) + " " +
                      std::to_string(cell_height) +
                      ")\" shape-rendering=\"crispEdges\">\n";
  for (int level = 0; level < kLevels; ++level) {
    const std::string d = cells(values, channels, level);
    if (d.empty()) continue;
    inner += svg_path(d, "h" + std::to_string(level));
  }
  inner += "</g>\n";
  for (std::size_t p = 0; p < positions; p += x_step) {
    inner += label(kLeft + cell * (static_cast<double>(p) + 0.5), bottom + 16,
                   std::to_string(p), "middle");
  }
  for (const auto& [row, name] : rows) {
    inner += label(kLeft - 6,
                   kTop + cell_height * (static_cast<double>(row) + 0.5) + 4,
                   name, "end");
  }
  inner += label(kRight, bottom + 34, "position", "end", "label soft");
  // What the colours mean: from the least of them to 1.
  constexpr double kSwatch = 10;
  const int least = level_of(std::ranges::min(values));
  double x = kLeft + 26;
  for (int level = least; level < kLevels; level += least == 0 ? 1 : least) {
    inner += "<rect class=\"h" + std::to_string(level) + "\" x=\"" + px(x) +
             "\" y=\"" + px(bottom + 24) + "\" width=\"" + px(kSwatch) +
             "\" height=\"10\" shape-rendering=\"crispEdges\"/>\n";
    x += kSwatch;
  }
  inner += label(kLeft + 22, bottom + 34, least == 0 ? "−1" : "0", "end");
  inner += label(x + 4, bottom + 34, "1");
  return picture(bottom + 42, title, inner);
}

std::string arrow(double x, double y, double to_x, double to_y,
                  const std::string& classes) {
  const double length = std::hypot(to_x - x, to_y - y);
  const double u = (to_x - x) / length * 9, v = (to_y - y) / length * 9;
  return svg_line(x, y, to_x - u / 2, to_y - v / 2, classes) +
         svg_path("M" + px(to_x) + " " + px(to_y) + "L" +
                      px(to_x - u - v / 2.2) + " " + px(to_y - v + u / 2.2) +
                      "L" + px(to_x - u + v / 2.2) + " " +
                      px(to_y - v - u / 2.2) + "z",
                  classes + " tip");
}

}  // namespace

std::string gallery_style() {
  std::string style = R"(
:root { color-scheme: light dark; --page: #ffffff; --card: #ffffff; --ink: )"
                      R"(#1f2328;
  --soft: #59636e; --line: #d1d9e0; --grid: #e3e6ea; --zero: #f4f5f7;
  --low: #0b5cad; --high: #b34700; --q: #0969da; --k: #c2560c; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --card: #0d1117; --ink: #e6edf3; --soft: #9da7b3;
    --line: #30363d; --grid: #21262d; --zero: #1c222b;
    --low: #58a6ff; --high: #f0883e; --q: #58a6ff; --k: #f0883e; }
}
.label { font: 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; )"
                      R"(fill: var(--ink); }
.label.soft { fill: var(--soft); }
.rule { stroke: var(--grid); stroke-width: 1; }
.axis { stroke: var(--soft); stroke-width: 1; }
.curve { fill: none; stroke-width: 1.3; stroke-linejoin: round; }
.before { stroke-width: 1.5; stroke-dasharray: 5 4; opacity: 0.7; }
.after { stroke-width: 2.2; }
.tip { stroke-dasharray: none; stroke-width: 0; }
.q { stroke: var(--q); fill: var(--q); } .k { stroke: var(--k); fill: )"
                      R"(var(--k); }
.s0 { stroke: var(--q); } .s1 { stroke: var(--k); }
)";
  for (int level = 0; level < kLevels; ++level) {
    const int middle = (kLevels - 1) / 2;
    const int percent = 100 * std::abs(level - middle) / middle;
    style += ".h" + std::to_string(level) +
             " { fill: color-mix(in oklab, var(--" +
             (level < middle ? "low" : "high") + ") " +
             std::to_string(percent) + "%, var(--zero)); }\n";
  }
  return style;
}

std::string binary_picture() {
  constexpr std::int64_t kBits = 6;
  std::vector<double> values =
      values_of(encodings::Binary{kBits}, counting(1 << kBits));
  return heat_map(
      values, kBits, 48, 8,
      {{0, "2⁵"}, {1, "2⁴"}, {2, "2³"}, {3, "2²"}, {4, "2¹"}, {5, "2⁰"}},
      "Binary digits of positions 0 to 63");
}

std::string sinusoidal_picture() {
  constexpr std::int64_t kDim = 64;
  return heat_map(values_of(encodings::Sinusoidal{kDim}, counting(96)), kDim, 5,
                  16,
                  {{0, "0"},
                   {8, "8"},
                   {16, "16"},
                   {24, "24"},
                   {32, "32"},
                   {40, "40"},
                   {48, "48"},
                   {56, "56"},
                   {63, "63"}},
                  "Sinusoidal encoding, 64 channels of positions 0 to 95");
}

std::string decay_picture() {
  constexpr double kLeft = 46, kRight = kWidth - 12, kTop = 34, kBottom = 284;
  constexpr std::int64_t kLast = 1024;
  constexpr double kLow = -0.4, kHigh = 1;
  const auto x_of = [&](double p) {
    return kLeft + p / kLast * (kRight - kLeft);
  };
  const auto y_of = [&](double y) {
    return kBottom - (y - kLow) / (kHigh - kLow) * (kBottom - kTop);
  };
  std::string inner;
  for (const auto& [y, name] : {std::pair(-0.4, "−0.4"),
                                {-0.2, "−0.2"},
                                {0.0, "0"},
                                {0.2, "0.2"},
                                {0.4, "0.4"},
                                {0.6, "0.6"},
                                {0.8, "0.8"},
                                {1.0, "1"}}) {
    inner +=
        svg_line(kLeft, y_of(y), kRight, y_of(y), y == 0.0 ? "axis" : "rule");
    inner += label(kLeft - 6, y_of(y) + 4, name, "end");
  }
  for (std::int64_t p = 0; p <= kLast; p += kLast / 4) {
    inner += label(x_of(static_cast<double>(p)), kBottom + 16,
                   std::to_string(p), p == kLast ? "end" : "middle");
  }
  inner += label(kRight, kBottom + 34, "distance", "end", "label soft");
  const auto positions = counting(kLast + 1);
  double legend = kLeft;
  int series = 0;
  for (const std::int64_t dim : {32, 128}) {
    const auto values = values_of(encodings::Decay{dim}, positions);
    std::string d;
    for (std::size_t p = 0; p < values.size(); ++p) {
      d += (p == 0 ? "M" : "L") + px(x_of(static_cast<double>(p))) + " " +
           px(y_of(values[p] / static_cast<double>(dim / 2)));
    }
    const std::string colour = "s" + std::to_string(series++);
    inner += svg_path(d, "curve " + colour);
    inner += svg_line(legend, 16, legend + 22, 16, "after " + colour);
    inner += label(legend + 28, 20, std::to_string(dim) + " channels");
    legend += 124;
  }
  return picture(kBottom + 42, "Mean cosine of all angles over the distance",
                 inner);
}

std::string rotation_picture() {
  // A document's three tokens, after their projections.
  struct Token {
    double q[2], k[2];
    int degrees;
  };
  constexpr std::array<Token, 3> kTokens = {{{{1.16, -0.6}, {-0.88, 0.8}, 10},
                                             {{1.1, 0.76}, {0.3, 1.18}, 20},
                                             {{-0.5, 1.22}, {1.2, -0.04}, 30}}};
  constexpr double kUnit = 112, kTop = 34;
  constexpr double kX = kWidth / 2, kY = kTop + 1.5 * kUnit;
  std::string inner;
  for (int i = -4; i <= 4; ++i) {
    const double x = kX + i * kUnit / 2;
    inner += svg_line(x, kTop, x, kTop + 2.5 * kUnit, i == 0 ? "axis" : "rule");
    if (i % 2 == 0 && i != 0) {
      inner += label(x, kY + 14,
                     (i < 0 ? "−" : "") + std::to_string(std::abs(i) / 2),
                     "middle", "label soft");
    }
  }
  for (int i = -3; i <= 2; ++i) {
    const double y = kY + i * kUnit / 2;
    inner += svg_line(kX - 2 * kUnit, y, kX + 2 * kUnit, y,
                      i == 0 ? "axis" : "rule");
  }
  inner += label(kX - 2 * kUnit - 4, kY - kUnit + 4, "1", "end", "label soft");
  for (std::size_t t = 0; t < kTokens.size(); ++t) {
    const double phi = kTokens[t].degrees * std::numbers::pi / 180;
    for (const bool is_key : {false, true}) {
      const double* v = is_key ? kTokens[t].k : kTokens[t].q;
      const double x = v[0] * std::cos(phi) - v[1] * std::sin(phi);
      const double y = v[0] * std::sin(phi) + v[1] * std::cos(phi);
      const std::string name = is_key ? "k" : "q";
      inner +=
          arrow(kX, kY, kX + v[0] * kUnit, kY - v[1] * kUnit, name + " before");
      inner += arrow(kX, kY, kX + x * kUnit, kY - y * kUnit, name + " after");
      const double out = 1 + 0.11 / std::hypot(x, y);
      inner += label(kX + x * out * kUnit, kY - y * out * kUnit + 4,
                     name + "<tspan dy=\"3\" font-size=\"9\">" +
                         std::to_string(t) + "</tspan>",
                     "middle");
    }
  }
  inner += svg_line(kX - 214, 16, kX - 190, 16, "q after") +
           label(kX - 184, 20, "query") +
           svg_line(kX - 130, 16, kX - 106, 16, "k after") +
           label(kX - 100, 20, "key") +
           svg_line(kX - 60, 16, kX - 36, 16, "axis before") +
           label(kX - 30, 20, "before") +
           svg_line(kX + 30, 16, kX + 54, 16, "axis after") +
           label(kX + 60, 20, "after the rotation");
  return picture(kTop + 2.5 * kUnit + 8,
                 "Queries and keys of three tokens before and after rotation",
                 inner);
}

}  // namespace ropeproof::conformance::gallery
