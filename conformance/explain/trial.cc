#include "conformance/explain/trial.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string_view>

#include "conformance/judge/codec.h"
#include "conformance/judge/pair_bounds.h"
#include "reference/rope.h"

namespace ropeproof::conformance::explain {
namespace {

using reference::Format;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest relative error of an angle that is rounded as the claim says; 0
// where it does not grow with the angle.
double angle_error_of(const cases::Problem& problem,
                      const cases::Golden& golden, const judge::Claim& claim) {
  double largest = 0;
  for (std::int64_t j = 0; j < problem.pairs(); ++j) {
    reference::bound::PairAngle pair;
    pair.j = j;
    pair.rotary_dim = problem.spec.layout.rotary_dim;
    pair.inv_freq = cases::value_of(reference::at(golden.inv_freq_hi, j));
    pair.axes = problem.spec.axes.count;
    if (pair.inv_freq == 0) continue;
    largest = std::max(
        largest, angle_slope(claim, pair).rounded / std::abs(pair.inv_freq));
  }
  return largest;
}

std::size_t hash_of(const std::vector<double>& numbers) {
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char*>(numbers.data()),
       numbers.size() * sizeof(double)});
}

}  // namespace

Trial::Trial(const Answer& answer, const plugin::Description& kernel,
             std::vector<bool> heads)
    : answer_(answer),
      problem_(answer.asked->problem),
      golden_(answer.asked->golden),
      bugs_(answer, kernel),
      seen_(std::move(heads)) {
  const judge::OutputLayout layout = answer.layout();
  if (!permutes())
    angle_error_ = angle_error_of(problem_, golden_, answer.claim);
  rows_ = row_bounds();
  const std::int64_t row = row_size();
  for (const judge::OutputTensor& tensor : layout.tensors()) {
    const bool is_in_place =
        tensor.x != nullptr &&
        problem_.storage.is_in_place(tensor.name == judge::Tensor::kK);
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
      const std::uint64_t got = reference::at(tensor.got, i),
                          want = reference::at(tensor.golden, i);
      Value value;
      value.is_wrong =
          judged(static_cast<std::size_t>(tensor.first + i)).is_wrong;
      if (permutes()) {  // it copies bits: they are numbers here
        value.got = static_cast<double>(got),
        value.want = static_cast<double>(want);
      } else if (tensor.x != nullptr &&
                 reference::at(layout.channels().pair_of, i % row) < 0) {
        value.got = written_number(format(), got);
        value.want = judge::fast_decode(format(),
                                        reference::at(*tensor.x, i));  // copied
        if (distance(value.got, value.want) == 0) value.is_wrong = false;
      } else {
        // In place a buffer holds the input before.
        value.got =
            is_in_place ? decode(format(), got) : written_number(format(), got);
        value.want = std::bit_cast<double>(want);
      }
      value.is_exact = is_rounded(value.got, value.want);
      values_.push_back(value);
    }
  }
  elements_ = std::ssize(values_);
  if (permutes()) return;
  if (has_heads() && seen_.empty()) choose_heads();
  if (!seen_.empty()) bugs_.want(seen_);
  find_unwritten();
  if (!seen_.empty()) forget_unseen();
  wrong_ = std::ranges::count_if(values_, &Value::is_wrong);
  without_bug_ = hash_of(predict([](wrong::Pipeline&) {}));
}

// Elements that are rotated together: those of a head or of a token's cosines.
std::int64_t Trial::row_size() const {
  return has_heads()                            ? problem_.spec.layout.head_dim
         : answer_.operation == ROPEPROOF_TABLE ? problem_.pairs()
                                                : 1;
}

