#include "conformance/plugin/pack.h"

namespace ropeproof::conformance::plugin {

std::string pack_instructions() {
  return R"(# A run of ropeproof in files

For each line of `cases.txt`: read `in/NAME.bin`, compute, write )"
         R"(`out/NAME.bin`. Then,
where ropeproof is installed:

    ropeproof check DIR --results DIR/out --description description.json

For a call that the device does not take although its description offers it, )"
         R"(write
an empty `out/NAME.declined` instead: the report lists what these calls have )"
         R"(in common.

A call that the description offers and that has no file is MISSING, which )"
         R"(does not conform; a
file of another size is an ERROR; a file that no call has asked for is )"
         R"(refused. Lines that
the description does not offer need no file.

## cases.txt

No header, one call per line, columns separated by one space, 29 of them:

| column | value |
|---|---|
| 1 name | of the two files, without `.bin` |
| 2 operation | `frequencies`, `table`, `rotate`, `rope`, `permute` or )"
         R"(`lookup` |
| 3 dtype | of q, k and their outputs: `f64`, `f32`, `f16`, `bf16`; `-`: none |
| 4 table_dtype | of cos, sin and inv_freq_out; `-`: none |
| 5 pairing | `interleaved`, `half_split`, `interleaved_to_half`, )"
         R"(`nested_half_split`; `-` |
| 6 direction | 1, or -1: the adjoint |
| 7-12 | batch, seq, head_dim, rotary_dim, rotary_offset, q_heads |
| 13-14 | k_heads (0: no k), position_axes |
| 15 axis_map | `sections`, `interleaved`, `grid`, `any`; `-`: one axis, or )"
         R"(weights |
| 16 axis_sections | pairs of each of the first 8 axes, with commas |
| 17 cache | of `lookup`: `split`, `side_by_side`, `doubled`; `-` |
| 18 cache_rows | of `lookup` |
| 19-20 | pair_distance, pairing_blocks |
| 21 base | decimal; 0: the frequencies follow no formula, take inv_freq |
| 22 amplitude | decimal |
| 23-24 | permute_heads, permute_columns |
| 25 scaling | `-`, or kind and its numbers with commas: factor, )"
         R"(original_length, seq_len, beta_fast, beta_slow, low, high, )"
         R"(truncate, attention_factor, mscale, mscale_all_dim |
| 26 in_bytes | of the input file |
| 27 out_bytes | of the output file |
| 28 buffers | what the input file holds, in order: name:bytes,name:bytes )"
         R"(...; `-`: nothing |
| 29 digest | of the call; ignore it |

What the numbers mean is said in `ropeproof_kernel.h`.

## The files

Little-endian, row-major, no gaps, one buffer after the other.

| buffer | shape and type |
|---|---|
| q, k | [batch, seq, heads, head_dim] of dtype |
| cos, sin | [batch, seq, rotary_dim/2] of table_dtype, for `rotate` |
| cos, sin | for `lookup` [cache_rows, rotary_dim/2], or [cache_rows, )"
         R"(rotary_dim] in caches that are `side_by_side` (then no sin) or )"
         R"(`doubled` |
| ids | [batch, seq] of 64-bit integers: the cache's row of each token |
| positions | [position_axes, batch, seq] of 64-bit integers |
| real_positions | the same of binary64, in place of positions |
| axis_of_pair | [rotary_dim/2] of 32-bit integers, with several axes |
| pair_bases | [rotary_dim/2] of binary64: the frequency is )"
         R"(pair_bases^(-numerator/denominator) |
| exponent_numerators, exponent_denominators | the same of 64-bit integers |
| inv_freq, inv_freq_lo | [rotary_dim/2] of binary64, radians per position; )"
         R"(their sum |
| axis_weights | [position_axes, rotary_dim/2] of binary64 |
| pair_amplitude | [batch, seq, rotary_dim/2] of binary64, in place of )"
         R"(amplitude |
| permute_in | [permute_heads * head_dim, permute_columns] of dtype |
| short_factor, long_factor | [rotary_dim/2] of binary64, of the scaling |

| operation | output file |
|---|---|
| rope, rotate, lookup | q, then k if there is one, shaped as in the input |
| table | cos, then sin |
| frequencies | [rotary_dim/2] of table_dtype |
| permute | as permute_in |

## description.json

What the device can do, as a process answers `describe` and as a report's )"
         R"(`description`
says it:

    {"name": "board-x", "version": "fw-7.1", "operations": ["rope"], )"
         R"("dtypes": ["f32"],
     "pairings": ["half_split"], "features": ["partial", "inv_freq"], )"
         R"("claims": [{"angle_class": "A1"}]}

conformance/adapters/PROTOCOL.md has the fields, their words and defaults. )"
         R"(`keys` and
`out_of_place` need not be said. `table_dtype` decides which tables `rotate` )"
         R"(is given:
export with `--description description.json` if it is not the tensors' own )"
         R"(type, and for `lookup`, whose
cache lies in one of the layouts that it has in `caches`.
)";
}

}  // namespace ropeproof::conformance::plugin
