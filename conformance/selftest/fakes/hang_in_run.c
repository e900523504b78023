/* Never answers, with the processor busy. */
#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  volatile const ropeproof_problem* const forever = p;
  while (forever != 0) {
  }
  return ROPEPROOF_OK;
}
