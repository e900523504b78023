/* fake.h -- what the hostile plug-ins of the tests share. */
#ifndef ROPEPROOF_CONFORMANCE_FAKES_FAKE_H_
#define ROPEPROOF_CONFORMANCE_FAKES_FAKE_H_

#include <ropeproof_kernel.h>

/* The promises of a fake, which defines them before this header. */
#ifndef PROMISES
#define PROMISES 0
#endif

/* A description that the suite accepts. */
static inline int32_t describe_fake(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION;
  d->name = "fake";
  d->version = "1.0";
  d->operations = ROPEPROOF_ROPE;
  d->dtypes = ROPEPROOF_F32;
  d->pairings = ROPEPROOF_HALF_SPLIT;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE |
                ROPEPROOF_STRIDED | PROMISES;
  d->claims[0].angle_class = ROPEPROOF_A1;
  return ROPEPROOF_OK;
}

#ifndef DESCRIBES_ITSELF /* defined by a fake with a function of its own */
int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_fake(d);
}
#endif

#endif /* ROPEPROOF_CONFORMANCE_FAKES_FAKE_H_ */
