/* fake.h -- what the hostile plug-ins of the tests share. */
#ifndef ROPEPROOF_CONFORMANCE_FAKES_FAKE_H_
#define ROPEPROOF_CONFORMANCE_FAKES_FAKE_H_

#include <ropeproof_kernel.h>

/* A description that the suite accepts. */
static inline int32_t describe_fake(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION;
  d->name = "fake";
  d->version = "1.0";
  d->operations = ROPEPROOF_ROPE;
  d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE;
  d->claims[0].angle_class = ROPEPROOF_A1;
  return ROPEPROOF_OK;
}

#endif /* ROPEPROOF_CONFORMANCE_FAKES_FAKE_H_ */
