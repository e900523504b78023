// test_answers.h -- for tests: cases to try hypotheses on, and what kernels
// with pipeline answer to them.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "conformance/call/call.h"
#include "conformance/cases/families/family.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/explain/trial.h"
#include "conformance/wrong/mutation.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::explain {

using cases::Case;
using reference::Format;
using wrong::Change;

// Cases of what few committed ones have: amplitudes that are not positive,
// tensors that lie apart from one another, numbers next to the smallest,
// positions beyond 32 bits.
inline std::vector<cases::Case> formed_for_trials() {
  using namespace cases;
  Family family(cases::Tier::kCore, "formed", "Cases for hypotheses.");
  for (const Format dtype : {Format::kF32, Format::kBF16}) {
    // A problem of two rows of two tokens, with a change.
    const auto add = [&](const auto& change,
                         const std::vector<double>& positions = {3, 17, 257,
                                                                 40},
                         std::int64_t head_dim = 6, std::int64_t rotary = 4) {
      Problem p = make_problem(
          dtype,
          reference::leading(head_dim, rotary, reference::Pairing::kHalfSplit),
          1e4, 2, 2, 3, 2, positions);
      change(p);
      family.add(p, {}, "");
    };
    for (const double m : {-1.25, 0.0}) {
      add([=](Problem& p) { p = with_amplitude(m, p); });
    }
    for (const Spacing spacing :
         {Spacing::kKeysApart, Spacing::kOutputsApart, Spacing::kBroadcast,
          Spacing::kKeysBroadcast, Spacing::kWide, Spacing::kFar}) {
      add([=](Problem& p) { p.storage.spacing = spacing; });
    }
    for (const InPlace in_place : {InPlace::kQueries, InPlace::kKeys}) {
      add([=](Problem& p) { p.storage.in_place = in_place; });
    }
    add([](Problem& p) { p.storage.rows = RowSpacing::kWide; });
    add([](Problem& p) { p.storage.rows = RowSpacing::kShared; },
        {3, 17, 3, 17});
    const std::vector<double> of_two_axes = {3, 17, 257, 40, 5, 11, 2, 31};
    add([](Problem& p) { p.spec.axes = {2, {0, 1}}; }, of_two_axes);
    add([](Problem& p) { p.spec.axes = {2, {0, 1, 1, 1}}; }, of_two_axes, 8, 8);
    add([=](Problem& p) {
      const double least = std::ldexp(1, reference::traits(dtype).min_exponent);
      for (std::size_t i = 0; i < 2 * 2 * 3 * 6; ++i) {
        p.q.push_back(encode(dtype, i % 2 == 0 ? 1.25 * least : -1.75 * least));
      }
      p.k.assign(p.q.begin(), p.q.begin() + 2 * 2 * 2 * 6);
    });
    add([=](Problem& p) {
      p = make_problem(dtype, p.spec.layout, 1e4, 1, 2, 1, 1, {5e9, 3});
    });
  }
  Group group = family.take();
  for (Case& c : group.rope_cases) {
    const auto repeat = [](Bits& x) {
      std::copy_n(x.begin(), x.size() / 2,
                  x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
    };
    const Spacing spacing = c.problem.storage.spacing;
    if (spacing == Spacing::kBroadcast) repeat(c.problem.q);
    if (spacing == Spacing::kBroadcast || spacing == Spacing::kKeysBroadcast) {
      repeat(c.problem.k);
    }
  }
  prove(reference::Oracle::kBinFloat, group);
  return group.rope_cases;
}

// The cases of smoke and core that hypotheses are tried on, small ones first.
inline const std::vector<Case>& tried() {
  static const std::vector<Case> kTried = [] {
    std::vector<Case> all = formed_for_trials();
    for (const cases::Group& group : cases::committed().groups) {
      if (group.tier == cases::Tier::kFull) continue;
      for (const Case& c : group.rope_cases) {
        if (!c.problem.is_special &&
            c.problem.q.size() + c.problem.k.size() <= 1500)
          all.push_back(c);
      }
    }
    std::ranges::stable_sort(all, {}, [](const Case& c) {
      return c.problem.q.size() + c.problem.k.size();
    });
    return all;
  }();
  return kTried;
}

// A kernel with pipeline, and what it claims.
struct Base {
  wrong::Pipeline pipeline;
  plugin::Description description;
};

inline Base base_of(wrong::Pipeline pipeline, std::uint32_t angle_class,
                    Format dtype) {
  Base base{std::move(pipeline), wrong::full_description(angle_class)};
  if (dtype == Format::kF64) {
    base.pipeline.table = Format::kF64;
    base.description.dtypes |= ROPEPROOF_F64;
    base.description.claims[0].table_dtype = ROPEPROOF_F64;
  }
  return base;
}

// The answer of `base` with the change; empty where it leaves its memory.
inline judge::Output answer(const Base& base, const Case& c,
                            std::uint32_t operation, const Change& change) {
  wrong::Pipeline pipeline = base.pipeline;
  change(pipeline);
  wrong::PipelineKernel kernel(base.description, std::move(pipeline));
  judge::Output output;
  call::Call call(kernel, operation, c,
                  judge::claim_of(base.description, c.problem.dtype).table);
  if (call.run(output).outcome != plugin::Outcome::kOk) return {};
  return output;
}

inline bool is_empty(const judge::Output& output) {
  return output.q.empty() && output.k.empty() && output.cos.empty();
}

// An answer to a case that outlives it.
inline Trial trial_of(const Base& base, const Case& c, std::uint32_t operation,
                      const judge::Output& output) {
  return Trial(
      answer_of({std::shared_ptr<void>{}, &c}, operation,
                judge::claim_of(base.description, c.problem.dtype), output),
      base.description);
}

inline void nothing(wrong::Pipeline&) {}

}  // namespace ropeproof::conformance::explain
