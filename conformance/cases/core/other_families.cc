// Cases of the other types: permutation, problems to refuse, calls in a row;
// and the list of all families.
#include <cstdio>
#include <set>
#include <stdexcept>

#include "conformance/cases/bug_class.h"
#include "conformance/cases/core/choices.h"
#include "conformance/cases/core/core_families.h"
#include "conformance/cases/counter_generator.h"
#include "reference/permutation.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::Layout;
using reference::Pairing;

namespace {

Group named(const std::string& name, const std::string& description) {
  Group group;
  group.name = name;
  group.tier = "core";
  group.description = description;
  return group;
}

// The group's next case with this comment and these targets.
template <class Case>
Case next(Group& group, std::vector<Case>& cases, const std::string& comment,
          const std::vector<std::string>& targets) {
  Case c;
  char number[8];
  std::snprintf(number, sizeof number, "%03zu", cases.size() + 1);
  c.id = group.name + "-" + number;
  c.comment = comment;
  c.targets = targets;
  for (const std::string& key : targets) group.targets[key] = bug_class(key);
  return c;
}

}  // namespace

Group core_permute() {
  Group group = named(
      "core-permute",
      "Rows of weights and biases moved between the pairings, in every dtype "
      "and both ways, for 4 query heads and 2 key-value heads.");
  struct Row {
    const char* comment;
    std::int64_t head_dim, rotary_dim, offset, heads, columns;
  };
  constexpr Row kRows[] = {
      {"q weight", 8, 8, 0, 4, 3},
      {"k weight: another number of heads", 8, 8, 0, 2, 3},
      {"k bias", 16, 16, 0, 2, 1},
      {"head_dim 4, where the permutation is its own inverse", 4, 4, 0, 4, 2},
      {"k weight, a window in the middle of the head", 12, 6, 3, 2, 2}};
  std::uint64_t seed = 0x7065726d;
  for (const Format dtype : kDtypes) {
    for (const Pairing pairing : kCommonPairings) {
      for (const Row& row : kRows) {
        auto c = next(group, group.permute_cases,
                      row.comment + std::string(pairing == kPairings[0]
                                                    ? ", LLaMA to HF"
                                                    : ", HF to LLaMA"),
                      {"weights/permuted-wrongly"});
        c.dtype = dtype;
        c.layout = {row.head_dim, row.rotary_dim, row.offset, pairing};
        c.heads = row.heads;
        c.columns = row.columns;
        const auto size =
            static_cast<std::size_t>(row.heads * row.head_dim * row.columns);
        ++seed;
        for (std::size_t i = 0; i < size; ++i) {
          c.in.push_back(random_number(dtype, seed, i));
        }
        c.out = reference::permute_rows<std::uint64_t>(
            c.layout, static_cast<std::size_t>(row.heads),
            static_cast<std::size_t>(row.columns), c.in);
        group.permute_cases.push_back(std::move(c));
      }
    }
  }
  return group;
}

Group core_reject() {
  Group group = named("core-reject",
                      "Problems that contradict themselves: a kernel that "
                      "validates answers ROPEPROOF_INVALID and writes nothing. "
                      "Each is a valid case of core-rich with one defect.");
  struct Row {
    Defect defect;
    const char* comment;
    std::vector<std::string> targets;
  };
  const Row rows[] = {
      {Defect::kOddRotaryDim,
       "an odd rotary_dim has a channel without a pair",
       {"shape/odd-size"}},
      {Defect::kRotaryDimAboveHeadDim,
       "rotary_dim reaches into the next head",
       {"window/outside-overwritten"}},
      {Defect::kZeroRotaryDim, "a rotary_dim of 0", {"shape/odd-size"}},
      {Defect::kWindowBeyondHead,
       "the window ends behind the head",
       {"window/outside-overwritten", "window/wrong-end"}},
      {Defect::kNegativeBatch, "a negative batch", {"shape/odd-size"}},
      {Defect::kZeroDirection,
       "a direction that is none",
       {"rotation/direction-reversed"}},
      {Defect::kNonFiniteBase,
       "frequencies that are no numbers",
       {"frequency/uninitialised"}},
      {Defect::kNullInput, "no memory to read", {"table/too-short"}},
      {Defect::kNullOutput, "no memory to write", {"table/too-short"}},
      {Defect::kNullPositions,
       "no positions, or no table",
       {"position/shared-across-batch", "table/too-short"}},
      {Defect::kOverlappingTensors,
       "output one element behind the input",
       {"memory/aliasing"}},
      {Defect::kOverlappingRows,
       "output rows closer than they are long",
       {"memory/strides-ignored", "memory/aliasing"}}};
  // One dtype and pairing each, with a window; k besides q.
  const char* const valid[] = {"core-rich-002", "core-rich-027",
                               "core-rich-044", "core-rich-068"};
  for (const Row& row : rows) {
    for (const char* of : valid) {
      auto c = next(group, group.reject_cases, row.comment, row.targets);
      c.of = of;
      c.defect = row.defect;
      group.reject_cases.push_back(std::move(c));
    }
  }
  return group;
}

namespace {

// The one case of a group with this comment, dtype and pairing.
std::string id_of(const Group& group, const std::string& comment, Format dtype,
                  Pairing pairing) {
  for (const RopeCase& c : group.rope_cases) {
    if (c.comment == comment && c.dtype == dtype &&
        c.spec.layout.pairing == pairing) {
      return c.id;
    }
  }
  throw std::logic_error(group.name + " has no case \"" + comment + "\"");
}

}  // namespace

