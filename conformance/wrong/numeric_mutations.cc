// Changes of numbers that no source reports as such: a step of a kernel in
// fewer bits than it should have, frequencies of other pairs.
#include <cmath>
#include <string>
#include <utility>

#include "conformance/wrong/mutation_lists.h"

namespace ropeproof::conformance::wrong {
namespace {

// Fewer are seen at once, more are within the bounds of f32.
constexpr int kFewestBits = 4, kMostBits = 22;

Mutations of_bits(int bits) {
  const auto cut = [bits](double x) { return rounded_to_bits(x, bits); };
  const std::string to = " rounded to " + std::to_string(bits) + " bits";
  constexpr const char* kAdvice = "look for a narrower type on the way";
  const auto named = [&](const char* what, cases::Bug bug, int equation,
                         Change change) {
    return Slip{bug, equation, kAdvice, true}(what + to, "", std::move(change));
  };
  constexpr cases::Bug kTable = "frequency/rounded-to-half";
  return {
      named("positions", "position/rounded-to-half", 2,
            changes_position([=](double position, const PairIndex&) -> double {
              return cut(position);
            })),
      named("frequencies", kTable, 1,
            changes_frequency([=](double theta, const AbiProblem&,
                                  std::int64_t) { return cut(theta); })),
      named("angle", "angle/rounded-to-half", 2,
            set(&Pipeline::angle,
                [=](double position, double theta) {
                  return cut(position * theta);
                })),
      named("cos and sin", kTable, 4, for_all([=](CosSin& r) {
              r = {cut(r.c), cut(r.s)};
            })),
      named("cos", kTable, 4, for_all([=](CosSin& r) { r.c = cut(r.c); })),
      named("sin", kTable, 4, for_all([=](CosSin& r) { r.s = cut(r.s); })),
      named("inputs", "output/rounded-wrongly", 4, set(&Pipeline::input, cut)),
      named("results", "output/rounded-wrongly", 4,
            set(&Pipeline::result, cut))};
}

// As a table that is too short is read.
Mutation of_few_pairs(std::int64_t count) {
  const Slip slip{"frequency/wrong-exponent", 1,
                  "form a frequency for each of rotary_dim / 2 pairs"};
  const auto few = [count](Pipeline& pipeline) {
    pipeline.frequency = [count, f = pipeline.frequency](const AbiProblem& p,
                                                         std::int64_t j) {
      return f(p, j % count);
    };
  };
  return slip("frequency of pair j modulo " + std::to_string(count), "", few);
}

Mutations of_whole_numbers() {
  const Slip slip{"value/altered", 4, "look for an integer type on the way"};
  const auto nearest = [](double x) { return std::nearbyint(x); };
  const auto cut = [](double x) { return std::trunc(x); };
  return {
      slip("inputs rounded to whole numbers", "",
           set(&Pipeline::input, nearest)),
      slip("inputs cut to whole numbers", "", set(&Pipeline::input, cut)),
      slip("products rounded to whole numbers", "",
           set(&Pipeline::product, nearest)),
      slip("results rounded to whole numbers", "",
           set(&Pipeline::result, nearest)),
      slip("results cut to whole numbers", "", set(&Pipeline::result, cut))};
}

// As scores are scaled that these become.
Mutation of_scores() {
  const Slip slip{"value/altered", 4,
                  "scale the scores, or q by itself, once it is rotated"};
  const auto scaled = [](const PairIndex& at, CosSin& r) {
    const double by = 1 / std::sqrt(static_cast<double>(at.p.head_dim));
    r = {r.c * by, r.s * by};
  };
  return slip("results times 1/sqrt(head_dim)", "",
              set(&Pipeline::adjust_rotation, scaled));
}

}  // namespace

const std::vector<Mutation>& numeric_mutations() {
  static const std::vector<Mutation> all = [] {
    Mutations list = of_whole_numbers();
    list.push_back(of_scores());
    for (int bits = kMostBits; bits >= kFewestBits; --bits) {
      for (Mutation& one : of_bits(bits)) list.push_back(std::move(one));
    }
    for (std::int64_t count = 2; count <= 128; ++count) {
      const bool is_small = count <= 8;
      if (is_small || count % 8 == 0) list.push_back(of_few_pairs(count));
    }
    return list;
  }();
  return all;
}

}  // namespace ropeproof::conformance::wrong
