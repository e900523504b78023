#include "conformance/explain/spots.h"

#include <algorithm>
#include <cmath>

#include "conformance/judge/codec.h"
#include "conformance/judge/output_layout.h"
#include "reference/rope.h"

namespace ropeproof::conformance::explain {

using reference::at;

std::vector<Spot> wrong_spots(const Answer& answer, std::size_t most) {
  const cases::Problem& p = answer.asked->problem;
  const cases::Golden& golden = answer.asked->golden;
  const judge::OutputLayout layout = answer.layout();
  const std::vector<judge::Mark>& marks = answer.judged->marks;
  const std::int64_t d = p.spec.layout.head_dim;
  const double sense =
      p.spec.direction == reference::Direction::kAdjoint ? -1 : 1;
  std::vector<Spot> spots;
  for (const judge::OutputTensor& tensor : layout.tensors()) {
    const bool is_key = tensor.name == judge::Tensor::kK;
    const auto number = [&](const cases::Bits& bits, std::int64_t i) {
      return judge::fast_decode(layout.format(), at(bits, i));
    };
    for (std::int64_t row = 0; row * d < tensor.size(); ++row) {
      const std::int64_t token = row / tensor.heads;
      std::vector<double> position;
      for (std::int64_t j = 0; j < p.pairs(); ++j) {
        const reference::Pair from = at(layout.channels().from, j),
                              to = at(layout.channels().to, j);
        const std::int64_t u = row * d + to.u, v = row * d + to.v;
        const judge::Mark &mark_u = at(marks, tensor.first + u),
                          &mark_v = at(marks, tensor.first + v);
        if (!mark_u.is_wrong && !mark_v.is_wrong) continue;
        if (position.empty()) {
          position =
              reference::position_of(p.positions, p.spec.axes.count, token);
        }
        Spot spot;
        spot.is_key = is_key;
        spot.from = {row * d + from.u, row * d + from.v};
        spot.to = {u, v};
        spot.token = token, spot.pair = j;
        spot.position = reference::coordinate<double>(p.spec, position, j);
        spot.x = {number(*tensor.x, row * d + from.u),
                  number(*tensor.x, row * d + from.v)};
        spot.y = {number(tensor.got, u), number(tensor.got, v)};
        spot.want = {cases::value_of(at(tensor.golden, u)),
                     cases::value_of(at(tensor.golden, v))};
        const std::int64_t entry = token * p.pairs() + j;
        spot.turn = {cases::value_of(at(golden.cos, entry)),
                     sense * cases::value_of(at(golden.sin, entry))};
        spot.bound = std::max(mark_u.bound, mark_v.bound);
        spot.is_finite =
            std::isfinite(spot.y.real()) && std::isfinite(spot.y.imag());
        const bool is_in_place = p.storage.is_in_place(is_key);
        const auto is_left = [&](std::int64_t i) {
          return is_in_place ? at(tensor.got, i) == at(*tensor.x, i)
                             : cases::is_output_fill(layout.format(),
                                                     at(tensor.got, i));
        };
        spot.is_left = (!mark_u.is_wrong || is_left(u)) &&
                       (!mark_v.is_wrong || is_left(v));
        spot.is_zero = (!mark_u.is_wrong || spot.y.real() == 0) &&
                       (!mark_v.is_wrong || spot.y.imag() == 0);
        spots.push_back(spot);
      }
    }
  }
  std::ranges::stable_sort(
      spots, {}, [](const Spot& s) { return std::pair(s.token, s.pair); });
  if (spots.size() <= most) return spots;
  // Rows of a pair stay together.
  std::vector<Spot> some;
  const std::size_t step = spots.size() / most + 1;
  std::size_t group = 0;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    if (i > 0 && (spots[i].token != spots[i - 1].token ||
                  spots[i].pair != spots[i - 1].pair)) {
      ++group;
    }
    if (group % step == 0) some.push_back(spots[i]);
  }
  return some;
}

}  // namespace ropeproof::conformance::explain
