// mutation_lists.h -- the hypotheses by subject, and what their changes share.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::wrong {

using AbiProblem = ropeproof_problem;
using Mutations = std::vector<Mutation>;

// All mutations of these lists, in their order.
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

// A slip has the members that several mutations share, and makes a mutation of
// the others.
struct Slip {
  cases::Bug bug;
  int equation;
  const char* advice;
  bool rounds = false;

  Mutation operator()(std::string name, std::string source,
                      Change change) const {
    return {std::move(name), std::move(source), bug,   equation,
            advice,          std::move(change), rounds};
  }
};

// A rounding to a type is one slip in f32 and another one in 16 bits.
struct TypedSlip {
  Slip f32, half;
  // The mutation `what` + "bf16", of the source that has met that type.
  Mutation operator()(reference::Format format, const std::string& what,
                      const char* f32_source, const char* f16_source,
                      const char* bf16_source, Change change) const;
};
inline constexpr reference::Format kNarrowFormats[] = {
    reference::Format::kF32, reference::Format::kF16, reference::Format::kBF16};

// The exponent -n/d of pair j and its base, before any scaling: n/2 counts
// pairs among d channels. base is 0 where no formula says the frequencies.
struct PairPower {
  double base, n, d;
  double value() const;  // base^(-n/d)
};
PairPower power_of(const AbiProblem& p, std::int64_t j);

// theta_j before any scaling; as it is due where no formula says it.
double unscaled_frequency(const AbiProblem& p, std::int64_t j);

// theta in place of theta_j before any scaling, with the scaling.
double rescaled(const AbiProblem& p, std::int64_t j, double theta);

// Another base in YaRN, of its frequencies and of its ramp.
Change yarn_of_base(double base);

// Replaces the power of a frequency by power(p, j, due), and leaves the scaling
// on top.
template <class Power>
auto takes_power(Power power) {
  return set(&Pipeline::frequency, [=](const AbiProblem& p, std::int64_t j) {
    const PairPower due = power_of(p, j);
    if (due.base == 0 || due.d == 0) return due_frequency(p, j);
    return rescaled(p, j, power(p, j, due));
  });
}

// Changes frequencies: change(theta, p, j).
template <class Change>
auto changes_frequency(Change change) {
  return [=](Pipeline& pipeline) {
    pipeline.frequency = [=, f = pipeline.frequency](const AbiProblem& p,
                                                     std::int64_t j) {
      return change(f(p, j), p, j);
    };
  };
}

// Changes frequencies where the scaling is of a kind: change(theta, scaling, p,
// j).
template <class Change>
auto changes_scaling(std::uint32_t kind, Change change) {
  return changes_frequency(
      [=](double theta, const AbiProblem& p, std::int64_t j) {
        const bool is_of_kind = p.scaling != nullptr && p.scaling->kind == kind;
        return is_of_kind ? change(theta, *p.scaling, p, j) : theta;
      });
}

// Changes positions: change(f, at), where f(at) is the position so far.
template <class Change>
auto changes_positions(Change change) {
  return [=](Pipeline& pipeline) {
    pipeline.position = [=, f = pipeline.position](const PairIndex& at) {
      return change(f, at);
    };
  };
}

// Changes a position: change(position, at).
template <class Change>
auto changes_position(Change change) {
  return changes_positions([=](const auto& f, const PairIndex& at) -> double {
    return change(f(at), at);
  });
}

// Makes both changes, one after the other.
template <class First, class Second>
auto both(First first, Second second) {
  return [=](Pipeline& pipeline) {
    first(pipeline);
    second(pipeline);
  };
}

// Changes the rotation of every pair: change(rotation).
template <class Change>
auto for_all(Change change) {
  return set(&Pipeline::adjust_rotation,
             [=](const PairIndex&, CosSin& r) { change(r); });
}

}  // namespace ropeproof::conformance::wrong
