// What was measured, in sentences.
#include <algorithm>
#include <cmath>

#include "conformance/explain/measured.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::explain {
namespace {

// Three digits; of a ratio near 1 two of what it is off by: 1.00012.
std::string ratio_text(double ratio) {
  const double off = std::abs(ratio - 1);
  if (!(off > 0 && off < 0.01)) return text::format("%.3g", ratio);
  const int digits = 1 - static_cast<int>(std::floor(std::log10(off)));
  return text::format("%.*f", digits, ratio);
}

std::string pairs_text(std::int64_t first, std::int64_t last) {
  if (first == last) return "pair " + std::to_string(first);
  return "pairs " + std::to_string(first) + "-" + std::to_string(last);
}

// Cuts ratios into stretches that are equal, rise or fall.
class Stretches {
 public:
  explicit Stretches(const std::vector<PairRatio>& ratios) : ratios_(ratios) {
    const auto [least, most] = std::ranges::minmax(
        ratios, {}, [](const PairRatio& r) { return r.ratio; });
    least_ = least.ratio, most_ = most.ratio;
  }

  std::string text(std::int64_t pairs) const {
    constexpr int kMost = 3;
    std::string text;
    int count = 0, slopes = 0;
    for (std::size_t i = 0; i < ratios_.size(); ++count) {
      std::size_t end = end_of_equal(i);
      const bool is_equal = end - i >= kEqual || end == ratios_.size();
      if (!is_equal) end = end_of_slope(i);
      const PairRatio &first = ratios_[i], &last = ratios_[end - 1];
      if (!text.empty()) text += ", ";
      if (is_equal || end - i == 1) {
        text += ratio_text(first.ratio);
      } else {
        ++slopes;
        text += std::string(first.ratio < last.ratio ? "rising" : "falling") +
                " from " + ratio_text(first.ratio) + " to " +
                ratio_text(last.ratio);
      }
      const bool is_all = is_equal && i == 0 && end == ratios_.size() &&
                          static_cast<std::int64_t>(end) == pairs;
      text += is_all ? " in every pair"
                     : " in " + pairs_text(first.pair, last.pair);
      i = end;
    }
    if (count <= kMost && slopes < kMost) return text;
    return "between " + ratio_text(least_) + " and " + ratio_text(most_) +
           ", in no order";
  }

 private:
  static constexpr std::size_t kEqual = 3;  // fewer are part of a slope

  bool are_equal(const PairRatio& a, const PairRatio& b) const {
    const double size = std::abs(a.ratio);
    const double fine = std::min(0.005 * size, 0.02 * (most_ - least_));
    return std::abs(a.ratio - b.ratio) <=
           std::max({fine, 0x1p-18 * size, a.error + b.error});
  }

  std::size_t end_of_equal(std::size_t i) const {
    std::size_t end = i + 1;
    while (end < ratios_.size() && are_equal(ratios_[i], ratios_[end])) ++end;
    return end;
  }

  std::size_t end_of_slope(std::size_t i) const {
    const auto rises = [&](std::size_t k) {
      return ratios_[k].ratio > ratios_[k - 1].ratio;
    };
    std::size_t end = i + 1;
    while (end < ratios_.size() && rises(end) == rises(i + 1)) {
      // What follows on one level is a stretch of its own.
      if (end_of_equal(end) - end >= kEqual) break;
      ++end;
    }
    return end;
  }

  const std::vector<PairRatio>& ratios_;
  double least_ = 1, most_ = 1;
};

std::string whole_text(double x) { return text::format("%.0f", x); }

}  // namespace

std::string positions_text(const std::vector<PositionUsed>& all) {
  const double shift = all[0].used - all[0].given;
  const bool is_shift = std::ranges::all_of(
      all, [&](const PositionUsed& p) { return p.used - p.given == shift; });
  if (is_shift && all.size() > 1) {
    return "the given one " + std::string(shift < 0 ? "- " : "+ ") +
           whole_text(std::abs(shift));
  }
  constexpr int kMost = 3;
  std::string text;
  int count = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].used == all[i].given) continue;
    std::size_t last = i;
    while (last + 1 < all.size() && all[last + 1].used == all[i].used) ++last;
    if (++count > kMost) return text + " ...";
    if (!text.empty()) text += ", ";
    text +=
        whole_text(all[i].used) + " in place of " + whole_text(all[i].given);
    if (last > i) text += " to " + whole_text(all[last].given);
    i = last;
  }
  return text;
}

std::vector<std::string> Measured::text(std::int64_t pairs) const {
  std::vector<std::string> sentences;
  if (is_frequency_off()) {
    std::string text = Stretches(frequency).text(pairs);
    if (base != 0) {
      text += text::format(", as of base %.*f", base < 1000 ? 1 : 0, base);
    }
    if (*factors != '\0') text += std::string(", as ") + factors;
    sentences.push_back("frequency over the true one: " + text);
  }
  if (is_amplitude_off()) {
    sentences.push_back("amplitude over the true one: " +
                        Stretches(amplitude).text(pairs));
  }
  if (is_position_off()) {
    sentences.push_back("position used: " + positions_text(positions));
  }
  if (angle_error > 0) {
    sentences.push_back(
        text::format("angle off by up to %.2g %% of itself, in no order",
                     100 * angle_error));
  }
  if (is_sine_lost) {
    sentences.push_back("pairs are shortened by their cosine and not rotated");
  }
  return sentences;
}

}  // namespace ropeproof::conformance::explain
