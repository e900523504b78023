// libFuzzer's entry: fuzzes the reader that the variable READER names.
#include <cstdint>
#include <cstdlib>

#include "tools/test/fuzz/readers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const auto kRead =
      ropeproof::fuzz::readers().at(std::getenv("READER"));
  kRead(std::string(data, data + size));
  return 0;
}