// What each row says of the bounds of its elements.
std::vector<Trial::RowBound> Trial::row_bounds() const {
  std::vector<RowBound> all;
  if (permutes()) return all;
  judge::PairBounds bounds(problem_, golden_, answer_.claim, answer_.operation);
  if (answer_.operation == ROPEPROOF_FREQUENCIES) {
    for (const judge::Terms& terms : bounds.of_frequencies()) {
      const double relative = terms.bound({1}, 1);
      const double theta =
          cases::value_of(reference::at(golden_.inv_freq_hi, std::ssize(all)));
      all.push_back({std::abs(theta) * relative, 2 * relative});
    }
    return all;
  }
  // The largest bound at a token of pairs that are so long.
  const auto largest = [&](std::int64_t token, double length,
                           double underflow) {
    double bound = 0;
    for (const judge::Terms& t : bounds.at(token)) {
      const double scale = t.amplitude * length;
      bound = std::max(bound, t.bound({scale, underflow}, scale));
    }
    return bound;
  };
  if (!has_heads()) {
    for (std::int64_t i = 0; i < 2 * problem_.tokens(); ++i) {
      all.push_back({largest(i % problem_.tokens(), 1, bounds.underflow())});
    }
    return all;
  }
  const std::int64_t d = problem_.spec.layout.head_dim;
  for (const bool is_key : {false, true}) {
    const cases::Bits& x = is_key ? problem_.k : problem_.q;
    const std::int64_t heads = is_key ? problem_.k_heads : problem_.q_heads;
    for (std::int64_t row = 0; row < problem_.tokens() * heads; ++row) {
      double longest = 0;
      for (std::int64_t t = 0; t < d; ++t) {
        // Channels that are copied may be infinite.
        const double element =
            judge::fast_decode(format(), reference::at(x, row * d + t));
        if (std::isfinite(element)) {
          longest = std::max(longest, std::abs(element));
        }
      }
      all.push_back(
          {largest(row / heads, 1.5 * longest, bounds.underflow(2 * longest))});
    }
  }
  return all;
}

// Where all wrong elements are what the buffers held before, a NaN among them
// is no result either.
void Trial::find_unwritten() {
  is_unwritten_ = std::ranges::all_of(values_, [](const Value& value) {
    return !value.is_wrong || may_be_unwritten(value.got);
  });
  if (!is_unwritten_) return;
  may_be_nan_ = true;
  for (Value& value : values_) {
    if (!value.is_wrong) continue;
    may_be_nan_ = may_be_nan_ && !is_surely_unwritten(value.got);
    value.got = unwritten_number();
  }
}

void Trial::take_for_nan() {
  is_unwritten_ = false;
  for (Value& value : values_) {
    if (value.is_wrong) value.got = std::numeric_limits<double>::quiet_NaN();
  }
}

void Trial::forget_unseen() {
  const auto d = static_cast<std::size_t>(row_size());
  std::vector<Value> kept;
  for (std::size_t head = 0; head < seen_.size(); ++head) {
    starts_.push_back(kept.size());
    if (!seen_[head]) continue;
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(head * d);
    kept.insert(kept.end(), first, first + row_size());
  }
  values_ = std::move(kept);
}

Format Trial::format() const {
  return permutes()    ? Format::kF64
         : has_heads() ? problem_.dtype
                       : answer_.claim.table;
}

void Trial::choose_heads() {
  constexpr std::size_t kMostElements = 4096;
  if (values_.size() <= kMostElements) return;
  const auto d = static_cast<std::size_t>(row_size());
  std::vector<std::size_t> right, wrong, borders;
  for (std::size_t head = 0; head * d < values_.size(); ++head) {
    const bool is_wrong = std::ranges::any_of(
        std::span(values_).subspan(head * d, d), &Value::is_wrong);
    auto& list = is_wrong ? wrong : right;
    const auto& other = is_wrong ? right : wrong;
    if (!other.empty() && other.back() + 1 == head) {
      borders.insert(borders.end(), {head - 1, head});
    }
    list.push_back(head);
  }
  const std::size_t most = std::max<std::size_t>(kMostElements / 3 / d, 2);
  seen_.assign(values_.size() / d, false);
  for (const auto* list : {&right, &wrong, &borders}) {
    for (std::size_t i = 0; i < std::min(most, list->size()); ++i) {
      seen_[(*list)[i * list->size() / std::min(most, list->size())]] = true;
    }
  }
}

