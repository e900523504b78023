// The format: "\x93NUMPY", version, the length of a header; the header,
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }; the elements.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <algorithm>

#include "conformance/text/format.h"
#include "conformance/weights/checkpoint.h"
#include "conformance/weights/zip.h"

namespace ropeproof::conformance::weights {
namespace {

constexpr std::uint64_t kMaxHead = 1 << 16;

struct NumpyType {
  std::string_view word, name;
};
// NumPy has no bfloat16: what ml_dtypes saves has no type, and two bytes.
constexpr NumpyType kNumpyTypes[] = {
    {"<f8", "F64"},  {"<f4", "F32"}, {"<f2", "F16"}, {"|V2", "BF16"},
    {"<V2", "BF16"}, {"<i8", "I64"}, {"<i4", "I32"}, {"<i2", "I16"},
    {"|i1", "I8"},   {"<u8", "U64"}, {"<u4", "U32"}, {"<u2", "U16"},
    {"|u1", "U8"},   {"|b1", "BOOL"}};

// Returns what stands between `begin` and `end`, after `key`.
std::string_view value_of(std::string_view head, std::string_view key,
                          std::string_view begin, char end) {
  std::size_t at = head.find(key);
  if (at == std::string_view::npos) return {};
  at = head.find_first_not_of(" :", at + key.size());
  if (at == std::string_view::npos || !head.substr(at).starts_with(begin)) {
    return {};
  }
  at += begin.size();
  const std::size_t stop = head.find(end, at);
  return stop == std::string_view::npos ? std::string_view()
                                        : head.substr(at, stop - at);
}

class ArrayReader {
 public:
  ArrayReader(Checkpoint& checkpoint, const std::string& name, Extent extent)
      : checkpoint_(checkpoint),
        file_(checkpoint.files.back()),
        extent_(extent) {
    tensor_.name = name;
    tensor_.file = checkpoint.files.size() - 1;
  }

  void read() {
    const std::string bytes =
        file_.read_text(extent_.offset, std::min(extent_.bytes, kMaxHead + 12));
    ByteReader in(file_, bytes);
    if (in.take(6) != "\x93NUMPY") fail("is no .npy");
    const std::uint64_t version = in.number(1);
    in.take(1);
    if (version < 1 || version > 3) fail("is of an unknown version of .npy");
    const std::uint64_t size = in.number(version == 1 ? 2 : 4);
    if (size > kMaxHead) fail("has a header of more than 64 KiB");
    const std::string_view head = in.take(size);
    const std::string word(value_of(head, "'descr'", "'", '\''));
    const auto* const type =
        std::ranges::find(kNumpyTypes, word, &NumpyType::word);
    if (type == std::end(kNumpyTypes)) {
      fail(word.starts_with('>')
               ? "is big-endian (" + word + "), expected little-endian"
               : "has the type \"" + word + "\"; expected plain numbers");
    }
    if (value_of(head, "'fortran_order'", "F", ',') != "alse") {
      fail("is in Fortran's order; save numpy.ascontiguousarray() of it");
    }
    tensor_.type = *find_type(type->name);
    add_shape(value_of(head, "'shape'", "(", ')'));
    tensor_.offset = extent_.offset + in.position();
    tensor_.bytes = size_of(file_, tensor_.name, tensor_.type, tensor_.shape);
    if (tensor_.bytes != extent_.bytes - in.position()) {
      fail("has " + std::to_string(extent_.bytes - in.position()) +
           " bytes, and its shape takes " + std::to_string(tensor_.bytes) +
           "; copy or download it again");
    }
    checkpoint_.tensors.push_back(std::move(tensor_));
  }

 private:
  void add_shape(std::string_view numbers) {
    while (!numbers.empty()) {
      const std::size_t end = std::min(numbers.find(','), numbers.size());
      std::string text(numbers.substr(0, end));
      text.erase(0, text.find_first_not_of(' '));
      numbers.remove_prefix(std::min(end + 1, numbers.size()));
      if (text.empty() && numbers.empty()) return;
      const auto number = text::parse_integer(text);
      if (!number || *number < 0) fail("has a shape that is broken");
      tensor_.shape.push_back(static_cast<std::uint64_t>(*number));
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    file_.fail("\"" + tensor_.name + "\" " + what);
  }

  Checkpoint& checkpoint_;
  const InputFile& file_;
  Extent extent_;
  Tensor tensor_;
};

}  // namespace

void read_npy(Checkpoint& checkpoint) {
  const InputFile& file = checkpoint.files.back();
  ArrayReader(checkpoint, file.path().stem().string(), {0, file.size()}).read();
}

void read_npz(Checkpoint& checkpoint) {
  for (const auto& [name, extent] : read_zip(checkpoint.files.back())) {
    if (!name.ends_with(".npy")) continue;
    ArrayReader(checkpoint, name.substr(0, name.size() - 4), extent).read();
  }
}

}  // namespace ropeproof::conformance::weights
