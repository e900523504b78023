#include "conformance/cases/tensors.h"

#include <limits>
#include <tuple>
#include <vector>

#include "conformance/cases/bits_json.h"
#include "conformance/plugin/words.h"

namespace ropeproof::conformance::cases {

using reference::Format;

namespace {

std::string tensor_name(const std::string& field, Format format) {
  return field + "." + dtype_word(format);
}

}  // namespace

bool TensorWriter::WideFirst::operator()(const Key& a, const Key& b) const {
  const auto rank = [](const Key& key) {
    return std::tuple(-static_cast<int>(plugin::bytes_of(key.first)),
                      tensor_name(key.second, key.first));
  };
  return rank(a) < rank(b);
}

nlohmann::ordered_json TensorWriter::write(const std::string& field,
                                           const Bits& bits, std::int64_t row,
                                           Format format) {
  if (!is_bulk_) return hex_rows(bits, row, format);
  Tensor& tensor = tensors_[{format, field}];
  const std::uint64_t offset = tensor.begin + tensor.bytes.size();
  const std::size_t width = plugin::bytes_of(format);
  for (const std::uint64_t pattern : bits) {
    for (std::size_t i = 0; i < width; ++i) {
      tensor.bytes += static_cast<char>(pattern >> (8 * i) & 255);
    }
  }
  return nlohmann::ordered_json::array({offset, width * bits.size()});
}

void TensorWriter::lay_out(const std::string& group) {
  std::vector<TensorSize> sizes;
  for (const auto& [key, tensor] : tensors_) {
    sizes.push_back(
        {tensor_name(key.second, key.first), key.first, tensor.bytes.size()});
  }
  header_ = safetensors_header(group, sizes);
  std::uint64_t at = header_.size();
  for (auto& [key, tensor] : tensors_) {
    tensor.begin = at;
    at += tensor.bytes.size();
    tensor.bytes.clear();
  }
}

std::string TensorWriter::bytes() const {
  std::string bytes = header_;
  for (const auto& [key, tensor] : tensors_) bytes += tensor.bytes;
  return bytes;
}

TensorReader::TensorReader(std::span<const std::byte> file,
                           const std::string& name, const std::string& group)
    : is_bulk_(true), file_(file), name_(name) {
  Safetensors parsed = parse_safetensors(file, name);
  if (parsed.group != group) {
    throw text::FileError(name + ": belongs to group \"" + parsed.group +
                          "\"; expected \"" + group + "\"");
  }
  unread_ = std::move(parsed.tensors);
}

Bits TensorReader::read(text::StrictObject& object, const std::string& key,
                        const std::string& field, std::int64_t count,
                        std::int64_t row, Format format) {
  if (!is_bulk_) return read_rows(object, key, count, row, format);
  return read_range(object, key, tensor_name(field, format), count * row,
                    format);
}

Bits TensorReader::read_range(text::StrictObject& object,
                              const std::string& key, const std::string& tensor,
                              std::int64_t elements, Format format) {
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
  const auto found = unread_.find(tensor);
  if (found == unread_.end()) {
    object.fail(key, name_ + " has no tensor \"" + tensor + "\"");
  }
  StoredTensor& rest = found->second;
  if (offset != rest.begin) {
    object.fail(
        key, "offset " + std::to_string(offset) +
                 (offset < rest.begin ? " overlaps an earlier range; expected "
                                      : " leaves a gap; expected ") +
                 std::to_string(rest.begin));
  }
  if (bytes > rest.end - rest.begin) {
    object.fail(key, "reaches beyond tensor \"" + tensor + "\"");
  }
  rest.begin += bytes;
  Bits bits(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    for (std::size_t b = width; b-- > 0;) {
      bits[i] = bits[i] << 8 |
                std::to_integer<std::uint64_t>(file_[offset + i * width + b]);
    }
  }
  return bits;
}

void TensorReader::finish() const {
  for (const auto& [name, rest] : unread_) {
    if (rest.begin != rest.end) {
      throw text::FileError(name_ + "." + name + ": " +
                            std::to_string(rest.end - rest.begin) +
                            " bytes belong to no case");
    }
  }
}

}  // namespace ropeproof::conformance::cases
