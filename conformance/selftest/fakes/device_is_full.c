/* Its device has no memory. */
#include "device.h"

static void* nothing(size_t bytes) {
  (void)bytes;
  return NULL;
}

int32_t ropeproof_device(ropeproof_device_memory* m) {
  describe_device(m);
  m->allocate = nothing;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) { return enqueue(p); }
