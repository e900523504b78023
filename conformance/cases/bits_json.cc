#include "conformance/cases/bits_json.h"

#include <bit>
#include <string_view>

#include "conformance/plugin/abi_words.h"
#include "conformance/text/hex.h"

namespace ropeproof::conformance::cases {

using reference::Format;

namespace {

// `digits` as `count` bit patterns of `format`, appended to `bits`.
void read_row(const std::string& digits, std::int64_t count, Format format,
              const std::string& where, Bits& bits) {
  const std::size_t width = 2 * plugin::bytes_of(format);
  if (digits.size() != width * static_cast<std::size_t>(count)) {
    throw text::FileError(where + ": expected " + std::to_string(count) +
                          " bit patterns of " + std::to_string(width) +
                          " hex digits");
  }
  for (std::size_t i = 0; i < digits.size(); i += width) {
    const auto value =
        text::parse_hex(std::string_view(digits).substr(i, width));
    if (!value) throw text::FileError(where + ": not a lower-case hex digit");
    bits.push_back(*value);
  }
}

}  // namespace

std::string hex(std::uint64_t bits, Format format) {
  return text::hex(bits, traits(format).total_bits / 4);
}

nlohmann::ordered_json hex_rows(const Bits& bits, std::int64_t row,
                                Format format) {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  std::string text;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    text += hex(bits[i], format);
    if ((i + 1) % static_cast<std::size_t>(row) == 0) {
      result.push_back(text);
      text.clear();
    }
  }
  return result;
}

std::string hex_row(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += hex(value);
  return text;
}

Bits read_rows(text::StrictObject& object, const std::string& key,
               std::int64_t count, std::int64_t row, Format format) {
  const std::vector<std::string> texts = object.texts(key);
  if (texts.size() != static_cast<std::size_t>(count)) {
    object.fail(key, "expected " + std::to_string(count) + " rows");
  }
  Bits bits;
  for (const std::string& text : texts) {
    read_row(text, row, format, object.at(key), bits);
  }
  return bits;
}

std::vector<double> read_doubles(text::StrictObject& object,
                                 const std::string& key, std::int64_t count) {
  Bits bits;
  read_row(object.text(key), count, Format::kF64, object.at(key), bits);
  std::vector<double> values;
  for (const std::uint64_t pattern : bits) {
    values.push_back(std::bit_cast<double>(pattern));
  }
  return values;
}

double read_pattern(const std::string& text, const std::string& where) {
  Bits bits;
  read_row(text, 1, Format::kF64, where, bits);
  return std::bit_cast<double>(bits[0]);
}

double read_double(text::StrictObject& object, const std::string& key) {
  return read_doubles(object, key, 1)[0];
}

}  // namespace ropeproof::conformance::cases
