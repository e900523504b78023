// blocks.h -- blocks of memory that a kernel shares, and their contents.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace ropeproof::conformance::plugin {

// The side of a block of memory that borders a guard page.
enum class Edge { kStart, kEnd };

// Bytes [begin, end) of a block.
struct ByteRange {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};

using Blocks = std::vector<std::span<std::byte>>;

// Appends what they hold. The string grows once: of a prompt's tensors a copy
// on the way would be as large again.
inline void save(const Blocks& blocks, std::string& contents) {
  std::size_t bytes = contents.size();
  for (const auto& block : blocks) bytes += block.size();
  contents.reserve(bytes);
  for (const auto& block : blocks) {
    contents.append(reinterpret_cast<const char*>(block.data()), block.size());
  }
}

// Puts back what save() has appended. Returns where the contents of the next
// blocks begin.
inline const char* restore(const Blocks& blocks, const char* contents) {
  for (const auto& block : blocks) {
    if (!block.empty()) std::memcpy(block.data(), contents, block.size());
    contents += block.size();
  }
  return contents;
}

}  // namespace ropeproof::conformance::plugin
