#include "conformance/cases/tensors.h"

#include <algorithm>
#include <limits>

#include "conformance/cases/bits_json.h"
#include "conformance/cases/vector_file.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {

using reference::Format;

namespace {

constexpr text::Words<Format, 4> kStoredWords{{{Format::kF64, "F64"},
                                               {Format::kF32, "F32"},
                                               {Format::kF16, "F16"},
                                               {Format::kBF16, "BF16"}}};

std::string tensor_name(const std::string& field, Format format) {
  return field + "." + text::word(kStoredWords, format);
}

}  // namespace

bool TensorWriter::WideFirst::operator()(const Key& a, const Key& b) const {
  const std::size_t width_a = plugin::bytes_of(a.first);
  const std::size_t width_b = plugin::bytes_of(b.first);
  if (width_a != width_b) return width_a > width_b;
  return tensor_name(a.second, a.first) < tensor_name(b.second, b.first);
}

nlohmann::ordered_json TensorWriter::write(const std::string& field,
                                           const Bits& bits, std::int64_t row,
                                           Format format) {
  if (!is_bulk_) return hex_rows(bits, row, format);
  Tensor& tensor = tensors_[{format, field}];
  const std::uint64_t offset = tensor.begin + tensor.bytes.size();
  const std::size_t width = plugin::bytes_of(format);
  std::size_t to = tensor.bytes.size();
  tensor.bytes.resize(to + width * bits.size());
  for (const std::uint64_t pattern : bits) {
    for (std::size_t i = 0; i < width; ++i) {
      tensor.bytes[to++] = static_cast<char>(pattern >> (8 * i) & 255);
    }
  }
  return nlohmann::ordered_json::array({offset, width * bits.size()});
}

std::string TensorWriter::header() const {
  nlohmann::ordered_json header = {
      {"__metadata__", {{"format", kVectorFormat}, {"group", group_}}}};
  std::size_t at = 0;
  for (const auto& [key, tensor] : tensors_) {
    const auto& [format, field] = key;
    const std::size_t size = tensor.bytes.size();
    header[tensor_name(field, format)] = {
        {"dtype", text::word(kStoredWords, format)},
        {"shape", {size / plugin::bytes_of(format)}},
        {"data_offsets", {at, at + size}}};
    at += size;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string bytes;
  for (int i = 0; i < 8; ++i) {
    bytes += static_cast<char>(text.size() >> (8 * i) & 255);
  }
  return bytes + text;
}

void TensorWriter::lay_out() {
  std::uint64_t at = header().size();
  for (auto& [key, tensor] : tensors_) {
    tensor.begin = at;
    at += tensor.bytes.size();
    tensor.bytes.clear();
  }
}

std::string TensorWriter::bytes() const {
  std::string bytes = header();
  for (const auto& [key, tensor] : tensors_) bytes += tensor.bytes;
  return bytes;
}

Bits TensorReader::read(text::StrictObject& object, const std::string& key,
                        const std::string& field, std::int64_t count,
                        std::int64_t row, Format format) {
  if (!is_bulk_) return read_rows(object, key, count, row, format);
  Bits bits = read_range(object, key, count * row, format);
  again_.write(field, bits, row, format);
  return bits;
}

Bits TensorReader::read_range(text::StrictObject& object,
                              const std::string& key, std::int64_t elements,
                              Format format) {
  const nlohmann::json& node = object.get(key);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (!node.is_array() || node.size() != 2 ||
      !text::is_integer(node[0], 0, kMax) ||
      !text::is_integer(node[1], 0, kMax)) {
    object.fail(key, "expected [offset, bytes], a range of " + name_);
  }
  const auto offset = node[0].get<std::uint64_t>();
  const auto bytes = node[1].get<std::uint64_t>();
  const std::size_t width = plugin::bytes_of(format);
  if (bytes != static_cast<std::uint64_t>(elements) * width) {
    object.fail(key, std::to_string(bytes) + " bytes; expected " +
                         std::to_string(elements) + " elements of " +
                         std::to_string(width));
  }
  if (offset > file_.size() || bytes > file_.size() - offset) {
    object.fail(key, "reaches outside " + name_ + ", which has " +
                         std::to_string(file_.size()) + " bytes");
  }
  read_ += bytes;
  if (read_ > file_.size()) {
    object.fail(key, "overlaps: all ranges so far are longer than " + name_);
  }
  Bits bits(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (std::size_t b = width; b-- > 0;) {
      bits[i] = bits[i] << 8 |
                std::to_integer<std::uint64_t>(file_[offset + i * width + b]);
    }
  }
  return bits;
}

bool TensorReader::is_all() const {
  if (!is_bulk_) return true;
  const std::string again = again_.bytes();
  return std::ranges::equal(file_, std::as_bytes(std::span(again)));
}

}  // namespace ropeproof::conformance::cases
