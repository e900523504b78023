// Feeds seeds to the readers without libFuzzer: replay FOLDER, with the inputs
// of each reader in FOLDER/READER: what a fuzzer once found stays found, by any
// compiler. A reader without seeds is status 1; a crash names its input.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tools/test/fuzz/readers.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc != 2) return 2;
  for (const auto& [name, read] : ropeproof::fuzz::readers()) {
    int count = 0;
    for (const auto& seed : fs::directory_iterator(fs::path(argv[1]) / name)) {
      std::ifstream stream(seed.path(), std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
      std::printf("%s/%s\n", name.c_str(), seed.path().filename().c_str());
      std::fflush(stdout);
      read(bytes);
      ++count;
    }
    if (count == 0) return 1;
  }
  return 0;
}
