// shared_file.h -- large tensors on their way to a process and back.
#ifndef ROPEPROOF_CONFORMANCE_KERNELS_SHARED_FILE_H_
#define ROPEPROOF_CONFORMANCE_KERNELS_SHARED_FILE_H_

#include <cstddef>
#include <string>

#include "conformance/kernels/child.h"

namespace ropeproof::conformance {

// A file in memory that another process opens by its path. It has no name in
// any folder, so that nothing is left behind, and it is read and written with
// system calls, not mapped: a process that cuts it off cannot crash the runner.
class SharedFile {
 public:
  // Whether this system has such files.
  static bool is_available();

  // At least `bytes` long. Throws KernelError.
  void resize(std::size_t bytes);
  // Throws KernelError.
  void write(const std::string& bytes, std::size_t offset);
  // Fills `bytes`. False: the file ends before.
  bool read(std::string& bytes, std::size_t offset) const;

  std::string path() const;

 private:
  Descriptor file_;
};

}  // namespace ropeproof::conformance

#endif  // ROPEPROOF_CONFORMANCE_KERNELS_SHARED_FILE_H_
