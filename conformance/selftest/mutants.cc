#include "conformance/selftest/mutants.h"

#include <string>
#include <utility>

#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::selftest {
namespace {

using wrong::exact_pipeline;
using wrong::full_description;
using wrong::Pipeline;
using wrong::PipelineKernel;
using wrong::set;
using wrong::skips;

// A vector of pairs takes another path than a single one.
bool has_several_pairs(const ropeproof_problem& p) { return p.rotary_dim > 2; }

}  // namespace

Mutant known(const char* name) {
  const wrong::Mutation& bug = wrong::known(name);
  Mutant mutant(bug.name, bug.bug, bug.change);
  mutant.is_hypothesis = true;
  return mutant;
}

Mutant some(const char* name, const char* bug, Predicate where) {
  Mutant mutant = known(bug);
  mutant.mutation.name = name;
  mutant.is_hypothesis = !where;
  mutant.where = std::move(where);
  return mutant;
}

std::vector<Mutant> smoke_mutants() {
  std::vector<Mutant> list = {{"last pair not rotated", "shape/simd-tail",
                               set(&Pipeline::adjust_rotation,
                                   [](auto& at, auto& r) {
                                     const auto last = at.p.rotary_dim / 2 - 1;
                                     if (at.j == last) r = {1, 0};
                                   })},
                              {"one byte past the end", "shape/simd-tail",
                               set(&Pipeline::bytes_past_the_end, 1)},
                              {"input changed", "memory/aliasing",
                               set(&Pipeline::changes_input, true)}};
  for (const char* name :
       {"pairs of the other layout",
        "direction reversed",
        "sine lost",
        "cosine and sine exchanged",
        "table rounded to bf16",
        "amplitude missing",
        "amplitude squared",
        "channels outside the window scaled by the amplitude",
        "channels outside the window zeroed",
        "window at the front, whatever the offset",
        "pair offset head_dim/2",
        "exponent over head_dim",
        "exponent -2(j+1)/r, counted from 1",
        "base always 10000",
        "frequencies rounded to bf16",
        "frequencies rounded to f16",
        "positions rounded to bf16",
        "positions rounded to f16",
        "angle rounded to f32",
        "positions from 4096 on taken for the last row of a table",
        "position + 1",
        "positions of batch row 0 for all",
        "positions 0, 1, 2, ... whatever is given",
        "head taken as position",
        "y_v formed from y_u",
        "adjoint ignored",
        "strides ignored: read and written densely",
        "batch stride of the positions or ids ignored",
        "batch stride of tables ignored",
        "only batch row 0 written",
        "last head not written"}) {
    list.push_back(known(name));
  }
  // Two bugs: the even and the odd channels rotated, one behind the other.
  const Mutant exponent = known("exponent -4j/r, twice the right one");
  const Mutant layout = known("output written in the other layout");
  list.push_back({"rotary_embedding of a tutorial", layout.mutation.bug,
                  [=](Pipeline& pipeline) {
                    exponent.mutation.change(pipeline);
                    layout.mutation.change(pipeline);
                  }});
  return list;
}

std::vector<Mutant> core_mutants() {
  std::vector<Mutant> list = {
      {"adjoint ignored for bf16", "rotation/backward-wrong",
       set(&Pipeline::ignores_direction, true),
       [](const auto& p) {
         return p.direction < 0 && p.dtype == ROPEPROOF_BF16;
       }},
      {"heads of several pairs not rotated from the 16th on",
       "shape/heads-miscounted",
       skips([](const auto&, const auto& i) { return i.head >= 16; }),
       has_several_pairs},
      {"pairs from the 128th on not rotated", "shape/simd-tail",
       set(&Pipeline::adjust_rotation,
           [](auto& at, auto& r) {
             if (at.j >= 128) r = {1, 0};
           }),
       [](const auto& p) { return p.rotary_dim > 256; }},
      {"tokens of several pairs not rotated from the 256th on",
       "shape/32-bit-overflow",
       skips([](const auto&, const auto& i) { return i.token >= 256; }),
       has_several_pairs},
      {"a pair too many rotated, behind the last channel", "shape/simd-tail",
       set(&Pipeline::rotates_a_pair_too_many, true)}};
  for (const char* name :
       {"channels outside the window zeroed in place",
        "amplitude on the cosine only", "adjoint divides by the amplitude",
        "adjoint ignored for k", "sign of the position lost",
        "given frequencies ignored, base 10000", "axis 0 for every pair",
        "axis stride of the positions ignored",
        "token stride of tables ignored",
        "output written with the input's strides",
        "channels outside the window copied from the dense place"}) {
    list.push_back(known(name));
  }
  return list;
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
  add(engine_mutants(), Stage::kFormed);
  add({{"no bug", {}, [](Pipeline&) {}}}, Stage::kNone);
  return all;
}

plugin::Description mutant_description() {
  plugin::Description d = full_description(ROPEPROOF_A0);
  d.operations &= ~std::uint32_t{ROPEPROOF_FREQUENCIES};
  d.dtypes |= ROPEPROOF_F64;
  d.max_position = std::int64_t{1} << 30;  // binary64 angles are A0
  return d;
}

std::vector<Mutant> call_mutants() {
  std::vector<Mutant> list;
  const auto add = [&](std::string name, cases::Bug bug, wrong::Kept kept) {
    list.emplace_back(std::move(name), bug, set(&Pipeline::kept, kept)).due =
        Stage::kCalls;
  };
  for (const wrong::KeyedField& field : wrong::keyed_fields()) {
    add(field.lack == wrong::KeyedField::Lack::kInner
            ? "a cache whose key has the first and the last " + field.name +
                  " alone"
            : "a cache whose key lacks: " + field.name,
        "table/stale", {.key_lacks = field});
  }
  for (const int last : {1 << 10, 1 << 15, (1 << 16) - 1}) {
    add("not rotated after " + std::to_string(last) + " calls", "table/stale",
        {.last_call = last});
  }
  add("threads with unlike problems share a table", "memory/race",
      {.shared_beyond = 0});
  add("threads with long problems share positions", "memory/race",
      {.shared_beyond = 256});
  add("tuned wrongly: not rotated from the 20th call of a shape", "table/stale",
      {.last_call = 19, .counts_shapes = true});
  return list;
}

namespace {

Pipeline mutated(const Mutant& mutant) {
  Pipeline pipeline = exact_pipeline();
  mutant.mutation.change(pipeline);
  return pipeline;
}

}  // namespace

MutantKernel::MutantKernel(const Mutant& mutant,
                           plugin::Description description)
    : PipelineKernel(std::move(description), mutated(mutant)),
      where_(mutant.where) {}

plugin::Answer MutantKernel::run(const ropeproof_problem& problem) {
  return !where_ || where_(problem)
             ? PipelineKernel::run(problem)
             : PipelineKernel(description(), exact_pipeline()).run(problem);
}

}  // namespace ropeproof::conformance::selftest
