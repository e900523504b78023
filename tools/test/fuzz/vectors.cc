// Fuzzes the reader of groups: JSON, and after a zero byte its side file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "conformance/cases/vector_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace ropeproof::conformance;
  const std::uint8_t* end = data + size;
  const std::uint8_t* zero = std::find(data, end, 0);
  const std::string text(data, zero);
  const auto payload =
      std::as_bytes(std::span(zero == end ? end : zero + 1, end));
  try {
    read_group(text, payload, "fuzz.json");
  } catch (const VectorError&) {
  }
  return 0;
}
