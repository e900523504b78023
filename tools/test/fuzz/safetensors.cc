// Fuzzes the reader of side files.
#include "conformance/cases/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace ropeproof::conformance;
  try {
    parse_safetensors(std::as_bytes(std::span(data, size)), "fuzz.safetensors");
  } catch (const VectorError&) {
  }
  return 0;
}
