// How tensors lie in memory, and how large they are.

#include "conformance/cases/families/choices.h"
#include "conformance/cases/families/families.h"

namespace ropeproof::conformance::cases {

using reference::Format;
using reference::Layout;
using reference::leading;
using reference::Pairing;
using reference::trailing;

Group contract_family() {
  Family family(Tier::kCore, "contract",
                "Features of the ABI in combinations: adjoint, amplitude, "
                "memory layouts, negative positions, f16, with partial heads "
                "and with q and k of their own sizes.");
  const auto plain = [](Format dtype, const Layout& layout) {
    return make_problem(dtype, layout, 1e4, 2, 3, 3, 2, kIrregularIds);
  };
  for (const Pairing pairing : kCommonPairings) {
    const Layout full = leading(16, 16, pairing),
                 partial = leading(24, 16, pairing);
    for (const Format dtype : {Format::kF32, Format::kBF16}) {
      // YaRN, factor 32.
      family.add(
          adjoint(with_amplitude(1.3465735902799727, plain(dtype, partial))),
          {"rotation/direction-reversed", "window/outside-not-copied",
           "scaling/amplitude-misapplied", "rotation/backward-wrong"},
          "adjoint of a partial head with amplitude, q and k");
    }
    for (const Format dtype : {Format::kF32, Format::kBF16}) {
      // YaRN, factor 128.
      family.add(with_amplitude(1.4852030263919618, plain(dtype, partial)),
                 {"window/outside-not-copied", "scaling/amplitude-misapplied"},
                 "amplitude away from position 0");
    }
    for (const Storage& storage : {kStrided, kInPlace, kStridedInPlace}) {
      family.add(in_storage(storage, plain(Format::kF32, partial)),
                 {"window/outside-not-copied", "memory/strides-ignored",
                  "memory/aliasing", "shape/heads-miscounted"},
                 "a partial head, q and k, gaps of their own in and out");
    }
    family.add(
        in_storage(kStrided, plain(Format::kBF16, trailing(24, 16, pairing))),
        {"window/outside-not-copied", "window/wrong-end",
         "memory/strides-ignored"},
        "a window at the end, strided");
    family.add(plain(Format::kF16, full),
               {"layout/pairs-swapped", "frequency/wrong-exponent",
                "position/shared-across-batch", "shape/heads-miscounted"},
               "f16, full head");
    family.add(in_storage(kStridedInPlace, plain(Format::kF16, partial)),
               {"window/outside-overwritten", "window/outside-not-copied",
                "memory/strides-ignored"},
               "f16, partial head, strided in place");
    for (const Format dtype : {Format::kF32, Format::kBF16}) {
      family.add(make_problem(dtype, full, 1e4, 2, 3, 3, 2,
                              {-3, 259, -17, -9, 0, -1021}),
                 {"rotation/direction-reversed", "position/shift-lost"},
                 "negative positions, q and k");
    }
  }
  return family.take();
}

Group core_decode() {
  Family family(Tier::kCore, "core-decode",
                "One token per batch row, as in generation, each at its own "
                "position; out of place and in place, dense and with gaps.");
  for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
    for (const Storage& storage : kStorages) {
      family.add(
          in_storage(storage, make_problem(dtype, window(8, 8, 0, pairing), 5e5,
                                           3, 1, 3, 2, {7, 4097, 511})),
          {"position/offset-lost", "position/shared-across-batch",
           "position/single-token-path", "memory/strides-ignored",
           "memory/aliasing", "shape/heads-miscounted"},
          "batch 3, sequence 1");
    }
  }
  return family.take();
}

Group core_memory() {
  Family family(Tier::kCore, "core-memory",
                "In place and with gaps between heads, tokens and batch rows "
                "that nobody may touch, for windows with channels to copy.");
  struct Row {
    const char* comment;
    std::int64_t head_dim, rotary_dim, offset;
  };
  const std::vector<Row> kOddThenEven[] = {
      {{"copies behind the window", 13, 8, 0},
       {"copies on both sides of the window", 13, 8, 2}},
      {{"copies behind the window, an even head", 6, 4, 0}}};
  for (const std::vector<Row>& rows : kOddThenEven) {
    for (const auto& [dtype, pairing] : every_dtype_with(kPairings)) {
      for (const Storage& storage : kStorages) {
        if (storage == kDense) continue;  // core-rich
        for (const Row& row : rows) {
          const Layout layout =
              window(row.head_dim, row.rotary_dim, row.offset, pairing);
          family.add(in_storage(storage, make_problem(dtype, layout, 1e4, 2, 2,
                                                      2, 1, {5, 1023, 0, 263})),
                     {"window/outside-not-copied", "memory/strides-ignored",
                      "memory/aliasing", "call/wrong-tensor"},
                     row.comment);
        }
      }
    }
  }
  return family.take();
}