std::optional<Trial> Trial::few_wrong_heads() const {
  constexpr std::size_t kMostHeads = 3;
  if (!has_heads()) return std::nullopt;
  const auto d = static_cast<std::size_t>(row_size());
  std::vector<std::size_t> wrong;
  for (std::size_t i = 0; i < static_cast<std::size_t>(elements()); ++i) {
    if (is_seen(i) && at(i).is_wrong &&
        (wrong.empty() || wrong.back() != i / d))
      wrong.push_back(i / d);
  }
  const std::size_t count = std::min(kMostHeads, wrong.size());
  if (values_.size() < 2 * count * d || count == 0) return std::nullopt;
  Trial few = *this;
  few.seen_.assign(static_cast<std::size_t>(elements()) / d, false);
  few.wrong_ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t head = wrong[i * wrong.size() / count];
    few.seen_[head] = true;
    for (std::size_t e = head * d; e < (head + 1) * d; ++e) {
      few.wrong_ += at(e).is_wrong ? 1 : 0;
    }
  }
  few.bugs_.want(few.seen_);
  few.without_bug_ = hash_of(few.predict([](wrong::Pipeline&) {}));
  return few;
}

bool Trial::is_rounded(double got, double exact) const {
  return distance(got, exact) == 0 || judge::fast_encode(format(), got) ==
                                          judge::fast_encode(format(), exact);
}

std::vector<double> Trial::limits(const std::vector<double>& is,
                                  const std::vector<double>& rotated) const {
  std::vector<double> limits(is.size());
  const auto least = [&](std::size_t i) {
    return std::max(2 * judged(i).bound, row(i).head);
  };
  if (permutes()) {
    for (std::size_t i = 0; i < is.size(); ++i) limits[i] = least(i);
    return limits;
  }
  const double u = reference::traits(has_heads() ? answer_.claim.output
                                                 : answer_.claim.table)
                       .unit_roundoff;
  const auto head = static_cast<std::size_t>(row_size());
  for (std::size_t begin = 0; begin < is.size(); begin += head) {
    if (!is_seen(begin)) continue;
    double longest = 0, moved = 0;
    for (std::size_t i = begin; i < begin + head; ++i) {
      if (std::isfinite(is[i])) longest = std::max(longest, std::abs(is[i]));
      const double by = rotated.empty() ? 0 : distance(is[i], rotated[i]);
      if (std::isfinite(by)) moved = std::max(moved, by);
    }
    // Angles that may be off by so much may be off by any.
    if (2 * moved > longest) moved = 3 * longest;
    for (std::size_t i = begin; i < begin + head; ++i) {
      const double result = longest * std::max(row(i).relative, 8 * u);
      limits[i] = std::max(least(i), result) + moved;
    }
  }
  return limits;
}

