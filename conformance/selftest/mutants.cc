#include "conformance/selftest/mutants.h"

#include <algorithm>
#include <cmath>

#include "reference/rope.h"

namespace ropeproof::conformance::selftest {
namespace {

using reference::Format;
using reference::Layout;
using reference::Pair;
using reference::Pairing;
using reference::Spec;

template <class Knob, class Value>
auto set(Knob Knobs::*knob, Value value) {
  return [=](Knobs& knobs) { knobs.*knob = value; };
}

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

// The pairs for which `is_left` answers yes are not rotated. A vector of pairs
// takes another path than a single one, so a head needs several.
template <class IsLeft>
auto leaves(IsLeft is_left) {
  return set(&Knobs::adjust_in_problem,
             [=](const auto& p, const auto& index, auto& c, auto& s) {
               if (p.rotary_dim > 2 && is_left(index)) c = 1, s = 0;
             });
}

}  // namespace

std::vector<Mutant> smoke_mutants() {
  return {
      {"pairs of the other layout",
       set(&Knobs::pair,
           [](const Spec& spec, auto j) {
             Layout layout = spec.layout;
             layout.pairing = layout.pairing == Pairing::kInterleaved
                                  ? Pairing::kHalfSplit
                                  : Pairing::kInterleaved;
             return reference::pair_of(layout, j);
           })},
      {"direction reversed", set(&Knobs::adjust_rotation,
                                 [](auto&, auto& s, auto, auto) { s = -s; })},
      {"sine lost",
       set(&Knobs::adjust_rotation, [](auto&, auto& s, auto, auto) { s = 0; })},
      {"cosine and sine exchanged",
       set(&Knobs::adjust_rotation,
           [](auto& c, auto& s, auto, auto) { std::swap(c, s); })},
      {"last pair not rotated", set(&Knobs::adjust_rotation,
                                    [](auto& c, auto& s, auto j, auto pairs) {
                                      if (j == pairs - 1) c = 1, s = 0;
                                    })},
      {"table in bf16", set(&Knobs::adjust_rotation,
                            [](auto& c, auto& s, auto, auto) {
                              c = rounded(Format::kBF16, c);
                              s = rounded(Format::kBF16, s);
                            })},
      {"amplitude ignored", set(&Knobs::amplitude, [](double) { return 1.0; })},
      {"amplitude squared",
       set(&Knobs::amplitude, [](double m) { return m * m; })},
      {"amplitude on channels outside the window",
       set(&Knobs::outside, [](double x, double m) { return x * m; })},
      {"channels outside the window zeroed",
       set(&Knobs::outside, [](double, double) { return 0.0; })},
      {"window at the front, whatever the offset",
       set(&Knobs::pair,
           [](const Spec& spec, auto j) {
             Layout layout = spec.layout;
             layout.rotary_offset = 0;
             return reference::pair_of(layout, j);
           })},
      {"pair offset head_dim/2",
       set(&Knobs::pair,
           [](const Spec& spec, auto j) {
             const Layout& layout = spec.layout;
             return layout.pairing == Pairing::kHalfSplit
                        ? Pair{j, j + layout.head_dim / 2}
                        : reference::pair_of(layout, j);
           })},
      {"exponent over head_dim",
       set(&Knobs::frequency,
           [](const auto& p, auto j) { return power(p.base, j, p.head_dim); })},
      {"exponent off by one", set(&Knobs::frequency,
                                  [](const auto& p, auto j) {
                                    return power(p.base, j + 1, p.rotary_dim);
                                  })},
      {"base always 10000",
       set(&Knobs::frequency,
           [](const auto& p, auto j) { return power(1e4, j, p.rotary_dim); })},
      {"frequencies in bf16", frequencies_in(Format::kBF16)},
      {"frequencies in f16", frequencies_in(Format::kF16)},
      {"positions in bf16", positions_in(Format::kBF16)},
      {"positions in f16", positions_in(Format::kF16)},
      {"angle in f32, class A0 claimed", set(&Knobs::angle,
                                             [](auto p, auto theta) {
                                               return rounded(Format::kF32,
                                                              p * theta);
                                             })},
      {"positions clamped at 4095",
       set(&Knobs::angle,
           [](auto p, auto theta) { return std::min(p, 4095.0) * theta; })},
      {"position off by one",
       set(&Knobs::angle, [](auto p, auto theta) { return (p + 1) * theta; })},
      {"positions of batch row 0 for all",
       set(&Knobs::position,
           [](const auto& p, const auto& i, auto) {
             return static_cast<double>(p.positions[i.token]);
           })},
      {"positions 0, 1, 2, ... whatever is given",
       set(&Knobs::position,
           [](const auto&, const auto& i, auto) {
             return static_cast<double>(i.token);
           })},
      {"head taken as position",
       set(&Knobs::position, [](const auto&, const auto& i,
                                auto) { return static_cast<double>(i.head); })},
      {"y_v formed from y_u", set(&Knobs::overwrites_input, true)},
      {"adjoint ignored", set(&Knobs::ignores_direction, true)},
      {"strides ignored", set(&Knobs::ignores_strides, true)},
      {"position batch stride ignored",
       set(&Knobs::misread, [](auto& p) { p.position_batch_stride = p.seq; })},
      {"table batch stride ignored",
       set(&Knobs::misread,
           [](auto& p) { p.table_batch_stride = p.seq * p.rotary_dim / 2; })},
      {"only batch row 0", set(&Knobs::only_first_batch_row, true)},
      {"last head skipped", set(&Knobs::heads_skipped, 1)},
      {"one byte past the end", set(&Knobs::bytes_past_the_end, 1)},
      {"input changed", set(&Knobs::changes_input, true)}};
}

std::vector<Mutant> core_mutants() {
  const auto is_adjoint = [](const auto& p) { return p.direction < 0; };
  return {{"amplitude on the cosine only",
           set(&Knobs::adjust_in_problem, [](const auto& p, const auto&, auto&,
                                             auto& s) { s /= p.amplitude; })},
          {"adjoint divides by the amplitude",
           set(&Knobs::adjust_in_problem,
               [=](const auto& p, const auto&, auto& c, auto& s) {
                 if (is_adjoint(p)) c /= p.amplitude * p.amplitude;
                 if (is_adjoint(p)) s /= p.amplitude * p.amplitude;
               })},
          {"adjoint ignored for k",
           set(&Knobs::adjust_in_problem,
               [=](const auto& p, const auto& index, auto&, auto& s) {
                 if (is_adjoint(p) && index.is_key) s = -s;
               })},
          {"adjoint ignored for bf16",
           set(&Knobs::adjust_in_problem,
               [=](const auto& p, const auto&, auto&, auto& s) {
                 if (is_adjoint(p) && p.dtype == ROPEPROOF_BF16) s = -s;
               })},
          {"sign of the position lost",
           set(&Knobs::angle,
               [](auto p, auto theta) { return std::abs(p) * theta; })},
          {"given frequencies ignored",
           set(&Knobs::frequency,
               [](const auto& p, auto j) {
                 return power(p.base != 0 ? p.base : 1e4, j, p.rotary_dim);
               })},
          {"axis 0 for every pair",
           [](Knobs& k) {
             k.position = [f = k.position](auto p, const auto& i, auto j) {
               p.axis_of_pair = nullptr;
               return f(p, i, j);
             };
           }},
          {"position axis stride ignored",
           set(&Knobs::misread,
               [](auto& p) { p.position_axis_stride = p.batch * p.seq; })},
          {"heads of several pairs not rotated from the 16th on",
           leaves([](const auto& index) { return index.head >= 16; })},
          {"pairs from the 128th on not rotated",
           set(&Knobs::adjust_rotation,
               [](auto& c, auto& s, auto j, auto) {
                 if (j >= 128) c = 1, s = 0;
               })},
          {"tokens of several pairs not rotated from the 256th on",
           leaves([](const auto& index) { return index.token >= 256; })},
          {"table token stride ignored",
           set(&Knobs::misread,
               [](auto& p) { p.table_token_stride = p.rotary_dim / 2; })},
          {"output written with the input's strides",
           set(&Knobs::writes_with_input_strides, true)},
          {"channels outside the window copied from the dense place",
           set(&Knobs::reads_outside_densely, true)},
          {"channels outside the window zeroed in place",
           set(&Knobs::zeroes_outside_in_place, true)},
          {"a pair too many rotated, behind the last channel",
           set(&Knobs::rotates_a_pair_too_many, true)}};
}

}  // namespace ropeproof::conformance::selftest
