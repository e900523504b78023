#include "conformance/plugin/device.h"

#include <algorithm>

#include "conformance/plugin/fields.h"

namespace ropeproof::conformance::plugin {
namespace {

constexpr std::size_t kAlignment = 256;

}  // namespace

Device::~Device() {
  for (const Copy& copy : copies_) {
    if (copy.memory != nullptr) memory_.release(copy.memory);
  }
}

// Lets the copy begin as far beyond an aligned address as the host block does.
bool Device::make_room(Copy& copy) {
  const std::size_t needed = copy.host.size() + kAlignment;
  if (copy.bytes < needed) {
    if (copy.memory != nullptr) memory_.release(copy.memory);
    copy.bytes = std::max(needed, 2 * copy.bytes);
    copy.memory = static_cast<std::byte*>(memory_.allocate(copy.bytes));
    if (copy.memory == nullptr) copy.bytes = 0;
  }
  copy.device = copy.memory +
                reinterpret_cast<std::uintptr_t>(copy.host.data()) % kAlignment;
  return copy.memory != nullptr;
}

DeviceFault Device::write(const Blocks& blocks) {
  count_ = blocks.size();
  if (copies_.size() < count_) copies_.resize(count_);
  for (std::size_t i = 0; i < count_; ++i) {
    Copy& copy = copies_[i];
    copy.host = blocks[i];
    if (!make_room(copy)) return DeviceFault::kNoMemory;
    if (memory_.copy(copy.device, copy.host.data(), copy.host.size()) != 0) {
      return DeviceFault::kCopy;
    }
  }
  return DeviceFault::kNone;
}

DeviceFault Device::read(std::string& contents) const {
  contents.clear();
  for (std::size_t i = 0; i < count_; ++i) {
    const std::size_t at = contents.size();
    contents.resize(at + copies_[i].host.size());
    if (memory_.copy(contents.data() + at, copies_[i].device,
                     copies_[i].host.size()) != 0) {
      return DeviceFault::kCopy;
    }
  }
  return DeviceFault::kNone;
}

// A pointer just behind a block belongs to it: to an empty buffer at its end.
template <class T>
void Device::translate(T*& pointer) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  for (std::size_t i = 0; i < count_; ++i) {
    const auto begin = reinterpret_cast<std::uintptr_t>(copies_[i].host.data());
    if (address < begin || address > begin + copies_[i].host.size()) continue;
    pointer = reinterpret_cast<T*>(copies_[i].device + (address - begin));
    return;
  }
}

ropeproof_problem Device::translated(ropeproof_problem p) const {
  for_each_buffer(p, [this](auto& pointer) { translate(pointer); });
  return p;
}

bool is_whole(const ropeproof_device_memory& memory) {
  return memory.allocate != nullptr && memory.release != nullptr &&
         memory.copy != nullptr;
}

}  // namespace ropeproof::conformance::plugin
