// read_whole.h -- a file as a string.
#ifndef ROPEPROOF_CONFORMANCE_TEXT_READ_WHOLE_H_
#define ROPEPROOF_CONFORMANCE_TEXT_READ_WHOLE_H_

#include <filesystem>
#include <optional>
#include <string>

namespace ropeproof::conformance::text {

// All bytes of a file; none where it cannot be read.
std::optional<std::string> read_whole(const std::filesystem::path& path);

}  // namespace ropeproof::conformance::text

#endif  // ROPEPROOF_CONFORMANCE_TEXT_READ_WHOLE_H_
