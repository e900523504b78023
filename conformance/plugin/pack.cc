#include "conformance/plugin/pack.h"

#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <stdexcept>

#include "conformance/plugin/dense.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/file.h"
#include "conformance/text/format.h"
#include "conformance/text/one_line.h"
#include "conformance/text/sha256.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::plugin {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPackFormat = "ropeproof-exchange/1";
constexpr std::size_t kDigestDigits = 32;

std::string column(const std::string& word) {
  return word.empty() ? "-" : word;
}
std::string column(std::int64_t number) { return std::to_string(number); }
std::string column(std::span<const std::int32_t> numbers) {
  std::string text;
  for (const std::int32_t number : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}
// 17 digits are enough for a correctly rounding strtod to give the same bits.
std::string column(double number) { return text::format("%.17g", number); }
std::string column(const ropeproof_scaling* s) {
  if (s == nullptr) return "-";
  std::string text = text::word(kScalingWords, s->kind);
  for_each_field(*s, [&](const char*, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::int32_t>) {
      text += "," + column(std::int64_t{value});
    } else if constexpr (std::is_same_v<Value, double>) {
      text += "," + column(value);
    }
  });
  return text;
}

// The inputs of the protocol; behind them the lists of a scaling.
std::vector<ByteTensor<const std::byte>> all_inputs(
    const ropeproof_problem& p) {
  auto all = inputs(p);
  if (p.scaling == nullptr) return all;
  for_each_field(*p.scaling, [&](const char* name, const auto& list) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(list)>>) {
      if (list == nullptr) return;
      ByteTensor<const std::byte> row;
      row.name = name;
      row.data = reinterpret_cast<const std::byte*>(list);
      row.row_bytes =
          p.rotary_dim / 2 * static_cast<std::int64_t>(sizeof *list);
      all.push_back(row);
    }
  });
  return all;
}

std::string read_part(const fs::path& path) {
  auto text = text::read_whole(path);
  if (!text) {
    throw std::invalid_argument(path.string() +
                                " cannot be read; is this a complete pack of "
                                "`ropeproof export`?");
  }
  return std::move(*text);
}

void write_whole(const fs::path& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  stream.close();
  if (!stream) throw std::runtime_error(path.string() + " cannot be written");
}

}  // namespace

PackCall pack_call(const ropeproof_problem& p) {
  PackCall call;
  std::string buffers;
  for (const auto& tensor : all_inputs(p)) {
    buffers += (buffers.empty() ? "" : ",") + std::string(tensor.name) + ":" +
               std::to_string(tensor.bytes());
    gather(tensor, call.input);
  }
  for (const auto& tensor : outputs(p)) call.out_bytes += tensor.bytes();
  for_each_field(p, [&](const char*, const auto& value) {
    call.columns += column(value) + " ";
  });
  call.columns += std::to_string(call.input.size()) + " " +
                  std::to_string(call.out_bytes) + " " + column(buffers);
  call.digest =
      text::sha256(call.columns + "\n" + call.input).substr(0, kDigestDigits);
  return call;
}

PackWriter::PackWriter(const fs::path& directory) : directory_(directory) {
  std::error_code error;
  fs::create_directories(directory / "in", error);
  if (!error) fs::create_directory(directory / "out", error);
  if (error) {
    throw std::invalid_argument("--out " + directory.string() +
                                " cannot be made: " + error.message());
  }
  const bool is_new = fs::is_empty(directory / "in") &&
                      fs::is_empty(directory / "out") &&
                      std::distance(fs::directory_iterator(directory),
                                    fs::directory_iterator()) == 2;
  if (!is_new) {
    throw std::invalid_argument("--out " + directory.string() +
                                " is not empty; name a new folder");
  }
}

void PackWriter::add(const PackCall& call) {
  const std::string name = text::format("%04zu", pack_.calls.size() + 1);
  if (!pack_.calls.emplace(call.digest, Pack::Result{name, call.out_bytes})
           .second) {
    return;
  }
  write_whole(directory_ / "in" / (name + ".bin"), call.input);
  lines_ += name + " " + call.columns + " " + call.digest + "\n";
}

void PackWriter::finish(const Pack& head) {
  write_whole(directory_ / "RUN.md", pack_instructions());
  write_whole(directory_ / "cases.txt", lines_);
  std::ostringstream text;
  text << "format " << kPackFormat << "\nsuite_version " << head.suite_version
       << "\nvectors_version " << head.vectors_version << "\nmanifest_sha256 "
       << head.manifest_sha256 << "\ntier " << head.tier << "\nprofile "
       << column(head.profile) << "\ncalls " << calls() << "\ncases_sha256 "
       << text::sha256(lines_) << "\n";
  write_whole(directory_ / "pack.txt", text.str());
}

Pack read_pack(const fs::path& directory) {
  const std::string file = (directory / "pack.txt").string();
  std::map<std::string, std::string> head;
  std::istringstream text(read_part(file));
  for (std::string key, value; text >> key >> value;) head[key] = value;
  const auto fail = [](const std::string& where, const std::string& fault) {
    throw std::invalid_argument(text::one_line(where + ": " + fault));
  };
  if (head["format"] != kPackFormat) {
    fail(file, std::string("no pack of this version: expected ") + kPackFormat);
  }
  const std::string cases = (directory / "cases.txt").string();
  const std::string lines = read_part(cases);
  if (text::sha256(lines) != head["cases_sha256"]) {
    fail(cases, "not as exported; copy the pack again, or export it anew");
  }
  Pack pack{head["suite_version"],
            head["vectors_version"],
            head["manifest_sha256"],
            head["tier"],
            head["profile"] == "-" ? "" : head["profile"],
            {}};
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream columns(line);
    const std::vector<std::string> all(
        std::istream_iterator<std::string>(columns), {});
    // name, ..., out_bytes, buffers, digest
    const auto out_bytes = all.size() < 4
                               ? std::nullopt
                               : text::parse_integer(all[all.size() - 3]);
    if (!out_bytes || *out_bytes < 0) {
      fail(cases, "\"" + line + "\" is no call; export the pack anew");
    }
    pack.calls[all.back()] = {all.front(),
                              static_cast<std::size_t>(*out_bytes)};
  }
  return pack;
}

}  // namespace ropeproof::conformance::plugin
