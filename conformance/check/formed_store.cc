#include "conformance/check/formed_store.h"

#include <sys/mman.h>
#include <unistd.h>

namespace ropeproof::conformance::check {
namespace {

// Calls `visit` with all lists of a case that may be long.
template <class Visit>
void for_each_list(const std::vector<cases::Case>& formed, const Visit& visit) {
  for (const cases::Case& c : formed) {
    const cases::Golden& g = c.golden;
    for (const cases::Bits* bits :
         {&c.problem.q, &c.problem.k, &g.q, &g.k, &g.cos, &g.sin, &g.q_lo,
          &g.k_lo, &g.cos_lo, &g.sin_lo, &g.pair_amplitude}) {
      visit(*bits);
    }
  }
}

std::size_t bytes_of(const std::vector<cases::Case>& formed) {
  constexpr std::size_t kRest = 4096;  // words, lists and what malloc adds
  std::size_t words = 0;
  for (const cases::Case& c : formed) words += c.problem.positions.size();
  for_each_list(formed, [&](const cases::Bits& bits) { words += bits.size(); });
  return kRest + words * sizeof(std::uint64_t);
}

// Whether processes that are forked get the long lists. Of half a GiB each
// process of a kernel's would get page tables for nothing, and none of it is
// theirs to see.
void share_with_forks([[maybe_unused]] const std::vector<cases::Case>& formed,
                      [[maybe_unused]] bool is_shared) {
#if defined(MADV_DONTFORK)
  constexpr std::size_t kLong = std::size_t{1} << 16;  // bytes
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for_each_list(formed, [&](const cases::Bits& bits) {
    const std::size_t bytes = bits.size() * sizeof bits[0];
    if (bytes < kLong) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(bits.data());
    const std::uintptr_t first = (begin + page - 1) / page * page,
                         end = (begin + bytes) / page * page;
    madvise(reinterpret_cast<void*>(first), end - first,
            is_shared ? MADV_DOFORK : MADV_DONTFORK);
  });
#endif
}

}  // namespace

FormedList FormedStore::find(const FormedKey& key) const {
  const auto found = formed_.find(key);
  return found == formed_.end() ? nullptr : found->second;
}

void FormedStore::keep(const FormedKey& key, const FormedList& formed) {
  const std::size_t bytes = bytes_of(*formed);
  if (bytes_ + bytes > most_ || formed_.contains(key)) return;
  share_with_forks(*formed, false);
  formed_[key] = FormedList(formed.get(), [formed](const auto*) {
    share_with_forks(*formed, true);  // before the memory is somebody else's
  });
  bytes_ += bytes;
}

void FormedStore::clear() {
  formed_.clear();
  bytes_ = 0;
}

}  // namespace ropeproof::conformance::check
