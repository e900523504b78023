/* Returns the problem's direction as its status; beyond 100 that of launches.
 */
#include <ropeproof_device.h>
#include <stdio.h>

#include "fake.h"

static int32_t given = 0;

int32_t ropeproof_run(const ropeproof_problem* p) {
  given = p->direction;
  return given > 100 ? ROPEPROOF_OK : given;
}

int32_t ropeproof_fault(char* line, size_t bytes) {
  if (given <= 100) return ROPEPROOF_OK;
  snprintf(line, bytes, "too little\nlocal memory");
  return given - 100;
}
