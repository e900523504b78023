#include "conformance/explain/levels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/judge/codec.h"
#include "conformance/text/format.h"
#include "reference/format.h"

namespace ropeproof::conformance::explain {
namespace {

using Results = std::vector<double>;

constexpr double kFewestBits = 40;  // that chance would have to guess

double largest_of(const Results& all) {
  double largest = 0;
  for (const double v : all) largest = std::max(largest, std::abs(v));
  return largest;
}

// The bits that chance would have to guess, so that all are whole multiples of
// `step`, each known to 4 `unit` of itself; -1: one is no multiple.
double guessed(const Results& all, double step, double unit) {
  const double largest = largest_of(all);
  double bits = 0;
  for (const double v : all) {
    const double steps = std::abs(v) / step, noise = 4 * unit * steps;
    if (!(std::abs(steps - std::round(steps)) <= noise)) return -1;
    // The largest is one whatever it is.
    if (steps > 0 && std::abs(v) < largest) {
      bits += std::max(-std::log2(2 * noise), 0.0);
    }
  }
  return bits;
}

// The windows of a tensor, one after the other; of heads with a wrong element,
// unless `are_all`. The tensor's marks begin at `marks`.
Results windows_of(const cases::Problem& p, const cases::Bits& y,
                   const judge::Mark* marks, bool are_all) {
  const reference::Layout& layout = p.spec.layout;
  Results all;
  for (std::int64_t at = 0; at < std::ssize(y); at += layout.head_dim) {
    if (!are_all && std::none_of(marks + at, marks + at + layout.head_dim,
                                 [](const auto& one) { return one.is_wrong; }))
      continue;
    for (std::int64_t c = 0; c < layout.rotary_dim; ++c) {
      all.push_back(judge::fast_decode(
          p.dtype, reference::at(y, at + layout.rotary_offset + c)));
    }
  }
  return all;
}

// Whether all are multiples of the largest of their `group` over `levels`.
bool have_levels(const Results& all, std::int64_t group, double levels,
                 double unit) {
  double bits = 0;
  for (std::int64_t at = 0; at < std::ssize(all); at += group) {
    const auto first = all.begin() + at;
    const Results some(first, std::min(first + group, all.end()));
    const double largest = largest_of(some);
    const double more = largest > 0 ? guessed(some, largest / levels, unit) : 0;
    if (more < 0) return false;
    bits += more;
  }
  return bits >= kFewestBits;
}

std::string levels_text(const Answer& answer, bool are_all) {
  const cases::Problem& p = answer.asked->problem;
  const double unit = reference::traits(p.dtype).unit_roundoff;
  const std::int64_t row = p.spec.layout.rotary_dim;
  const judge::Mark* const marks = answer.judged->marks.data();
  const Results q = windows_of(p, answer.output->q, marks, are_all),
                k = windows_of(p, answer.output->k,
                               marks + answer.output->q.size(), are_all);
  std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> groups = {
      {"their row", row, row}};
  if (are_all) {
    groups.emplace_back("their token", row * p.q_heads, row * p.k_heads);
    groups.emplace_back("all", std::ssize(q), std::ssize(k));
  }
  for (std::int64_t block = 256; block >= 8; block /= 2) {
    if (block < row) {
      groups.emplace_back("their " + std::to_string(block) + " channels", block,
                          block);
    }
  }
  for (const double levels : {7.0, 8.0, 127.0, 128.0}) {  // 4 and 8 bits
    for (const auto& [whose, of_q, of_k] : groups) {
      if ((q.empty() || have_levels(q, of_q, levels, unit)) &&
          (k.empty() || have_levels(k, of_k, levels, unit))) {
        return text::format("whole multiples of 1/%g of the largest of ",
                            levels) +
               whose;
      }
    }
  }
  Results all = q;
  all.insert(all.end(), k.begin(), k.end());
  constexpr int kMostBits = 15;
  const int top = std::ilogb(std::max(largest_of(all), 1e-300));
  for (int bits = 0; bits < kMostBits; ++bits) {
    const double step = std::ldexp(1, top - bits);
    if (guessed(all, step, unit) >= kFewestBits) {
      return text::format("whole multiples of %.9g", step);
    }
  }
  return "";
}

}  // namespace

std::string levels_text(const std::vector<const Answer*>& answers) {
  std::optional<std::string> common;
  for (const Answer* answer : answers) {
    std::string text = levels_text(*answer, true);
    if (text.empty()) text = levels_text(*answer, false);
    if (text.empty() || (common && *common != text)) return "";
    common = std::move(text);
  }
  return common.value_or("");
}

}  // namespace ropeproof::conformance::explain
