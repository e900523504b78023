// mutation_lists.h -- the hypotheses by subject, and what their changes share.
#ifndef ROPEPROOF_CONFORMANCE_WRONG_MUTATION_LISTS_H_
#define ROPEPROOF_CONFORMANCE_WRONG_MUTATION_LISTS_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::wrong {

using AbiProblem = ropeproof_problem;
using Mutations = std::vector<Mutation>;

// All of them, in their order.
Mutations joined(std::initializer_list<Mutations> lists);

Mutations layout_mutations();     // pairs, rotation
Mutations window_mutations();     // a partial head
Mutations frequency_mutations();  // of a base
Mutations scaling_mutations();    // all of them; the next two by kind
Mutations yarn_mutations();
Mutations length_mutations();  // NTK, dynamic NTK, LongRoPE
Mutations amplitude_mutations();
Mutations position_mutations();  // what a position is taken for
Mutations token_mutations();     // whose position, id or table row is taken
Mutations axis_mutations();
Mutations rounding_mutations();  // angles, tables, results
Mutations memory_mutations();    // strides, tensors, heads
Mutations weight_mutations();    // of the operation permute

// Sources of mutations that differ in a format alone.
struct Sources {
  const char *f32, *f16, *bf16;
  const char* of(reference::Format format) const {
    return format == reference::Format::kF32   ? f32
           : format == reference::Format::kF16 ? f16
                                               : bf16;
  }
};

// theta_j as it is due, with its scaling.
double due_frequency(const AbiProblem& p, std::int64_t j);

// The exponent -n/d of pair j and its base, before any scaling: n/2 counts
// pairs among d channels. base is 0 where no formula says the frequencies.
struct PairPower {
  double base, n, d;
};
PairPower power_of(const AbiProblem& p, std::int64_t j);

// theta_j before any scaling; as it is due where no formula says it.
double unscaled_frequency(const AbiProblem& p, std::int64_t j);

// theta_j times change(p, j) over the frequency before any scaling: what
// replaces the power, with the scaling on top.
template <class Power>
auto takes_power(Power power) {
  return set(&Pipeline::frequency, [=](const AbiProblem& p, std::int64_t j) {
    const PairPower due = power_of(p, j);
    if (due.base == 0 || due.d == 0) return due_frequency(p, j);
    return power(p, j, due) * (due_frequency(p, j) / unscaled_frequency(p, j));
  });
}

// change(theta, p, j)
template <class Change>
auto changes_frequency(Change change) {
  return [=](Pipeline& pipeline) {
    pipeline.frequency = [=, f = pipeline.frequency](const AbiProblem& p,
                                                     std::int64_t j) {
      return change(f(p, j), p, j);
    };
  };
}

// change(theta, scaling, p, j), where the scaling is of this kind.
template <class Change>
auto changes_scaling(std::uint32_t kind, Change change) {
  return changes_frequency(
      [=](double theta, const AbiProblem& p, std::int64_t j) {
        const bool is_of_kind = p.scaling != nullptr && p.scaling->kind == kind;
        return is_of_kind ? change(theta, *p.scaling, p, j) : theta;
      });
}

// change(f, p, index, j): f(p, index, j) is the position.
template <class Change>
auto changes_positions(Change change) {
  return [=](Pipeline& pipeline) {
    pipeline.position = [=, f = pipeline.position](
                            const AbiProblem& p, const HeadIndex& index,
                            std::int64_t j) { return change(f, p, index, j); };
  };
}

// change(position, p, index, j)
template <class Change>
auto changes_position(Change change) {
  return changes_positions(
      [=](const auto& f, const AbiProblem& p, const HeadIndex& index,
          std::int64_t j) { return change(f(p, index, j), p, index, j); });
}

// Both, one after the other.
template <class First, class Second>
auto both(First first, Second second) {
  return [=](Pipeline& pipeline) {
    first(pipeline);
    second(pipeline);
  };
}

template <class Is>
auto for_all(Is change) {
  return set(&Pipeline::adjust_rotation, [=](double& c, double& s, std::int64_t,
                                             std::int64_t) { change(c, s); });
}

}  // namespace ropeproof::conformance::wrong

#endif  // ROPEPROOF_CONFORMANCE_WRONG_MUTATION_LISTS_H_
