// Fuzzes the reader of the ledger.
#include "conformance/cases/ledger.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "conformance/text/strict_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace ropeproof::conformance;
  try {
    read_ledger(std::string(data, data + size), "fuzz.txt");
  } catch (const VectorError&) {
  }
  return 0;
}
