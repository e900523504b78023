// The readers of untrusted bytes, each a function of its input. A reader may
// refuse with its own exception; any other leaves here, and is a finding.
#include "tools/test/fuzz/readers.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cases/encoding_case.h"
#include "conformance/cases/ledger.h"
#include "conformance/cases/vector_file.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/description_json.h"
#include "conformance/plugin/kernel.h"
#include "conformance/plugin/request.h"
#include "conformance/report/waivers.h"
#include "conformance/text/one_line.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::fuzz {
namespace {

namespace fs = std::filesystem;
using namespace ropeproof::conformance;

// What stands before the first zero byte, and after it.
std::pair<std::string, std::string> halves(const std::string& input) {
  const std::size_t zero = std::min(input.find('\0'), input.size());
  return {input.substr(0, zero),
          input.substr(std::min(zero + 1, input.size()))};
}

// Exactly these bytes, so that a sanitizer sees their ends.
std::vector<char> exact(const std::string& bytes) {
  return {bytes.begin(), bytes.end()};
}

// A group: JSON, and its side file.
void vectors(const std::string& input) {
  const auto [group, after] = halves(input);
  const std::vector<char> side = exact(after);
  try {
    cases::read_group(group, std::as_bytes(std::span(side)), "fuzz.json");
  } catch (const text::FileError&) {
  }
}

void encodings(const std::string& input) {
  try {
    cases::read_encodings(input, "fuzz.json");
  } catch (const text::FileError&) {
  }
}

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

// A folder of vectors: MANIFEST.json, and a group that it may name, g.json.
void manifest(const std::string& input) {
  static const Folder kFolder;
  const auto [listed, group] = halves(input);
  kFolder.write("MANIFEST.json", listed);
  kFolder.write("g.json", group);
  try {
    cases::load_corpus(kFolder.path());
  } catch (const text::FileError&) {
  }
}

void ledger(const std::string& input) {
  try {
    cases::read_ledger(input, "fuzz.txt");
  } catch (const text::FileError&) {
  }
}

// What a process says: the header line of a reply, as a description and as an
// answer; and what a device says of itself.
void reply(const std::string& input) {
  try {
    const nlohmann::json header =
        text::parse_json(input, "header", plugin::kMaxHeaderDepth);
    text::StrictObject line(header, "header");
    const plugin::Description description = plugin::read_description(line);
    line.finish();
    plugin::check_description(description, "fuzz");
  } catch (const text::FileError&) {
  } catch (const plugin::KernelError&) {
  }
  try {
    const nlohmann::json header =
        text::parse_json(input, "header", plugin::kMaxHeaderDepth);
    text::StrictObject line(header, "header");
    line.text("status");
    line.find("message");
    line.integer("id", 0);
    line.find("buffers");
    line.finish();
  } catch (const text::FileError&) {
  }
  try {
    plugin::parse_device(input, "fuzz.json");
  } catch (const plugin::KernelError&) {
  }
}

// The fields that a C library fills, which may hold anything; zeros where the
// input has ended.
void description(const std::string& input) {
  std::size_t at = 0;
  const auto fill = [&](auto& field) {
    const std::size_t count = std::min(input.size() - at, sizeof field);
    std::memcpy(&field, input.data() + at, count);
    at += count;
  };
  plugin::Description d;
  for (std::uint32_t* field :
       {&d.operations, &d.dtypes, &d.pairings, &d.features, &d.axis_maps,
        &d.caches, &d.scalings, &d.padding_bytes}) {
    fill(*field);
  }
  fill(d.claims[0]);
  fill(d.max_position);
  d.name = d.version = input.substr(at);
  try {
    plugin::check_description(d, "fuzz");
  } catch (const plugin::KernelError&) {
  }
  text::one_line(d.name);
}

// A waiver file, and its patterns.
void waivers(const std::string& input) {
  try {
    report::check_patterns(report::parse_waivers(input, "fuzz.json"),
                           {"contract-001", "smoke-unit-001"});
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

const std::map<std::string, void (*)(const std::string&)>& readers() {
  static const std::map<std::string, void (*)(const std::string&)> kReaders = {
      {"vectors", vectors},   {"encodings", encodings},
      {"manifest", manifest}, {"ledger", ledger},
      {"reply", reply},       {"description", description},
      {"waivers", waivers}};
  return kReaders;
}

}  // namespace ropeproof::fuzz
