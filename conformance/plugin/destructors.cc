#include "conformance/plugin/destructors.h"

#include <cstddef>  // defines __GLIBC__

#if defined(__GLIBC__)
#include <dlfcn.h>
#include <link.h>
#endif

namespace ropeproof::conformance::plugin {

#if defined(__GLIBC__)
namespace {

using Function = void (*)();

// As the dynamic linker does it: DT_FINI_ARRAY from its end, then DT_FINI. C++
// destructors and what a library gave to atexit() are among them.
void run_destructors_of(const link_map& map) {
  const ElfW(Dyn)* array = nullptr;
  const ElfW(Dyn)* last = nullptr;
  std::size_t count = 0;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FINI_ARRAY) array = entry;
    if (entry->d_tag == DT_FINI_ARRAYSZ) {
      count = entry->d_un.d_val / sizeof(Function);
    }
    if (entry->d_tag == DT_FINI) last = entry;
  }
  if (array != nullptr) {
    const auto* functions =
        reinterpret_cast<const Function*>(map.l_addr + array->d_un.d_ptr);
    while (count > 0) functions[--count]();
  }
  if (last != nullptr) {
    reinterpret_cast<Function>(map.l_addr + last->d_un.d_ptr)();
  }
}

}  // namespace

void run_destructors(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return;
  for (; map != nullptr; map = map->l_next) run_destructors_of(*map);
}
#else
void run_destructors(void*) {}
#endif

}  // namespace ropeproof::conformance::plugin
