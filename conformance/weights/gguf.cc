// The format: "GGUF", version, counts; named values; names, shapes, types and
// offsets of tensors; their bytes, aligned. All little-endian; dimensions begin
// with the innermost.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#include <algorithm>
#include <bit>

#include "conformance/weights/checkpoint.h"

namespace ropeproof::conformance::weights {
namespace {

using nlohmann::json;
using reference::Format;

struct GgmlType {
  std::uint32_t code;
  ElementType type;
};

constexpr GgmlType kGgmlTypes[] = {
    {0, {"F32", 1, 4, Format::kF32}},
    {1, {"F16", 1, 2, Format::kF16}},
    {2, {"Q4_0", 32, 18}},
    {3, {"Q4_1", 32, 20}},
    {6, {"Q5_0", 32, 22}},
    {7, {"Q5_1", 32, 24}},
    {8, {"Q8_0", 32, 34}},
    {9, {"Q8_1", 32, 36}},
    {10, {"Q2_K", 256, 84}},
    {11, {"Q3_K", 256, 110}},
    {12, {"Q4_K", 256, 144}},
    {13, {"Q5_K", 256, 176}},
    {14, {"Q6_K", 256, 210}},
    {15, {"Q8_K", 256, 292}},
    {16, {"IQ2_XXS", 256, 66}},
    {17, {"IQ2_XS", 256, 74}},
    {18, {"IQ3_XXS", 256, 98}},
    {19, {"IQ1_S", 256, 50}},
    {20, {"IQ4_NL", 32, 18}},
    {21, {"IQ3_S", 256, 110}},
    {22, {"IQ2_S", 256, 82}},
    {23, {"IQ4_XS", 256, 136}},
    {24, {"I8", 1, 1}},
    {25, {"I16", 1, 2}},
    {26, {"I32", 1, 4}},
    {27, {"I64", 1, 8}},
    {28, {"F64", 1, 8, Format::kF64}},
    {29, {"IQ1_M", 256, 56}},
    {30, {"BF16", 1, 2, Format::kBF16}},
    {34, {"TQ1_0", 256, 54}},
    {35, {"TQ2_0", 256, 66}},
    {39, {"MXFP4", 32, 17}},
};

// The types of named values, by their codes: their size in bytes.
enum ValueType : std::uint32_t {
  kFloat = 6,
  kBool,
  kString,
  kArray,
  kDouble = 12
};
constexpr std::uint64_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
constexpr std::uint64_t kLongestKept = 1024;  // integers of a list
constexpr std::uint64_t kLongestText = 1 << 16;

// Reads forwards, through a buffer.
class Cursor {
 public:
  explicit Cursor(const InputFile& file) : file_(file) {}

  std::uint64_t position() const { return begin_ + at_; }

  std::uint64_t number(std::uint64_t size) {
    const std::string bytes = take(size);
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }

  std::string text() {
    const std::uint64_t size = number(8);
    if (size > kLongestText) {
      file_.fail("header: a name of " + std::to_string(size) +
                 " bytes; the file is broken");
    }
    return take(size);
  }

  // The bytes of the header are bounded by those of the file.
  void skip(std::uint64_t size) {
    if (size > file_.size() - position()) {
      file_.fail("ends at byte " + std::to_string(file_.size()) +
                 ", amid its header; copy or download it again");
    }
    if (size <= buffer_.size() - at_) {
      at_ += size;
      return;
    }
    begin_ = position() + size;
    buffer_.clear();
    at_ = 0;
  }

  std::string take(std::uint64_t size) {
    if (size > buffer_.size() - at_) {
      const std::uint64_t start = position();
      skip(size);  // refuses what is not there
      buffer_ = file_.read_text(
          start, std::max(size, std::min(kBlock, file_.size() - start)));
      begin_ = start;
      at_ = 0;
    }
    std::string bytes = buffer_.substr(at_, size);
    at_ += size;
    return bytes;
  }

 private:
  static constexpr std::uint64_t kBlock = 1 << 16;
  const InputFile& file_;
  std::string buffer_;
  std::uint64_t begin_ = 0, at_ = 0;  // of the buffer in the file; in it
};

class Reader {
 public:
  explicit Reader(Checkpoint& checkpoint)
      : checkpoint_(checkpoint), file_(checkpoint.files.back()), in_(file_) {}