Fit Trial::compare(const std::vector<double>& is,
                   const std::vector<double>& limits, bool rounds,
                   std::vector<Mark>* marks, std::int64_t most_missed) const {
  Fit fit;
  fit.rounds = rounds;
  const auto size = static_cast<std::size_t>(elements());
  if (marks != nullptr) marks->assign(size, Mark::kUnmoved);
  const auto mark = [&](std::size_t i, Mark what) {
    if (marks != nullptr) (*marks)[i] = what;
  };
  // An element that the kernel rounds the other way is about as far off as the
  // bug itself moves the elements of its head.
  constexpr double kMany = 8, kFar = 4;
  const auto head = static_cast<std::size_t>(row_size());
  const auto moved = [&](std::size_t from) {
    double most = 0;
    for (std::size_t i = from; i < from + head; ++i)
      most = std::max(most, distance(is[i], at(i).want));
    return most;
  };
  const bool is_lost = is.size() != size;  // it leaves its memory
  // Wrong elements far beyond their own bound, and those that the bug gives
  // within it: of heads in which other pairs may be rotated by any angle.
  std::int64_t far = 0, met = 0;
  for (std::size_t i = 0; i < size; ++i) {
    if (!is_seen(i)) {
      mark(i, Mark::kUnseen);
      continue;
    }
    const Value& value = at(i);
    const bool is_vacuous = judged(i).is_vacuous;
    const double off = is_lost ? kInfinity : distance(value.got, is[i]);
    const double limit = is_lost ? row(i).head : limits[i];
    if (!is_vacuous) {
      if (is_lost || !is_rounded(value.got, is[i])) ++fit.unlike_bug;
      if (!value.is_exact) ++fit.unlike_exact;
    }
    if (!value.is_wrong) {
      if (is_vacuous || off <= limit) continue;
      ++fit.broken;
      mark(i, Mark::kBroken);
      continue;
    }
    const double error = distance(value.got, value.want);
    ++fit.wrong;
    if (error > kMany * limit) ++fit.sharp;
    if (2 * off < error) ++fit.near;
    if (const double own = 2 * judged(i).bound; error > kMany * own) {
      ++far;
      if (off <= own) ++met;
    }
    if (off <= limit) {
      ++fit.explained;
    } else if (fit.rounds) {
      fit.rounds = !is_lost && off < kFar * moved(i - i % head);
    }
    mark(i, off <= limit ? Mark::kExplained : Mark::kUnexplained);
    if (off > 0) fit.residual = std::max(fit.residual, off / limit);
    if (fit.wrong - fit.explained > most_missed) {
      fit.is_partial = true;
      break;
    }
  }
  constexpr std::int64_t kFewestFar = 6;
  if (fit.sharp == 0 && far >= kFewestFar && met == far) fit.sharp = met;
  return fit;
}

Fit Trial::fit(const wrong::Change& change, bool rounds,
               std::vector<Mark>* marks) const {
  return fit_of(change, rounds, marks, elements());
}

Fit Trial::glance(const wrong::Change& change, bool rounds) const {
  return fit_of(change, rounds, nullptr, wrong_ / 2);
}

Fit Trial::fit_of(const wrong::Change& change, bool rounds,
                  std::vector<Mark>* marks, std::int64_t most_missed) const {
  const std::vector<double> is = predict(change);
  const bool is_unmoved = hash_of(is) == without_bug_;
  if (is_unmoved && most_missed < elements()) {
    Fit fit;
    fit.is_partial = true, fit.wrong = wrong_, fit.rounds = rounds;
    return fit;
  }
  Fit fit = compare(is, limits(is, {}), rounds, marks, most_missed);
  if (is_unmoved) fit.explained = 0;  // here the bug cannot occur
  // Angles of its own may be larger than those that are due, and so their
  // errors.
  const bool is_near = 2 * fit.explained >= fit.wrong && fit.wrong > 0 &&
                       (fit.explained < fit.wrong || fit.broken > 0);
  if (!is_near || angle_error_ == 0) return fit;
  return compare(is, limits(is, bugs_(change, angle_error_)), rounds, marks,
                 most_missed);
}

double Trial::relative_error() const {
  std::vector<double> all;
  for (const Value& value : values_) {
    if (!value.is_wrong) continue;
    const double off = distance(value.got, value.want) / std::abs(value.want);
    all.push_back(off < 2 ? off : 2);  // NaN, too
  }
  if (all.empty()) return 0;
  const auto middle = all.begin() + std::ssize(all) / 2;
  std::ranges::nth_element(all, middle);
  return *middle;
}

judge::Element Trial::element(std::size_t i) const {
  return answer_.layout().element(static_cast<std::int64_t>(i));
}

}  // namespace ropeproof::conformance::explain
