// library_here.h -- a library in the caller's own process, for measurements: a
// call costs what the kernel costs, and its crash is the caller's.
#pragma once

#include <ropeproof_device.h>

#include <optional>
#include <string>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

struct Functions {
  decltype(&ropeproof_run) run = nullptr;
  decltype(&ropeproof_supports) supports = nullptr;  // null: it has none
  decltype(&ropeproof_fault) fault = nullptr;        // null: it has none
  std::optional<ropeproof_device_memory> device;     // none: the host's memory
  void* library = nullptr;                           // from dlopen
};

struct LibraryHere : Functions {
  Description description;
};

// Loads a library for good. Throws KernelError.
LibraryHere load_library_here(const std::string& path);

// Whether one was loaded, or tried: exit() may be the library's.
bool is_library_here();

}  // namespace ropeproof::conformance::plugin
