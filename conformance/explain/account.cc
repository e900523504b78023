#include "conformance/explain/account.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "conformance/explain/equation.h"
#include "conformance/explain/matches.h"
#include "conformance/explain/measured.h"
#include "conformance/judge/codec.h"
#include "conformance/judge/output_layout.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::explain {
namespace {

using reference::Format;

// Counts along every axis that a bug may follow.
class Pattern {
 public:
  // `has_positions`: every token has one position, on one axis.
  explicit Pattern(bool has_positions) : has_positions_(has_positions) {}

  // `is_second`: v of its pair (u, v).
  void add(const judge::Element& element, bool is_second, bool wrong,
           bool unwritten);

  // Lengths before and after: a rotation times m keeps their ratio at |m|.
  void add_length(double in, double out, double amplitude);
  // The same of a head's window; `want` is what its pairs add up to.
  void add_head_length(double want, double out);

  // "36 of 64 elements wrong; in every head; pair 0-3 only; right at positions
  // 0 to 256, wrong at 257 to 4096; ...".
  std::string text() const;

  Symptoms symptoms() const;

 private:
  struct Count {
    std::int64_t wrong = 0, all = 0;
  };
  using Axis = std::map<std::int64_t, Count>;

  // By position, whether the tokens there are wrong; empty where some are and
  // some are not, or all are.
  std::map<double, bool> wrong_positions() const;
  std::string places_text() const;

