// bits_json.h -- bit patterns as hex strings in JSON, written and read.
#ifndef ROPEPROOF_CONFORMANCE_CASES_BITS_JSON_H_
#define ROPEPROOF_CONFORMANCE_CASES_BITS_JSON_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/text/hex.h"
#include "conformance/text/strict_json.h"
#include "reference/format.h"

namespace ropeproof::conformance::cases {

using text::hex;
std::string hex(std::uint64_t bits, reference::Format format);

// Rows of `row` elements, each one string.
nlohmann::ordered_json hex_rows(const Bits& bits, std::int64_t row,
                                reference::Format format);

// One row of binary64.
std::string hex_row(const std::vector<double>& values);

// Each of these throws FileError naming the place.
Bits read_rows(text::StrictObject& object, const std::string& key,
               std::int64_t count, std::int64_t row, reference::Format format);
double read_double(text::StrictObject& object, const std::string& key);
double read_pattern(const std::string& text, const std::string& where);
std::vector<double> read_doubles(text::StrictObject& object,
                                 const std::string& key, std::int64_t count);

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_BITS_JSON_H_