Group core_heads() {
  Family family(Tier::kCore, "core-heads",
                "q and k with numbers of heads of their own: no powers of two, "
                "k with more heads than q, one of the two alone.");
  struct Row {
    const char* comment;
    std::int64_t q_heads, k_heads;
    Storage storage;
  };
  constexpr Row kRows[] = {
      {"six query heads for two key heads", 6, 2, kDense},
      {"seven query heads for one key head", 7, 1, kStrided},
      {"more key heads than query heads", 2, 5, kDense},
      {"as many of both", 3, 3, kInPlace}};
  for (const auto& [dtype, pairing] : every_dtype_with(kCommonPairings)) {
    for (const Row& row : kRows) {
      family.add(
          in_storage(row.storage,
                     make_problem(dtype, window(6, 6, 0, pairing), 1e4, 2, 2,
                                  row.q_heads, row.k_heads, {259, 3, 0, 1021})),
          {"position/wrong-index", "shape/axes-confused",
           "shape/heads-miscounted", "call/wrong-tensor"},
          row.comment);
    }
  }
  return family.take();
}

Group core_sizes() {
  Family family(Tier::kCore, "core-sizes",
                "Nothing to do, which is a valid problem; many rows; positions "
                "that need more than 32 bits.");
  struct Row {
    const char* comment;
    std::int64_t batch, seq, q_heads, k_heads;
  };
  constexpr Row kEmpty[] = {{"no batch rows", 0, 3, 2, 1},
                            {"no tokens", 2, 0, 2, 1},
                            {"no query heads, but key heads", 1, 2, 0, 2}};
  for (const Format dtype : kDtypes) {
    for (const Row& row : kEmpty) {
      std::vector<double> positions = {1, 259};
      positions.resize(static_cast<std::size_t>(row.batch * row.seq));
      family.add(
          make_problem(dtype, window(8, 8, 0, Pairing::kHalfSplit), 1e4,
                       row.batch, row.seq, row.q_heads, row.k_heads, positions),
          {"shape/odd-size"}, row.comment);
    }
    for (const Pairing pairing : kCommonPairings) {
      family.add(
          make_problem(dtype, window(2, 2, 0, pairing), 1e4, 1, 257, 1, 0,
                       many_positions(257)),
          {"position/wrong-index", "table/too-short", "shape/32-bit-overflow"},
          "257 tokens of one pair");
      family.add(make_problem(dtype, window(8, 8, 0, pairing), 5e5, 1, 5, 1, 0,
                              {4294967297, 3, 8589934599, 1099511627777,
                               9007199254740991}),
                 {"angle/rounded-to-f32", "position/int64-as-int32"},
                 "2^32 + 1, 2^33 + 7, 2^40 + 1, 2^53 - 1: read as 32 bits, "
                 "they are 1, 7, 1 and -1");
    }
  }
  return family.take();
}

Group core_wide() {
  Family family(Tier::kCore, "core-wide",
                "Large in one direction: 32 query heads for 8 key heads, 256 "
                "pairs, 300 tokens in a call. Kernels go through them in "
                "blocks, and the first block says nothing of the next.");
  for (const auto& [dtype, pairing] : every_dtype_with(kCommonPairings)) {
    if (dtype == Format::kF64 || dtype == Format::kF16) {
      family.retire(1);  // formed at run time, among the shapes of models
    } else {
      family.add(make_problem(dtype, window(64, 64, 0, pairing), 5e5, 1, 2, 32,
                              8, {4097, 131071}),
                 {"shape/axes-confused", "shape/32-bit-overflow",
                  "shape/heads-miscounted", "call/wrong-tensor"},
                 "32 query heads for 8 key heads, as Llama 3.2 1B");
    }
    family.add(make_problem(dtype, window(512, 512, 0, pairing), 5e5, 1, 2, 1,
                            0, {131071, 32769}),
               {"frequency/wrong-exponent", "shape/simd-tail",
                "shape/32-bit-overflow"},
               "256 pairs");
    if (dtype != Format::kF32 && dtype != Format::kBF16) continue;
    family.add(
        make_problem(dtype, window(8, 8, 0, pairing), 1e4, 1, 300, 1, 0,
                     many_positions(300)),
        {"position/wrong-index", "table/too-short", "shape/32-bit-overflow"},
        "300 tokens of four pairs");
  }
  return family.take();
}

}  // namespace ropeproof::conformance::cases
