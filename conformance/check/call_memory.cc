// What a call left where it had nothing to write, and where it had nothing to
// touch.
#include <cstring>

#include "conformance/check/call.h"

namespace ropeproof::conformance::check {

void Call::snapshot() {
  for (Buffer& buffer : buffers_) {
    const std::byte* const begin = buffer.data - buffer.zone_before;
    buffer.before.assign(
        begin, begin + buffer.zone_before + buffer.bytes + buffer.zone_after);
  }
}

std::string Call::find_stray(bool outputs_may_change) const {
  for (const Buffer& buffer : buffers_) {
    const std::byte* const after = buffer.data - buffer.zone_before;
    const std::vector<std::byte>& before = buffer.before;
    if (std::memcmp(after, before.data(), before.size()) == 0) continue;
    const auto may_change = [&](std::size_t at) {
      if (!outputs_may_change || buffer.kind == Buffer::kInput) return false;
      return buffer.kind == Buffer::kOutput || buffer.is_output[at] != 0;
    };
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (after[i] == before[i]) continue;
      if (i < buffer.zone_before) {
        return "wrote before the start of " + buffer.name;
      }
      const std::size_t at = i - buffer.zone_before;
      if (at >= buffer.bytes) return "wrote past the end of " + buffer.name;
      if (!may_change(at)) {
        return "changed byte " + std::to_string(at) + " of " + buffer.name +
               (outputs_may_change ? ", which is no output" : "");
      }
    }
  }
  return {};
}

// The buffer whose guard page was touched: the one that is nearest.
std::string Call::name_fault(const plugin::Fault& fault) const {
  constexpr std::uintptr_t kReach = 4096;
  std::uintptr_t nearest = kReach;
  std::string text;
  const char* const verb =
      fault.access == plugin::Fault::Access::kWrite  ? "wrote"
      : fault.access == plugin::Fault::Access::kRead ? "read"
                                                     : "reached";
  for (const Buffer& buffer : buffers_) {
    const auto start = reinterpret_cast<std::uintptr_t>(buffer.data);
    const std::uintptr_t end = start + buffer.bytes;
    if (fault.address >= end && fault.address - end < nearest) {
      nearest = fault.address - end;
      text = std::string(verb) + " past the end of " + buffer.name +
             ", at byte " + std::to_string(fault.address - start) + " of " +
             std::to_string(buffer.bytes);
    } else if (fault.address < start && start - fault.address < nearest) {
      nearest = start - fault.address;
      text = std::string(verb) + " before the start of " + buffer.name +
             ", at byte -" + std::to_string(start - fault.address);
    }
  }
  return text;
}

}  // namespace ropeproof::conformance::check
