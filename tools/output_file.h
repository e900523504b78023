// output_file.h -- a file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/plugin/child.h"
#include "tools/rooms.h"

namespace ropeproof::tools {

// Made before the kernel runs, so that a bad path costs no run; until write()
// nothing is on the disk. A regular file is replaced by renaming: an older one
// stays until the new one is complete, and a run that ends early leaves
// nothing. Where the file system has files without a name (Linux), the new one
// is such a file, opened beforehand, and so is its folder: what others put in
// their place meanwhile gets nothing. A device or a pipe is written to.
class OutputFile {
 public:
  // `flag` names the file in errors; `inputs` are files and folders that the
  // run reads. Throws std::invalid_argument if the file cannot be written, is
  // no file, is an input, or is where standard output goes.
  OutputFile(const std::string& flag, const std::string& path,
             const std::vector<std::filesystem::path>& inputs);

  // Throws std::runtime_error.
  void write(std::string_view bytes) const;

  // write() in two steps, for files that belong together: what can be filled
  // has room on the disk, where the file system has files without a name.
  void fill(std::string_view bytes) const;
  void appear(std::string_view bytes) const;  // the same bytes

  // Whether the other one would replace it.
  bool is_same(const OutputFile& other) const;

 private:
  std::filesystem::path folder() const;
  std::string fault(const std::string& what) const;
  [[noreturn]] void fail(const std::string& more = "") const;  // by errno

  std::string flag_, path_;
  std::filesystem::path target_;  // behind symbolic links
  bool is_replaced_ = true;
  plugin::Descriptor names_;    // the folder
  plugin::Descriptor unnamed_;  // what is to be the file
};

}  // namespace ropeproof::tools
