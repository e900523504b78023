// vector_file.h -- a Group as a JSON document (vectors/schema.json) with, for a
// bulk group, a side file of tensors; and back.
#ifndef ROPEPROOF_CONFORMANCE_CORPUS_VECTOR_FILE_H_
#define ROPEPROOF_CONFORMANCE_CORPUS_VECTOR_FILE_H_

#include <cstddef>
#include <span>
#include <string>

#include "conformance/corpus/case.h"
#include "conformance/corpus/strict_json.h"

namespace ropeproof::conformance {

inline constexpr const char* kVectorFormat = "ropeproof-vectors/1";

// The bytes of a group's files, NAME.json and NAME.safetensors.
struct GroupFiles {
  std::string json;
  std::string payload;  // empty unless the group is bulk
};

// The name of a group's side file.
std::string payload_name(const std::string& group);

// The same group always gives the same bytes.
GroupFiles write_group(const Group& group);

// `payload` holds the side file's bytes, none if there is no such file. Throws
// VectorError naming `file` and the place for anything that is not exactly as
// the schema says: unknown or missing fields, sizes that do not fit the shape,
// digits that are no bit pattern, specifications out of range, byte ranges that
// overlap, leave gaps or reach outside the side file. Memory: bounded by a
// multiple of the two files.
Group read_group(const std::string& text, std::span<const std::byte> payload,
                 const std::string& file);
Group read_group(const std::string& text, const std::string& file);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_CORPUS_VECTOR_FILE_H_
