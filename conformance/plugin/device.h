// device.h -- problems whose buffers are copied to a device and back.
#pragma once

#include <ropeproof_device.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/plugin/blocks.h"

namespace ropeproof::conformance::plugin {

// What became of the copies around a call.
enum class DeviceFault : std::int32_t { kNone, kNoMemory, kCopy };

// Copies of host blocks in a device's memory, each at the same alignment up to
// 256 bytes. Memory of the device is used again for the next problem.
class Device {
 public:
  explicit Device(const ropeproof_device_memory& memory) : memory_(memory) {}
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // Copies blocks to the device, in place of the earlier ones.
  DeviceFault write(const Blocks& blocks);
  // Reads the blocks back, into `contents`, as save() would.
  DeviceFault read(std::string& contents) const;
  // Returns the problem with pointers of the device for those into the blocks.
  ropeproof_problem translated(ropeproof_problem problem) const;

 private:
  struct Copy {
    std::span<std::byte> host;
    std::byte* device = nullptr;
    std::byte* memory = nullptr;  // as allocated
    std::size_t bytes = 0;        // the size of `memory`
  };

  bool make_room(Copy& copy);
  template <class T>
  void translate(T*& pointer) const;

  ropeproof_device_memory memory_;
  std::vector<Copy> copies_;
  std::size_t count_ = 0;  // the number of blocks
};

// Whether the struct that a plug-in has filled in is whole.
bool is_whole(const ropeproof_device_memory& memory);

}  // namespace ropeproof::conformance::plugin
