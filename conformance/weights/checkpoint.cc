#include "conformance/weights/checkpoint.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "conformance/text/format.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::weights {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexEnd = ".safetensors.index.json";
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;

// What a file is, by its first bytes; of ZIP archives, by its name.
struct Opener {
  std::string_view start, end;
  FileFormat format;
  void (*read)(Checkpoint&);
};
constexpr Opener kOpeners[] = {
    {"GGUF", "", FileFormat::kGguf, read_gguf},
    {"PK\3\4", ".npz", FileFormat::kNumpy, read_npz},
    {"PK\3\4", "", FileFormat::kTorch, read_torch},
    {"\x93NUM", "", FileFormat::kNumpy, read_npy},
    {"", "", FileFormat::kSafetensors, read_safetensors}};

void add_file(Checkpoint& checkpoint, const fs::path& path) {
  checkpoint.files.emplace_back(path);
  const InputFile& file = checkpoint.files.back();
  const std::string start =
      file.read_text(0, std::min<std::uint64_t>(4, file.size()));
  if (start.starts_with("\x80") && path.extension() != ".safetensors") {
    file.fail(
        "a bare pickle, which is a program; save it by torch.save of "
        "PyTorch 1.6 or later, or as safetensors");
  }
  const auto* const opener =
      std::ranges::find_if(kOpeners, [&](const Opener& known) {
        return start.starts_with(known.start) &&
               path.filename().string().ends_with(known.end);
      });
  checkpoint.format = opener->format;
  opener->read(checkpoint);
}

// Joins tensors of the same name.
void join_shards(Checkpoint& checkpoint) {
  std::map<std::string, Tensor> joined;
  for (Tensor& next : checkpoint.tensors) {
    const auto [at, is_new] = joined.emplace(next.name, next);
    if (is_new) continue;
    Tensor& first = at->second;
    const InputFile& file = checkpoint.files[next.file];
    const std::uint64_t size = next.bytes;
    if (first.bytes != size * (1 + first.shards.size()) ||
        first.type.name != next.type.name || first.shape.empty()) {
      file.fail("\"" + next.name + "\" has another size or type than in " +
                checkpoint.files[first.file].path().filename().string());
    }
    if (first.shape.size() == 1 && first.shards.empty() &&
        file.read_text(next.offset, size) ==
            checkpoint.files[first.file].read_text(first.offset, size)) {
      continue;
    }
    first.shape[0] += next.shape[0];
    first.bytes += size;
    first.shards.push_back({next.file, next.offset});
  }
  checkpoint.tensors.clear();
  for (auto& [name, tensor] : joined) {
    checkpoint.tensors.push_back(std::move(tensor));
  }
}

// No two tensors share a byte or a name; but those of torch may be views.
void finish(Checkpoint& checkpoint) {
  if (checkpoint.format == FileFormat::kTorch) return join_shards(checkpoint);
  auto& tensors = checkpoint.tensors;
  std::ranges::sort(tensors, [](const Tensor& a, const Tensor& b) {
    return std::tuple(a.file, a.offset, a.bytes) <
           std::tuple(b.file, b.offset, b.bytes);
  });
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const Tensor &a = tensors[i - 1], &b = tensors[i];
    if (a.file == b.file && a.bytes > b.offset - a.offset) {
      checkpoint.files[a.file].fail("\"" + a.name + "\" and \"" + b.name +
                                    "\" overlap; write the file anew");
    }
  }
  std::ranges::sort(tensors, {}, &Tensor::name);
  const auto twice = std::ranges::adjacent_find(tensors, {}, &Tensor::name);
  if (twice != tensors.end()) {
    checkpoint.files[twice->file].fail(
        "tensor \"" + twice->name + "\" occurs twice, here and in " +
        checkpoint.files[(twice + 1)->file].path().string() +
        "; keep one of them");
  }
}

void add_index(Checkpoint& checkpoint, const fs::path& path) {
  const InputFile index(path);
  checkpoint.index = path;
  std::map<std::string, std::string> file_of;
  try {
    if (index.size() > kMaxHeaderBytes) index.fail("larger than 100 MB");
    const auto document =
        text::parse_json(index.read_text(0, index.size()), path.string());
    for (const auto& [name, file] : document.at("weight_map").items()) {
      const std::string& text = file.get_ref<const std::string&>();
      if (fs::path(text).filename() != text || text.size() < 3) {
        index.fail("\"" + text + "\" is no name of a file beside it");
      }
      file_of[name] = text;
    }
  } catch (const text::FileError& error) {
    throw CheckpointError(error.what());
  } catch (const nlohmann::json::exception&) {
    index.fail("expected {\"weight_map\": {\"a tensor\": \"a file\"}}");
  }
  std::set<std::string> names;
  for (const auto& [tensor, name] : file_of) names.insert(name);
  if (names.empty()) index.fail("names no tensor");
  for (const std::string& name : names) {
    if (!fs::exists(path.parent_path() / name)) {
      index.fail("the file \"" + name + "\" is missing; download it");
    }
    add_file(checkpoint, path.parent_path() / name);
  }
  finish(checkpoint);
  for (const auto& [name, file] : file_of) {
    const Tensor* found = checkpoint.find(name);
    if (!found || checkpoint.files[found->file].path().filename() != file) {
      index.fail("tensor \"" + name + "\" is not in \"" + file +
                 "\"; files of two checkpoints are mixed");
    }
  }
}

