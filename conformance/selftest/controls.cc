#include "conformance/selftest/controls.h"

#include <cmath>

#include "conformance/cases/families/family.h"
#include "conformance/cases/prove.h"
#include "conformance/check/runner.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::selftest {
namespace {

using wrong::exact_pipeline;
using wrong::f32_pipeline;
using wrong::full_description;
using wrong::Pipeline;
using wrong::PipelineKernel;

using reference::Format;
using reference::Pairing;

// Beyond this position an f32 angle may be anything: a bound of 2 would make
// every share 1.
constexpr std::int64_t kLastF32Position = 1 << 20;

// A kernel of the given types alone. It rotates by its own angles: what it does
// with given tables has nothing to do with its class.
Control control(const char* name, std::uint32_t angle_class, Pipeline pipeline,
                Format dtype = Format::kF32, Format table = Format::kF32) {
  Control c{name, full_description(angle_class), nullptr, std::move(pipeline)};
  c.description.operations = ROPEPROOF_ROPE;
  c.description.dtypes = plugin::abi_dtype(dtype);
  c.description.claims[0].table_dtype = plugin::abi_dtype(table);
  if (angle_class != ROPEPROOF_A0) {
    c.description.max_position = kLastF32Position;
  }
  c.pipeline.table = table;
  return c;
}

auto to_class(std::uint32_t angle_class) {
  return [angle_class](plugin::Description& d) {
    d.claims[0].angle_class = angle_class;
    d.claims[0].angle_dtype = 0;
    d.claims[0].power = ROPEPROOF_POW;
  };
}

auto to_table(Format table) {
  return [table](plugin::Description& d) {
    d.claims[0].table_dtype = plugin::abi_dtype(table);
  };
}

void to_one_rounding(plugin::Description& d) {
  d.claims[0].rounding = ROPEPROOF_ROUND_ONCE;
}

// 1 is exact at any claim.
double three_ulp_above(double x) {
  return x == 1 ? x : x + std::copysign(3 * ulp(Format::kF32, x), x);
}

void to_one_ulp(plugin::Description& d) {
  d.claims[0].power_ulp = d.claims[0].trig_ulp = 1;
}

// f32 angles and f32 arithmetic, as most engines.
std::vector<Control> f32_controls() {
  Control direct = control("f32 direct", ROPEPROOF_A1, f32_pipeline());
  direct.tighten = to_class(ROPEPROOF_A0);
  Control fused = direct;
  fused.name = "f32 direct, fused";
  fused.pipeline.products = wrong::Products::kFirstFused;
  Control exp2 = control("f32 by exp2", ROPEPROOF_A1,
                         wrong::f32_pipeline(wrong::PowerForm::kExp2));
  exp2.description.claims[0].power = ROPEPROOF_EXP2;
  exp2.tighten = to_class(ROPEPROOF_A1);
  Control iterated = control("f32 iterated", ROPEPROOF_A2,
                             wrong::f32_pipeline(wrong::PowerForm::kIterated));
  iterated.tighten = to_class(ROPEPROOF_A1);
  Control power = control("f32, pow of 4 ulp", ROPEPROOF_A1, f32_pipeline());
  power.description.claims[0].power_ulp = 4;
  power.pipeline.frequency = [f = power.pipeline.frequency](const auto& p,
                                                            auto j) {
    return three_ulp_above(f(p, j));
  };
  power.tighten = to_one_ulp;
  Control trig =
      control("f32, sin and cos of 4 ulp", ROPEPROOF_A1, f32_pipeline());
  trig.description.claims[0].trig_ulp = 4;
  trig.pipeline.adjust_rotation = [](auto&, auto& r) {
    r = {three_ulp_above(r.c), three_ulp_above(r.s)};
  };
  trig.tighten = to_one_ulp;
  return {direct, fused, exp2, iterated, power, trig};
}

// Better angles than f32.
std::vector<Control> wide_controls() {
  Control once =
      control("f64 angle, f32 table", ROPEPROOF_A0, exact_pipeline());
  once.pipeline.uses_low_part = false;
  Control direct = control("f64 direct", ROPEPROOF_A1, exact_pipeline(),
                           Format::kF64, Format::kF64);
  direct.description.claims[0].angle_dtype = ROPEPROOF_F64;
  direct.pipeline.uses_low_part = false;
  direct.tighten = to_class(ROPEPROOF_A0);
  Control twice = control("double-double angle, f64", ROPEPROOF_A0,
                          exact_pipeline(), Format::kF64, Format::kF64);
  Control mixed = control("f64 with an f32 table", ROPEPROOF_A1, f32_pipeline(),
                          Format::kF64, Format::kF32);
  mixed.tighten = to_table(Format::kF64);
  return {once, direct, twice, mixed};
}

// Tensors, tables or angles of 16 bits.
std::vector<Control> half_controls() {
  std::vector<Control> list;
  for (const auto& [format, text] : text::kFormatWords) {
    if (format != Format::kF16 && format != Format::kBF16) continue;
    const std::string name(text);
    Control once = control("", ROPEPROOF_A1, f32_pipeline(), format);
    once.name = name + ", one rounding";
    once.tighten = to_class(ROPEPROOF_A0);
    Control each = control("", ROPEPROOF_A1, f32_pipeline(), format, format);
    each.name = name + ", three roundings";
    each.description.claims[0].rounding = ROPEPROOF_ROUND_EACH;
    each.pipeline.round_each = true;
    each.tighten = to_one_rounding;
    Control table =
        control("", ROPEPROOF_A1, f32_pipeline(), Format::kF32, format);
    table.name = "f32 with a " + name + " table";
    table.tighten = to_table(Format::kF32);
    Control truncated =
        control("", ROPEPROOF_A1, f32_pipeline(), format, format);
    truncated.name = name + ", truncated";
    truncated.description.claims[0].rounding = ROPEPROOF_TRUNCATE;
    truncated.pipeline.truncates = true;
    truncated.tighten = to_one_rounding;
    list.insert(list.end(), {once, each, truncated, table});
  }
  Control angle = control("bf16 angles", ROPEPROOF_A3, f32_pipeline());
  angle.description.claims[0].angle_dtype = ROPEPROOF_BF16;
  angle.description.max_position = 40;  // the same for bf16
  angle.pipeline.angle = [](double position, double theta) {
    return round_to(Format::kBF16, round_to(Format::kBF16, position) *
                                       round_to(Format::kBF16, theta));
  };
  angle.tighten = to_class(ROPEPROOF_A1);
  list.push_back(angle);
  return list;
}

// f64 and f16, of which a corpus may have little; positions up to where f16,
// f32 and then f64 are no longer exact.
cases::Group wide_and_narrow_group() {
  cases::Family family(cases::Tier::kCore, "control",
                       "Both layouts of engines in f64 and f16.");
  const std::vector<double> near = {1, 3, 2047, 257, 0, 40},
                            far = {1, 4097, 131071, 1048573, 0, 40};
  for (const Pairing pairing : {Pairing::kInterleaved, Pairing::kHalfSplit}) {
    for (const Format dtype : {Format::kF64, Format::kF16}) {
      // Three roundings to f16 must exceed what two can cost: that takes luck,
      // so many elements.
      const bool is_wide = dtype == Format::kF64;
      family.add(
          cases::make_problem(dtype, reference::leading(48, 32, pairing), 5e5,
                              2, 3, is_wide ? 4 : 96, 1, is_wide ? far : near),
          {}, "for controls");
    }
  }
  return family.take();
}

struct Judged {
  int status = 5;
  double share = 0;  // of the bound, the largest
  std::int64_t not_nearest = 0;
};

Judged judged(plugin::Kernel& kernel, const cases::Corpus& corpus) {
  check::Selection selection;
  selection.values_only = true;
  const report::Report report = check::run_suite(kernel, corpus, selection);
  const report::Totals totals = report::total(report);
  const double share =
      totals.worst == nullptr ? 0 : totals.worst->measurement->worst->ratio();
  return {report::exit_status(totals), share, totals.not_nearest};
}

ControlScore scored(const std::string& name, const Judged& run) {
  ControlScore score;
  score.name = name;
  score.share = run.share;
  score.passes =
      run.status == 0 && run.share >= kLeastShare && run.share <= kMostShare;
  score.tighter = "correctly rounded";
  score.fails_tighter = run.not_nearest > 0;
  return score;
}

std::string difference(const ropeproof_claim& claim,
                       const ropeproof_claim& tighter) {
  if (claim.table_dtype != tighter.table_dtype) {
    return "table " + text::word(plugin::kDtypeWords, tighter.table_dtype);
  }
  if (claim.rounding != tighter.rounding) return "one rounding";
  if (claim.power_ulp != tighter.power_ulp) return "pow within 1 ulp";
  if (claim.trig_ulp != tighter.trig_ulp) return "sin and cos within 1 ulp";
  const std::string text =
      text::word(plugin::kAngleClassWords, tighter.angle_class);
  return claim.angle_class == tighter.angle_class ? text + " by pow" : text;
}

}  // namespace

