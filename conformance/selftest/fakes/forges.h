/* forges.h -- what the worker sends (conformance/plugin/worker.h), as a plug-in
 * writes it that has found the worker's socket. */
#ifndef ROPEPROOF_CONFORMANCE_FAKES_FORGES_H_
#define ROPEPROOF_CONFORMANCE_FAKES_FORGES_H_

#include <string.h>
#include <sys/socket.h>

#include "fake.h"

typedef struct forged_control {
  uint64_t vector;
  uint32_t x87;
} forged_control;

typedef struct forged_loaded {
  int32_t stage, status;
  ropeproof_description description;
  uint8_t has_supports, is_on_device;
  forged_control before, loaded, described;
  char text[512], name[128], version[128], backend[1024];
} forged_loaded;

typedef struct forged_solved {
  uint64_t number;
  int32_t status;
  uint8_t is_steady;
  int32_t device;
  forged_control before, after;
} forged_solved;

static inline forged_loaded forged_description(void) {
  forged_loaded loaded;
  memset(&loaded, 0, sizeof loaded);
  loaded.stage = 1; /* described */
  describe_fake(&loaded.description);
  strcpy(loaded.name, "fake");
  strcpy(loaded.version, "1.0");
  return loaded;
}

static inline void forge(const void* bytes, size_t count) {
  for (int fd = 3; fd < 64; ++fd) {
    (void)!send(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
}

#endif /* ROPEPROOF_CONFORMANCE_FAKES_FORGES_H_ */
