// call_memory.h -- the memory of one call: what lies where, and what changed.
//
// Outputs, with their gaps and the zones around them, are filled with ones, a
// NaN in every format: an element that is not written shows. Everything else
// that is no input element is filled with finite numbers: a kernel that rotates
// a gap or the zone behind a buffer leaves other bits there, which arithmetic
// on NaNs would not. After the call each byte that is not part of an output
// element must be what it was.
//
// Every buffer borders a guard page on one side, which nobody can touch, not
// even to read, and a zone of 64 bytes on the other. Which side is which
// changes from case to case and from buffer to buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/call/rows.h"
#include "conformance/cases/case.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::call {

constexpr std::size_t kZoneBytes = 64;

// An access outside what a call may touch, and in words.
struct Stray {
  plugin::Trespass kind = plugin::Trespass::kNone;
  std::string text;
};

// Whether a call's memory holds its tensors, or has their places alone, which
// takes a fraction of the time.
enum class Contents { kWritten, kLaidOut };

class CallMemory {
 public:
  // A buffer holds before the call:
  enum class Fill {
    kFinite,  // about -3e-16 in f32 and bf16
    kOutput   // one of cases::kOutputFills
  };

  // `kernel` provides the memory, which ends with this. `salt` decides on which
  // side a buffer borders its guard page, where `edge` does not. Unaligned
  // buffers begin one element after a page does and border no guard page.
  CallMemory(plugin::Kernel& kernel, std::size_t salt,
             std::optional<cases::BufferEdge> edge = std::nullopt,
             Contents contents = Contents::kWritten);
  ~CallMemory() {
    kernel_.release();
    kernel_.sparse().release();
  }
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;

  // Adds a buffer that ends with the last row. Throws std::bad_alloc;
  // plugin::NoAddressSpace where the rows are sparse.
  Array add(const std::string& name, const Rows& rows, std::size_t width,
            Fill fill);
  // Adds such a buffer and fills it in. Gaps and zones hold `gap`, or finite
  // numbers that are small; gaps of sparse rows zeros, farther from a row than
  // a zone.
  Array add_input(const std::string& name, const Rows& rows, std::size_t width,
                  const cases::Bits& bits,
                  std::optional<std::uint64_t> gap = std::nullopt);
  Array add_output(const std::string& name, const Rows& rows,
                   std::size_t width);
  // Adds a list as an input: its numbers, or those of `bits` as T's.
  const double* add_doubles(const std::string& name,
                            const std::vector<double>& values);
  template <class T>
  const T* add_list(const std::string& name, const cases::Bits& bits) {
    return reinterpret_cast<const T*>(
        add_input(name, list_of(bits.size()), sizeof(T), bits).data);
  }

  // Writes the elements of an input that was added without them.
  void fill_in(const Array& array, const cases::Bits& bits);
  // Marks elements that the call may change; it may change nothing else.
  void mark_output(const Array& array);

  // Remembers what all buffers hold.
  void snapshot();
  // Returns the first change since then that is none of an output.
  Stray find_stray() const { return find_stray(Watch::kOutsideOutputs); }
  // Returns the first change since then, of an output or not.
  Stray find_any_change() const { return find_stray(Watch::kEverything); }
  // Returns "wrote past the end of q, at byte 96 of 96" of the buffer that
  // borders the guard page; nothing where none does.
  Stray name_fault(const plugin::Fault& fault) const;

 private:
  using Ranges = std::vector<plugin::ByteRange>;

  struct Buffer {
    std::string name;
    std::byte* data = nullptr;  // without the zones
    std::size_t bytes = 0;      // the same
    std::size_t zone_before = 0;
    // Bytes are counted from the zone before the data.
    Ranges watched;  // all, or of sparse rows these with their zones
    Ranges outputs;  // what the call may change
    std::vector<std::byte> before;  // the call: what is watched
  };

  enum class Watch { kOutsideOutputs, kEverything };

  // Finds the first byte of a watched range that has changed, counted as the
  // range is.
  static std::optional<std::size_t> find_change(const Buffer& buffer,
                                                Watch watch);
  Stray find_stray(Watch watch) const;

  plugin::Kernel& kernel_;
  std::size_t salt_;
  std::optional<cases::BufferEdge> edge_;
  bool is_written_;
  std::vector<Buffer> buffers_;
};

}  // namespace ropeproof::conformance::call
