// library_here.h -- a library in the caller's own process, for those who measure
// it: a call costs what the kernel costs, and its crash is the caller's.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_LIBRARY_HERE_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_LIBRARY_HERE_H_

#include <ropeproof_device.h>

#include <optional>
#include <string>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

// What a library exports.
struct Functions {
  decltype(&ropeproof_run) run = nullptr;
  decltype(&ropeproof_supports) supports = nullptr;  // or it has none
  std::optional<ropeproof_device_memory> device;     // or the host's
  void* library = nullptr;                           // from dlopen
};

struct LibraryHere : Functions {
  Description description;
};

// Loads it for good. Throws KernelError.
LibraryHere load_library_here(const std::string& path);

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_LIBRARY_HERE_H_
