// permute.h -- a checkpoint written anew for the other pairing, and proved.
//
// The new files have the bytes of the old ones, headers and metadata too, but
// for the rows of q and k, their biases, norms and LoRA B, which move.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "conformance/weights/attention.h"
#include "conformance/weights/checkpoint.h"
#include "conformance/weights/roles.h"
#include "conformance/weights/row_maps.h"
#include "conformance/weights/rows.h"

namespace ropeproof::conformance::weights {

// Rows of a tensor that move: `map` again and again.
struct Move {
  Rows rows;
  RowMap map;
};
using Moves = std::map<std::string, Move>;  // by the name of the tensor

// Bytes done, of how many.
using ByteProgress = std::function<void(std::uint64_t, std::uint64_t)>;

// Returns what moves. Throws CheckpointError where nothing does, or it is not
// known how.
Moves plan(const Checkpoint& checkpoint, const RoleTable& table,
           const Attention& attention, Direction direction);

// Writes the files of `in` to `part`: a file, or a folder where `in` is one or
// an index. Files of a folder that are complete there are kept; one that is
// not is written anew. Memory: 40 MiB, and four bytes for each row of a fused
// tensor. Throws CheckpointError.
void write_permuted(const Checkpoint& in, const Moves& moves,
                    const std::filesystem::path& part,
                    const ByteProgress& progress);

// Reads both, and returns the first difference from what write_permuted()
// should have written; or an empty text. Rows that move are compared by
// digests, all other bytes as they are; no code but `moves` is that which
// wrote. Throws CheckpointError.
std::string difference(const Checkpoint& in, const Checkpoint& out,
                       const Moves& moves, const ByteProgress& progress);

}  // namespace ropeproof::conformance::weights
