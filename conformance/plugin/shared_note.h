// shared_note.h -- what a worker leaves when it crashes.
#pragma once

#include <sys/mman.h>

#include <new>

#include "conformance/plugin/shared_memory.h"
#include "conformance/plugin/worker.h"

namespace ropeproof::conformance::plugin {

// A note in memory that the worker shares.
class SharedNote {
 public:
  explicit SharedNote(SharedPlace place)
      : place_(place),
        memory_(map_shared(place_, sizeof(CrashNote), PROT_READ | PROT_WRITE)) {
    if (memory_ == nullptr) throw std::bad_alloc();
    new (memory_) CrashNote;
  }
  ~SharedNote() { unmap_shared(place_, memory_, sizeof(CrashNote)); }
  SharedNote(const SharedNote&) = delete;
  SharedNote& operator=(const SharedNote&) = delete;

  CrashNote& operator*() const {
    return *reinterpret_cast<CrashNote*>(memory_);
  }
  const SharedPlace& place() const { return place_; }

 private:
  SharedPlace place_;
  std::byte* memory_;
};

}  // namespace ropeproof::conformance::plugin
