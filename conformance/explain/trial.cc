#include "conformance/explain/trial.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "conformance/explain/written.h"
#include "conformance/judge/codec.h"
#include "conformance/judge/pair_bounds.h"
#include "reference/rope.h"

namespace ropeproof::conformance::explain {
namespace {

using reference::Format;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_table(std::uint32_t operation) {
  return operation == ROPEPROOF_TABLE || operation == ROPEPROOF_FREQUENCIES;
}

// The largest relative error of an angle that is rounded as the claim says; 0 where
// it does not grow with the angle.
double angle_error_of(const cases::RopeCase& c, const judge::Claim& claim) {
  double largest = 0;
  for (std::int64_t j = 0; j < c.pairs(); ++j) {
    reference::bound::PairAngle pair;
    pair.j = j;
    pair.rotary_dim = c.spec.layout.rotary_dim;
    pair.inv_freq =
        std::bit_cast<double>(c.inv_freq_hi[static_cast<std::size_t>(j)]);
    pair.axes = c.spec.axes.count;
    if (pair.inv_freq == 0) continue;
    largest = std::max(
        largest, angle_slope(claim, pair).rounded / std::abs(pair.inv_freq));
  }
  return largest;
}

}  // namespace

Trial::Trial(const cases::RopeCase& c, std::uint32_t operation,
             const judge::Claim& claim, const plugin::Description& kernel,
             const judge::Output& output)
    : case_(&c),
      operation_(operation),
      claim_(claim),
      bugs_(c, operation, claim, kernel),
      angle_error_(angle_error_of(c, claim)) {
  if (operation == ROPEPROOF_FREQUENCIES) {
    const std::vector<judge::Terms> all =
        judge::PairBounds(c, claim, operation).of_frequencies();
    for (std::size_t j = 0; j < all.size(); ++j) {
      const double theta = std::bit_cast<double>(c.inv_freq_hi[j]);
      const double bound = std::abs(theta) * (all[j].claim + all[j].result);
      add(written_number(claim.table, output.inv_freq[j]), theta,
          {bound, bound, all[j].is_vacuous,
           2 * (all[j].claim + all[j].result)});
    }
  } else if (operation == ROPEPROOF_TABLE) {
    add_table(output.cos, c.cos);
    add_table(output.sin, c.sin);
  } else {
    add_rotated(output.q, c.q_out, c.q, c.q_heads);
    add_rotated(output.k, c.k_out, c.k, c.k_heads);
    choose_heads();
  }
  find_unwritten();
}

// Where all wrong elements are what the buffers held before, a NaN among them is no
// result either.
void Trial::find_unwritten() {
  is_unwritten_ = true;
  for (std::size_t i = 0; i < got_.size(); ++i) {
    is_unwritten_ =
        is_unwritten_ && (!is_wrong_[i] || may_be_unwritten(got_[i]));
  }
  for (std::size_t i = 0; is_unwritten_ && i < got_.size(); ++i) {
    if (is_wrong_[i]) got_[i] = unwritten_number();
  }
}

Format Trial::format() const {
  return permute_ != nullptr    ? Format::kF64
         : is_table(operation_) ? claim_.table
                                : case_->dtype;
}

void Trial::choose_heads() {
  constexpr std::size_t kMostElements = 8192;
  if (got_.size() <= kMostElements) return;
  const auto d = static_cast<std::size_t>(case_->spec.layout.head_dim);
  std::vector<std::size_t> right, wrong, borders;
  for (std::size_t head = 0; head * d < got_.size(); ++head) {
    const auto begin =
        is_wrong_.begin() + static_cast<std::ptrdiff_t>(head * d);
    const bool is_wrong =
        std::find(begin, begin + static_cast<std::ptrdiff_t>(d), true) !=
        begin + static_cast<std::ptrdiff_t>(d);
    auto& list = is_wrong ? wrong : right;
    const auto& other = is_wrong ? right : wrong;
    if (!other.empty() && other.back() + 1 == head) {
      borders.insert(borders.end(), {head - 1, head});
    }
    list.push_back(head);
  }
  const std::size_t most = std::max<std::size_t>(kMostElements / 3 / d, 2);
  seen_.assign(got_.size() / d, false);
  for (const auto* list : {&right, &wrong, &borders}) {
    for (std::size_t i = 0; i < std::min(most, list->size()); ++i) {
      seen_[(*list)[i * list->size() / std::min(most, list->size())]] = true;
    }
  }
  bugs_.want(seen_);
}

// Numbers are bits here: a permutation copies.
Trial::Trial(const cases::PermuteCase& c, const plugin::Description& kernel,
             const judge::Output& output)
    : permute_(&c), bugs_(c, kernel) {
  for (std::size_t i = 0; i < c.out.size(); ++i) {
    add(static_cast<double>(output.permuted[i]), static_cast<double>(c.out[i]),
        {});
  }
}

void Trial::add(double got, double want, const Bound& bound) {
  const double error = distance(got, want);
  const std::uint64_t bits = judge::fast_encode(format(), got);
  got_.push_back(got);
  bits_.push_back(bits);
  want_.push_back(want);
  bounds_.push_back(bound);
  is_wrong_.push_back(!(error <= bound.own));
  is_exact_.push_back(error == 0 || bits == judge::fast_encode(format(), want));
}

void Trial::add_table(const cases::Bits& got, const cases::Bits& want) {
  judge::PairBounds bounds(*case_, claim_, operation_);
  const double eta = table_underflow(claim_);
  for (std::int64_t token = 0; token < case_->tokens(); ++token) {
    const std::vector<judge::Terms>& all = bounds.at(token);
    double largest = 0;
    for (const judge::Terms& t : all) {
      largest = std::max(largest, t.amplitude * (t.claim + t.result) + eta);
    }
    for (std::size_t j = 0; j < all.size(); ++j) {
      const auto i = static_cast<std::size_t>(token * case_->pairs()) + j;
      const double exact = std::bit_cast<double>(want[i]);
      add(written_number(claim_.table, got[i]), exact,
          {all[j].amplitude * all[j].claim + all[j].result * std::abs(exact) +
               eta,
           largest, all[j].is_vacuous});
    }
  }
}

void Trial::add_rotated(const cases::Bits& got, const cases::Bits& want,
                        const cases::Bits& x, std::int64_t heads) {
  judge::PairBounds bounds(*case_, claim_, operation_);
  const std::int64_t d = case_->spec.layout.head_dim;
  for (std::int64_t row = 0; row < case_->tokens() * heads; ++row) {
    const std::vector<judge::Terms>& all = bounds.at(row / heads);
    const auto at = [&](std::int64_t t) {
      return static_cast<std::size_t>(row * d + t);
    };
    double longest = 0, largest = 0;
    for (std::int64_t t = 0; t < d; ++t) {
      // Channels that are copied may be infinite.
      const double element = judge::fast_decode(case_->dtype, x[at(t)]);
      if (std::isfinite(element))
        longest = std::max(longest, std::abs(element));
    }
    for (const judge::Terms& t : all) {
      largest = std::max(largest, t.amplitude * (t.claim + t.result));
    }
    largest = 1.5 * longest * largest + underflow_error(claim_, 2 * longest);
    std::vector<Bound> own(static_cast<std::size_t>(d),
                           Bound{0, largest, false});
    for (std::int64_t j = 0; j < case_->pairs(); ++j) {
      const judge::Terms& terms = all[static_cast<std::size_t>(j)];
      const reference::Pair from = source_pair(case_->spec, j);
      const double a = judge::fast_decode(case_->dtype, x[at(from.u)]),
                   b = judge::fast_decode(case_->dtype, x[at(from.v)]);
      const reference::Pair to = target_pair(case_->spec, j);
      for (const std::int64_t t : {to.u, to.v}) {
        const double exact = std::bit_cast<double>(want[at(t)]);
        Bound& bound = own[static_cast<std::size_t>(t)];
        bound.own = terms.amplitude * std::sqrt(a * a + b * b) * terms.claim +
                    terms.result * std::abs(exact) +
                    underflow_error(claim_, std::abs(a) + std::abs(b));
        bound.is_vacuous = terms.is_vacuous;
      }
    }
    for (std::int64_t t = 0; t < d; ++t) {
      const Bound& bound = own[static_cast<std::size_t>(t)];
      add(written_number(case_->dtype, got[at(t)]),
          bound.own > 0 ? std::bit_cast<double>(want[at(t)])
                        : judge::fast_decode(case_->dtype, x[at(t)]),
          bound);
    }
  }
}

std::vector<double> Trial::limits(const std::vector<double>& is,
                                  const std::vector<double>& rotated) const {
  std::vector<double> limits(is.size());
  const auto least = [&](std::size_t i) {
    return std::max(2 * bounds_[i].own, bounds_[i].head);
  };
  if (permute_ != nullptr) {
    for (std::size_t i = 0; i < is.size(); ++i) limits[i] = least(i);
    return limits;
  }
  const double u =
      reference::traits(is_table(operation_) ? claim_.table : claim_.output)
          .unit_roundoff;
  const auto head = static_cast<std::size_t>(
      operation_ == ROPEPROOF_FREQUENCIES ? 1
      : operation_ == ROPEPROOF_TABLE     ? case_->pairs()
                                          : case_->spec.layout.head_dim);
  for (std::size_t begin = 0; begin < is.size(); begin += head) {
    if (!is_seen(begin)) continue;
    double longest = 0, moved = 0;
    for (std::size_t i = begin; i < begin + head; ++i) {
      if (std::isfinite(is[i])) longest = std::max(longest, std::abs(is[i]));
      const double by = rotated.empty() ? 0 : distance(is[i], rotated[i]);
      if (std::isfinite(by)) moved = std::max(moved, by);
    }
    for (std::size_t i = begin; i < begin + head; ++i) {
      const double result = longest * std::max(bounds_[i].relative, 8 * u);
      limits[i] = std::max(least(i), result) + moved;
    }
  }
  return limits;
}

Fit Trial::compare(const std::vector<double>& is,
                   const std::vector<double>& limits, bool rounds,
                   std::vector<Mark>* marks) const {
  Fit fit;
  fit.rounds = rounds;
  if (marks != nullptr) marks->assign(got_.size(), Mark::kUnmoved);
  const auto mark = [&](std::size_t i, Mark what) {
    if (marks != nullptr) (*marks)[i] = what;
  };
  constexpr double kMany = 8;
  // What a rounding moves the other way is about as far off as what it moves.
  constexpr double kFar = 4;
  const bool is_lost = is.size() != got_.size();  // it leaves its memory
  for (std::size_t i = 0; i < got_.size(); ++i) {
    if (!is_seen(i)) {
      mark(i, Mark::kUnseen);
      continue;
    }
    const Bound& bound = bounds_[i];
    const double off = is_lost ? kInfinity : distance(got_[i], is[i]);
    const double limit = is_lost ? bound.head : limits[i];
    if (!bound.is_vacuous) {
      const bool is_like =
          !is_lost &&
          (off == 0 || bits_[i] == judge::fast_encode(format(), is[i]));
      if (!is_like) ++fit.unlike_bug;
      if (!is_exact_[i]) ++fit.unlike_exact;
    }
    if (!is_wrong_[i]) {
      if (bound.is_vacuous || off <= limit) continue;
      ++fit.broken;
      mark(i, Mark::kBroken);
      continue;
    }
    const double error = distance(got_[i], want_[i]);
    ++fit.wrong;
    if (error > kMany * limit) ++fit.sharp;
    if (off <= limit) {
      ++fit.explained;
    } else if (!(off < kFar * error)) {
      fit.rounds = false;
    }
    mark(i, off <= limit ? Mark::kExplained : Mark::kUnexplained);
    if (off > 0) fit.residual = std::max(fit.residual, off / limit);
  }
  return fit;
}

Fit Trial::fit(const std::function<void(wrong::Pipeline&)>& change, bool rounds,
               std::vector<Mark>* marks) const {
  const std::vector<double> is = predict(change);
  const Fit fit = compare(is, limits(is, {}), rounds, marks);
  // Angles of its own may be larger than those that are due, and so their errors.
  const bool is_near = 2 * fit.explained >= fit.wrong && fit.wrong > 0 &&
                       (fit.explained < fit.wrong || fit.broken > 0);
  if (!is_near || angle_error_ == 0) return fit;
  return compare(is, limits(is, bugs_(change, angle_error_)), rounds, marks);
}

std::vector<Spot> Trial::spots() const {
  std::vector<Spot> spots;
  spots.reserve(got_.size());
  const auto number_of = [&] {
    return static_cast<std::int64_t>(spots.size());
  };
  if (permute_ != nullptr) {
    const std::int64_t head = permute_->layout.head_dim * permute_->columns;
    while (spots.size() < got_.size()) {
      const std::int64_t i = number_of();
      spots.push_back({"permuted", 0, i % permute_->columns, i / head,
                       permute_->heads, i % head / permute_->columns});
    }
    return spots;
  }
  const std::int64_t pairs = case_->pairs(), seq = case_->seq;
  if (operation_ == ROPEPROOF_FREQUENCIES) {
    while (number_of() < pairs) {
      spots.push_back({"inv_freq", 0, 0, 0, 1, number_of()});
    }
    return spots;
  }
  if (operation_ == ROPEPROOF_TABLE) {
    for (const char* tensor : {"cos", "sin"}) {
      for (std::int64_t token = 0; token < case_->tokens(); ++token) {
        for (std::int64_t j = 0; j < pairs; ++j) {
          spots.push_back({tensor, token / seq, token % seq, 0, 1, j});
        }
      }
    }
    return spots;
  }
  const std::int64_t d = case_->spec.layout.head_dim;
  std::vector<std::int64_t> pair_of(static_cast<std::size_t>(d), -1);
  for (std::int64_t j = 0; j < pairs; ++j) {
    const reference::Pair to = target_pair(case_->spec, j);
    pair_of[static_cast<std::size_t>(to.u)] = j;
    pair_of[static_cast<std::size_t>(to.v)] = j;
  }
  for (const bool is_key : {false, true}) {
    const std::int64_t heads = is_key ? case_->k_heads : case_->q_heads;
    const bool is_in_place = case_->storage.is_in_place(is_key);
    for (std::int64_t row = 0; row < case_->tokens() * heads; ++row) {
      const std::int64_t token = row / heads;
      for (std::int64_t t = 0; t < d; ++t) {
        const std::int64_t pair = pair_of[static_cast<std::size_t>(t)];
        const bool is_behind =
            pair < 0 && t >= case_->spec.layout.rotary_offset;
        spots.push_back({is_key ? "k" : "q", token / seq, token % seq,
                         row % heads, heads, pair, is_behind, is_in_place});
      }
    }
  }
  return spots;
}

}  // namespace ropeproof::conformance::explain
