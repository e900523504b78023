#include "conformance/models/figures.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <type_traits>
#include <variant>

#include "conformance/models/config_object.h"
#include "reference/golden.h"
#include "reference/refuse.h"
#include "reference/rope.h"

namespace ropeproof::conformance::models {
namespace {

using reference::shortest;
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

std::string count_of(const std::vector<reference::Band>& bands,
                     reference::Band band) {
  return std::to_string(std::ranges::count(bands, band));
}

// In the order of the variant.
constexpr std::string_view kScalingNames[] = {
    "default", "linear",   "ntk",    "dynamic",
    "yarn",    "longrope", "llama3", "frequency_factors"};
static_assert(std::size(kScalingNames) ==
              std::variant_size_v<reference::Scaling>);

struct Facts {
  const ModelRope& rope;
  const Figures& figures;
  std::vector<std::string> lines{};

  void add(const std::string& line) { lines.push_back(line); }

  void operator()(const reference::Default&) { add("none"); }
  void operator()(const reference::Linear& s) {
    add("factor " + shortest(s.factor) + " divides every frequency");
  }
  void operator()(const reference::Ntk& s) {
    add("alpha " + shortest(s.alpha) + ", base * alpha^(r/(r-2))");
  }
  void operator()(const reference::DynamicNtk& s) {
    add("factor " + shortest(s.factor) + ", max_position_embeddings " +
        std::to_string(s.max_position));
    add(s.seq_len > s.max_position
            ? "base of a sequence of length " + std::to_string(s.seq_len)
            : "unscaled: length " + std::to_string(s.seq_len) +
                  " is not longer");
  }
  void operator()(const reference::Yarn& s) {
    add("factor " + shortest(s.factor) + ", original length " +
        std::to_string(s.original_length) + ", beta " + shortest(s.beta_fast) +
        " .. " + shortest(s.beta_slow) + (s.truncate ? "" : ", not truncated"));
    std::vector<std::string> ranges;
    for (const auto& ramp : figures.resolution.ramps) {
      const std::string range =
          "[" + shortest(ramp.low) + ", " + shortest(ramp.high) + "]";
      if (std::ranges::find(ranges, range) == ranges.end()) {
        ranges.push_back(range);
      }
    }
    for (const std::string& range : ranges) {
      add("range " + range + ": kept up to its start, divided by " +
          shortest(s.factor) + " from its end");
    }
  }
  void operator()(const reference::LongRope& s) {
    add("original length " + std::to_string(s.original_length) +
        (s.attention_factor ? "" : ", factor " + shortest(s.factor)));
    add((s.seq_len > s.original_length ? "long_factor" : "short_factor") +
        std::string(" at length ") + std::to_string(s.seq_len));
  }
  void operator()(const reference::Llama3& s) {
    const auto& bands = figures.resolution.bands;
    add("factor " + shortest(s.factor) + ", full circles " +
        shortest(s.low_freq_factor) + " .. " + shortest(s.high_freq_factor) +
        ", original length " + std::to_string(s.original_length));
    add("pairs kept " + count_of(bands, reference::Band::kKeep) + ", blended " +
        count_of(bands, reference::Band::kBlend) + ", divided " +
        count_of(bands, reference::Band::kDivide));
  }
  void operator()(const reference::FrequencyFactors&) {
    add("a factor per pair");
  }
};

}  // namespace

Figures figures_of(const ModelRope& rope) {
  Figures figures;
  figures.resolution = golden_resolution(reference::best_oracle(), rope.spec);
  Spec plain = rope.spec;
  plain.frequencies.scaling = reference::Default{};
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

std::string_view scaling_name(const reference::Scaling& scaling) {
  return kScalingNames[scaling.index()];
}

std::vector<std::string> scaling_facts(const ModelRope& rope,
                                       const Figures& figures) {
  Facts facts{rope, figures};
  std::visit(facts, rope.spec.frequencies.scaling);
  return facts.lines;
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
