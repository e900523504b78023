#include "conformance/plugin/blocks.h"

#include <cstring>

namespace ropeproof::conformance::plugin {

void save(const Blocks& blocks, std::string& contents) {
  for (const auto& block : blocks) {
    contents.append(reinterpret_cast<const char*>(block.data()), block.size());
  }
}

const char* restore(const Blocks& blocks, const char* contents) {
  for (const auto& block : blocks) {
    if (!block.empty()) std::memcpy(block.data(), contents, block.size());
    contents += block.size();
  }
  return contents;
}

}  // namespace ropeproof::conformance::plugin
