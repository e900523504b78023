// test_checkpoints.h -- small checkpoints in a folder of their own.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "conformance/text/file.h"

namespace ropeproof::conformance::weights {

// Each element of a made tensor is a number of 16 bits that no other has.
struct MadeTensor {
  std::string name;
  std::uint64_t rows = 0, columns = 0;  // columns 0: one dimension
  std::string bytes;
};

inline MadeTensor made(const std::string& name, std::uint64_t rows,
                       std::uint64_t columns, std::uint16_t& next) {
  MadeTensor tensor{name, rows, columns, ""};
  for (std::uint64_t i = 0; i < rows * std::max<std::uint64_t>(columns, 1);
       ++i, ++next) {
    tensor.bytes += {static_cast<char>(next), static_cast<char>(next >> 8)};
  }
  return tensor;
}

inline std::string little(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) {
    bytes += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  }
  return bytes;
}

inline std::string safetensors(const std::vector<MadeTensor>& tensors) {
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string bytes;
  for (const MadeTensor& tensor : tensors) {
    std::vector<std::uint64_t> shape = {tensor.rows};
    if (tensor.columns != 0) shape.push_back(tensor.columns);
    header[tensor.name] = {
        {"dtype", "BF16"},
        {"shape", shape},
        {"data_offsets", {bytes.size(), bytes.size() + tensor.bytes.size()}}};
    bytes += tensor.bytes;
  }
  const std::string text = header.dump();
  return little(text.size(), 8) + text + bytes;
}

inline std::string gguf_text(const std::string& text) {
  return little(text.size(), 8) + text;
}

// A GGUF with two named values and two lists before the `count` of `values`.
inline std::string gguf(const std::vector<MadeTensor>& tensors,
                        const std::string& values = "",
                        std::uint64_t count = 0) {
  std::string bytes =
      "GGUF" + little(3, 4) + little(tensors.size(), 8) + little(4 + count, 8);
  bytes +=
      gguf_text("general.architecture") + little(8, 4) + gguf_text("llama");
  bytes += gguf_text("general.alignment") + little(4, 4) + little(64, 4);
  bytes += gguf_text("tokens") + little(9, 4) + little(8, 4) + little(2, 8) +
           gguf_text("a") + gguf_text("b");
  bytes += gguf_text("scores") + little(9, 4) + little(6, 4) + little(2, 8) +
           little(0, 8);
  bytes += values;
  std::string data;
  for (const MadeTensor& tensor : tensors) {
    data.resize((data.size() + 63) / 64 * 64);
    bytes += gguf_text(tensor.name) + little(tensor.columns == 0 ? 1 : 2, 4);
    if (tensor.columns != 0) bytes += little(tensor.columns, 8);
    bytes += little(tensor.rows, 8) + little(30, 4) + little(data.size(), 8);
    data += tensor.bytes;
  }
  bytes.resize((bytes.size() + 63) / 64 * 64);
  return bytes + data;
}

// Files as they are, in a ZIP archive; names and bytes.
inline std::string zip(
    const std::vector<std::pair<std::string, std::string>>& files) {
  std::string bytes, directory;
  for (const auto& [name, data] : files) {
    const std::string sizes = little(0, 4) + little(data.size(), 4) +
                              little(data.size(), 4) + little(name.size(), 2);
    const std::string offset = little(bytes.size(), 4);
    bytes += "PK\3\4" + little(0, 10) + sizes + little(0, 2) + name + data;
    directory +=
        "PK\1\2" + little(0, 12) + sizes + little(0, 12) + offset + name;
  }
  return bytes + directory + "PK\5\6" + little(0, 4) + little(files.size(), 2) +
         little(files.size(), 2) + little(directory.size(), 4) +
         little(bytes.size(), 4) + little(0, 2);
}

// What torch.save makes of a dictionary; `more` are instructions after it.
inline std::string torch_file(const std::vector<MadeTensor>& tensors,
                              const std::string& more = "") {
  const auto text = [](const std::string& word) {
    return "X" + little(word.size(), 4) + word;
  };
  std::string pickle = "\x80\2}q" + std::string(1, '\0') + "(";
  std::vector<std::pair<std::string, std::string>> files = {{"a/data.pkl", ""}};
  for (const MadeTensor& tensor : tensors) {
    const auto rows = static_cast<char>(tensor.rows),
               columns = static_cast<char>(tensor.columns);
    const std::string file = std::to_string(files.size());
    pickle += text(tensor.name) + "ctorch._utils\n_rebuild_tensor_v2\n((" +
              text("storage") + "ctorch\nBFloat16Storage\n" + text(file) +
              text("cpu") + "K" + std::string(1, rows) + "tQK" +
              std::string(1, '\0');
    pickle += columns == 0 ? std::string("K") + rows + "\x85K\1\x85"
                           : std::string("K") + rows + "K" + columns + "\x86K" +
                                 columns + "K\1\x86";
    pickle +=
        "\x89"
        "ccollections\nOrderedDict\n)RtR";
    files.emplace_back("a/data/" + file, tensor.bytes);
  }
  files[0].second = pickle + "u" + more + ".";
  return zip(files);
}

// Arrays of bfloat16, as NumPy saves those of ml_dtypes: without a type.
inline std::string npz(const std::vector<MadeTensor>& tensors) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const MadeTensor& tensor : tensors) {
    std::string shape = std::to_string(tensor.rows) + ",";
    if (tensor.columns != 0) shape += " " + std::to_string(tensor.columns);
    const std::string head =
        "{'descr': '|V2', 'fortran_order': False, "
        "'shape': (" +
        shape + "), }";
    files.emplace_back(tensor.name + ".npy", "\x93NUMPY\1" + little(0, 1) +
                                                 little(head.size(), 2) + head +
                                                 tensor.bytes);
  }
  return zip(files);
}

class TestFolder {
 public:
  TestFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "ropeproof-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::filesystem::path write(const std::string& name,
                              const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ropeproof::conformance::weights