std::vector<Control> controls() {
  std::vector<Control> list = f32_controls();
  for (const auto& more : {wide_controls(), half_controls()}) {
    list.insert(list.end(), more.begin(), more.end());
  }
  return list;
}

cases::Corpus control_corpus(const cases::Corpus& corpus) {
  cases::Corpus all = corpus;
  cases::Group more = wide_and_narrow_group();
  cases::prove(available(reference::Oracle::kMpfi)
                   ? reference::Oracle::kMpfi
                   : reference::Oracle::kBinFloat,
               more);
  all.groups.push_back(std::move(more));
  return all;
}

ControlScore score(const Control& control, const cases::Corpus& corpus) {
  PipelineKernel kernel(control.description, control.pipeline);
  ControlScore score = scored(control.name, judged(kernel, corpus));
  if (!control.tighten) return score;
  plugin::Description tighter = control.description;
  control.tighten(tighter);
  PipelineKernel claims_more(tighter, control.pipeline);
  score.tighter = difference(control.description.claims[0], tighter.claims[0]);
  score.fails_tighter = judged(claims_more, corpus).status == 1;
  return score;
}

ControlScore score(plugin::Kernel& kernel, const std::string& name,
                   const cases::Corpus& corpus) {
  return scored(name, judged(kernel, corpus));
}

}  // namespace ropeproof::conformance::selftest