  bool has_positions_;
  Axis pairs_, batches_, tokens_, heads_;
  // By batch row and token: its position.
  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<double, Count>>
      tokens_of_all_;
  Count total_, position_zero_, outside_, second_;
  std::int64_t unwritten_ = 0;
  double length_error_ = 0, head_length_error_ = 0;  // NaN: kept by none
  bool has_length_ = false;
};

// The runs of keys whose values are so: "0-3, 5", or "0 to 3, 5 ..." of `most`.
template <class Map, class Is>
std::string runs(const Map& map, const char* to, int most, const Is& is) {
  std::string text;
  int count = 0;
  for (auto i = map.begin(); i != map.end();) {
    if (!is(i->second)) {
      ++i;
      continue;
    }
    const auto first = static_cast<double>(i->first);
    double last = first;
    while (++i != map.end() && is(i->second)) {
      last = static_cast<double>(i->first);
    }
    if (++count > most) return text + " ...";
    if (!text.empty()) text += ", ";
    text += text::format("%.15g", first);
    if (last != first) text += to + text::format("%.15g", last);
  }
  return text;
}

std::string positions_that_are(bool wrong,
                               const std::map<double, bool>& positions) {
  return runs(positions, " to ", 3, [=](bool is) { return is == wrong; });
}

std::string verdict(std::int64_t wrong, std::int64_t all, const char* good) {
  if (wrong == 0) return good;
  if (wrong == all) return "wrong";
  return "wrong in " + text::part_of(wrong, all);
}

// Coarser than any rounding, finer than any wrong amplitude.
constexpr double kLengthsKept = 0x1p-6;

// Keeps the largest relative error, and NaN once it was there.
void add_error(double& largest, double want, double got) {
  const double error = want > 0 ? std::abs(got - want) / want : 0;
  if (!std::isnan(largest) && !(error <= largest)) largest = error;
}

void Pattern::add(const judge::Element& element, bool is_second, bool wrong,
                  bool unwritten) {
  const auto count = [wrong](Count& c) {
    ++c.all;
    if (wrong) ++c.wrong;
  };
  count(total_);
  count(batches_[element.batch]);
  count(tokens_[element.token]);
  count(heads_[element.head]);
  if (has_positions_) {
    auto& at = tokens_of_all_[{element.batch, element.token}];
    at.first = element.position;
    count(at.second);
  }
  if (element.pair < 0) {
    count(outside_);
  } else {
    count(pairs_[element.pair]);
    if (element.is_origin) count(position_zero_);
    if (is_second) count(second_);
  }
  if (unwritten) ++unwritten_;
}

void Pattern::add_length(double in, double out, double amplitude) {
  has_length_ = true;
  add_error(length_error_, in * std::abs(amplitude), out);
}

void Pattern::add_head_length(double want, double out) {
  add_error(head_length_error_, want, out);
}

Symptoms Pattern::symptoms() const {
  Symptoms symptoms;
  symptoms.only_outside = outside_.wrong == total_.wrong;
  // A head is skipped whole; an error of its values would show in them all.
  const bool some_right = std::ranges::any_of(
      heads_, [](const auto& head) { return head.second.wrong == 0; });
  const bool some_wrong = std::ranges::any_of(heads_, [](const auto& head) {
    return 2 * head.second.wrong > head.second.all;
  });
  symptoms.some_heads_alone = unwritten_ > 0 || (some_right && some_wrong);
  symptoms.has_lengths = has_length_;
  symptoms.pairs_keep_length = length_error_ < kLengthsKept;
  symptoms.heads_keep_length = head_length_error_ < kLengthsKept;
  const auto first = pairs_.find(0);
  symptoms.pair_0_is_right =
      pairs_.size() > 1 && first != pairs_.end() && first->second.wrong == 0;
  return symptoms;
}

std::map<double, bool> Pattern::wrong_positions() const {
  std::map<double, bool> positions;
  bool some_right = false;
  for (const auto& [token, at] : tokens_of_all_) {
    const bool is_wrong = at.second.wrong > 0;
    const auto [known, is_new] = positions.emplace(at.first, is_wrong);
    if (!is_new && known->second != is_wrong) return {};
    some_right = some_right || !is_wrong;
  }
  if (!some_right) positions.clear();
  return positions;
}

// "; in every pair and head; batch row 1 only; right at positions 0 to 256,
// ...".
std::string Pattern::places_text() const {
  const std::map<double, bool> positions = wrong_positions();
  std::vector<std::string> whole;
  std::string part;
  const auto add = [&](const std::string& name, const Axis& axis) {
    if (axis.size() < 2) return;
    const std::string wrong =
        runs(axis, "-", std::numeric_limits<int>::max(),
             [](const Count& count) { return count.wrong > 0; });
    const bool is_whole = std::ranges::all_of(
        axis, [](const auto& entry) { return entry.second.wrong > 0; });
    if (is_whole) {
      whole.push_back(name);
    } else {
      const bool is_one = wrong.find_first_of("-,") == std::string::npos;
      part += "; " + name + (is_one ? " " : "s ") + wrong + " only";
    }
  };
  add("pair", pairs_);
  add("batch row", batches_);
  if (positions.empty()) add("token", tokens_);
  add("head", heads_);
  std::string text;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    text += i == 0 ? "; in every " : i + 1 == whole.size() ? " and " : ", ";
    text += whole[i];
  }
  text += part;
  if (!positions.empty()) {
    const std::string right = positions_that_are(false, positions);
    const bool is_one = right.find(' ') == std::string::npos;
    text += std::string("; right at position") + (is_one ? " " : "s ") + right +
            ", wrong at " + positions_that_are(true, positions);
  } else if (position_zero_.all > 0) {
    text += "; position 0 " +
            verdict(position_zero_.wrong, position_zero_.all, "right");
  }
  return text;
}

std::string Pattern::text() const {
  if (total_.wrong == 0) return {};
  std::string text =
      text::part_of(total_.wrong, total_.all) + " elements wrong";
  if (unwritten_ > 0) {
    text += "; " + std::to_string(unwritten_) +
            " never written, or a NaN of all ones";
  }
  if (outside_.wrong < total_.wrong) text += places_text();
  if (second_.wrong == total_.wrong)
    text += "; first channel of each pair right";
  if (outside_.all > 0) {
    text += "; channels outside the window " +
            verdict(outside_.wrong, outside_.all, "intact");
  }
  if (has_length_) {
    const bool kept = length_error_ < kLengthsKept;
    text += kept ? "; pair lengths kept" : "; pair lengths not kept";
  }
  return text;
}