  void read() {
    in_.skip(4);
    const std::uint64_t version = in_.number(4);
    if (version != 2 && version != 3) {
      file_.fail("GGUF version " + std::to_string(version) + "; " +
                 (version % 0x10000 == 0
                      ? "it is big-endian, expected little-endian"
                      : "expected 2 or 3"));
    }
    const std::uint64_t tensors = in_.number(8), values = in_.number(8);
    for (std::uint64_t i = 0; i < values; ++i) {
      const std::string key = in_.text();
      json read = value(in_.number(4), 0);
      if (!read.is_null()) checkpoint_.metadata[key] = std::move(read);
    }
    const std::size_t first = checkpoint_.tensors.size();
    for (std::uint64_t i = 0; i < tensors; ++i) add_tensor();
    place(first);
  }

 private:
  // Null where it is not kept.
  json value(std::uint64_t type, int depth) {
    if (type == kString) {
      const std::uint64_t size = in_.number(8);
      if (size <= kLongestText) return in_.take(size);
      in_.skip(size);
      return {};
    }
    if (type == kArray) return list(depth);
    if (type > kDouble) {
      file_.fail("header: a value of type " + std::to_string(type) +
                 "; expected 0 .. 12");
    }
    const std::uint64_t bits = in_.number(kSizes[type]);
    if (type == kFloat) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
    if (type == kDouble) return std::bit_cast<double>(bits);
    if (type == kBool) return bits != 0;
    return bits;  // a signed one, too: counts are not negative
  }

  json list(int depth) {
    const std::uint64_t type = in_.number(4), count = in_.number(8);
    if (depth > 4 || type > kDouble) {
      file_.fail("header: a list that is broken");
    }
    const std::uint64_t size = kSizes[type];
    json result = json::array();
    if (size != 0 && count > kLongestKept) {
      if (count > file_.size() / size) file_.fail("header: a list is too long");
      in_.skip(count * size);
      return {};
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      json entry = value(type, depth + 1);
      if (size != 0) result.push_back(std::move(entry));
    }
    return size != 0 ? result : json();
  }

  void add_tensor() {
    Tensor tensor;
    tensor.name = in_.text();
    const std::uint64_t dimensions = in_.number(4);
    if (dimensions > 8) {
      file_.fail("\"" + tensor.name + "\" has " + std::to_string(dimensions) +
                 " dimensions; expected at most 8");
    }
    for (std::uint64_t i = 0; i < dimensions; ++i) {
      tensor.shape.insert(tensor.shape.begin(), in_.number(8));
    }
    const std::uint64_t code = in_.number(4);
    const auto* const type = std::ranges::find_if(
        kGgmlTypes, [&](const GgmlType& known) { return known.code == code; });
    if (type == std::end(kGgmlTypes)) {
      file_.fail("\"" + tensor.name + "\" has ggml type " +
                 std::to_string(code) + ", not known here");
    }
    tensor.type = type->type;
    tensor.offset = in_.number(8);
    tensor.bytes = size_of(file_, tensor.name, tensor.type, tensor.shape);
    tensor.file = checkpoint_.files.size() - 1;
    checkpoint_.tensors.push_back(std::move(tensor));
  }

  // Offsets are relative to the end of the header.
  void place(std::size_t first) {
    const auto given = checkpoint_.metadata.find("general.alignment");
    const std::uint64_t alignment = given == checkpoint_.metadata.end() ||
                                            !given->second.is_number_unsigned()
                                        ? 32
                                        : given->second.get<std::uint64_t>();
    if (!std::has_single_bit(alignment) || alignment > 1 << 20) {
      file_.fail("general.alignment is " + std::to_string(alignment) +
                 "; expected a power of two");
    }
    const std::uint64_t data =
        (in_.position() + alignment - 1) / alignment * alignment;
    for (std::size_t i = first; i < checkpoint_.tensors.size(); ++i) {
      Tensor& tensor = checkpoint_.tensors[i];
      if (data > file_.size() || tensor.offset > file_.size() - data ||
          tensor.bytes > file_.size() - data - tensor.offset) {
        file_.fail("ends at byte " + std::to_string(file_.size()) +
                   ", before \"" + tensor.name +
                   "\" does; copy or download it again");
      }
      if (tensor.offset % alignment != 0) {
        file_.fail("\"" + tensor.name + "\" is not aligned to " +
                   std::to_string(alignment) + " bytes; the header is broken");
      }
      tensor.offset += data;
    }
  }

  Checkpoint& checkpoint_;
  const InputFile& file_;
  Cursor in_;
};

}  // namespace

void read_gguf(Checkpoint& checkpoint) { Reader(checkpoint).read(); }

}  // namespace ropeproof::conformance::weights
