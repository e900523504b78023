// shared_memory.h -- memory that a runner shares with a kernel's process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ropeproof::conformance::plugin {

// Where shared memory lies. Processes that are forked share memory without a
// file; one that is executed maps the file at the address, which lies where no
// program's own memory does.
struct SharedPlace {
  static constexpr int kNoFile = -1, kNewFile = -2;
  int file = kNoFile;
  std::uintptr_t address = 0;  // 0: anywhere

  // "7:35184372088832", for a command line.
  std::string text() const {
    return std::to_string(file) + ":" + std::to_string(address);
  }
  static std::optional<SharedPlace> of(std::string_view words);
};

// Maps `bytes` bytes, zeroed but for those of a file that there is, without
// asking for memory beforehand. Of a new file it notes the place. Returns null
// where that cannot be had.
std::byte* map_shared(SharedPlace& place, std::size_t bytes, int protection);
// Gives what a file holds back to the system: all of it is zeros then. A kernel
// may have touched more than the system has.
void empty_shared(const SharedPlace& place);
// Unmaps them, and closes a file that map_shared() made.
void unmap_shared(const SharedPlace& place, std::byte* begin,
                  std::size_t bytes);

}  // namespace ropeproof::conformance::plugin
