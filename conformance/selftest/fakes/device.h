/* device.h -- a device of its own address space, for fakes: a pointer of it is
 * none of the host's, and work waits until a copy asks for it. */
#ifndef ROPEPROOF_CONFORMANCE_FAKES_DEVICE_H_
#define ROPEPROOF_CONFORMANCE_FAKES_DEVICE_H_

#include <ropeproof_device.h>
#include <stdlib.h>
#include <string.h>

#include "rope.h"

/* No address that a process may touch. */
static const uintptr_t kDevice = (uintptr_t)1 << 50;

static inline void* to_device(void* host) {
  return (void*)((uintptr_t)host | kDevice);
}
static inline void* to_host(const void* any) {
  return (void*)((uintptr_t)any & ~kDevice);
}

static ropeproof_problem pending;
static int is_pending = 0;

static inline void finish_work(void) {
  if (!is_pending) return;
  is_pending = 0;
  rope(&pending);
}

static inline int32_t enqueue(const ropeproof_problem* p) {
  finish_work();
  pending = *p;
  pending.q.in = to_host(p->q.in);
  pending.q.out = to_host(p->q.out);
  pending.positions = (const int64_t*)to_host(p->positions);
  is_pending = 1;
  return ROPEPROOF_OK;
}

static void* device_allocate(size_t bytes) {
  void* memory = NULL;
  return posix_memalign(&memory, 256, bytes) == 0 ? to_device(memory) : NULL;
}
static void device_release(void* memory) { free(to_host(memory)); }
static int32_t device_copy(void* to, const void* from, size_t bytes) {
  finish_work();
  memcpy(to_host(to), to_host(from), bytes);
  return 0;
}

static inline int32_t describe_device(ropeproof_device_memory* m) {
  m->allocate = device_allocate;
  m->release = device_release;
  m->copy = device_copy;
  return ROPEPROOF_OK;
}

#endif /* ROPEPROOF_CONFORMANCE_FAKES_DEVICE_H_ */
