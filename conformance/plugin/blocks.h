// blocks.h -- blocks of memory that a kernel shares, and what they hold.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_BLOCKS_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_BLOCKS_H_

#include <cstddef>
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

// Appends what the blocks hold.
void save(const Blocks& blocks, std::string& contents);
// Puts back what save() has appended; where the next blocks' contents begin.
const char* restore(const Blocks& blocks, const char* contents);

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_BLOCKS_H_
