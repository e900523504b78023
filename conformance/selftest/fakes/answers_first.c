/* Describes itself in the worker's place, and answers before it is asked. */
#include <unistd.h>

#include "forges.h"

__attribute__((constructor)) static void answer_first(void) {
  struct {
    forged_loaded loaded;
    forged_solved solved;
  } both;
  memset(&both, 0, sizeof both);
  both.loaded = forged_description();
  both.solved.number = 1;
  both.solved.is_steady = 1;
  forge(&both, sizeof both);
  for (;;) pause();
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  (void)p;
  return ROPEPROOF_OK;
}
