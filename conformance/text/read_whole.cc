#include "conformance/text/read_whole.h"

#include <fstream>
#include <iterator>

namespace ropeproof::conformance::text {

std::optional<std::string> read_whole(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  if (!stream.is_open() || stream.bad()) return std::nullopt;
  return bytes;
}

}  // namespace ropeproof::conformance::text
