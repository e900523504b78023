/* Copies one token of one head; every second call writes zeros and never
   answers. */
#include <string.h>
#include <unistd.h>

#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  static int calls = 0;
  const size_t bytes = (size_t)p->head_dim * sizeof(float);
  if (++calls % 2 == 0) {
    memset(p->q.out, 0, bytes);
    for (;;) pause();
  }
  memmove(p->q.out, p->q.in, bytes);
  return ROPEPROOF_OK;
}