void add_lengths(Pattern& pattern, const cases::Problem& problem,
                 const cases::Golden& golden, const judge::OutputTensor& tensor,
                 const judge::Channels& channels) {
  const std::int64_t d = problem.spec.layout.head_dim;
  const auto value = [&](const cases::Bits& bits, std::int64_t i) {
    return decode(problem.dtype, bits[static_cast<std::size_t>(i)]);
  };
  for (std::int64_t row = 0; row < problem.tokens() * tensor.heads; ++row) {
    double want = 0, got = 0;  // the head's, squared
    for (std::size_t j = 0; j < channels.from.size(); ++j) {
      const auto length_of = [&](const cases::Bits& bits, const auto& pair) {
        return judge::pair_length<Format::kF64>(value(bits, row * d + pair.u),
                                                value(bits, row * d + pair.v));
      };
      const double amplitude = std::abs(golden.amplitude_of(
          row / tensor.heads, static_cast<std::int64_t>(j)));
      const double in = length_of(*tensor.x, channels.from[j]);
      const double out = length_of(tensor.got, channels.to[j]);
      pattern.add_length(in, out, amplitude);
      want += in * in * amplitude * amplitude;
      got += out * out;
    }
    pattern.add_head_length(std::sqrt(want), std::sqrt(got));
  }
}

Pattern pattern_of(const cases::Problem& problem, const cases::Golden& golden,
                   std::uint32_t operation, const judge::OutputLayout& layout,
                   const std::vector<judge::Mark>& marks) {
  const bool is_permuted = operation == ROPEPROOF_PERMUTE;
  Pattern pattern(problem.spec.axes.count == 1 && !is_permuted &&
                  operation != ROPEPROOF_FREQUENCIES);
  const judge::Channels& channels = layout.channels();
  for (const judge::OutputTensor& tensor : layout.tensors()) {
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      const judge::Element e = layout.element(tensor.first + i);
      const bool is_wrong =
          marks[static_cast<std::size_t>(tensor.first + i)].is_wrong;
      const bool is_unwritten = is_wrong && !is_permuted &&
                                cases::is_output_fill(e.format, e.got_bits);
      const bool is_second =
          tensor.x != nullptr && e.pair >= 0 &&
          channels.to[static_cast<std::size_t>(e.pair)].v == e.channel;
      pattern.add(e, is_second, is_wrong, is_unwritten);
    }
    if (tensor.x != nullptr) {
      add_lengths(pattern, problem, golden, tensor, channels);
    }
  }
  return pattern;
}

}  // namespace

Account account_of(const judge::Measurement& judged,
                   const cases::Problem& problem, const cases::Golden& golden,
                   std::uint32_t operation, const judge::Claim& claim,
                   const judge::Output& output) {
  Account account;
  if (judged.pass()) return account;
  const judge::OutputLayout layout(problem, golden, operation, claim, output);
  const std::vector<judge::Mark> marks =
      judge::marks_of(problem, golden, operation, claim, output);
  const Pattern pattern = pattern_of(problem, golden, operation, layout, marks);
  account.pattern = pattern.text();
  if (operation == ROPEPROOF_PERMUTE) {
    account.equation = equation_of(ROPEPROOF_PERMUTE);
    return account;
  }
  Symptoms symptoms = pattern.symptoms();
  Measured measured;
  if (!problem.is_special && !symptoms.only_outside &&
      !symptoms.some_heads_alone) {
    measured = measure(problem, golden, operation, output, claim.table,
                       !symptoms.has_lengths || symptoms.pairs_keep_length);
  }
  // Then it is no more than what rounding makes of small angles.
  if (judged.beyond_structure == 0) measured.angle_error = 0;
  account.measured = matches_of(problem, layout, marks);
  std::ranges::copy(measured.text(problem.pairs()),
                    std::back_inserter(account.measured));
  symptoms.frequency_is_off =
      measured.is_frequency_off() && !measured.is_reversed();
  symptoms.position_is_off = measured.is_position_off();
  account.equation = equation_of(
      symptoms, operation,
      claim.computes_scaling ? problem.spec.frequencies.scaling
                             : reference::Scaling(reference::Default{}));
  return account;
}

}  // namespace ropeproof::conformance::explain
