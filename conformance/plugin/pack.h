// pack.h -- a run in files: what a device elsewhere is asked, call by call.
//
//     DIR/pack.txt      what the pack was made from
//     DIR/cases.txt     one line per call, whitespace between the columns
//     DIR/in/NAME.bin   the inputs of one call
//     DIR/out/NAME.bin  its outputs, written by the device
//     DIR/RUN.md        all of this, for whoever writes the device's loop
#pragma once

#include <ropeproof_kernel.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

namespace ropeproof::conformance::plugin {

// One call: its columns after the name, and the bytes of its inputs.
struct PackCall {
  std::string columns;
  std::string input;
  std::size_t out_bytes = 0;
  std::string digest;  // of both: equal calls are one call
};

// Forms the call of a problem, all of whose pointers are readable; dtype and
// table_dtype are known ones.
PackCall pack_call(const ropeproof_problem& problem);

// Returns the text of RUN.md.
std::string pack_instructions();

struct Pack {
  std::string suite_version, vectors_version, manifest_sha256;
  std::string tier;
  std::string profile;  // "" without one
  struct Result {
    std::string name;           // "0001"
    std::size_t out_bytes = 0;  // of out/0001.bin
  };
  std::map<std::string, Result> calls;  // by digest
};

// Writes the files of a pack, one call after the other.
class PackWriter {
 public:
  // Creates DIR, which must be absent or empty. Throws std::invalid_argument if
  // it is not, or cannot be created.
  explicit PackWriter(const std::filesystem::path& directory);

  // Adds a call unless the pack has it already. Throws std::runtime_error if a
  // file cannot be written, as finish() does.
  void add(const PackCall& call);
  // Writes pack.txt last: a pack without it is not complete.
  void finish(const Pack& head);

  std::size_t calls() const { return pack_.calls.size(); }

 private:
  std::filesystem::path directory_;
  std::string lines_;
  Pack pack_;
};

// Reads a pack. Throws std::invalid_argument, one line, for a folder that is no
// complete one.
Pack read_pack(const std::filesystem::path& directory);

}  // namespace ropeproof::conformance::plugin
