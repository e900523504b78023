// shared_file.h -- large tensors on their way to a process and back.
#pragma once

#include <cstddef>
#include <string>

#include "conformance/plugin/child.h"

namespace ropeproof::conformance::plugin {

// A file in memory that another process opens by its path. It has no name in
// any folder, so that nothing is left behind. It is sealed against shrinking: a
// process that could cut it off would crash the runner, which has it mapped.
class SharedFile {
 public:
  // Whether this system has such files.
  static bool is_available();

  SharedFile() = default;
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  // Makes the file at least `bytes` long; what data() has returned is no longer
  // valid. Throws KernelError.
  void resize(std::size_t bytes);
  std::byte* data() const { return data_; }

  std::string path() const;

 private:
  Descriptor file_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace ropeproof::conformance::plugin
