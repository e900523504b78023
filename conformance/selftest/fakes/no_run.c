/* Exports one of the two functions. */
#include "fake.h"

int32_t ropeproof_describe(ropeproof_description* d) {
  return describe_fake(d);
}
