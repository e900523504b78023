// Fuzzes the loader of a whole folder: MANIFEST.json and, after a zero byte, a
// group that it may name, g.json.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "conformance/cases/corpus.h"

namespace {

namespace fs = std::filesystem;

// A folder of this process, in memory where the system has such a place.
class Folder {
 public:
  Folder() {
    const fs::path memory = "/dev/shm";
    path_ = (fs::exists(memory) ? memory : fs::temp_directory_path()) /
            ("ropeproof-fuzz-" + std::to_string(getpid()));
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  void write(const char* name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace ropeproof::conformance;
  static const Folder kFolder;
  const std::uint8_t* end = data + size;
  const std::uint8_t* zero = std::find(data, end, 0);
  kFolder.write("MANIFEST.json", std::string(data, zero));
  kFolder.write("g.json", std::string(zero == end ? end : zero + 1, end));
  try {
    load_corpus(kFolder.path());
  } catch (const VectorError&) {
  }
  return 0;
}
