// dispatch.h -- calls by the SIMD target chosen at run time.
#pragma once

#include <cstdint>

// SSSE3 is neither compiled nor tested: a processor without SSE4.1 is from
// before 2008, or a Bobcat, and takes SCALAR.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS HWY_SSSE3
#endif
#include "hwy/targets.h"

namespace ropeproof::fast {

// Returns the targets that this processor has, as bits of Highway's; all of
// them that are compiled, at least.
std::int64_t supported_targets() noexcept;

// The target that calls go to, chosen before any constructor of C++ runs.
// Highway has such a choice in its library, whose look-up would be a call in
// each call, and spill the kernel's arguments.
extern hwy::ChosenTarget chosen;

}  // namespace ropeproof::fast

// HWY_EXPORT and HWY_DYNAMIC_DISPATCH by the choice above. Entry 0 is what is
// called before it is made.
#if HWY_IDE || (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define ROPEPROOF_FAST_EXPORT(FUNC_NAME) HWY_EXPORT(FUNC_NAME)
#define ROPEPROOF_FAST_DISPATCH(FUNC_NAME) HWY_STATIC_DISPATCH(FUNC_NAME)
#else
#define ROPEPROOF_FAST_EXPORT(FUNC_NAME)                                  \
  constexpr decltype(&HWY_STATIC_DISPATCH(FUNC_NAME)) HWY_DISPATCH_TABLE( \
      FUNC_NAME)[] = {&HWY_STATIC_DISPATCH(FUNC_NAME),                    \
                      HWY_CHOOSE_TARGET_LIST(FUNC_NAME),                  \
                      HWY_CHOOSE_FALLBACK(FUNC_NAME)}
#define ROPEPROOF_FAST_DISPATCH(FUNC_NAME) \
  (*(HWY_DISPATCH_TABLE(FUNC_NAME)[::ropeproof::fast::chosen.GetIndex()]))
#endif
