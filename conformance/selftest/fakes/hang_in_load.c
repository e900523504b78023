/* Never ends to load. */
#include <unistd.h>

#include "fake.h"

__attribute__((constructor)) static void hang(void) {
  for (;;) pause();
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  return ROPEPROOF_OK;
}
