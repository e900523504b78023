// svg.h -- pictures: elements, and a chart over the pairs of a head. Lengths in
// pixels.
#pragma once

#include <cstdint>
#include <string>

namespace ropeproof::conformance::text {

// Returns a length to a tenth.
std::string px(double x);

// Elements of a picture. `attributes` begin with a space; the caller escapes
// the texts inside.
std::string svg_text(double x, double y, const std::string& inner,
                     const std::string& attributes = "");
std::string svg_line(double x1, double y1, double x2, double y2,
                     const std::string& classes);
std::string svg_rect(double x, double y, double width, double height,
                     const std::string& classes);
// A dot with a title, if any, for those who point at it.
std::string svg_dot(double x, double y, double radius,
                    const std::string& classes, const std::string& title = "");
// A path, as "M1 2 L3 4".
std::string svg_path(const std::string& d, const std::string& classes);

// A range of powers of ten, and where it is drawn.
struct LogScale {
  double low = 0, high = 0;    // log10
  double top = 0, bottom = 0;  // y

  // Returns where x is drawn; outside the range, its nearer end.
  double y(double x) const;
};

// A page of 960 pixels, panels one above the other, and pairs along its width.
// Classes: title, soft, page, grid, frame; strokes c0 to c5 and fills d0 to d5.
class PairChart {
 public:
  static constexpr double kLeft = 84, kRight = 932;
  static constexpr int kColours = 6;

  // `style` adds rules of its own.
  PairChart(double height, const std::string& title, const std::string& heading,
            std::int64_t last_pair, const std::string& style);

  double x(double pair) const;
  void add(const std::string& element) { out_ += element; }
  // Draws the lines and numbers of a scale, and says what it shows.
  void panel(const LogScale& scale, const std::string& what);
  // Draws the numbers of pairs below the last panel, and ends the picture.
  std::string finish(double bottom);

 private:
  std::int64_t last_pair_;
  std::string out_;
};

}  // namespace ropeproof::conformance::text
