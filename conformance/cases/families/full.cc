// The full tier.

#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {
namespace {

using reference::Format;
using reference::leading;
using reference::Pairing;

Group dims() {
  Family family(Tier::kFull, "full-dims",
                "Every rotary_dim from 2 to 256 in every dtype and pairing, "
                "with channels to copy on one side or both.");
  for (std::int64_t rotary_dim = 2; rotary_dim <= 256; rotary_dim += 2) {
    for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
      const std::int64_t copies = rotary_dim / 2 % 4, offset = copies / 2;
      family.add(
          make_problem(dtype,
                       window(rotary_dim + copies, rotary_dim, offset, pairing),
                       1e4, 1, 1, 1, 0, {1021}),
          {"rotation/sine-lost", "window/outside-overwritten",
           "shape/simd-tail", "shape/odd-size"},
          "rotary_dim " + std::to_string(rotary_dim));
    }
  }
  return family.take();
}

Group powers() {
  Family family(Tier::kFull, "full-powers",
                "Every power of two up to 2^31 and its neighbours as a "
                "position, for the bases of most models.");
  std::vector<double> positions;
  for (int k = 0; k <= 31; ++k) {
    const auto power = static_cast<double>(std::int64_t{1} << k);
    for (const double p : {power - 1, power, power + 1}) positions.push_back(p);
  }
  for (const double base : {1e4, 5e5, 1e6, 1e7}) {
    for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
      family.add(make_problem(dtype, window(16, 16, 0, pairing), base, 1,
                              static_cast<std::int64_t>(positions.size()), 1, 0,
                              positions),
                 {"frequency/rounded-to-half", "position/rounded-to-half",
                  "angle/rounded-to-half", "angle/rounded-to-f32",
                  "angle/no-range-reduction", "angle/by-recurrence",
                  "position/int64-as-int32", "table/too-short"},
                 "2^k - 1, 2^k and 2^k + 1 for k up to 31");
    }
  }
  return family.take();
}

Group scalings() {
  Family family(Tier::kFull, "full-scalings",
                "The scalings of core-scalings with the pairings that it "
                "leaves out, values and positions of their own.");
  for (const Case& core : core_scalings().rope_cases) {
    if (core.problem.spec.layout.pair_distance != 0) continue;
    for (const Pairing pairing : kPairings) {
      Problem problem = core.problem;
      problem.q.clear();
      problem.spec.layout.pairing = pairing;
      problem.spec.layout.blocks = 1;
      for (double& p : problem.positions) p += 2;
      family.add(problem, core.targets, core.comment);
    }
  }
  return family.take();
}

Group rows() {
  Family family(Tier::kFull, "full-rows",
                "65537 rows, one more than a 16-bit word or a grid counts, at "
                "positions in no order.");
  constexpr std::int64_t kRows = 65537;
  const std::vector<double> positions = many_positions(kRows);
  family.add(make_problem(Format::kF32, leading(2, 2, Pairing::kInterleaved),
                          1e4, kRows, 1, 1, 0, positions),
             {"position/single-token-path", "position/wrong-index",
              "shape/32-bit-overflow"},
             "65537 batch rows");
  family.add(
      make_problem(Format::kBF16, leading(2, 2, Pairing::kHalfSplit), 1e4, 1,
                   kRows, 1, 0, positions),
      {"position/wrong-index", "table/too-short", "shape/32-bit-overflow"},
      "65537 tokens");
  return family.take();
}

Group wide() {
  Family family(Tier::kFull, "full-wide",
                "core-wide, larger: 32 query heads for 8 key heads with 16 "
                "tokens, 512 pairs, 512 tokens with 8 heads.");
  for (const auto& [dtype, pairing] : every_dtype_with(kCommonPairings)) {
    family.add(make_problem(dtype, leading(128, 128, pairing), 5e5, 1, 16, 32,
                            8, many_positions(16)),
               {"shape/axes-confused", "shape/32-bit-overflow",
                "shape/heads-miscounted", "call/wrong-tensor"},
               "32 query heads for 8 key heads, as Llama 3.1 8B");
    family.add(make_problem(dtype, leading(1024, 1024, pairing), 5e5, 1, 2, 1,
                            0, {131071, 32769}),
               {"frequency/wrong-exponent", "shape/simd-tail",
                "shape/32-bit-overflow"},
               "512 pairs");
    family.add(
        make_problem(dtype, leading(16, 16, pairing), 1e4, 1, 512, 8, 0,
                     many_positions(512)),
        {"position/wrong-index", "table/too-short", "shape/32-bit-overflow"},
        "512 tokens with 8 heads");
  }
  return family.take();
}

}  // namespace

std::vector<Group> full_families() {
  std::vector<Group> groups = {dims(), powers(), scalings(), rows(), wide()};
  for (Group& group : groups) group.is_bulk = true;
  return groups;
}

}  // namespace ropeproof::conformance::cases
