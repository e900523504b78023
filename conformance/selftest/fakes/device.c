/* Right, in the memory of a device. */
#include "device.h"

int32_t ropeproof_device(ropeproof_device_memory* m) {
  return describe_device(m);
}

int32_t ropeproof_run(const ropeproof_problem* p) { return enqueue(p); }
