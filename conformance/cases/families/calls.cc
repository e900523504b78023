// Problems to refuse, and calls in a row.
#include <stdexcept>
#include <utility>

#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::Pairing;

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

// The one case of group `core-NAME` with this comment, dtype and pairing.
std::string id_of(std::span<const Group> groups, const std::string& name,
                  const std::string& comment, Format dtype, Pairing pairing) {
  for (const Group& group : groups) {
    if (group.name != "core-" + name) continue;
    for (const Case& c : group.rope_cases) {
      if (c.comment == comment && c.problem.dtype == dtype &&
          c.problem.spec.layout.pairing == pairing) {
        return c.id;
      }
    }
  }
  throw std::logic_error("core-" + name + " has no case \"" + comment + "\"");
}

// Lengths that grow and shrink: a base or a list that is kept for too long,
// under a rounded length, or in the type of an earlier call.
template <class Add>
void add_lengths(std::span<const Group> groups, const Add& add, Pairing pairing,
                 std::span<const Format> dtypes) {
  struct Row {
    const char* comment;
    std::vector<const char*> lengths;
  };
  constexpr const char *kBelow = "below the trained length",
                       *kAt = "exactly the trained length",
                       *kBeyond = "one more than the trained length",
                       *kTwo = "two more than the trained length",
                       *kThree = "three more than the trained length",
                       *kFar = "eight times the trained length";
  const Row rows[] = {
      {"a long call, one of exactly the trained length, a short one",
       {kFar, kAt, kBelow}},
      {"a short call, a long one, a short one again", {kBelow, kFar, kBelow}},
      {"long calls of unlike lengths, a short one between",
       {kFar, kBeyond, kBelow, kFar}},
      {"lengths that grow and shrink by one",
       {kAt, kBeyond, kTwo, kThree, kTwo, kBeyond, kAt}}};
  constexpr std::pair<const char*, const char*> kScalings[] = {
      {"dynamic NTK, ", "scaling/dynamic-ntk"},
      {"LongRoPE, ", "scaling/longrope-list"}};
  for (const auto& [name, target] : kScalings) {
    const Targets targets = {target, "scaling/length-mistaken", "table/stale"};
    const auto id = [&](const char* length, Format dtype) {
      return id_of(groups, "lengths", name + std::string(length), dtype,
                   pairing);
    };
    for (const Format dtype : dtypes) {
      // Lengths one by one are there for half-split alone.
      for (const Row& row : std::span(rows).first(pairing == kHalf ? 4 : 3)) {
        std::vector<std::string> calls;
        for (const char* length : row.lengths) {
          calls.push_back(id(length, dtype));
        }
        add((name + std::string(row.comment)).c_str(), targets, calls);
      }
    }
    if (dtypes.size() < 2) continue;
    add((name + std::string("bf16, then f32, long and short")).c_str(),
        {targets[0], "frequency/rounded-to-half", "table/stale"},
        {id(kFar, Format::kBF16), id(kFar, Format::kF32),
         id(kBelow, Format::kBF16), id(kBelow, Format::kF32)});
  }
}

}  // namespace

Group core_calls(std::span<const Group> groups) {
  Family family(Tier::kCore, "core-calls",
                "Calls in a row, in one process: each must come out as "
                "it does alone, whatever a cache still holds.");
  const auto add = [&](const char* comment, const Targets& targets,
                       const std::vector<std::string>& calls) {
    SequenceCase c;
    c.calls = calls;
    family.add(c, targets, comment);
  };
  for (const Format dtype : {Format::kF32, Format::kBF16}) {
    const auto id = [&](const char* name, const std::string& comment,
                        Pairing pairing = kHalf) {
      return id_of(groups, name, comment, dtype, pairing);
    };
    // One case, another, and the first again.
    const auto return_to = [&](const char* comment, const Targets& targets,
                               const std::string& a, const std::string& b) {
      add(comment, targets, {a, b, a});
    };
    const std::string near = id("boundaries", "every boundary");
    return_to("a base, another base, the first again",
              {"frequency/wrong-base", "table/stale"}, near,
              id("boundaries", "every boundary, another base"));
    return_to("a pairing, the other pairing, the first again",
              {"layout/pairs-swapped", "table/stale"}, near,
              id("boundaries", "every boundary", kInter));
    family.retire(3);
    return_to(
        "64 channels, 128 channels, 64 again",
        Targets{"scaling/llama3-smoothing", "table/stale"},
        id("scalings", "Llama 3.2 1B: 15 pairs kept, 3 blended, 14 divided"),
        id("scalings", "Llama 3.1: 29 pairs kept, 6 blended, 29 divided"));
    return_to("the same RoPE at other positions",
              Targets{"position/offset-lost", "position/shared-across-batch",
                      "table/stale"},
              id("axes", "three packed sequences, each from position 0"),
              id("axes", "positions shifted back below zero"));
    return_to("six heads, two, six again",
              Targets{"table/stale", "shape/heads-miscounted"},
              id("heads", "six query heads for two key heads"),
              id("heads", "more key heads than query heads"));
    return_to("without amplitude, with one, without again",
              Targets{"scaling/amplitude-misapplied", "table/stale"},
              id("zero", "output equals input"),
              id("zero", "amplitude of YaRN with factor 128"));
    const std::string forward = id("rich", "every channel rotates");
    return_to("forward, backward, forward",
              Targets{"rotation/direction-reversed", "table/stale",
                      "rotation/backward-wrong"},
              forward, id("adjoint", "full head"));
    return_to("a full head, a partial one, a full one",
              {"window/head-dim-for-rotary-dim", "table/stale"}, forward,
              id("rich", "another window would fit behind the window"));
    const auto far = [&](const std::string& from) {
      return dtype == Format::kF32
                 ? id("coverage", "the last of each binade from " + from,
                      kInter)
                 : id("coverage",
                      "the first odd one of each binade from " + from);
    };
    return_to("near positions, far ones, near ones: a table that grows",
              {"table/too-short", "table/stale"}, far("2^0"), far("2^20"));
  }
  const auto token = [&](Format dtype) {
    return id_of(groups, "decode", "batch 3, sequence 1", dtype, kHalf);
  };
  const Targets half = {"frequency/rounded-to-half", "table/stale"};
  add("bf16, then f32, then bf16", half,
      {token(Format::kBF16), token(Format::kF32), token(Format::kBF16)});
  add("f16, then f64, then f16", half,
      {token(Format::kF16), token(Format::kF64), token(Format::kF16)});
  constexpr Format kBoth[] = {Format::kF32, Format::kBF16};
  add_lengths(groups, add, kHalf, kBoth);
  for (const Pairing pairing : {kInter, Pairing::kInterleavedToHalf}) {
    add_lengths(groups, add, pairing, std::span(kBoth).first(1));
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
