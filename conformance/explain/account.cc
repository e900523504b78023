#include "conformance/explain/account.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>
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

// Counts along every axis that a bug may follow.
class Pattern {
 public:
  // `has_positions`: every token has one position, on one axis.
  explicit Pattern(bool has_positions) : has_positions_(has_positions) {}

  struct Count {
    std::int64_t wrong = 0, all = 0;

    void operator+=(const Count& more) { wrong += more.wrong, all += more.all; }
  };

  // Elements of one batch row, token and head.
  void add_place(const judge::Element& element, const Count& count) {
    total_ += count;
    batches_[element.batch] += count;
    tokens_[element.token] += count;
    heads_[element.head] += count;
    if (!has_positions_) return;
    auto& at = tokens_of_all_[{element.batch, element.token}];
    at.first = element.position;
    at.second += count;
  }
  // Elements of one pair, -1 for none; of these, those at position 0.
  // `is_second`: v of its pair (u, v).
  void add_pair(std::int64_t pair, bool is_second, const Count& count,
                const Count& at_origin) {
    if (pair < 0) {
      outside_ += count;
      return;
    }
    pairs_[pair] += count;
    position_zero_ += at_origin;
    if (is_second) second_ += count;
  }
  void add_unwritten() { ++unwritten_; }

  // Lengths before and after: a rotation times m keeps their ratio at |m|.
  void add_length(double in, double out, double amplitude) {
    has_length_ = true;
    add_error(length_error_, in * std::abs(amplitude), out);
  }
  // The same of a head's window; `want` is what its pairs add up to.
  void add_head_length(double want, double out) {
    add_error(head_length_error_, want, out);
  }