std::vector<fs::path> files_in(const fs::path& folder, std::string_view end) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().ends_with(end)) {
      result.push_back(entry.path());
    }
  }
  std::ranges::sort(result);
  return result;
}

// Returns which of them is missing, where the names count the files:
// consolidated.00.pth, model-00001-of-00003.safetensors. Else an empty text.
std::string missing(const std::vector<fs::path>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string stem = files[i].stem().string();
    const std::size_t of = stem.rfind("-of-");
    const std::string end = files[i].stem().extension().string();
    const auto place = text::parse_integer(end.substr(end.empty() ? 0 : 1));
    if (place && static_cast<std::size_t>(*place) != i) {
      return text::format("number %02zu is missing before ", i) +
             files[i].filename().string();
    }
    if (of == std::string::npos) continue;
    const auto count = text::parse_integer(stem.substr(of + 4));
    if (count && static_cast<std::size_t>(*count) != files.size()) {
      return text::part_of(files.size(), *count) + " parts are there";
    }
  }
  return "";
}

void add_folder(Checkpoint& checkpoint, const fs::path& folder) {
  const auto refuse = [&](const std::string& fault) {
    throw CheckpointError(folder.string() + ": " + fault);
  };
  const auto indices = files_in(folder, kIndexEnd);
  if (indices.size() > 1) refuse("has more than one index; name one of them");
  if (!indices.empty()) return add_index(checkpoint, indices.front());
  auto files = files_in(folder, ".gguf");
  if (!files.empty() && !files_in(folder, ".safetensors").empty()) {
    refuse("has .safetensors and .gguf; name a file");
  }
  for (const std::string_view end :
       {".safetensors", ".pth", ".bin", ".npz", ".npy"}) {
    if (files.empty()) files = files_in(folder, end);
  }
  if (files.empty()) {
    refuse("has no .safetensors, .gguf, .pth or .npz; name a checkpoint");
  }
  const std::string fault = missing(files);
  if (!fault.empty()) refuse(fault + "; download all of them");
  for (const fs::path& file : files) add_file(checkpoint, file);
  finish(checkpoint);
}

// Parts of a split GGUF are a checkpoint all together.
void check_parts(const Checkpoint& checkpoint) {
  const auto count = checkpoint.metadata.find("split.count");
  if (count == checkpoint.metadata.end() || count->second == 0 ||
      count->second == checkpoint.files.size()) {
    return;
  }
  checkpoint.files.front().fail(
      "is a part of " + count->second.dump() + ", and " +
      std::to_string(checkpoint.files.size()) +
      " is there; name a folder that has all of them and nothing else");
}

}  // namespace

const Tensor* Checkpoint::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      tensors, name, {},
      [](const Tensor& tensor) { return std::string_view(tensor.name); });
  return found != tensors.end() && found->name == name ? &*found : nullptr;
}

void Checkpoint::read(const Tensor& tensor, std::uint64_t offset,
                      std::span<std::byte> bytes) const {
  const std::uint64_t size = tensor.bytes / (1 + tensor.shards.size());
  while (!bytes.empty()) {
    const std::uint64_t shard = offset / size, from = offset % size;
    const std::size_t n = std::min<std::uint64_t>(bytes.size(), size - from);
    const Tensor::Shard at = shard == 0
                                 ? Tensor::Shard{tensor.file, tensor.offset}
                                 : tensor.shards[shard - 1];
    files[at.file].read(at.offset + from, bytes.first(n));
    bytes = bytes.subspan(n);
    offset += n;
  }
}

Checkpoint open_checkpoint(const fs::path& path) {
  Checkpoint checkpoint;
  checkpoint.path = path;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    add_folder(checkpoint, path);
  } else if (path.filename().string().ends_with(".index.json")) {
    add_index(checkpoint, path);
  } else {
    add_file(checkpoint, path);
    finish(checkpoint);
  }
  check_parts(checkpoint);
  return checkpoint;
}

std::uint64_t size_of(const InputFile& file, const std::string& name,
                      const ElementType& type,
                      const std::vector<std::uint64_t>& shape) {
  const std::uint64_t inner = shape.empty() ? 1 : shape.back();
  if (inner % type.block_elems != 0) {
    file.fail("\"" + name + "\" has rows of " + std::to_string(inner) +
              "; expected a multiple of " + std::to_string(type.block_elems) +
              ", a block of " + std::string(type.name));
  }
  std::uint64_t bytes = type.block_bytes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_inner = i + 1 == shape.size();
    const std::uint64_t n = is_inner ? inner / type.block_elems : shape[i];
    if (n != 0 && bytes > kMaxBytes / n) {
      file.fail("the size of \"" + name + "\" overflows; the header is broken");
    }
    bytes *= n;
  }
  return bytes;
}

}  // namespace ropeproof::conformance::weights
