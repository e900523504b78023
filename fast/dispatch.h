// dispatch.h -- calls by the SIMD target chosen at run time.
#ifndef ROPEPROOF_FAST_DISPATCH_H_
#define ROPEPROOF_FAST_DISPATCH_H_

#include "hwy/targets.h"

namespace ropeproof::fast {
namespace {

// Highway's target, looked up when the program or the library is loaded: to look it up
// takes a call, around which every call of a kernel would save its arguments. Calls
// before that find entry 0 of every table, which chooses. In each source file its
// own: one for all would be a symbol that keeps a plug-in from being unloaded.
constinit hwy::ChosenTarget unchosen;
constinit const hwy::ChosenTarget* chosen = &unchosen;
__attribute__((constructor)) void find_chosen() {
  chosen = &hwy::GetChosenTarget();
}

}  // namespace
}  // namespace ropeproof::fast

// As HWY_DYNAMIC_DISPATCH.
#if HWY_IDE || (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define ROPEPROOF_FAST_DISPATCH(FUNC_NAME) HWY_STATIC_DISPATCH(FUNC_NAME)
#else
#define ROPEPROOF_FAST_DISPATCH(FUNC_NAME) \
  (*(HWY_DISPATCH_TABLE(FUNC_NAME)[::ropeproof::fast::chosen->GetIndex()]))
#endif

#endif  // ROPEPROOF_FAST_DISPATCH_H_