  // "36 of 64 elements wrong; in every head; pair 0-3 only; right at positions
  // 0 to 256, wrong at 257 to 4096; ...".
  std::string text() const {
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

  // `noise`: of a length, from rounding.
  Symptoms symptoms(double noise) const {
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
    symptoms.heads_turn_whole =
        head_length_error_ < noise && 4 * total_.wrong > total_.all;
    const auto first = pairs_.find(0);
    symptoms.pair_0_is_right =
        pairs_.size() > 1 && first != pairs_.end() && first->second.wrong == 0;
    return symptoms;
  }

 private:
  using Axis = std::map<std::int64_t, Count>;

  // By position, whether the tokens there are wrong; empty where some are and
  // some are not, or all are.
  std::map<double, bool> wrong_positions() const {
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
  std::string places_text() const {
    const std::map<double, bool> positions = wrong_positions();
    std::vector<std::string> whole;
    std::string part;
    const auto add = [&](const std::string& name, const Axis& axis) {
      if (axis.size() < 2) return;
      const std::string wrong =
          runs(axis, "-", std::numeric_limits<int>::max(),
               [](const Count& count) { return count.wrong > 0; });
      const std::int64_t count = std::ranges::count_if(
          axis, [](const auto& entry) { return entry.second.wrong > 0; });
      if (count == std::ssize(axis)) {
        whole.push_back(name);
      } else {
        part += "; " + name + (count == 1 ? " " : "s ") + wrong + " only";
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
      const bool is_one =
          std::ranges::count(positions | std::views::values, false) == 1;
      text += std::string("; right at position") + (is_one ? " " : "s ") +
              positions_that_are(false, positions) + ", wrong at " +
              positions_that_are(true, positions);
    } else if (position_zero_.all > 0) {
      text += "; position 0 " +
              verdict(position_zero_.wrong, position_zero_.all, "right");
    }
    return text;
  }

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

template <Format kFormat>
void add_lengths(Pattern& pattern, const cases::Problem& problem,
                 const cases::Golden& golden, const judge::OutputTensor& tensor,
                 const judge::Channels& channels) {
  const std::int64_t d = problem.spec.layout.head_dim;
  for (std::int64_t row = 0; row < problem.tokens() * tensor.heads; ++row) {
    double want = 0, got = 0;  // the head's, squared
    for (std::size_t j = 0; j < channels.from.size(); ++j) {
      const auto length_of = [&](const cases::Bits& bits, const auto& pair) {
        const auto value = [&](std::int64_t channel) {
          return judge::fast_decode<kFormat>(
              reference::at(bits, row * d + channel));
        };
        return judge::pair_length<kFormat>(value(pair.u), value(pair.v));
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

// A tensor of rows of channels, one for each head of each token.
void add_rows(Pattern& pattern, const judge::OutputLayout& layout,
              const judge::OutputTensor& tensor,
              const std::vector<judge::Mark>& marks) {
  const judge::Channels& channels = layout.channels();
  const std::int64_t d = std::ssize(channels.pair_of);
  std::vector<Pattern::Count> all(channels.pair_of.size()), zero = all;
  std::vector<char> is_origin(channels.pair_of.size());
  for (std::int64_t row = 0; row < tensor.size() / d; ++row) {
    const std::int64_t first = tensor.first + row * d;
    if (row % tensor.heads == 0) {
      for (std::int64_t t = 0; t < d; ++t) {
        reference::at(is_origin, t) = layout.element(first + t).is_origin;
      }
    }
    Pattern::Count of_row{0, d};
    for (std::size_t t = 0; t < all.size(); ++t) {
      const auto at = static_cast<std::size_t>(first) + t;
      const Pattern::Count one{marks[at].is_wrong ? 1 : 0, 1};
      all[t] += one;
      if (is_origin[t] != 0) zero[t] += one;
      of_row.wrong += one.wrong;
      if (one.wrong > 0 &&
          cases::is_output_fill(
              layout.format(),
              tensor.got[at - static_cast<std::size_t>(tensor.first)])) {
        pattern.add_unwritten();
      }
    }
    pattern.add_place(layout.element(first), of_row);
  }
  for (std::int64_t t = 0; t < d && tensor.size() > 0; ++t) {
    const std::int64_t j = reference::at(channels.pair_of, t);
    pattern.add_pair(j, j >= 0 && reference::at(channels.to, j).v == t,
                     reference::at(all, t), reference::at(zero, t));
  }
}

Pattern pattern_of(const Answer& answer, const judge::OutputLayout& layout) {
  const cases::Problem& problem = answer.asked->problem;
  const std::vector<judge::Mark>& marks = answer.judged->marks;
  const bool is_permuted = answer.operation == ROPEPROOF_PERMUTE;
  Pattern pattern(problem.spec.axes.count == 1 && !is_permuted &&
                  answer.operation != ROPEPROOF_FREQUENCIES);
  for (const judge::OutputTensor& tensor : layout.tensors()) {
    if (tensor.x != nullptr) {
      add_rows(pattern, layout, tensor, marks);
      judge::with_format(problem.dtype, [&]<Format kFormat>() {
        add_lengths<kFormat>(pattern, problem, answer.asked->golden, tensor,
                             layout.channels());
      });
      continue;
    }
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      const judge::Element e = layout.element(tensor.first + i);
      const bool is_wrong = reference::at(marks, tensor.first + i).is_wrong;
      const Pattern::Count one{is_wrong ? 1 : 0, 1}, none;
      const bool is_number = is_wrong && !is_permuted;
      if (is_number && cases::is_output_fill(e.format, e.got_bits)) {
        pattern.add_unwritten();
      }
      pattern.add_place(e, one);
      pattern.add_pair(e.pair, false, one, e.is_origin ? one : none);
    }
  }
  return pattern;
}

// Of q and k those that are wrong, if only one is: the other shows nothing.
Tensors wrong_ones(const judge::OutputLayout& layout,
                   const std::vector<judge::Mark>& marks) {
  const auto is_wrong = [&](const judge::OutputTensor& tensor) {
    const auto begin = marks.begin() + tensor.first;
    return std::any_of(begin, begin + tensor.size(),
                       [](const judge::Mark& mark) { return mark.is_wrong; });
  };
  const auto& of = layout.tensors();
  return of[0].x == nullptr ? Tensors()
                            : Tensors{is_wrong(of[0]), is_wrong(of[1])};
}

}  // namespace

Account account_of(const Answer& answer, bool is_brief) {
  Account account;
  const auto& [all, marks] = *answer.judged;
  if (all.pass()) return account;
  const cases::Problem& problem = answer.asked->problem;
  const cases::Golden& golden = answer.asked->golden;
  const std::uint32_t operation = answer.operation;
  const judge::OutputLayout layout = answer.layout();
  const auto pattern = pattern_of(answer, layout);
  account.pattern = pattern.text();
  if (operation == ROPEPROOF_PERMUTE) {
    account.equation = equation_of(ROPEPROOF_PERMUTE);
    return account;
  }
  Symptoms symptoms = pattern.symptoms(rotation_noise(layout.format()));
  Measured measured;
  const Tensors tensors = wrong_ones(layout, marks);
  if (!is_brief && !problem.is_special && !symptoms.only_outside &&
      !symptoms.some_heads_alone) {
    measured =
        measure(problem, golden, operation, *answer.output, answer.claim.table,
                !symptoms.has_lengths || symptoms.pairs_keep_length, tensors);
  }
  // Then it is no more than what rounding makes of small angles.
  if (all.beyond_structure == 0) measured.angle_error = 0;
  if (!is_brief) account.measured = matches_of(answer);
  const bool is_one =
      problem.q_heads > 0 && problem.k_heads > 0 && tensors.q != tensors.k;
  for (const std::string& sentence : measured.text(problem.pairs())) {
    account.measured.push_back(
        (is_one ? (tensors.q ? "in q alone: " : "in k alone: ") : "") +
        sentence);
  }
  symptoms.frequency_is_off =
      measured.is_frequency_off() && !measured.is_reversed();
  symptoms.position_is_off = measured.is_position_off();
  account.equation = equation_of(
      symptoms, operation,
      answer.claim.computes_scaling ? problem.spec.frequencies.scaling
                                    : reference::Scaling(reference::Default{}));
  account.is_equation_shown = is_shown(symptoms);
  return account;
}

}  // namespace ropeproof::conformance::explain
