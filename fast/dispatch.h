// dispatch.h -- calls by the SIMD target chosen at run time.
#pragma once

// SSSE3 is neither compiled nor tested: a processor without SSE4.1 is from
// before 2008, or a Bobcat, and takes SCALAR.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS HWY_SSSE3
#endif
#include "hwy/targets.h"

namespace ropeproof::fast {
namespace {

// Highway's choice of target, looked up once, when the program or library is
// loaded: looking it up in each call would be a call itself, and spill the
// kernel's arguments. Kernels that are called earlier use entry 0 of their
// table, which makes the choice. One per source file: a symbol shared by all
// would keep a plug-in from being unloaded.
constinit hwy::ChosenTarget unchosen;
constinit const hwy::ChosenTarget* chosen = &unchosen;
__attribute__((constructor)) void find_chosen() {
  chosen = &hwy::GetChosenTarget();
}

}  // namespace
}  // namespace ropeproof::fast

// HWY_DYNAMIC_DISPATCH by the choice above.
#if HWY_IDE || (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define ROPEPROOF_FAST_DISPATCH(FUNC_NAME) HWY_STATIC_DISPATCH(FUNC_NAME)
#else
#define ROPEPROOF_FAST_DISPATCH(FUNC_NAME) \
  (*(HWY_DISPATCH_TABLE(FUNC_NAME)[::ropeproof::fast::chosen->GetIndex()]))
#endif
