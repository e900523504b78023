#include "conformance/explain/matches.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <utility>

#include "conformance/explain/moves.h"
#include "conformance/judge/codec.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::explain {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 22, kMostSingle = 64;
constexpr std::int64_t kMostCompared = std::int64_t{1} << 23;
constexpr double kMostLuck = 1e-3;

class Matcher {
 public:
  Matcher(const cases::Problem& problem, const judge::OutputLayout& layout,
          const std::vector<judge::Mark>& marks)
      : extents_{problem.batch,
                 problem.seq,
                 {problem.q_heads, problem.k_heads},
                 problem.spec.layout.head_dim} {
    all_.reserve(marks.size());
    judge::with_format(layout.format(), [&]<reference::Format kFormat>() {
      std::int64_t tensor = 0;
      for (const judge::OutputTensor& one : layout.tensors()) {
        add<kFormat>(tensor++, one, layout.channels(), marks);
      }
    });
    // The probability that two unrelated numbers agree to within their bounds.
    double bounds = 0, sizes = 0;
    for (const Value& value : all_) {
      bounds += value.bound, sizes += std::abs(value.want);
    }
    chance_ = sizes > 0 ? std::min(1.0, 4 * bounds / sizes) : 1;
  }

  std::vector<std::string> sentences() {
    if (wrong_ == 0) return {};
    reordered();
    constants();
    rows(false), rows(true);
    channels();
    arithmetic();
    single_elements();
    return std::move(said_);
  }

 private:
  struct Value {
    double got, want, x, bound;
    bool is_left;  // wrong, and not yet matched
  };

  template <reference::Format kFormat>
  void add(std::int64_t tensor, const judge::OutputTensor& one,
           const judge::Channels& channels,
           const std::vector<judge::Mark>& marks) {
    const std::int64_t size = one.size();
    for (std::int64_t row = 0; row < size; row += extents_.channels) {
      rows_.push_back(extents_.coordinates(tensor, row));
      for (std::int64_t t = 0; t < extents_.channels; ++t) {
        const auto at = static_cast<std::size_t>(row + t);
        const judge::Mark& mark = reference::at(marks, one.first + row + t);
        Value value{judge::fast_decode<kFormat>(one.got[at]), 0,
                    judge::fast_decode<kFormat>((*one.x)[at]), mark.bound,
                    mark.is_wrong};
        const bool is_copied = reference::at(channels.pair_of, t) < 0;
        value.want = is_copied ? value.x : cases::value_of(one.golden[at]);
        wrong_ += mark.is_wrong ? 1 : 0;
        all_.push_back(value);
      }
    }
  }

  std::size_t width() const {
    return static_cast<std::size_t>(extents_.channels);
  }
  Coordinates at(std::size_t element) const {
    Coordinates at = rows_[element / width()];
    at[kChannel] = static_cast<std::int64_t>(element % width());
    return at;
  }
  std::vector<std::size_t> left() const { return left(0, all_.size()); }
  std::vector<std::size_t> left(std::size_t first, std::size_t end) const {
    std::vector<std::size_t> some;
    for (std::size_t i = first; i < end; ++i) {
      if (all_[i].is_left) some.push_back(i);
    }
    return some;
  }
  // An error that no coincidence of two values near each other explains.
  bool is_sharp(std::size_t i) const {
    return !(std::abs(all_[i].got - all_[i].want) <= 8 * all_[i].bound);
  }
  bool are_sharp(const std::vector<std::size_t>& some) const {
    return 2 * std::ranges::count_if(
                   some, [&](std::size_t i) { return is_sharp(i); }) >=
           std::ssize(some);
  }
  // The result of another element, or its input.
  bool matches(std::size_t got, std::size_t source, bool is_input) const {
    const Value &to = all_[got], &from = all_[source];
    if (is_input) return to.got == from.x;
    return std::abs(to.got - from.want) <= 2 * from.bound;
  }

  void say(const std::string& what, const std::vector<std::size_t>& elements) {
    std::vector<Coordinates> places;
    for (const std::size_t i : elements) {
      all_[i].is_left = false;
      places.push_back(at(i));
    }
    std::string where = places.size() == 1
                            ? name_of(places[0], false)
                            : places_of(places, extents_, kTensor);
    if (!where.empty()) where = "; only in " + where;
    said_.push_back(what + " in " + text::part_of(elements.size(), wrong_) +
                    " wrong elements" + where);
  }

  void reordered() {
    std::size_t first = 0;
    for (std::int64_t tensor = 0; tensor < 2; ++tensor) {
      const Sizes sizes = {extents_.batch, extents_.seq,
                           extents_.size(kHead, tensor), extents_.channels};
      const std::size_t base = first;
      first += std::size_t(sizes[0] * sizes[1] * sizes[2] * sizes[3]);
      const std::vector<std::size_t> some = left(base, first);
      if (std::pow(chance_, std::ssize(some)) > kMostLuck || !are_sharp(some)) {
        continue;
      }
      const auto telling =
          std::ranges::find_if(some, [&](auto i) { return is_sharp(i); });
      const std::string orders =
          orders_text(sizes, std::int64_t(*telling - base),
                      [&](std::int64_t to, std::int64_t from) {
                        return matches(base + std::size_t(to),
                                       base + std::size_t(from), false);
                      });
      if (orders.empty()) continue;
      said_.push_back((tensor == 0 ? "q is " : "k is ") + orders);
      for (const std::size_t i : some) all_[i].is_left = false;
    }
  }