Group core_calls() {
  Group group = named("core-calls",
                      "Calls in a row, in one process: each must come out as "
                      "it does alone, whatever a cache still holds.");
  const auto add = [&](const char* comment,
                       const std::vector<std::string>& targets,
                       const std::vector<std::string>& calls) {
    auto c = next(group, group.sequence_cases, comment, targets);
    c.calls = calls;
    group.sequence_cases.push_back(std::move(c));
  };
  constexpr Pairing kHalf = Pairing::kHalfSplit;
  constexpr Pairing kInter = Pairing::kInterleaved;
  const Group boundaries = core_boundaries(), scalings = core_scalings(),
              axes = core_axes(), rich = core_rich(), decode = core_decode(),
              heads = core_heads(), zero = core_zero(),
              adjoint = core_adjoint(), coverage = core_coverage();
  for (const Format dtype : {Format::kF32, Format::kBF16}) {
    const auto base = [&](const char* comment, Pairing pairing) {
      return id_of(boundaries, comment, dtype, pairing);
    };
    const std::string a = base("every boundary", kHalf),
                      b = base("every boundary, another base", kHalf);
    add("a base, another base, the first again",
        {"frequency/wrong-base", "table/stale"}, {a, b, a});
    add("a pairing, the other pairing, the first again",
        {"layout/pairs-swapped", "table/stale"},
        {a, base("every boundary", kInter), a});
    const auto scaled = [&](const std::string& comment) {
      return id_of(scalings, comment, dtype, kHalf);
    };
    const auto dynamic = [&](const char* length) {
      return scaled("dynamic NTK, factor 2, length " + std::string(length) +
                    " of 2048");
    };
    add("a sequence that grows: dynamic NTK with every new length",
        {"scaling/dynamic-ntk", "table/stale"},
        {dynamic("64"), dynamic("2048"), dynamic("2049"), dynamic("4096"),
         dynamic("8192")});
    add("a long sequence, then a short one: the short base comes back",
        {"scaling/dynamic-ntk", "table/stale"},
        {dynamic("8192"), dynamic("64"), dynamic("8192")});
    const std::string long_list = scaled(
                          "LongRoPE of Phi: length 4097 of 4096, the "
                          "long list"),
                      short_list = scaled(
                          "LongRoPE of Phi: length 4096 of 4096, the "
                          "short list");
    add("the long list, the short one, the long one again",
        {"scaling/longrope-list", "table/stale"},
        {long_list, short_list, long_list});
    const std::string d64 = scaled(
                          "Llama 3.2 1B: 15 pairs kept, 3 blended, 14 "
                          "divided"),
                      d128 = scaled(
                          "Llama 3.1: 29 pairs kept, 6 blended, 29 "
                          "divided");
    add("64 channels, 128 channels, 64 again",
        {"scaling/llama3-smoothing", "table/stale"}, {d64, d128, d64});
    const auto line = [&](const char* comment) {
      return id_of(axes, comment, dtype, kHalf);
    };
    const std::string packed =
        line("three packed sequences, each from position 0");
    add("the same RoPE at other positions",
        {"position/offset-lost", "position/shared-across-batch", "table/stale"},
        {packed, line("positions shifted back below zero"), packed});
    const auto few = [&](const char* comment) {
      return id_of(heads, comment, dtype, kHalf);
    };
    add("six heads, two, six again", {"table/stale", "shape/heads-miscounted"},
        {few("six query heads for two key heads"),
         few("more key heads than query heads"),
         few("six query heads for two key heads")});
    const auto amplitude = [&](const char* comment) {
      return id_of(zero, comment, dtype, kHalf);
    };
    add("without amplitude, with one, without again",
        {"scaling/amplitude-misapplied", "table/stale"},
        {amplitude("output equals input"),
         amplitude("amplitude of YaRN with factor 128"),
         amplitude("output equals input")});
    const std::string forward =
        id_of(rich, "every channel turns", dtype, kHalf);
    add("forward, backward, forward",
        {"rotation/direction-reversed", "table/stale",
         "rotation/backward-wrong"},
        {forward, id_of(adjoint, "full head", dtype, kHalf), forward});
    add("a full head, a partial one, a full one",
        {"window/head-dim-for-rotary-dim", "table/stale"},
        {forward,
         id_of(rich, "another window would fit behind the window", dtype,
               kHalf),
         forward});
    const Pairing covered = dtype == Format::kF32 ? kInter : kHalf;
    const auto far = [&](const char* from) {
      return id_of(coverage,
                   (dtype == Format::kF32 ? "the last of each decade from "
                                          : "the first odd one of each decade "
                                            "from ") +
                       std::string(from),
                   dtype, covered);
    };
    add("near positions, far ones, near ones: a table that grows",
        {"table/too-short", "table/stale"},
        {far("2^0"), far("2^20"), far("2^0")});
  }
  const auto token = [&](Format dtype) {
    return id_of(decode, "batch 3, sequence 1", dtype, kHalf);
  };
  add("bf16, then f32, then bf16", {"frequency/rounded-to-half", "table/stale"},
      {token(Format::kBF16), token(Format::kF32), token(Format::kBF16)});
  add("f16, then f64, then f16", {"frequency/rounded-to-half", "table/stale"},
      {token(Format::kF16), token(Format::kF64), token(Format::kF16)});
  return group;
}

std::vector<Group> core_families() {
  std::vector<Group> groups = {
      core_rich(),     core_zero(),    core_unit(),       core_layouts(),
      core_dims(),     core_decode(),  core_memory(),     core_heads(),
      core_sizes(),    core_wide(),    core_boundaries(), core_far(),
      core_coverage(), core_axes(),    core_scalings(),   core_adjoint(),
      core_values(),   core_special(), core_permute(),    core_reject(),
      core_calls()};
  for (Group& group : groups) group.is_bulk = !group.rope_cases.empty();
  return groups;
}

}  // namespace ropeproof::conformance::cases
