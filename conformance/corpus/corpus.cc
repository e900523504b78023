#include "conformance/corpus/corpus.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "conformance/corpus/families.h"
#include "conformance/corpus/prove.h"
#include "conformance/corpus/vector_file.h"

namespace ropeproof::conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "MANIFEST.json";
constexpr const char* kManifestFormat = "ropeproof-manifest/1";
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{64} << 20;

std::string read_file(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) {
    throw VectorError(path.string() + ": cannot be read: " + error.message());
  }
  if (size > kMaxFileBytes) {
    throw VectorError(path.string() + ": larger than " +
                      std::to_string(kMaxFileBytes >> 20) + " MiB");
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (!file.good() && !file.eof()) {
    throw VectorError(path.string() + ": cannot be read");
  }
  return bytes;
}

std::vector<std::string> ids_of(const Group& group) {
  std::vector<std::string> ids;
  for (const RopeCase& c : group.rope_cases) ids.push_back(c.id);
  for (const PermuteCase& c : group.permute_cases) ids.push_back(c.id);
  return ids;
}

}  // namespace

std::string sha256(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(),
                 nullptr) != 1) {
    throw std::runtime_error("libcrypto offers no SHA-256");
  }
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

Files generate_corpus(const fs::path& directory, reference::Oracle oracle,
                      const std::string& version) {
  const fs::path source = directory / "sources" / "worked_example.json";
  std::vector<Group> groups = smoke_families();
  groups.push_back(worked_example(read_file(source), source.string()));
  groups.push_back(permute_family());
  groups.push_back(contract_family());
  groups.push_back(scaling_family());
  groups.push_back(position_family());
  groups.push_back(layout_family());

  Files files;
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  std::string all_ids;
  std::size_t cases = 0;
  for (Group& group : groups) {
    prove(oracle, group);
    const std::string name = group.name + ".json";
    const std::string bytes = write_group(group);
    const std::vector<std::string> ids = ids_of(group);
    for (const std::string& id : ids) all_ids += id + "\n";
    cases += ids.size();
    int precision_bits = 0;
    for (const RopeCase& c : group.rope_cases) {
      precision_bits = std::max(precision_bits, c.precision_bits);
    }
    entries.push_back({{"file", name},
                       {"tier", group.tier},
                       {"cases", ids.size()},
                       {"bytes", bytes.size()},
                       {"precision_bits", precision_bits},
                       {"sha256", sha256(bytes)}});
    files[name] = bytes;
  }
  const nlohmann::ordered_json manifest = {
      {"format", kManifestFormat},
      {"generator_version", version},
      {"command", "ropeproof generate"},
      {"oracle", oracle == reference::Oracle::kMpfi
                     ? "MPFI enclosures: certified"
                     : "cpp_bin_float: uncertified"},
      {"cases", cases},
      {"ids_sha256", sha256(all_ids)},
      {"files", entries}};
  files[kManifest] = manifest.dump(1) + "\n";
  return files;
}

std::vector<std::string> compare_corpus(const Files& files,
                                        const fs::path& directory) {
  std::vector<std::string> lines;
  for (const auto& [name, bytes] : files) {
    if (!fs::exists(directory / name)) {
      lines.push_back(name + " is missing");
      continue;
    }
    const std::string found = read_file(directory / name);
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
    const bool vectors = entry.path().extension() == ".json" &&
                         name != "schema.json" && !files.contains(name);
    if (vectors) lines.push_back(name + " is none of the vectors");
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

Corpus load_corpus(const fs::path& directory) {
  const std::string manifest_path = (directory / kManifest).string();
  const std::string text = read_file(directory / kManifest);
  const nlohmann::json document = parse_json(text, manifest_path);
  StrictObject manifest(document, manifest_path);
  if (manifest.text("format") != kManifestFormat) {
    manifest.fail("format", std::string("expected ") + kManifestFormat);
  }
  Corpus corpus;
  corpus.version = manifest.text("generator_version");
  corpus.manifest_sha256 = sha256(text);
  manifest.text("command");
  manifest.text("oracle");
  const std::int64_t cases = manifest.integer("cases", 0, 1 << 30);
  const std::string ids_digest = manifest.text("ids_sha256");
  const nlohmann::json& entries = manifest.get("files");
  if (!entries.is_array()) manifest.fail("files", "expected an array");

  std::set<std::string> seen;
  std::string all_ids;
  for (const nlohmann::json& node : entries) {
    StrictObject entry(node, manifest_path + ".files");
    const std::string name = entry.text("file");
    if (fs::path(name).filename().string() != name) {
      entry.fail("file", "expected a name without a folder");
    }
    const std::string path = (directory / name).string();
    const std::string bytes = read_file(directory / name);
    if (sha256(bytes) != entry.text("sha256")) {
      throw VectorError(path +
                        ": SHA-256 differs from MANIFEST.json; restore the "
                        "file, or run `ropeproof generate`");
    }
    entry.integer("bytes", 0, static_cast<std::int64_t>(kMaxFileBytes));
    entry.integer("precision_bits", 0, 1 << 16);
    Group group = read_group(bytes, path);
    if (group.tier != entry.text("tier")) {
      entry.fail("tier", "differs from the file's");
    }
    const std::vector<std::string> ids = ids_of(group);
    if (static_cast<std::int64_t>(ids.size()) !=
        entry.integer("cases", 0, 1 << 30)) {
      entry.fail("cases", "differs from the file's");
    }
    for (const std::string& id : ids) {
      all_ids += id + "\n";
      if (!seen.insert(id).second) {
        throw VectorError(path + ": case id " + id + " occurs twice");
      }
    }
    entry.finish();
    corpus.groups.push_back(std::move(group));
  }
  manifest.finish();
  if (static_cast<std::int64_t>(seen.size()) != cases ||
      sha256(all_ids) != ids_digest) {
    manifest.fail("cases", "the case ids differ from the manifest's");
  }
  return corpus;
}

}  // namespace ropeproof::conformance
