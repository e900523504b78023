#include "conformance/cases/corpus_files.h"

#include <fstream>
#include <stdexcept>
#include <system_error>

#include "conformance/text/file.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cases {

namespace fs = std::filesystem;

std::vector<std::string> compare_corpus(const Files& files,
                                        const fs::path& directory) {
  std::vector<std::string> lines;
  for (const auto& [name, bytes] : files) {
    if (!fs::exists(directory / name)) {
      lines.push_back(name + " is missing");
      continue;
    }
    const std::string found =
        text::read_file(directory / name, kMaxPayloadBytes);
    if (found == bytes) continue;
    std::size_t at = 0;
    while (at < found.size() && at < bytes.size() && found[at] == bytes[at]) {
      ++at;
    }
    lines.push_back(name + " differs at byte " + std::to_string(at));
  }
  if (!fs::is_directory(directory)) return lines;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const auto extension = entry.path().extension();
    const bool is_vectors =
        (extension == ".json" && !name.ends_with("schema.json")) ||
        extension == ".safetensors" || extension == ".txt";
    if (is_vectors && !files.contains(name))
      lines.push_back(name + " is none of the vectors");
  }
  return lines;
}

void write_corpus(const Files& files, const fs::path& directory) {
  fs::create_directories(directory);
  const auto temporary = [&](const std::string& name) {
    return directory / (name + ".new");
  };
  try {
    for (const auto& [name, bytes] : files) {
      std::ofstream file(temporary(name), std::ios::binary);
      file << bytes;
      file.close();
      if (!file) {
        throw std::runtime_error(temporary(name).string() +
                                 ": cannot be written");
      }
    }
  } catch (...) {
    for (const auto& [name, bytes] : files) {
      std::error_code ignored;
      fs::remove(temporary(name), ignored);
    }
    throw;
  }
  for (const auto& [name, bytes] : files) {
    fs::rename(temporary(name), directory / name);
  }
}

}  // namespace ropeproof::conformance::cases
