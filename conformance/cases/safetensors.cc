#include "conformance/cases/safetensors.h"

#include <algorithm>
#include <limits>

#include "conformance/cases/vector_file.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::cases {
namespace {

using nlohmann::json;
using reference::Format;

constexpr text::Words<Format, 4> kStoredWords{{{Format::kF64, "F64"},
                                               {Format::kF32, "F32"},
                                               {Format::kF16, "F16"},
                                               {Format::kBF16, "BF16"}}};
constexpr std::size_t kLengthBytes = 8;
constexpr const char* kMetadata = "__metadata__";

std::uint64_t header_length(std::span<const std::byte> file,
                            const std::string& name) {
  if (file.size() < kLengthBytes) {
    throw text::FileError(name + ": " + std::to_string(file.size()) +
                          " bytes; a safetensors file has at least 8");
  }
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) {
    length = length << 8 | std::to_integer<std::uint64_t>(file[i]);
  }
  if (length > kMaxHeaderBytes) {
    throw text::FileError(name + ": the header claims " +
                          std::to_string(length) + " bytes; expected at most " +
                          std::to_string(kMaxHeaderBytes));
  }
  if (length > file.size() - kLengthBytes) {
    throw text::FileError(name + ": the header claims " +
                          std::to_string(length) +
                          " bytes; the file ends after " +
                          std::to_string(file.size() - kLengthBytes));
  }
  return length;
}

std::vector<std::int64_t> counts(text::StrictObject& object,
                                 const std::string& key, std::size_t size,
                                 const char* expected) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> result = object.integers(key, 0, kMax);
  if (result.size() != size) object.fail(key, expected);
  return result;
}

// One tensor, its offsets relative to the end of the header.
StoredTensor read_tensor(const json& node, const std::string& where) {
  text::StrictObject object(node, where);
  StoredTensor tensor;
  tensor.dtype = object.word("dtype", kStoredWords);
  const auto shape = counts(object, "shape", 1, "expected one dimension");
  const auto offsets =
      counts(object, "data_offsets", 2, "expected [begin, end]");
  const auto elements = static_cast<std::uint64_t>(shape[0]);
  tensor.begin = static_cast<std::uint64_t>(offsets[0]);
  tensor.end = static_cast<std::uint64_t>(offsets[1]);
  const std::uint64_t width = plugin::bytes_of(tensor.dtype);
  if (tensor.begin > tensor.end || (tensor.end - tensor.begin) % width != 0 ||
      (tensor.end - tensor.begin) / width != elements) {
    object.fail("data_offsets", "does not fit the shape");
  }
  object.finish();
  return tensor;
}

// The tensors follow one another from `begin` to the end of the file.
void check_order(const Safetensors& file, std::uint64_t begin,
                 std::uint64_t size, const std::string& name) {
  std::vector<std::pair<std::string, StoredTensor>> order(file.tensors.begin(),
                                                          file.tensors.end());
  std::ranges::sort(order, {}, [](const auto& tensor) {
    return std::pair{tensor.second.begin, tensor.second.end};
  });
  std::uint64_t at = begin;
  for (const auto& [key, tensor] : order) {
    const std::string where = name + "." + key;
    if (tensor.end > size) {
      throw text::FileError(where + ": ends at byte " +
                            std::to_string(tensor.end) + "; the file has " +
                            std::to_string(size));
    }
    if (tensor.begin != at) {
      throw text::FileError(where + ": begins at byte " +
                            std::to_string(tensor.begin) +
                            (tensor.begin < at ? ", inside the tensor before it"
                                               : ", behind a gap") +
                            "; expected " + std::to_string(at));
    }
    if (tensor.begin % plugin::bytes_of(tensor.dtype) != 0) {
      throw text::FileError(where + ": begins at byte " +
                            std::to_string(tensor.begin) + ", not aligned to " +
                            std::to_string(plugin::bytes_of(tensor.dtype)));
    }
    at = tensor.end;
  }
  if (at != size) {
    throw text::FileError(name + ": " + std::to_string(size - at) +
                          " bytes after the last tensor");
  }
}

}  // namespace

std::string dtype_word(Format dtype) { return text::word(kStoredWords, dtype); }

Safetensors parse_safetensors(std::span<const std::byte> file,
                              const std::string& name) {
  const std::uint64_t length = header_length(file, name);
  const std::uint64_t begin = kLengthBytes + length;
  const std::string text(
      reinterpret_cast<const char*>(file.data()) + kLengthBytes,
      static_cast<std::size_t>(length));
  const json document = text::parse_json(text, name);
  text::StrictObject header(document, name);
  Safetensors result;
  text::StrictObject metadata(header.get(kMetadata), header.at(kMetadata));
  metadata.expect("format", kVectorFormat);
  result.group = metadata.text("group");
  metadata.finish();
  for (const auto& [key, node] : document.items()) {
    if (key == kMetadata) continue;
    StoredTensor tensor = read_tensor(node, header.at(key));
    // Offsets are below 2^63 and `begin` is small: no overflow.
    tensor.begin += begin;
    tensor.end += begin;
    result.tensors[key] = tensor;
  }
  check_order(result, begin, file.size(), name);
  return result;
}

std::string safetensors_header(const std::string& group,
                               const std::vector<TensorSize>& tensors) {
  nlohmann::ordered_json header = {
      {kMetadata, {{"format", kVectorFormat}, {"group", group}}}};
  std::uint64_t at = 0;
  for (const TensorSize& tensor : tensors) {
    header[tensor.name] = {
        {"dtype", dtype_word(tensor.dtype)},
        {"shape", {tensor.bytes / plugin::bytes_of(tensor.dtype)}},
        {"data_offsets", {at, at + tensor.bytes}}};
    at += tensor.bytes;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    bytes += static_cast<char>(text.size() >> (8 * i) & 255);
  }
  return bytes + text;
}

}  // namespace ropeproof::conformance::cases
