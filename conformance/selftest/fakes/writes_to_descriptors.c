/* Writes to every descriptor that it finds. */
#include <unistd.h>

#include "rope.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  for (int fd = 3; fd < 64; ++fd) (void)!write(fd, "hello, world", 12);
  return rope(p);
}
