// Scalings that a length decides.
#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::Scaling;

namespace {

// The trained length of the short rows, so that both sides of it are near.
constexpr std::int64_t kTrained = 512;

struct LengthRow {
  std::string comment;
  std::int64_t trained;
  std::vector<double> positions;  // of all batch rows
  std::int64_t batch = 1;
};

const LengthRow kBelow = {"below the trained length", kTrained, {3, 400}},
                kAt = {"exactly the trained length", kTrained, {17, 511}},
                kBeyond = {"one more than the trained length",
                           kTrained,
                           {17, 512}},
                kFar = {"eight times the trained length",
                        kTrained,
                        {100, 4094}},
                kUnlike = {"a short row and a long one: the call is long",
                           kTrained,
                           {3, 100, 17, 1023},
                           2};

Problem case_of(bool is_long_rope, const LengthRow& row, Format dtype,
                const reference::Layout& layout) {
  const std::int64_t pairs = layout.rotary_dim / 2;
  Scaling scaling = reference::DynamicNtk{2, row.trained};
  if (is_long_rope) {
    scaling = reference::LongRope{.short_factor = distinct(pairs, 1, 0.125),
                                  .long_factor = distinct(pairs, 1.5, 3.25),
                                  .original_length = row.trained,
                                  .factor = 32};
  }
  const auto seq = static_cast<std::int64_t>(row.positions.size()) / row.batch;
  return with_length(with_scaling(
      scaling,
      make_problem(dtype, layout, 1e4, row.batch, seq, 1, 0, row.positions)));
}

}  // namespace

Group core_lengths() {
  Family family(Tier::kCore, "core-lengths",
                "Scalings that the length of the sequence decides: the largest "
                "position of the whole call plus one. On both sides of the "
                "trained length, at it, far beyond it, and with batch rows of "
                "unlike lengths.");
  const auto add = [&](bool is_long_rope, const LengthRow& row, Format dtype,
                       const reference::Layout& layout) {
    const char* const name = is_long_rope ? "LongRoPE" : "dynamic NTK";
    Targets targets = {"scaling/length-mistaken", is_long_rope
                                                      ? "scaling/longrope-list"
                                                      : "scaling/dynamic-ntk"};
    if (is_long_rope) targets.push_back("scaling/amplitude-misapplied");
    family.add(case_of(is_long_rope, row, dtype, layout), targets,
               name + std::string(", ") + row.comment);
  };
  for (const bool is_long_rope : {false, true}) {
    for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
      for (const LengthRow& row : {kBelow, kAt, kBeyond, kFar}) {
        add(is_long_rope, row, dtype, window(16, 16, 0, pairing));
      }
    }
    for (const auto& [dtype, pairing] : every_dtype_with(kCommonPairings)) {
      add(is_long_rope, kUnlike, dtype, window(8, 8, 0, pairing));
    }
    // Lengths of models, and of a cache that is keyed by a rounded length.
    const LengthRow rows[] = {
        {"length 2048 of 2048", 2048, {513, 2047}},
        {"length 2049 of 2048", 2048, {513, 2048}},
        {"length 131072 of 2048", 2048, {513, 131071}},
        {"two more than the trained length", kTrained, {17, 513}},
        {"three more than the trained length", kTrained, {17, 514}}};
    for (const Format dtype : {Format::kF32, Format::kF16, Format::kBF16}) {
      for (const LengthRow& row : rows) {
        add(is_long_rope, row, dtype, window(16, 16, 0, kHalf));
      }
    }
  }
  for (const Format dtype : kDtypes) {
    for (const double last : {4095, 4096}) {
      const bool is_short = last < 4096;
      add(true,
          {is_short ? "as Phi: length 4096 of 4096, a partial head"
                    : "as Phi: length 4097 of 4096, a partial head",
           4096,
           {513, last}},
          dtype, window(32, 24, 0, kHalf));
    }
  }
  // The amplitude is given, whatever factor and trained length come to.
  for (const Format dtype : kDtypes) {
    for (const LengthRow& row : {kAt, kFar}) {
      Problem problem = case_of(true, row, dtype, window(16, 16, 0, kHalf));
      std::get<reference::LongRope>(problem.spec.frequencies.scaling)
          .attention_factor = 1.25;
      family.add(problem,
                 {"scaling/amplitude-misapplied", "scaling/longrope-list"},
                 "LongRoPE, amplitude given, " + row.comment);
    }
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
