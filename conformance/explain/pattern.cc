#include "conformance/explain/pattern.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "conformance/judge/judge.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::explain {
namespace {

// "0-3, 5, 7-9" of the keys that `wrong` names.
template <class Axis>
std::string ranges(const Axis& axis) {
  std::string text;
  for (auto i = axis.begin(); i != axis.end();) {
    if (i->second.wrong == 0) {
      ++i;
      continue;
    }
    const auto first = i->first;
    auto last = first;
    while (++i != axis.end() && i->second.wrong > 0) last = i->first;
    if (!text.empty()) text += ", ";
    text += std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
  }
  return text;
}

// "0 to 256, 300" of the positions that are wrong, or right; at most three.
std::string positions_that_are(bool wrong,
                               const std::map<double, bool>& positions) {
  constexpr int kMost = 3;
  const auto number = [](double p) { return text::format("%.15g", p); };
  std::string text;
  int count = 0;
  for (auto i = positions.begin(); i != positions.end();) {
    if (i->second != wrong) {
      ++i;
      continue;
    }
    const double first = i->first;
    double last = first;
    while (++i != positions.end() && i->second == wrong) last = i->first;
    if (++count > kMost) return text + " ...";
    if (!text.empty()) text += ", ";
    text += number(first);
    if (last != first) text += " to " + number(last);
  }
  return text;
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

}  // namespace

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
    const std::string wrong = ranges(axis);
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

}  // namespace ropeproof::conformance::explain
