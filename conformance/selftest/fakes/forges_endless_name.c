/* Describes itself in the worker's place, by a name without an end. */
#include <unistd.h>

#include "forges.h"

__attribute__((constructor)) static void describe_first(void) {
  forged_loaded loaded = forged_description();
  memset(loaded.name, 'n', sizeof loaded.name);
  memset(loaded.version, 'v', sizeof loaded.version);
  forge(&loaded, sizeof loaded);
  for (;;) pause();
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  return ROPEPROOF_OK;
}
