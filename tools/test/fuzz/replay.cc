// Feeds files to a fuzz target without libFuzzer: replay FILE-OR-FOLDER ...
//
// What a fuzzer once found stays found, with any compiler. Exit status 1 for a
// file that cannot be read, 2 without any; a crash is the target's own.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size);

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
      std::cerr << "replay: " << file.string() << " cannot be read\n";
      return 1;
    }
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    // A copy of exactly this size, so that a sanitizer sees its ends.
    const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::cout << files.size() << " inputs replayed\n";
  return files.empty() ? 2 : 0;
}
