#include "conformance/assertion/table_rows.h"

#include <ropeproof_kernel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "conformance/explain/measured.h"
#include "conformance/judge/codec.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/output_layout.h"
#include "conformance/judge/pair_bounds.h"

namespace ropeproof::conformance::assertion {
namespace {

// Rows are looked for at so many tokens.
constexpr std::size_t kMostTokens = 256;

class Taker {
 public:
  Taker(const cases::Case& asked, const GivenTable& all,
        const judge::Claim& claim, const judge::Output& output)
      : problem_(asked.problem),
        all_(all),
        output_(output),
        rows_(std::ssize(all.cos_u) / all.pairs),
        channels_(problem_.spec),
        bounds_(problem_, asked.golden, claim, ROPEPROOF_ROTATE) {
    for (std::int64_t token = 0; token < problem_.tokens(); ++token) {
      terms_ = bounds_.at(token);
      if (!fits(token, due(token))) wrong_.push_back(token);
      if (wrong_.size() == kMostTokens) break;
    }
  }

  std::string text() const {
    if (wrong_.empty()) return "";
    const std::int64_t seq = problem_.seq;
    const struct {
      const char* words;
      std::function<std::int64_t(std::int64_t)> row;
    } kRules[] = {
        {seq == 1 ? "row 0 of the table, whatever positions or offset say"
                  : "rows 0, 1, 2, ... of the table, whatever positions or "
                    "offset say",
         [&](std::int64_t token) { return token % seq; }},
        {"rows 0, 1, 2, ... of the table through all batch rows",
         [](std::int64_t token) { return token; }},
        {"the rows of batch row 0 in every batch row",
         [&](std::int64_t token) { return due(token % seq); }}};
    for (const auto& [words, row] : kRules) {
      if (std::ranges::all_of(wrong_, [&](std::int64_t token) {
            return fits(token, row(token));
          })) {
        return words;
      }
    }
    std::vector<explain::PositionUsed> used;
    for (const std::int64_t token : wrong_) {
      const std::int64_t row = found(token, used);
      if (row < 0) return "";
      used.push_back(
          {static_cast<double>(due(token)), static_cast<double>(row)});
    }
    // Row 0 rotates by nothing, too.
    const bool is_copied = output_.q == problem_.q && output_.k == problem_.k;
    return (is_copied ? "not rotated, or " : "") +
           ("row of the table used: " + explain::positions_text(used));
  }

 private:
  std::int64_t due(std::int64_t token) const {
    return static_cast<std::int64_t>(problem_.position(0, token));
  }

  // A row that gives the token's result: of several the one as far from the due
  // one as the last; -1: none.
  std::int64_t found(std::int64_t token,
                     const std::vector<explain::PositionUsed>& used) const {
    if (!used.empty()) {
      const double shift = used.back().used - used.back().given;
      const std::int64_t row = due(token) + static_cast<std::int64_t>(shift);
      if (fits(token, row)) return row;
    }
    for (std::int64_t row = 0; row < rows_; ++row) {
      if (fits(token, row)) return row;
    }
    return -1;
  }

  bool fits(std::int64_t token, std::int64_t row) const {
    if (row < 0 || row >= rows_) return false;
    return judge::with_format(problem_.dtype, [&]<reference::Format kFormat>() {
      return fit<kFormat>(token, row, problem_.q_heads, problem_.q,
                          output_.q) &&
             fit<kFormat>(token, row, problem_.k_heads, problem_.k, output_.k);
    });
  }

  template <reference::Format kFormat>
  bool fit(std::int64_t token, std::int64_t row, std::int64_t heads,
           const cases::Bits& x, const cases::Bits& got) const {
    const std::int64_t d = problem_.spec.layout.head_dim;
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t first = (token * heads + head) * d;
      const auto value = [&](const cases::Bits& bits, std::int64_t channel) {
        return judge::fast_decode<kFormat>(
            reference::at(bits, first + channel));
      };
      for (std::int64_t j = 0; j < all_.pairs; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const auto &from = channels_.from[at], &to = channels_.to[at];
        const double u = value(x, from.u), v = value(x, from.v);
        const auto f =
            all_.factors(row * all_.pairs + j, problem_.spec.direction);
        const double y_u = u * f.uu + v * f.uv, y_v = u * f.vu + v * f.vv;
        judge::Size size = bounds_.size<kFormat>(terms_[at], u, v);
        size.underflow += 0x1p-50 * size.scale;  // products here round, too
        const auto is_near = [&](double is, double y) {
          return std::abs(is - y) <= terms_[at].bound(size, y);
        };
        if (!is_near(value(got, to.u), y_u) ||
            !is_near(value(got, to.v), y_v)) {
          return false;
        }
      }
    }
    return true;
  }

  const cases::Problem& problem_;
  const GivenTable& all_;
  const judge::Output& output_;
  std::int64_t rows_;
  judge::Channels channels_;
  judge::PairBounds bounds_;
  std::vector<judge::Terms> terms_;  // a table's are the same at every token
  std::vector<std::int64_t> wrong_;
};

}  // namespace

std::string rows_taken(const cases::Case& asked, const GivenTable& all,
                       const judge::Claim& claim, const judge::Output& output) {
  if (asked.problem.is_special || all.pairs == 0) return "";
  return Taker(asked, all, claim, output).text();
}

std::string channels_taken(const cases::Problem& problem,
                           const GivenTable& given, const judge::Claim& claim,
                           const judge::Output& output) {
  const auto& [pairs, cos_u, sin_u, cos_v, sin_v] = given;
  if (cos_u == cos_v && sin_u == sin_v) return "";
  const std::pair<const char*, GivenTable> kReadings[] = {
      {"cos and sin of each pair's first channel for both",
       {pairs, cos_u, sin_u, cos_u, sin_u}},
      {"cos and sin of each pair's second channel for both",
       {pairs, cos_v, sin_v, cos_v, sin_v}},
      {"cos and sin of the other channel of each pair",
       {pairs, cos_v, sin_v, cos_u, sin_u}}};
  for (const auto& [words, read] : kReadings) {
    cases::Golden golden = golden_of(read, problem);
    rotate(read, problem, golden);
    if (judge::judge(problem, golden, ROPEPROOF_ROTATE, claim, output).wrong ==
        0) {
      return words;
    }
  }
  return "";
}

}  // namespace ropeproof::conformance::assertion
