#include "conformance/explain/spots.h"

#include <algorithm>
#include <cmath>

#include "conformance/judge/codec.h"
#include "conformance/judge/output_layout.h"
#include "reference/rope.h"

namespace ropeproof::conformance::explain {

using reference::at;

namespace {

// Pair `j` of a row, as it was asked and as it came out.
Spot spot_of(const Answer& answer, const judge::OutputLayout& layout,
             const judge::OutputTensor& tensor, std::int64_t row,
             std::int64_t j) {
  const cases::Problem& p = answer.asked->problem;
  const cases::Golden& golden = answer.asked->golden;
  const std::int64_t first = row * p.spec.layout.head_dim;
  const reference::Pair from = at(layout.channels().from, j),
                        to = at(layout.channels().to, j);
  Spot spot;
  spot.is_key = tensor.name == judge::Tensor::kK;
  spot.from = {first + from.u, first + from.v};
  spot.to = {first + to.u, first + to.v};
  spot.token = row / tensor.heads, spot.pair = j;
  const auto pair = [](const auto& numbers, const reference::Pair& of,
                       const auto& value) {
    return Complex(value(at(numbers, of.u)), value(at(numbers, of.v)));
  };
  const auto decode = [&](std::uint64_t bits) {
    return judge::fast_decode(layout.format(), bits);
  };
  spot.x = pair(*tensor.x, spot.from, decode);
  spot.y = pair(tensor.got, spot.to, decode);
  spot.want = pair(tensor.golden, spot.to,
                   [](const auto& bits) { return cases::value_of(bits); });
  const std::int64_t entry = spot.token * p.pairs() + j;
  const double sense =
      p.spec.direction == reference::Direction::kAdjoint ? -1 : 1;
  spot.turn = {cases::value_of(at(golden.cos, entry)),
               sense * cases::value_of(at(golden.sin, entry))};
  spot.is_finite = std::isfinite(spot.y.real()) && std::isfinite(spot.y.imag());
  const bool is_in_place = p.storage.is_in_place(spot.is_key);
  const auto is_left = [&](std::int64_t i) {
    return is_in_place
               ? at(tensor.got, i) == at(*tensor.x, i)
               : cases::is_output_fill(layout.format(), at(tensor.got, i));
  };
  const judge::Mark &mark_u =
                        at(answer.judged->marks, tensor.first + spot.to.u),
                    &mark_v =
                        at(answer.judged->marks, tensor.first + spot.to.v);
  spot.bound = std::max(mark_u.bound, mark_v.bound);
  spot.is_left = (!mark_u.is_wrong || is_left(spot.to.u)) &&
                 (!mark_v.is_wrong || is_left(spot.to.v));
  spot.is_zero = (!mark_u.is_wrong || spot.y.real() == 0) &&
                 (!mark_v.is_wrong || spot.y.imag() == 0);
  return spot;
}

// At most so many of the spots; those of a token's pair stay together.
std::vector<Spot> some_spots(const std::vector<Spot>& spots, std::size_t most) {
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

}  // namespace

std::vector<Spot> wrong_spots(const Answer& answer, std::size_t most) {
  const cases::Problem& p = answer.asked->problem;
  const judge::OutputLayout layout = answer.layout();
  const std::vector<judge::Mark>& marks = answer.judged->marks;
  const std::int64_t d = p.spec.layout.head_dim;
  std::vector<Spot> spots;
  for (const judge::OutputTensor& tensor : layout.tensors()) {
    for (std::int64_t row = 0; row * d < tensor.size(); ++row) {
      std::vector<double> position;
      for (std::int64_t j = 0; j < p.pairs(); ++j) {
        const reference::Pair to = at(layout.channels().to, j);
        const std::int64_t first = tensor.first + row * d;
        if (!at(marks, first + to.u).is_wrong &&
            !at(marks, first + to.v).is_wrong) {
          continue;
        }
        if (position.empty()) {
          position = reference::position_of(p.positions, p.spec.axes.count,
                                            row / tensor.heads);
        }
        spots.push_back(spot_of(answer, layout, tensor, row, j));
        spots.back().position =
            reference::coordinate<double>(p.spec, position, j);
      }
    }
  }
  std::ranges::stable_sort(
      spots, {}, [](const Spot& s) { return std::pair(s.token, s.pair); });
  return spots.size() <= most ? spots : some_spots(spots, most);
}

}  // namespace ropeproof::conformance::explain
