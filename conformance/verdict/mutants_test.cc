// The suite tested: honest kernels pass and use their bound; kernels with one
// bug each fail, on the whole corpus and already on the smoke tier.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstdio>

#include "conformance/corpus/corpus.h"
#include "conformance/verdict/runner.h"
#include "conformance/verdict/test_kernel.h"

namespace ropeproof::conformance {
namespace {

using reference::Format;
using reference::Layout;
using reference::Pair;
using reference::Pairing;
using reference::Spec;

const Corpus& corpus() {
  static const Corpus kCorpus = load_corpus(ROPEPROOF_VECTORS_DIR);
  return kCorpus;
}

Report judge_kernel(const Description& description, const Knobs& knobs,
                    const std::string& tier = "smoke") {
  TestKernel kernel(description, knobs);
  Selection selection;
  selection.tier = tier;
  return run_suite(kernel, corpus(), selection);
}

double rounded(Format format, double value) {
  return decode(format, encode(format, value));
}

struct Control {
  const char* name;
  Description description;
  Knobs knobs;
};

Control control(const char* name, std::uint32_t angle_class, Knobs knobs) {
  return {name, full_description(angle_class), std::move(knobs)};
}

std::vector<Control> controls() {
  std::vector<Control> list = {
      control("angle in binary64, claims A0", ROPEPROOF_A0, exact_knobs()),
      control("f32 pow, claims A1", ROPEPROOF_A1, f32_knobs()),
      control("f32 exp2, claims A1 by exp2", ROPEPROOF_A1, exp2_knobs()),
      control("f32 iterated, claims A2", ROPEPROOF_A2, iterated_knobs())};
  list[2].description.power = ROPEPROOF_EXP2;

  Control each = control("Hugging Face's roundings", ROPEPROOF_A1, f32_knobs());
  each.description.dtypes = ROPEPROOF_BF16;
  each.description.table_dtype = 0;
  each.description.rounding = ROPEPROOF_ROUND_EACH;
  each.description.operations = ROPEPROOF_ROPE;
  each.knobs.round_each = true;
  each.knobs.table = Format::kBF16;
  list.push_back(each);

  Control half = control("bf16 angles, claims A3", ROPEPROOF_A3, f32_knobs());
  half.description.angle_dtype = ROPEPROOF_BF16;
  half.description.operations = ROPEPROOF_ROPE;
  half.knobs.angle = [](double position, double theta) {
    return rounded(Format::kBF16, rounded(Format::kBF16, position) *
                                      rounded(Format::kBF16, theta));
  };
  list.push_back(half);
  return list;
}

struct Mutant {
  const char* name;
  std::function<void(Knobs&)> mutate;
};

std::vector<Mutant> mutants() {
  return {
      {"pairs of the other layout",
       [](Knobs& k) {
         k.pair = [](const Spec& spec, std::int64_t j) {
           Layout layout = spec.layout;
           layout.pairing = layout.pairing == Pairing::kInterleaved
                                ? Pairing::kHalfSplit
                                : Pairing::kInterleaved;
           return reference::pair_of(layout, j);
         };
       }},
      {"direction reversed",
       [](Knobs& k) {
         k.adjust_turn = [](double&, double& s, auto, auto) { s = -s; };
       }},
      {"sine lost",
       [](Knobs& k) {
         k.adjust_turn = [](double&, double& s, auto, auto) { s = 0; };
       }},
      {"cosine and sine exchanged",
       [](Knobs& k) {
         k.adjust_turn = [](double& c, double& s, auto, auto) {
           std::swap(c, s);
         };
       }},
      {"last pair not rotated",
       [](Knobs& k) {
         k.adjust_turn = [](double& c, double& s, auto j, auto pairs) {
           if (j == pairs - 1) c = 1, s = 0;
         };
       }},
      {"table in bf16",
       [](Knobs& k) {
         k.adjust_turn = [](double& c, double& s, auto, auto) {
           c = rounded(Format::kBF16, c);
           s = rounded(Format::kBF16, s);
         };
       }},
      {"amplitude ignored",
       [](Knobs& k) { k.amplitude = [](double) { return 1.0; }; }},
      {"amplitude squared",
       [](Knobs& k) { k.amplitude = [](double m) { return m * m; }; }},
      {"amplitude on channels outside the window",
       [](Knobs& k) { k.outside = [](double x, double m) { return x * m; }; }},
      {"channels outside the window zeroed",
       [](Knobs& k) { k.outside = [](double, double) { return 0.0; }; }},
      {"window at the front, whatever the offset",
       [](Knobs& k) {
         k.pair = [](const Spec& spec, std::int64_t j) {
           Layout layout = spec.layout;
           layout.rotary_offset = 0;
           return reference::pair_of(layout, j);
         };
       }},
      {"pair offset head_dim/2",
       [](Knobs& k) {
         k.pair = [](const Spec& spec, std::int64_t j) {
           const Layout& layout = spec.layout;
           return layout.pairing == Pairing::kHalfSplit
                      ? Pair{j, j + layout.head_dim / 2}
                      : reference::pair_of(layout, j);
         };
       }},
      {"exponent over head_dim",
       [](Knobs& k) {
         k.frequency = [](const ropeproof_problem& p, std::int64_t j) {
           return std::pow(p.base, -2.0 * static_cast<double>(j) /
                                       static_cast<double>(p.head_dim));
         };
       }},
      {"exponent off by one",
       [](Knobs& k) {
         k.frequency = [](const ropeproof_problem& p, std::int64_t j) {
           return std::pow(p.base, -2.0 * static_cast<double>(j + 1) /
                                       static_cast<double>(p.rotary_dim));
         };
       }},
      {"base always 10000",
       [](Knobs& k) {
         k.frequency = [](const ropeproof_problem& p, std::int64_t j) {
           return std::pow(1e4, -2.0 * static_cast<double>(j) /
                                    static_cast<double>(p.rotary_dim));
         };
       }},
      {"frequencies in bf16",
       [](Knobs& k) {
         k.frequency = [f = k.frequency](const auto& p, std::int64_t j) {
           return rounded(Format::kBF16, f(p, j));
         };
       }},
      {"frequencies in f16",
       [](Knobs& k) {
         k.frequency = [f = k.frequency](const auto& p, std::int64_t j) {
           return rounded(Format::kF16, f(p, j));
         };
       }},
      {"positions in bf16",
       [](Knobs& k) {
         k.angle = [](double p, double theta) {
           return rounded(Format::kBF16, p) * theta;
         };
       }},
      {"positions in f16",
       [](Knobs& k) {
         k.angle = [](double p, double theta) {
           return rounded(Format::kF16, p) * theta;
         };
       }},
      {"angle in f32, class A0 claimed",
       [](Knobs& k) {
         k.angle = [](double p, double theta) {
           return rounded(Format::kF32, p * theta);
         };
       }},
      {"positions clamped at 4095",
       [](Knobs& k) {
         k.angle = [](double p, double theta) {
           return std::min(p, 4095.0) * theta;
         };
       }},
      {"position off by one",
       [](Knobs& k) {
         k.angle = [](double p, double theta) { return (p + 1) * theta; };
       }},
      {"positions of batch row 0 for all",
       [](Knobs& k) {
         k.position = [](const auto& p, const HeadIndex& i, auto) {
           return static_cast<double>(p.positions[i.token]);
         };
       }},
      {"positions 0, 1, 2, ... whatever is given",
       [](Knobs& k) {
         k.position = [](const auto&, const HeadIndex& i, auto) {
           return static_cast<double>(i.token);
         };
       }},
      {"head taken as position",
       [](Knobs& k) {
         k.position = [](const auto&, const HeadIndex& i, auto) {
           return static_cast<double>(i.head);
         };
       }},
      {"y_v formed from y_u", [](Knobs& k) { k.overwrites_input = true; }},
      {"adjoint ignored", [](Knobs& k) { k.ignores_direction = true; }},
      {"strides ignored", [](Knobs& k) { k.ignores_strides = true; }},
      {"only batch row 0", [](Knobs& k) { k.only_first_batch_row = true; }},
      {"last head skipped", [](Knobs& k) { k.heads_skipped = 1; }},
      {"one byte past the end", [](Knobs& k) { k.bytes_past_the_end = 1; }},
      {"input changed", [](Knobs& k) { k.changes_input = true; }}};
}

// Bugs of features that the smoke tier does not combine.
std::vector<Mutant> core_mutants() {
  const auto is_adjoint = [](const ropeproof_problem& p) {
    return p.direction < 0;
  };
  return {
      {"amplitude on the cosine only",
       [](Knobs& k) {
         k.adjust_in_problem = [](const auto& p, const auto&, auto&, auto& s) {
           s /= p.amplitude;
         };
       }},
      {"adjoint divides by the amplitude",
       [=](Knobs& k) {
         k.adjust_in_problem = [=](const auto& p, const auto&, auto& c,
                                   auto& s) {
           if (is_adjoint(p)) c /= p.amplitude * p.amplitude;
           if (is_adjoint(p)) s /= p.amplitude * p.amplitude;
         };
       }},
      {"adjoint ignored for k",
       [=](Knobs& k) {
         k.adjust_in_problem = [=](const auto& p, const auto& index, auto&,
                                   auto& s) {
           if (is_adjoint(p) && index.is_key) s = -s;
         };
       }},
      {"adjoint ignored for bf16",
       [=](Knobs& k) {
         k.adjust_in_problem = [=](const auto& p, const auto&, auto&, auto& s) {
           if (is_adjoint(p) && p.dtype == ROPEPROOF_BF16) s = -s;
         };
       }},
      {"sign of the position lost",
       [](Knobs& k) {
         k.angle = [](double p, double theta) { return std::abs(p) * theta; };
       }},
      {"given frequencies ignored",
       [](Knobs& k) {
         k.frequency = [](const ropeproof_problem& p, std::int64_t j) {
           return std::pow(p.base != 0 ? p.base : 1e4,
                           -2.0 * static_cast<double>(j) /
                               static_cast<double>(p.rotary_dim));
         };
       }},
      {"axis 0 for every pair",
       [](Knobs& k) {
         k.position = [f = k.position](const auto& p, const HeadIndex& i,
                                       auto j) {
           ropeproof_problem one = p;
           one.axis_of_pair = nullptr;
           return f(one, i, j);
         };
       }},
      {"output written with the input's strides",
       [](Knobs& k) { k.writes_with_input_strides = true; }},
      {"channels outside the window copied from the dense place",
       [](Knobs& k) { k.reads_outside_densely = true; }},
      {"channels outside the window zeroed in place",
       [](Knobs& k) { k.zeroes_outside_in_place = true; }},
      {"a pair too many turned, behind the last channel",
       [](Knobs& k) { k.turns_a_pair_too_many = true; }}};
}

TEST_CASE("an honest kernel passes and uses between 2 % and all of its bound",
          "[conformance][controls]") {
  for (const Control& c : controls()) {
    CAPTURE(c.name);
    const Report report = judge_kernel(c.description, c.knobs, "core");
    const Totals totals = total(report);
    INFO(text_report(report, 1));
    CHECK(exit_status(totals) == 0);
    REQUIRE(totals.worst != nullptr);
    const double used = totals.worst->measurement->worst->ratio();
    std::printf("control %-32s uses %.3f of its bound\n", c.name, used);
    CHECK(used <= 1);
    CHECK(used >= 0.02);
  }
}

TEST_CASE("a kernel with one bug fails, already on the smoke tier",
          "[conformance][mutants]") {
  std::size_t killed = 0;
  for (const Mutant& mutant : mutants()) {
    CAPTURE(mutant.name);
    Knobs knobs = exact_knobs();
    mutant.mutate(knobs);
    const Report report = judge_kernel(full_description(ROPEPROOF_A0), knobs);
    const Totals totals = total(report);
    CHECK(exit_status(totals) == 1);
    if (totals.of(Verdict::kFail) > 0) ++killed;
  }
  std::printf("mutants killed: %zu of %zu\n", killed, mutants().size());
}

TEST_CASE("a kernel with a bug in one feature fails on the core tier",
          "[conformance][mutants]") {
  for (const Mutant& mutant : core_mutants()) {
    CAPTURE(mutant.name);
    Knobs knobs = exact_knobs();
    mutant.mutate(knobs);
    const Report report =
        judge_kernel(full_description(ROPEPROOF_A0), knobs, "core");
    CHECK(exit_status(total(report)) == 1);
  }
  std::printf("core mutants killed: %zu\n", core_mutants().size());
}

TEST_CASE("every feature that a kernel can declare is judged on the core tier",
          "[conformance][controls]") {
  const Report report =
      judge_kernel(full_description(ROPEPROOF_A0), exact_knobs(), "core");
  CHECK((report.kernel.features & ~total(report).features) == 0);
}

TEST_CASE("a false claim fails: f32 angles are not A0, iterated ones not A1",
          "[conformance][controls]") {
  CHECK(exit_status(total(
            judge_kernel(full_description(ROPEPROOF_A0), f32_knobs()))) == 1);
  CHECK(exit_status(total(judge_kernel(full_description(ROPEPROOF_A1),
                                       iterated_knobs()))) == 1);
}

TEST_CASE("moving bits without a fault is level L3", "[conformance][levels]") {
  Description description = full_description(ROPEPROOF_A0);
  description.operations = ROPEPROOF_PERMUTE;
  CHECK(total(judge_kernel(description, exact_knobs(), "core")).level == "L3");
}

}  // namespace
}  // namespace ropeproof::conformance
