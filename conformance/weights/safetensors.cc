// The format: 8 bytes, little-endian, the length of a JSON header; the header,
// {"name": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}}; bytes
// of the tensors without gaps.
// https://github.com/huggingface/safetensors#format
#include <algorithm>
#include <array>

#include "conformance/text/strict_json.h"
#include "conformance/text/word_tables.h"
#include "conformance/weights/checkpoint.h"

namespace ropeproof::conformance::weights {
namespace {

using nlohmann::json;
using reference::Format;

constexpr std::array<ElementType, 21> kSafetensorsTypes = {{
    {"F64", 1, 8, Format::kF64},
    {"F32", 1, 4, Format::kF32},
    {"F16", 1, 2, Format::kF16},
    {"BF16", 1, 2, Format::kBF16},
    {"I64", 1, 8},
    {"U64", 1, 8},
    {"C64", 1, 8},
    {"I32", 1, 4},
    {"U32", 1, 4},
    {"I16", 1, 2},
    {"U16", 1, 2},
    {"I8", 1, 1},
    {"U8", 1, 1},
    {"BOOL", 1, 1},
    {"F8_E4M3", 1, 1},
    {"F8_E5M2", 1, 1},
    {"F8_E8M0", 1, 1},
    {"F8_E4M3FNUZ", 1, 1},
    {"F8_E5M2FNUZ", 1, 1},
    {"F6_E2M3", 4, 3},
    {"F4", 2, 1},
}};

// An integer 0 .. 2^63 - 1.
std::uint64_t natural(const json& node) {
  if (!text::is_integer(node, 0, INT64_MAX)) throw std::out_of_range("");
  return node.get<std::uint64_t>();
}

Tensor tensor_of(const InputFile& file, const std::string& name,
                 const json& node, std::uint64_t data) {
  Tensor tensor;
  tensor.name = name;
  const std::string dtype = node.at("dtype");
  const ElementType* const type = find_type(dtype);
  if (type == nullptr) {
    file.fail("\"" + name + "\" has dtype \"" + dtype + "\", not known here");
  }
  tensor.type = *type;
  for (const json& n : node.at("shape")) tensor.shape.push_back(natural(n));
  const json& offsets = node.at("data_offsets");
  if (!offsets.is_array() || offsets.size() != 2) throw std::out_of_range("");
  const std::uint64_t begin = natural(offsets[0]), end = natural(offsets[1]);
  tensor.bytes = size_of(file, name, tensor.type, tensor.shape);
  if (end < begin || end - begin != tensor.bytes) {
    file.fail("\"" + name + "\" has " + offsets.dump() + " as data_offsets, " +
              "and its shape takes " + std::to_string(tensor.bytes) +
              " bytes; the header is broken");
  }
  if (end > file.size() - data) {
    file.fail("ends at byte " + std::to_string(file.size()) + ", and \"" +
              name + "\" at " + std::to_string(data) + " + " +
              std::to_string(end) + "; copy or download it again");
  }
  tensor.offset = data + begin;
  return tensor;
}

// Reads the header as JSON; `file` says where it is broken.
json header_of(const InputFile& file, std::uint64_t length) {
  try {
    json header = text::parse_json(file.read_text(8, length), "header");
    if (header.is_object()) return header;
  } catch (const text::FileError& error) {
    file.fail(error.what());
  }
  file.fail("the header is no object; is it a safetensors file?");
}

}  // namespace

const ElementType* find_type(std::string_view name) {
  const auto* const type =
      std::ranges::find(kSafetensorsTypes, name, &ElementType::name);
  return type == kSafetensorsTypes.end() ? nullptr : type;
}

void read_safetensors(Checkpoint& checkpoint) {
  const InputFile& file = checkpoint.files.back();
  if (file.size() < 8) file.fail("has fewer than 8 bytes; download it again");
  std::array<unsigned char, 8> bytes{};
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  std::uint64_t length = 0, swapped = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    length = length << 8 | bytes[7 - i];
    swapped = swapped << 8 | bytes[i];
  }
  if (length > kMaxHeaderBytes || length > file.size() - 8) {
    const bool is_swapped = swapped <= std::min(kMaxHeaderBytes, file.size());
    file.fail("a header of " + std::to_string(length) + " bytes; " +
              (is_swapped ? "its length is big-endian, expected little-endian"
                          : "expected at most 100 MB, inside the file: cut "
                            "off, or no safetensors, GGUF, .pth or .npz"));
  }
  const json header = header_of(file, length);
  std::uint64_t sum = 8 + length;
  for (const auto& [name, node] : header.items()) {
    try {
      if (name == "__metadata__") {
        for (const auto& [key, value] : node.items()) {
          checkpoint.metadata[key] = value.get<std::string>();
        }
        continue;
      }
      Tensor tensor = tensor_of(file, name, node, 8 + length);
      tensor.file = checkpoint.files.size() - 1;
      sum += tensor.bytes;
      checkpoint.tensors.push_back(std::move(tensor));
    } catch (const CheckpointError&) {
      throw;
    } catch (const std::exception&) {  // of the library, and of natural()
      file.fail("header: \"" + name + "\": expected " +
                (name == "__metadata__" ? "texts by name"
                                        : "dtype, shape and data_offsets"));
    }
  }
  // With overlaps refused, this leaves no gap.
  if (sum != file.size()) {
    file.fail("has " + std::to_string(file.size()) +
              " bytes, its header and tensors " + std::to_string(sum) +
              "; copy or download it again");
  }
}

}  // namespace ropeproof::conformance::weights
