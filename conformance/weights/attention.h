// attention.h -- how many heads a model has, how wide, and which channels of
// them are rotary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conformance/weights/checkpoint.h"
#include "conformance/weights/roles.h"
#include "conformance/weights/row_maps.h"
#include "reference/spec.h"

namespace ropeproof::conformance::weights {

struct Attention {
  std::uint64_t heads = 0, kv_heads = 0;   // 0: not known
  std::vector<reference::Layout> layouts;  // one per kind; empty: not known
  // The layout of weights that go with the configuration, as transformers has
  // them.
  std::optional<reference::Pairing> pairing;
  std::string source;  // who says so: a file, flags; empty: nobody
};

// What a command line says, before any file.
struct AttentionFlags {
  std::string config;  // a config.json; or empty
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0, rotary_dim = 0;  // or 0
  std::int64_t rotary_offset = -1;                                     // or -1
};

// Reads the flags, else the values of a GGUF, else config.json or params.json
// beside the checkpoint. `models` is the folder vectors/models.
// Throws CheckpointError, ConfigError, FileError.
Attention read_attention(const Checkpoint& checkpoint,
                         const AttentionFlags& flags,
                         const std::filesystem::path& models);

// Returns the pairing that the names or the architecture of a checkpoint, or
// the configuration with it, mean; nothing where none says so.
std::optional<reference::Pairing> pairing_of(const Checkpoint& checkpoint,
                                             const RoleTable& table,
                                             const Attention& attention);

// Returns the heads that so many rows are.
Heads heads_of(const Attention& attention, Part part, Kind kind,
               std::uint64_t rows);

}  // namespace ropeproof::conformance::weights
