// Fuzzes the check of a description, whose fields may hold anything: a C library
// fills them.
#include "conformance/plugin/description.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "conformance/text/one_line.h"

namespace {

// Takes the fields' bytes from the input; zeros where it has ended.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size)
      : data_(data), size_(size) {}

  template <class Integer>
  void fill(Integer& field) {
    const std::size_t count = size_ < sizeof field ? size_ : sizeof field;
    std::memcpy(&field, data_, count);
    data_ += count;
    size_ -= count;
  }
  std::string rest() const { return {data_, data_ + size_}; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace ropeproof::conformance;
  if (size == 0) return 0;
  Bytes bytes(data, size);
  Description d;
  for (std::uint32_t* field :
       {&d.operations, &d.dtypes, &d.pairings, &d.features, &d.angle_class,
        &d.angle_dtype, &d.power, &d.trig_ulp, &d.table_dtype, &d.rounding,
        &d.scalings}) {
    bytes.fill(*field);
  }
  bytes.fill(d.max_position);
  d.name = d.version = bytes.rest();
  try {
    check_description(d, "fuzz");
  } catch (const KernelError&) {
  }
  one_line(bytes.rest());
  return 0;
}
