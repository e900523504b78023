// ropeproof_cuda_races.h -- accesses of one place by two threads of a grid that
// nothing orders. ropeproof_cuda.h includes it under -fsanitize=thread: the
// compiler then calls a function at each access, which is one of these in place
// of ThreadSanitizer's, since that knows no blocks and no __syncthreads().
//
// Two accesses, one of which writes, are ordered by a barrier of their block
// between them, or by a shuffle or __syncwarp() of their warp; nothing orders
// those of two blocks of a launch. atomicAdd() orders itself.
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_RACES_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_RACES_H_

namespace ropeproof_cuda {

struct Races {
  struct Access {
    unsigned block = 0, thread = 0, barriers = 0, syncs = 0;
    bool is_there = false;
  };
  // The last write of a byte, and two reads by different threads since.
  struct Byte {
    const char* at = nullptr;
    std::uint64_t launch = 0;
    Access write, read, other_read;
  };

  static Races& here() {
    static thread_local Races races;
    return races;
  }

  void access(const void* address, std::size_t bytes, bool is_write) {
    Machine& machine = Machine::here();
    const auto* first = static_cast<const char*>(address);
    if (!is_local(machine, first)) {
      const bool shared = is_shared(machine, first);
      for (std::size_t i = 0; i < bytes; ++i) {
        note(machine, first + i, is_write, shared);
      }
    }
  }

 private:
  static bool is_within(const char* at, const void* begin, std::size_t bytes) {
    return at >= begin && at < static_cast<const char*>(begin) + bytes;
  }
  static bool is_local(Machine& machine, const char* at) {
    const auto& thread = machine.threads_[machine.current_];
    return is_within(at, machine.fibres_[thread.fibre].stack,
                     kGuardBytes + kStackBytes);
  }
  // Whether it is memory that each block has for itself.
  static bool is_shared(const Machine& machine, const char* at) {
    if (is_within(at, machine.dynamic_.data(), machine.dynamic_.size())) {
      return true;
    }
    return std::any_of(machine.shared_.begin(), machine.shared_.end(),
                       [&](const auto& array) {
                         return is_within(at, array.first, array.second);
                       });
  }

  static bool is_ordered(const Access& a, const Access& b, bool is_shared) {
    if (!a.is_there) return true;
    if (a.block != b.block) return is_shared;
    const bool is_warp = a.thread / warpSize == b.thread / warpSize;
    return a.thread == b.thread || a.barriers != b.barriers ||
           (is_warp && a.syncs != b.syncs);
  }

  void note(Machine& machine, const char* at, bool is_write, bool shared) {
    const auto place = reinterpret_cast<std::uintptr_t>(at);
    Byte& byte = bytes_[(place ^ place >> 20) % kBytes];
    if (byte.at != at || byte.launch != machine.launch_) {
      byte = Byte{};
      byte.at = at, byte.launch = machine.launch_;
    }
    const Access now{static_cast<unsigned>(machine.block_),
                     static_cast<unsigned>(machine.current_), machine.barriers_,
                     machine.syncs_[machine.current_ / warpSize], true};
    const auto meets = [&](const Access& before, const char* words) {
      if (is_ordered(before, now, shared)) return;
      const bool is_block = before.block == now.block;
      Faults::here().note(
          ROPEPROOF_FAILED,
          std::string("cuda-as-cpp: a race: thread ") +
              std::to_string(now.thread) + " of block " +
              std::to_string(now.block) + words +
              (shared ? "shared" : "global") + " memory that thread " +
              std::to_string(before.thread) +
              (is_block ? " of it"
                        : " of block " + std::to_string(before.block)) +
              (&before == &byte.write ? " writes" : " reads") +
              (is_block ? ", and no barrier is between them"
                        : ", and nothing orders blocks"));
    };
    meets(byte.write, is_write ? " writes " : " reads ");
    if (is_write) {
      meets(byte.read, " writes ");
      meets(byte.other_read, " writes ");
      byte.write = now;
      byte.read = byte.other_read = Access{};
    } else if (byte.read.is_there && byte.read.thread != now.thread) {
      byte.other_read = now;
    } else {
      byte.read = now;
    }
  }

  // Each byte has one place here, where a later one takes it over: of a launch
  // that touches more, some races are not seen.
  static constexpr std::size_t kBytes = 1 << 20;
  std::vector<Byte> bytes_ = std::vector<Byte>(kBytes);
};

// Neither this function's own accesses are noted, nor those of what it calls.
__attribute__((no_sanitize("thread"))) inline void note_access(
    const void* address, std::size_t bytes, bool is_write) {
  if (!is_watched || address == &is_watched) return;
  is_watched = false;
  Races::here().access(address, bytes, is_write);
  is_watched = true;
}

}  // namespace ropeproof_cuda

// What the compiler calls.
#define ROPEPROOF_ACCESS(name, bytes, is_write)                               \
  extern "C" __attribute__((weak, no_sanitize("thread"))) void __tsan_##name( \
      void* at) {                                                             \
    ropeproof_cuda::note_access(at, bytes, is_write);                         \
  }
#define ROPEPROOF_ACCESSES(bytes)                       \
  ROPEPROOF_ACCESS(read##bytes, bytes, false)           \
  ROPEPROOF_ACCESS(write##bytes, bytes, true)           \
  ROPEPROOF_ACCESS(unaligned_read##bytes, bytes, false) \
  ROPEPROOF_ACCESS(unaligned_write##bytes, bytes, true) \
  ROPEPROOF_ACCESS(volatile_read##bytes, bytes, false)  \
  ROPEPROOF_ACCESS(volatile_write##bytes, bytes, true)
ROPEPROOF_ACCESSES(1)
ROPEPROOF_ACCESSES(2)
ROPEPROOF_ACCESSES(4)
ROPEPROOF_ACCESSES(8)
ROPEPROOF_ACCESSES(16)
#undef ROPEPROOF_ACCESSES
#undef ROPEPROOF_ACCESS
extern "C" {
__attribute__((weak, no_sanitize("thread"))) void __tsan_read_range(
    void* at, unsigned long bytes) {
  ropeproof_cuda::note_access(at, bytes, false);
}
__attribute__((weak, no_sanitize("thread"))) void __tsan_write_range(
    void* at, unsigned long bytes) {
  ropeproof_cuda::note_access(at, bytes, true);
}
// The guard of a static variable is read so.
__attribute__((weak, no_sanitize("thread"))) unsigned char __tsan_atomic8_load(
    const volatile void* at, int) {
  return *static_cast<const volatile unsigned char*>(at);
}
__attribute__((weak, no_sanitize("thread"))) void __tsan_init() {}
__attribute__((weak, no_sanitize("thread"))) void __tsan_func_entry(void*) {}
__attribute__((weak, no_sanitize("thread"))) void __tsan_func_exit() {}
__attribute__((weak, no_sanitize("thread"))) void __tsan_vptr_update(void*,
                                                                     void*) {}
__attribute__((weak, no_sanitize("thread"))) void __tsan_vptr_read(void*) {}
}

#endif  // ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_RACES_H_
