// bits_json.h -- bit patterns as hex strings in JSON, both ways.
#ifndef ROPEPROOF_CONFORMANCE_CORPUS_BITS_JSON_H_
#define ROPEPROOF_CONFORMANCE_CORPUS_BITS_JSON_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/corpus/case.h"
#include "conformance/corpus/strict_json.h"
#include "reference/format.h"

namespace ropeproof::conformance {

// Fixed width, lower case, most significant digit first.
std::string hex(std::uint64_t bits, reference::Format format);
std::string hex(double value);

// Rows of `row` elements, each one string.
nlohmann::ordered_json hex_rows(const Bits& bits, std::int64_t row,
                                reference::Format format);

// One row of binary64.
std::string hex_row(const std::vector<double>& values);

// Each of these throws VectorError naming the place.
Bits read_rows(StrictObject& object, const std::string& key, std::int64_t count,
               std::int64_t row, reference::Format format);
double read_double(StrictObject& object, const std::string& key);
double read_pattern(const std::string& text, const std::string& where);
std::vector<double> read_doubles(StrictObject& object, const std::string& key,
                                 std::int64_t count);

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_CORPUS_BITS_JSON_H_
