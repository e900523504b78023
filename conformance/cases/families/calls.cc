// Problems to refuse, and calls in a row.
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::cases {

Group core_reject() {
  Family family(Tier::kCore, "core-reject",
                "Problems that contradict themselves: a kernel that "
                "validates answers ROPEPROOF_INVALID and writes nothing. "
                "Each is a valid case of core-rich with one defect.");
  struct Row {
    Defect defect;
    const char* comment;
    Targets targets;
  };
  const Row rows[] = {
      {Defect::kOddRotaryDim, "an odd rotary_dim has a channel without a pair",
       Targets{"shape/odd-size"}},
      {Defect::kRotaryDimAboveHeadDim, "rotary_dim reaches into the next head",
       Targets{"window/outside-overwritten"}},
      {Defect::kZeroRotaryDim, "a rotary_dim of 0", {"shape/odd-size"}},
      {Defect::kWindowBeyondHead, "the window ends behind the head",
       Targets{"window/outside-overwritten", "window/wrong-end"}},
      {Defect::kNegativeBatch, "a negative batch", {"shape/odd-size"}},
      {Defect::kZeroDirection, "a direction that is none",
       Targets{"rotation/direction-reversed"}},
      {Defect::kNonFiniteBase, "frequencies that are no numbers",
       Targets{"frequency/uninitialised"}},
      {Defect::kNullInput, "no memory to read", {"table/too-short"}},
      {Defect::kNullOutput, "no memory to write", {"table/too-short"}},
      {Defect::kNullPositions, "no positions, or no table",
       Targets{"position/shared-across-batch", "table/too-short"}},
      {Defect::kOverlappingTensors, "output one element behind the input",
       Targets{"memory/aliasing"}},
      {Defect::kOverlappingRows, "output rows closer than they are long",
       Targets{"memory/strides-ignored", "memory/aliasing"}},
      {Defect::kIdOutOfRange, "the last token asks for the row behind the last",
       Targets{"table/row-clamped", "table/too-short"}},
      {Defect::kNegativeId, "the last token asks for row -1",
       Targets{"table/row-clamped", "table/too-short"}}};
  // One dtype and pairing each, with a window; k besides q.
  const char* const valid[] = {"core-rich-002", "core-rich-027",
                               "core-rich-044", "core-rich-068"};
  for (const Row& row : rows) {
    for (const char* of : valid) {
      RejectCase c;
      c.of = of;
      c.defect = row.defect;
      family.add(c, row.targets, row.comment);
    }
  }
  return family.take();
}

namespace {

// A case, another, and the first again; in f32, then in bf16. Ids of committed
// cases never change.
struct Return {
  const char* comment;
  Targets targets;
  const char *f32[2], *bf16[2];
  std::size_t retired = 0;  // cases that followed it once
};

const Return kReturns[] = {
    {"a base, another base, the first again",
     Targets{"frequency/wrong-base", "table/stale"},
     {"core-boundaries-004", "core-boundaries-005"},
     {"core-boundaries-028", "core-boundaries-029"}},
    {"a pairing, the other pairing, the first again",
     Targets{"layout/pairs-swapped", "table/stale"},
     {"core-boundaries-004", "core-boundaries-001"},
     {"core-boundaries-028", "core-boundaries-025"},
     3},
    {"64 channels, 128 channels, 64 again",
     Targets{"scaling/llama3-smoothing", "table/stale"},
     {"core-scalings-105", "core-scalings-101"},
     {"core-scalings-107", "core-scalings-103"}},
    {"the same RoPE at other positions",
     Targets{"position/offset-lost", "position/shared-across-batch",
             "table/stale"},
     {"core-axes-061", "core-axes-077"},
     {"core-axes-063", "core-axes-079"}},
    {"six heads, two, six again",
     Targets{"table/stale", "shape/heads-miscounted"},
     {"core-heads-005", "core-heads-007"},
     {"core-heads-021", "core-heads-023"}},
    {"without amplitude, with one, without again",
     Targets{"scaling/amplitude-misapplied", "table/stale"},
     {"core-zero-004", "core-zero-006"},
     {"core-zero-028", "core-zero-030"}},
    {"forward, backward, forward",
     Targets{"rotation/direction-reversed", "table/stale",
             "rotation/backward-wrong"},
     {"core-rich-006", "core-adjoint-005"},
     {"core-rich-046", "core-adjoint-037"}},
    {"a full head, a partial one, a full one",
     Targets{"window/head-dim-for-rotary-dim", "table/stale"},
     {"core-rich-006", "core-rich-008"},
     {"core-rich-046", "core-rich-048"}},
    {"near positions, far ones, near ones: a table that grows",
     Targets{"table/too-short", "table/stale"},
     {"core-coverage-001", "core-coverage-005"},
     {"core-coverage-006", "core-coverage-010"}}};

// Cases of core-lengths that differ in their length alone. Four stand in a
// row: below the trained length, exactly it, one more, eight times as long;
// then, where there are some, two and three more than the trained length.
struct Lengths {
  int below, two_more = 0;
};

std::string length_case(int number) {
  return text::format("core-lengths-%03d", number);
}

void add_calls(Family& family, const std::string& comment,
               const Targets& targets, std::vector<std::string> calls) {
  SequenceCase c;
  c.calls = std::move(calls);
  family.add(c, targets, comment);
}

// Lengths that grow and shrink: a base or a list that is kept for too long,
// under a rounded length, or in the type of an earlier call.
void add_lengths(Family& family, const std::string& name,
                 const Targets& targets, const Lengths& cases) {
  const int below = cases.below, at = below + 1, beyond = below + 2,
            far = below + 3, two = cases.two_more, three = two + 1;
  const auto add = [&](const char* comment, std::initializer_list<int> calls) {
    std::vector<std::string> ids;
    for (const int call : calls) ids.push_back(length_case(call));
    add_calls(family, name + ", " + comment, targets, std::move(ids));
  };
  add("a long call, one of exactly the trained length, a short one",
      {far, at, below});
  add("a short call, a long one, a short one again", {below, far, below});
  add("long calls of unlike lengths, a short one between",
      {far, beyond, below, far});
  if (cases.two_more == 0) return;
  add("lengths that grow and shrink by one",
      {at, beyond, two, three, two, beyond, at});
}

// The lengths of a scaling.
struct Scaled {
  const char* name;
  const char* target;
  Lengths f32, bf16;                         // half-split
  Lengths interleaved, interleaved_to_half;  // in f32
};

constexpr Scaled kScaled[] = {
    {"dynamic NTK", "scaling/dynamic-ntk", {5, 76}, {37, 86}, {1}, {9}},
    {"LongRoPE", "scaling/longrope-list", {92, 163}, {124, 173}, {88}, {96}}};

}  // namespace

Group core_calls() {
  Family family(Tier::kCore, "core-calls",
                "Calls in a row, in one process: each must come out as "
                "it does alone, whatever a cache still holds.");
  for (const auto ids : {&Return::f32, &Return::bf16}) {
    for (const Return& row : kReturns) {
      const auto& [first, other] = row.*ids;
      add_calls(family, row.comment, row.targets, {first, other, first});
      family.retire(row.retired);
    }
  }
  const auto targets_of = [](const Scaled& row) {
    return Targets{row.target, "scaling/length-mistaken", "table/stale"};
  };
  // One token of each dtype.
  const char *const bf16 = "core-decode-037", *const f32 = "core-decode-005",
                    *const f16 = "core-decode-021",
                    *const f64 = "core-decode-053";
  const Targets half = {"frequency/rounded-to-half", "table/stale"};
  add_calls(family, "bf16, then f32, then bf16", half, {bf16, f32, bf16});
  add_calls(family, "f16, then f64, then f16", half, {f16, f64, f16});
  for (const Scaled& row : kScaled) {
    for (const Lengths& cases : {row.f32, row.bf16}) {
      add_lengths(family, row.name, targets_of(row), cases);
    }
    add_calls(family,
              row.name + std::string(", bf16, then f32, long and short"),
              {row.target, "frequency/rounded-to-half", "table/stale"},
              {length_case(row.bf16.below + 3), length_case(row.f32.below + 3),
               length_case(row.bf16.below), length_case(row.f32.below)});
  }
  for (const auto pairing :
       {&Scaled::interleaved, &Scaled::interleaved_to_half}) {
    for (const Scaled& row : kScaled) {
      add_lengths(family, row.name, targets_of(row), row.*pairing);
    }
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
