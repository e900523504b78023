// dispatch.h -- calls by the SIMD target chosen at run time.
#ifndef ROPEPROOF_FAST_DISPATCH_H_
#define ROPEPROOF_FAST_DISPATCH_H_

#include "hwy/targets.h"

namespace ropeproof::fast {

// Highway's, looked up before all other objects of this library and its users are
// made: to look it up takes a call, around which every call would save its
// arguments.
struct Chosen {
  const hwy::ChosenTarget& target = hwy::GetChosenTarget();
};
__attribute__((init_priority(101))) inline const Chosen kChosen;

}  // namespace ropeproof::fast

// As HWY_DYNAMIC_DISPATCH.
#if HWY_IDE || (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define ROPEPROOF_FAST_DISPATCH(FUNC_NAME) HWY_STATIC_DISPATCH(FUNC_NAME)
#else
#define ROPEPROOF_FAST_DISPATCH(FUNC_NAME) \
  (*(HWY_DISPATCH_TABLE(                   \
      FUNC_NAME)[::ropeproof::fast::kChosen.target.GetIndex()]))
#endif

#endif  // ROPEPROOF_FAST_DISPATCH_H_
