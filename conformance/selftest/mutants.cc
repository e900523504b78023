#include "conformance/selftest/mutants.h"

#include <algorithm>
#include <cmath>

#include "conformance/selftest/mutations.h"
#include "reference/rope.h"

namespace ropeproof::conformance::selftest {
namespace {

using reference::Format;
using reference::Layout;
using reference::Pair;
using reference::Pairing;
using reference::Spec;

auto frequencies_in(Format format) {
  return [format](Knobs& k) {
    k.frequency = [format, f = k.frequency](const auto& p, auto j) {
      return rounded(format, f(p, j));
    };
  };
}

auto positions_in(Format format) {
  return set(&Knobs::angle, [format](double p, double theta) {
    return rounded(format, p) * theta;
  });
}

// A vector of pairs takes another path than a single one.
bool has_several_pairs(const ropeproof_problem& p) { return p.rotary_dim > 2; }

}  // namespace

std::vector<Mutant> smoke_mutants() {
  return {
      {"pairs of the other layout", "layout/pairs-swapped",
       set(&Knobs::pair,
           [](const Spec& spec, auto j) {
             Layout layout = spec.layout;
             layout.pairing = layout.pairing == Pairing::kInterleaved
                                  ? Pairing::kHalfSplit
                                  : Pairing::kInterleaved;
             return reference::pair_of(layout, j);
           })},
      {"direction reversed", "rotation/direction-reversed",
       set(&Knobs::adjust_rotation,
           [](auto&, auto& s, auto, auto) { s = -s; })},
      {"sine lost", "rotation/sine-lost",
       set(&Knobs::adjust_rotation, [](auto&, auto& s, auto, auto) { s = 0; })},
      {"cosine and sine exchanged", "rotation/sine-lost",
       set(&Knobs::adjust_rotation,
           [](auto& c, auto& s, auto, auto) { std::swap(c, s); })},
      {"last pair not rotated", "shape/simd-tail",
       set(&Knobs::adjust_rotation,
           [](auto& c, auto& s, auto j, auto pairs) {
             if (j == pairs - 1) c = 1, s = 0;
           })},
      {"table in bf16", "frequency/rounded-to-half",
       set(&Knobs::adjust_rotation,
           [](auto& c, auto& s, auto, auto) {
             c = rounded(Format::kBF16, c);
             s = rounded(Format::kBF16, s);
           })},
      {"amplitude ignored", "scaling/amplitude-misapplied",
       set(&Knobs::amplitude, [](double) { return 1.0; })},
      {"amplitude squared", "scaling/amplitude-misapplied",
       set(&Knobs::amplitude, [](double m) { return m * m; })},
      {"amplitude on channels outside the window", "window/outside-not-copied",
       set(&Knobs::outside, [](double x, double m) { return x * m; })},
      {"channels outside the window zeroed", "window/outside-not-copied",
       set(&Knobs::outside, [](double, double) { return 0.0; })},
      {"window at the front, whatever the offset", "window/wrong-end",
       set(&Knobs::pair,
           [](const Spec& spec, auto j) {
             Layout layout = spec.layout;
             layout.rotary_offset = 0;
             return reference::pair_of(layout, j);
           })},
      {"pair offset head_dim/2", "window/head-dim-for-rotary-dim",
       set(&Knobs::pair,
           [](const Spec& spec, auto j) {
             const Layout& layout = spec.layout;
             return layout.pairing == Pairing::kHalfSplit
                        ? Pair{j, j + layout.head_dim / 2}
                        : reference::pair_of(layout, j);
           })},
      {"exponent over head_dim", "window/head-dim-for-rotary-dim",
       set(&Knobs::frequency,
           [](const auto& p, auto j) { return power(p.base, j, p.head_dim); })},
      {"exponent off by one", "frequency/wrong-exponent",
       set(&Knobs::frequency,
           [](const auto& p, auto j) {
             return power(p.base, j + 1, p.rotary_dim);
           })},
      {"base always 10000", "frequency/wrong-base",
       set(&Knobs::frequency,
           [](const auto& p, auto j) { return power(1e4, j, p.rotary_dim); })},
      {"frequencies in bf16", "frequency/rounded-to-half",
       frequencies_in(Format::kBF16)},
      {"frequencies in f16", "frequency/rounded-to-half",
       frequencies_in(Format::kF16)},
      {"positions in bf16", "position/rounded-to-half",
       positions_in(Format::kBF16)},
      {"positions in f16", "position/rounded-to-half",
       positions_in(Format::kF16)},
      {"angle in f32, class A0 claimed", "angle/rounded-to-f32",
       set(&Knobs::angle,
           [](auto p, auto theta) {
             return rounded(Format::kF32, p * theta);
           })},
      {"positions clamped at 4095", "table/too-short",
       set(&Knobs::angle,
           [](auto p, auto theta) { return std::min(p, 4095.0) * theta; })},
      {"position off by one", "position/offset-lost",
       set(&Knobs::angle, [](auto p, auto theta) { return (p + 1) * theta; })},
      {"positions of batch row 0 for all", "position/shared-across-batch",
       set(&Knobs::position,
           [](const auto& p, const auto& i, auto) {
             return static_cast<double>(p.positions[i.token]);
           })},
      {"positions 0, 1, 2, ... whatever is given",
       "position/shared-across-batch",
       set(&Knobs::position,
           [](const auto&, const auto& i, auto) {
             return static_cast<double>(i.token);
           })},
      {"head taken as position", "shape/axes-confused",
       set(&Knobs::position, [](const auto&, const auto& i,
                                auto) { return static_cast<double>(i.head); })},
      {"y_v formed from y_u", "memory/aliasing",
       set(&Knobs::overwrites_input, true)},
      {"adjoint ignored", "rotation/backward-wrong",
       set(&Knobs::ignores_direction, true)},
      {"strides ignored", "memory/strides-ignored",
       set(&Knobs::ignores_strides, true)},
      {"position batch stride ignored", "memory/strides-ignored",
       set(&Knobs::misread, [](auto& p) { p.position_batch_stride = p.seq; })},
      {"table batch stride ignored", "memory/strides-ignored",
       set(&Knobs::misread,
           [](auto& p) { p.table_batch_stride = p.seq * p.rotary_dim / 2; })},
      {"only batch row 0", "position/shared-across-batch",
       set(&Knobs::only_first_batch_row, true)},
      {"last head skipped", "shape/heads-miscounted",
       set(&Knobs::heads_skipped, 1)},
      {"one byte past the end", "shape/simd-tail",
       set(&Knobs::bytes_past_the_end, 1)},
      {"input changed", "memory/aliasing", set(&Knobs::changes_input, true)},
      // Exponent 4j/r; even and odd channels rotated, one behind the other.
      {"rotary_embedding of a tutorial", "layout/pairs-swapped", [](Knobs& k) {
         k.frequency = [](const auto& p, auto j) {
           return power(p.base, 2 * j, p.rotary_dim);
         };
         k.misread = [](auto& p) { p.pairing = ROPEPROOF_INTERLEAVED_TO_HALF; };
       }}};
}

std::vector<Mutant> core_mutants() {
  const auto is_adjoint = [](const auto& p) { return p.direction < 0; };
  return {
      {"amplitude on the cosine only", "scaling/amplitude-misapplied",
       set(&Knobs::adjust_in_problem, [](const auto& p, const auto&, auto&,
                                         auto& s) { s /= p.amplitude; })},
      {"adjoint divides by the amplitude", "rotation/backward-wrong",
       set(&Knobs::adjust_in_problem,
           [=](const auto& p, const auto&, auto& c, auto& s) {
             if (is_adjoint(p)) c /= p.amplitude * p.amplitude;
             if (is_adjoint(p)) s /= p.amplitude * p.amplitude;
           })},
      {"adjoint ignored for k", "rotation/backward-wrong",
       set(&Knobs::adjust_in_problem,
           [=](const auto& p, const auto& index, auto&, auto& s) {
             if (is_adjoint(p) && index.is_key) s = -s;
           })},
      {"adjoint ignored for bf16", "rotation/backward-wrong",
       set(&Knobs::adjust_in_problem,
           [=](const auto& p, const auto&, auto&, auto& s) {
             if (is_adjoint(p) && p.dtype == ROPEPROOF_BF16) s = -s;
           })},
      {"sign of the position lost", "position/shift-lost",
       set(&Knobs::angle,
           [](auto p, auto theta) { return std::abs(p) * theta; })},
      {"given frequencies ignored", "frequency/wrong-base",
       set(&Knobs::frequency,
           [](const auto& p, auto j) {
             return power(p.base != 0 ? p.base : 1e4, j, p.rotary_dim);
           })},
      {"axis 0 for every pair", "axes/mrope-sections",
       [](Knobs& k) {
         k.position = [f = k.position](auto p, const auto& i, auto j) {
           p.axis_of_pair = nullptr;
           return f(p, i, j);
         };
       }},
      {"position axis stride ignored", "memory/strides-ignored",
       set(&Knobs::misread,
           [](auto& p) { p.position_axis_stride = p.batch * p.seq; })},
      {"heads of several pairs not rotated from the 16th on",
       "shape/heads-miscounted",
       skips([](const auto&, const auto& i) { return i.head >= 16; }),
       has_several_pairs},
      {"pairs from the 128th on not rotated", "shape/simd-tail",
       set(&Knobs::adjust_rotation,
           [](auto& c, auto& s, auto j, auto) {
             if (j >= 128) c = 1, s = 0;
           })},
      {"tokens of several pairs not rotated from the 256th on",
       "shape/32-bit-overflow",
       skips([](const auto&, const auto& i) { return i.token >= 256; }),
       has_several_pairs},
      {"table token stride ignored", "memory/strides-ignored",
       set(&Knobs::misread,
           [](auto& p) { p.table_token_stride = p.rotary_dim / 2; })},
      {"output written with the input's strides", "memory/strides-ignored",
       set(&Knobs::writes_with_input_strides, true)},
      {"channels outside the window copied from the dense place",
       "window/outside-not-copied", set(&Knobs::reads_outside_densely, true)},
      {"channels outside the window zeroed in place",
       "window/outside-overwritten",
       set(&Knobs::zeroes_outside_in_place, true)},
      {"a pair too many rotated, behind the last channel",
       "window/outside-overwritten",
       set(&Knobs::rotates_a_pair_too_many, true)}};
}

std::vector<Mutant> mutants() {
  std::vector<Mutant> all;
  const auto add = [&](std::vector<Mutant> list, Stage due) {
    for (Mutant& mutant : list) {
      mutant.due = due;
      all.push_back(std::move(mutant));
    }
  };
  add(smoke_mutants(), Stage::kSmoke);
  add(core_mutants(), Stage::kCore);
  add(narrow_mutants(), Stage::kFormed);
  add({{"no bug", "", [](Knobs&) {}}}, Stage::kNone);
  return all;
}

plugin::Description mutant_description() {
  plugin::Description d = full_description(ROPEPROOF_A0);
  d.operations &= ~std::uint32_t{ROPEPROOF_FREQUENCIES};
  d.dtypes |= ROPEPROOF_F64;
  d.max_position = std::int64_t{1} << 30;  // binary64 angles are A0
  return d;
}

namespace {

Knobs mutated(const Mutant& mutant) {
  Knobs knobs = exact_knobs();
  mutant.mutate(knobs);
  return knobs;
}

}  // namespace

MutantKernel::MutantKernel(const Mutant& mutant)
    : TestKernel(mutant_description(), mutated(mutant)), where_(mutant.where) {}

plugin::Answer MutantKernel::run(const ropeproof_problem& problem) {
  return !where_ || where_(problem)
             ? TestKernel::run(problem)
             : TestKernel(mutant_description(), exact_knobs()).run(problem);
}

}  // namespace ropeproof::conformance::selftest
