#include "conformance/plugin/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "conformance/text/format.h"

namespace ropeproof::conformance::plugin {
namespace {

#if defined(MAP_NORESERVE)
constexpr int kFlags = MAP_SHARED | MAP_NORESERVE;
#else
constexpr int kFlags = MAP_SHARED;
#endif

std::byte* mapped(void* memory) {
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

#if defined(__linux__)

// Between a program's own memory, at 85 TiB, and what address sanitizers keep,
// below 17 TiB.
constexpr std::uintptr_t kFirstPlace = std::uintptr_t{32} << 40,
                         kPlacesEnd = std::uintptr_t{64} << 40,
                         kPlaceStep = std::uintptr_t{1} << 40;

std::byte* map_at(std::uintptr_t address, int file, std::size_t bytes,
                  int protection) {
  return mapped(mmap(reinterpret_cast<void*>(address), bytes, protection,
                     kFlags | MAP_FIXED_NOREPLACE, file, 0));
}

std::byte* map_new_file(SharedPlace& place, std::size_t bytes, int protection) {
  const int file = memfd_create("ropeproof", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return nullptr;
  // Who shares it cannot cut it off.
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0) {
    for (std::uintptr_t at = kFirstPlace; at < kPlacesEnd; at += kPlaceStep) {
      std::byte* const begin = map_at(at, file, bytes, protection);
      if (begin == nullptr) continue;
      place = {file, at};
      return begin;
    }
  }
  ::close(file);
  return nullptr;
}

#endif

}  // namespace

std::optional<SharedPlace> SharedPlace::of(std::string_view words) {
  const std::size_t colon = std::min(words.find(':'), words.size());
  const auto file = text::parse_integer(words.substr(0, colon));
  const auto address =
      text::parse_integer(words.substr(std::min(colon + 1, words.size())));
  if (!file || !address || *file < kNewFile || *file > 1 << 20 ||
      *address < 0) {
    return std::nullopt;
  }
  return SharedPlace{static_cast<int>(*file),
                     static_cast<std::uintptr_t>(*address)};
}

std::byte* map_shared(SharedPlace& place, std::size_t bytes, int protection) {
#if defined(__linux__)
  if (place.file == SharedPlace::kNewFile) {
    return map_new_file(place, bytes, protection);
  }
  if (place.file >= 0) {
    return map_at(place.address, place.file, bytes, protection);
  }
#else
  if (place.file != SharedPlace::kNoFile) return nullptr;
#endif
  return mapped(
      mmap(nullptr, bytes, protection, kFlags | MAP_ANONYMOUS, -1, 0));
}

void empty_shared([[maybe_unused]] const SharedPlace& place) {
#if defined(__linux__)
  if (place.file < 0) return;
  fallocate(place.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
            lseek(place.file, 0, SEEK_END));
#endif
}

void unmap_shared(const SharedPlace& place, std::byte* begin,
                  std::size_t bytes) {
  munmap(begin, bytes);
  if (place.file >= 0) ::close(place.file);
}

}  // namespace ropeproof::conformance::plugin