  // Numbers that are there whatever was due; a few zeros or inputs among others
  // are there by chance.
  void constants() {
    struct Constant {
      const char* what;
      bool (*is)(const Value&);
      std::vector<std::size_t> some = {};
    };
    Constant all[] = {
        {"NaN", [](const Value& v) { return std::isnan(v.got); }},
        {"an infinity", [](const Value& v) { return std::isinf(v.got); }},
        {"0", [](const Value& v) { return v.got == 0; }},
        {"the input, unchanged,", [](const Value& v) { return v.got == v.x; }}};
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Value& v = all_[i];
      const bool is_usual = v.got != 0 && v.got != v.x && std::isfinite(v.got);
      if (!v.is_left || is_usual || !is_sharp(i)) continue;
      for (Constant& c : all) {
        if (c.is(v)) c.some.push_back(i);
      }
    }
    for (auto& [what, is, some] : all) {
      std::erase_if(some, [&](std::size_t i) { return !all_[i].is_left; });
      const bool is_number = std::ranges::any_of(
          some, [&](std::size_t i) { return std::isfinite(all_[i].got); });
      const bool is_chance = is_number && std::ssize(some) * 16 < wrong_;
      if (!some.empty() && !is_chance) say(what + std::string(" stands"), some);
    }
    limit();
  }

  // One size in most of what is wrong: results beyond it are cut to it.
  void limit() {
    std::vector<std::size_t> some = left();
    const std::ptrdiff_t half = std::ssize(some) / 2;
    const auto size = [&](std::size_t i) { return std::abs(all_[i].got); };
    double most = 0;  // outvotes all others if more than half have it
    std::int64_t votes = 0;
    for (const std::size_t i : some) {
      if (votes == 0) most = size(i);
      votes += votes == 0 || size(i) == most ? 1 : -1;
    }
    std::erase_if(some, [&](std::size_t i) { return size(i) != most; });
    if (some.size() < 8 || std::ssize(some) <= half) return;
    say(text::format("%.9g or its negative stands", most), some);
  }

  // Rows of channels that are another row's, whole: the one nearest by.
  void rows(bool is_input) {
    const auto count = static_cast<double>(rows_.size());
    if (count * std::pow(chance_, extents_.channels) >= kMostLuck) return;
    const auto [channel, widest] = telling_channel(is_input);
    std::vector<std::pair<double, std::size_t>> by_channel;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Value& one = all_[row * width() + channel];
      by_channel.emplace_back(is_input ? one.x : one.want, row);
    }
    std::ranges::sort(by_channel);
    std::vector<Move> moves;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto from = row_at(row, is_input, by_channel, channel, widest);
      if (!from) continue;
      moves.push_back({rows_[row], rows_[*from]});
      for (std::size_t c = 0; c < width(); ++c)
        all_[row * width() + c].is_left = false;
    }
    if (tries_ >= kMostCompared) return;
    for (const std::int64_t tensor : {0, 1}) {
      std::vector<Move> some;
      std::ranges::copy_if(moves, std::back_inserter(some), [&](const Move& m) {
        return m.to[kTensor] == tensor || is_exchange(moves);
      });
      if (some.empty()) continue;
      said_.push_back(
          moves_text(some, extents_, is_input ? "input" : "result"));
      if (is_exchange(moves)) break;
    }
  }

  // The channel that fewest rows have alike, and how far it may be off.
  std::pair<std::size_t, double> telling_channel(bool is_input) const {
    if (is_input) return {0, 0};
    std::vector<double> widest(width()), squares(width());
    for (std::size_t row = 0; row < all_.size(); row += width()) {
      for (std::size_t c = 0; c < width(); ++c) {
        const Value& value = all_[row + c];
        widest[c] = std::max(widest[c], 2 * value.bound);
        squares[c] += value.want * value.want;
      }
    }
    const auto part = [&](std::size_t c) {
      return widest[c] * widest[c] / squares[c];
    };
    const auto channels = std::views::iota(std::size_t{0}, width());
    const std::size_t best = std::ranges::min(channels, {}, part);
    return {best, widest[best]};
  }

  // Whether all rows are those of the other tensor.
  static bool is_exchange(const std::vector<Move>& moves) {
    return std::ranges::all_of(moves, [](const Move& move) {
      return move.to[kTensor] != move.from[kTensor];
    });
  }

  std::optional<std::size_t> row_at(
      std::size_t row, bool is_input,
      const std::vector<std::pair<double, std::size_t>>& by_channel,
      std::size_t channel, double widest) {
    const auto begin =
        all_.begin() + static_cast<std::ptrdiff_t>(row * width());
    if (std::none_of(begin, begin + extents_.channels,
                     [](const Value& v) { return v.is_left; })) {
      return std::nullopt;
    }
    std::optional<std::size_t> found;
    std::pair<std::int64_t, std::int64_t> least{};
    const double got = all_[row * width() + channel].got;
    auto i = std::ranges::lower_bound(by_channel,
                                      std::pair(got - widest, std::size_t{0}));
    for (; i != by_channel.end() && i->first <= got + widest; ++i) {
      if (++tries_ >= kMostCompared) return std::nullopt;
      bool is_it = i->second != row;
      for (std::size_t c = 0; is_it && c < width(); ++c) {
        is_it = matches(row * width() + c, i->second * width() + c, is_input);
      }
      if (!is_it) continue;
      const std::pair off = distance_of(rows_[row], rows_[i->second]);
      if (found && off >= least) continue;
      found = i->second, least = off;
    }
    return found;
  }

  // Channels that are another one's wherever they are wrong.
  void channels() {
    std::vector<std::vector<std::size_t>> wrong(width());
    for (const std::size_t i : left()) wrong[i % width()].push_back(i);
    for (const bool is_input : {false, true}) {
      std::vector<Move> moves;
      for (std::vector<std::size_t>& some : wrong) {
        if (some.empty()) continue;
        const auto from = channel_of(some, is_input);
        if (!from) continue;
        for (const std::size_t i : some) {
          all_[i].is_left = false;
          Coordinates source = at(i);
          source[kChannel] = static_cast<std::int64_t>(*from);
          moves.push_back({at(i), source});
        }
        some.clear();
      }
      if (moves.empty()) continue;
      said_.push_back(
          moves_text(moves, extents_, is_input ? "input" : "result"));
    }
  }

  std::optional<std::size_t> channel_of(const std::vector<std::size_t>& some,
                                        bool is_input) const {
    const double chance = std::pow(chance_, static_cast<double>(some.size())) *
                          static_cast<double>(width() * width());
    if (chance > kMostLuck) return std::nullopt;
    for (std::size_t c = 0; c < width(); ++c) {
      if (c == some[0] % width()) continue;
      if (std::ranges::all_of(some, [&](std::size_t i) {
            return matches(i, i - i % width() + c, is_input);
          })) {
        return are_sharp(some) ? std::optional(c) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  // The right result times or plus one number, or plus the input.
  void arithmetic() {
    const std::vector<std::size_t> some = left();
    if (some.size() < 4 || !are_sharp(some)) return;
    double products = 0, squares = 0, differences = 0;
    for (const std::size_t i : some) {
      const Value& v = all_[i];
      products += v.got * v.want, squares += v.want * v.want;
      differences += v.got - v.want;
    }
    const double factor = products / squares;
    const double term = differences / static_cast<double>(some.size());
    const auto is_all = [&](double times, double plus, double input) {
      return std::ranges::all_of(some, [&](std::size_t i) {
        const Value& v = all_[i];
        const double is = times * v.want + plus + input * v.x;
        return std::abs(v.got - is) <=
               2 * v.bound * std::max(1.0, std::abs(times)) +
                   0x1p-22 * std::abs(plus);
      });
    };
    if (is_all(factor, 0, 0)) {
      say(text::format("%.6g times the right result stands", factor), some);
    } else if (is_all(1, term, 0)) {
      say(text::format("the right result plus %.6g stands", term), some);
    } else if (is_all(1, 0, 1)) {
      say("the right result plus the input stands", some);
    }
  }

  // A few elements that are another one of their row, or of their channel.
  void single_elements() {
    const std::vector<std::size_t> some = left();
    if (std::ssize(some) > kMostSingle) return;
    if (chance_ * double(width() + rows_.size()) > kMostLuck) return;
    std::vector<Move> moves;
    for (const std::size_t i : some) {
      const std::size_t row = i - i % width();
      std::optional<std::size_t> found;
      if (!is_sharp(i)) continue;
      for (std::size_t c = 0; c < width() && !found; ++c) {
        if (row + c != i && matches(i, row + c, false)) found = row + c;
      }
      for (std::size_t r = i % width(); r < all_.size() && !found;
           r += width()) {
        if (r != i && matches(i, r, false)) found = r;
      }
      if (found) moves.push_back({at(i), at(*found)});
    }
    if (!moves.empty()) said_.push_back(moves_text(moves, extents_, "result"));
  }

  Extents extents_;
  std::vector<Value> all_;
  std::vector<Coordinates> rows_;
  std::int64_t wrong_ = 0;
  double chance_ = 0;
  std::int64_t tries_ = 0;  // pairs of rows that were compared
  std::vector<std::string> said_;
};

}  // namespace

std::vector<std::string> matches_of(const Answer& answer) {
  const cases::Problem& problem = answer.asked->problem;
  const judge::OutputLayout layout = answer.layout();
  const bool is_rotation = layout.tensors()[0].x != nullptr;
  if (!is_rotation || problem.is_special || layout.elements() > kMostElements) {
    return {};
  }
  return Matcher(problem, layout, answer.judged->marks).sentences();
}

}  // namespace ropeproof::conformance::explain
