// roles.h -- what a tensor is, by its name: the table
// vectors/models/types/tensors.json. No code knows a name.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "conformance/weights/checkpoint.h"
#include "reference/spec.h"

namespace ropeproof::conformance::weights {

enum class Part {
  kQ,
  kK,
  kV,
  kQkv,     // all three, fused
  kLatent,  // latent attention: what keys and values come from, then the
            // channels of k that rotate
};

enum class Kind { kWeight, kBias, kNorm, kNormBias, kLoraA, kLoraB };

// How the rows of a fused projection follow each other.
enum class FusedOrder {
  kBlocks,  // all of q, all of k, all of v
  kHeads,   // for each key head: its queries, its key, its value
};

struct Role {
  Part part = Part::kQ;
  Kind kind = Kind::kWeight;
  std::int64_t layer = 0;
  // What the name alone says, if it does.
  std::optional<reference::Pairing> pairing = {};
  std::optional<FusedOrder> order = {};
};

class RoleTable {
 public:
  // Reads the table of the folder vectors/models. Throws FileError.
  explicit RoleTable(const std::filesystem::path& models);

  // Returns nothing for tensors that rotary channels do not concern, for those
  // of vision and audio towers, and for unknown names.
  std::optional<Role> find(const std::string& name) const;
  // Whether a tensor has a row for each token of a vocabulary.
  bool is_embedding(const std::string& name) const;
  // Returns the name without the number of an expert, and that number, or -1.
  std::pair<std::string, std::int64_t> expert_of(const std::string& name) const;
  // Returns the pairing by which llama.cpp runs an architecture, if known.
  std::optional<reference::Pairing> pairing_of(
      const std::string& architecture) const;

 private:
  nlohmann::json table_;
};

// Returns "k", "qkv bias", "q norm".
std::string words_of(Part part, Kind kind);

}  // namespace ropeproof::conformance::weights
