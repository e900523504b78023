// checkpoint.h -- the tensors of a model, by name, whatever files hold them.
//
// Opening reads headers alone. What a header says is held against the file:
// each tensor lies in it, none overlaps another, and its bytes are those of
// its shape and type.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/weights/input_file.h"
#include "reference/format.h"

namespace ropeproof::conformance::weights {

// How elements lie in a file: in blocks, one element each where they are not
// quantised.
struct ElementType {
  std::string_view name;  // as the format has it: "BF16", "Q4_K"
  std::uint64_t block_elems = 1, block_bytes = 0;
  std::optional<reference::Format> format = {};  // of floats that convert
};

struct Tensor {
  std::string name;
  ElementType type;
  std::vector<std::uint64_t> shape;  // the outermost dimension first
  std::size_t file = 0;              // which of Checkpoint::files
  std::uint64_t offset = 0;          // its first byte in that file
  std::uint64_t bytes = 0;           // of all shards
  // Where its further rows lie, in equal parts: those of a model that several
  // machines ran, as Meta's consolidated.00.pth, consolidated.01.pth.
  struct Shard {
    std::size_t file = 0;
    std::uint64_t offset = 0;
  };
  std::vector<Shard> shards = {};
};

// A header that cannot be larger than this in a checkpoint that any library
// reads.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

enum class FileFormat { kSafetensors, kGguf, kTorch, kNumpy };

struct Checkpoint {
  FileFormat format = FileFormat::kSafetensors;
  std::filesystem::path path;  // as it was named
  std::vector<InputFile> files;
  std::filesystem::path index;  // of safetensors in several files; or empty
  std::vector<Tensor> tensors;  // in the order of their names
  // Single values that files say besides: "general.architecture". Lists of
  // integers are there, long ones and lists of texts are not.
  std::map<std::string, nlohmann::json> metadata;

  const Tensor* find(std::string_view name) const;
  // Reads from byte `offset` of a tensor on. Throws CheckpointError.
  void read(const Tensor& tensor, std::uint64_t offset,
            std::span<std::byte> bytes) const;
};

// Opens a file, an index of safetensors, or a folder that holds one checkpoint.
// Tensors of the same name in several .pth are shards, joined along their rows,
// which is right of q, k and v; equal ones of one dimension are one. Throws
// CheckpointError.
Checkpoint open_checkpoint(const std::filesystem::path& path);

// Parts of opening, one for each format: they add the tensors of the last of
// `files`. Throw CheckpointError.
void read_safetensors(Checkpoint& checkpoint);
void read_gguf(Checkpoint& checkpoint);
void read_torch(Checkpoint& checkpoint);
void read_npz(Checkpoint& checkpoint);
void read_npy(Checkpoint& checkpoint);

// Returns the type of this name in safetensors, or null.
const ElementType* find_type(std::string_view name);

// Returns how many bytes elements of this type and shape take. Throws
// CheckpointError where 63 bits do not hold the number, or a row is no whole
// number of blocks.
std::uint64_t size_of(const InputFile& file, const std::string& name,
                      const ElementType& type,
                      const std::vector<std::uint64_t>& shape);

}  // namespace ropeproof::conformance::weights
