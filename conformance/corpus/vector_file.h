// vector_file.h -- a Group as a JSON document (vectors/schema.json), and back.
#ifndef ROPEPROOF_CONFORMANCE_CORPUS_VECTOR_FILE_H_
#define ROPEPROOF_CONFORMANCE_CORPUS_VECTOR_FILE_H_

#include <string>

#include "conformance/corpus/case.h"
#include "conformance/corpus/strict_json.h"

namespace ropeproof::conformance {

inline constexpr const char* kVectorFormat = "ropeproof-vectors/1";

// The bytes of the file. The same group always gives the same bytes.
std::string write_group(const Group& group);

// Throws VectorError naming `file` and the place for anything that is not
// exactly as the schema says: unknown or missing fields, sizes that do not fit
// the shape, digits that are no bit pattern, specifications out of range.
Group read_group(const std::string& text, const std::string& file);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_CORPUS_VECTOR_FILE_H_
