// ropeproof_recheck: proves every expected value of the vectors anew, with Arb,
// from the files alone. Shares no code with reference/ and conformance/.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "tools/prove/second_oracle/recheck.h"
#include "tools/prove/second_oracle/vectors.h"

namespace {

using ropeproof::second_oracle::Result;

void print(const std::string& name, const Result& result) {
  std::printf("%-32s %9lld %5lld %13lld\n", name.c_str(),
              static_cast<long long>(result.values),
              static_cast<long long>(result.bits),
              static_cast<long long>(result.disagreements));
  for (const std::string& line : result.lines) {
    std::printf("  %s\n", line.c_str());
  }
}

int recheck(const std::string& folder) {
  using namespace ropeproof::second_oracle;
  std::printf("%-32s %9s %5s %13s\n", "file", "values", "bits",
              "disagreements");
  Result total;
  const auto add = [&](const std::string& file, const Result& result) {
    print(file, result);
    total.values += result.values;
    total.disagreements += result.disagreements;
    total.bits = std::max(total.bits, result.bits);
  };
  const Manifest manifest = read_manifest(folder);
  for (const Group& group : read_groups(manifest)) {
    add(group.file, recheck(group));
  }
  print("total", total);
  if (total.values + total.disagreements == 0)
    throw std::runtime_error("there are no values");
  return total.disagreements == 0 ? 0 : 1;
}

}  // namespace

// Exit status: 0 all proved, 1 a disagreement, 2 usage, 4 vectors that cannot
// be read or fail their digest.
int main(int argc, char** argv) {
  if (argc != 2 || std::string(argv[1]).starts_with("--")) {
    std::fprintf(stderr, "usage: ropeproof_recheck VECTORS_DIR\n");
    return 2;
  }
  try {
    return recheck(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ropeproof_recheck: %s\n", error.what());
    return 4;
  }
}
