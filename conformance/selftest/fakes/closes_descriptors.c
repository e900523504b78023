/* Closes every descriptor that it finds. */
#include <unistd.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  for (int fd = 0; fd < 256; ++fd) close(fd);
  return rope(p);
}
