#include "conformance/judge/pattern.h"

#include <algorithm>
#include <cmath>

#include "conformance/judge/judge.h"

namespace ropeproof::conformance::judge {
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

std::string verdict(std::int64_t wrong, std::int64_t all, const char* good) {
  if (wrong == 0) return good;
  if (wrong == all) return "wrong";
  return "wrong in " + std::to_string(wrong) + " of " + std::to_string(all);
}

// Coarser than any rounding, finer than any wrong amplitude.
constexpr double kLengthsKept = 0x1p-6;

// Keeps the largest relative error, and NaN once it was there.
void add_error(double& largest, double want, double got) {
  const double error = want > 0 ? std::abs(got - want) / want : 0;
  if (!std::isnan(largest) && !(error <= largest)) largest = error;
}

}  // namespace

void Pattern::add(const Element& element, bool wrong, bool unwritten) {
  const auto count = [wrong](Count& c) {
    ++c.all;
    if (wrong) ++c.wrong;
  };
  count(total_);
  count(batches_[element.batch]);
  count(tokens_[element.token]);
  count(heads_[element.head]);
  if (element.pair < 0) {
    count(outside_);
  } else {
    count(pairs_[element.pair]);
    if (element.is_origin) count(position_zero_);
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

Evidence Pattern::evidence() const {
  Evidence evidence;
  evidence.only_outside = outside_.wrong == total_.wrong;
  // A head is skipped whole; an error of its values would show in them all.
  const bool some_right = std::ranges::any_of(
      heads_, [](const auto& head) { return head.second.wrong == 0; });
  const bool some_wrong = std::ranges::any_of(heads_, [](const auto& head) {
    return 2 * head.second.wrong > head.second.all;
  });
  evidence.some_heads_alone = unwritten_ > 0 || (some_right && some_wrong);
  evidence.has_lengths = has_length_;
  evidence.pairs_keep_length = length_error_ < kLengthsKept;
  evidence.heads_keep_length = head_length_error_ < kLengthsKept;
  const auto first = pairs_.find(0);
  evidence.pair_0_is_right =
      pairs_.size() > 1 && first != pairs_.end() && first->second.wrong == 0;
  return evidence;
}

std::string Pattern::wrong_of(const std::string& name, const Axis& axis) {
  if (axis.size() < 2) return {};
  const bool every = std::all_of(axis.begin(), axis.end(), [](const auto& a) {
    return a.second.wrong > 0;
  });
  if (every) return "; every " + name;
  return "; " + name + " " + ranges(axis) + " only";
}

std::string Pattern::text() const {
  if (total_.wrong == 0) return {};
  std::string text = std::to_string(total_.wrong) + " of " +
                     std::to_string(total_.all) + " elements wrong";
  if (unwritten_ > 0) {
    text += "; " + std::to_string(unwritten_) + " never written";
  }
  if (outside_.wrong < total_.wrong) {
    text += wrong_of("pair", pairs_) + wrong_of("batch row", batches_) +
            wrong_of("token", tokens_) + wrong_of("head", heads_);
  }
  if (position_zero_.all > 0) {
    text += "; position 0 " +
            verdict(position_zero_.wrong, position_zero_.all, "right");
  }
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

}  // namespace ropeproof::conformance::judge
