// vector_file.h -- a Group as a JSON document (vectors/schema.json) with, for a
// bulk group, a side file of tensors; and back.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "conformance/cases/case.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cases {

inline constexpr const char* kVectorFormat = "ropeproof-vectors/1";

// The bytes of a group's files, NAME.json and NAME.safetensors.
struct GroupFiles {
  std::string json;
  std::string payload;  // empty unless the group is bulk
};

std::string payload_name(const std::string& group);

// A group as its files; a group always gives the same bytes.
GroupFiles write_group(const Group& group);

// What a kernel is given and what it is expected to answer, the same bytes in
// any group and any version: the case's JSON in one line, tensors as rows of
// hex, without comment, targets, printed and expected.precision_bits.
std::string content_of(const Case& c);
std::string content_of(const RejectCase& c);
std::string content_of(const SequenceCase& c);

// The content of a case that is JSON already.
std::string content_text(nlohmann::ordered_json case_json);

// `document` and its cases, one a line.
std::string with_rows(const nlohmann::ordered_json& document,
                      const nlohmann::ordered_json& cases);

// `payload` holds the side file's bytes, none if there is no such file. Throws
// FileError naming `file` and the place for anything that is not exactly as
// the schema says: unknown or missing fields, sizes that do not fit the shape,
// digits that are no bit pattern, specifications out of range, byte ranges that
// reach outside the side file, a side file that write_group would not write.
// Memory: bounded by a multiple of the two files.
Group read_group(const std::string& text, std::span<const std::byte> payload,
                 const std::string& file);

}  // namespace ropeproof::conformance::cases
