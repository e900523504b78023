// Fuzzes the reader of waivers, and its patterns.
#include "conformance/report/waivers.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace ropeproof::conformance;
  try {
    const Waivers waivers =
        parse_waivers(std::string(data, data + size), "fuzz.json");
    check_patterns(waivers, {"contract-001", "smoke-unit-001"});
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
