/* Its device is not there. */
#include "device.h"

int32_t ropeproof_device(ropeproof_device_memory* m) {
  describe_device(m);
  return ROPEPROOF_UNSUPPORTED;
}

int32_t ropeproof_run(const ropeproof_problem* p) { return enqueue(p); }
