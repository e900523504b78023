#include "conformance/models/figures.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <variant>

#include "reference/golden.h"
#include "reference/refuse.h"
#include "reference/rope.h"

namespace ropeproof::conformance::models {
namespace {

using reference::Spec;

std::vector<double> frequencies(const Spec& spec) {
  std::vector<double> result;
  for (const auto& golden :
       golden_frequencies(reference::best_oracle(), spec)) {
    result.push_back(std::bit_cast<double>(golden.hi));
  }
  return result;
}

// The axis that pair j follows most, and its weight.
std::pair<std::int64_t, double> main_axis(const reference::Axes& axes,
                                          std::int64_t pairs, std::int64_t j) {
  std::pair<std::int64_t, double> best{0, 0.0};
  for (std::int64_t k = 0; k < axes.count; ++k) {
    const double w = weight(axes, pairs, k, j);
    if (std::abs(w) > std::abs(best.second)) best = {k, w};
  }
  return best;
}

// For looking at: ordinary binary64.
double wavelength(double theta, double weight) {
  const double step = std::abs(theta * weight);
  return step == 0 ? std::numeric_limits<double>::infinity()
                   : 2 * std::numbers::pi / step;
}

}  // namespace

Figures figures_of(const ModelRope& rope) {
  Figures figures;
  figures.resolution = golden_resolution(reference::best_oracle(), rope.spec);
  Spec plain = rope.spec;
  plain.frequencies.scaling = reference::Default{};
  plain.frequencies.pair_factors.clear();
  const std::vector<double> scaled = frequencies(rope.spec);
  const std::vector<double> unscaled = frequencies(plain);
  const auto pairs = static_cast<std::int64_t>(scaled.size());
  for (std::int64_t j = 0; j < pairs; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const auto [axis, weight] = main_axis(rope.spec.axes, pairs, j);
    figures.pairs.push_back({scaled[at], unscaled[at],
                             wavelength(scaled[at], weight),
                             wavelength(unscaled[at], weight), axis,
                             reference::pair_of(rope.spec.layout, j),
                             reference::output_pair_of(rope.spec.layout, j)});
  }
  figures.original_length = std::visit(
      [&](const auto& s) {
        if constexpr (requires { s.original_length; }) {
          return s.original_length;
        } else {
          return rope.context_length;
        }
      },
      rope.spec.frequencies.scaling);
  return figures;
}

std::string channels_fact(const reference::Layout& layout,
                          const Figures& figures) {
  std::vector<bool> rotates(static_cast<std::size_t>(layout.head_dim), false);
  for (const PairFigures& pair : figures.pairs) {
    rotates[static_cast<std::size_t>(pair.in.u)] = true;
    rotates[static_cast<std::size_t>(pair.in.v)] = true;
  }
  std::string words[2];  // those that stay, those that rotate
  for (std::size_t first = 0; first < rotates.size();) {
    std::size_t end = first + 1;
    while (end < rotates.size() && rotates[end] == rotates[first]) ++end;
    std::string& list = words[rotates[first] ? 1 : 0];
    list += (list.empty() ? "" : " and ") + std::to_string(first) + " .. " +
            std::to_string(end - 1);
    first = end;
  }
  return "channels " + words[1] + " rotate" +
         (words[0].empty() ? "" : ", " + words[0] + " stay");
}

}  // namespace ropeproof::conformance::models
