/**
 * ropeproof_device.h -- for kernels whose memory is not the host's, and whose
 * launches may fail. Optional.
 *
 * A plug-in that exports ropeproof_device() beside the functions of
 * ropeproof_kernel.h gets problems whose pointers are the device's: q, k,
 * positions, tables, inv_freq and all the others, but for `scaling` and its
 * lists, which are configuration and stay on the host. The suite writes every
 * buffer, with what surrounds it, through copy() before each call and reads it
 * back afterwards.
 *
 *     int32_t ropeproof_device(ropeproof_device_memory* m) {
 *       int count = 0;
 *       if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
 *         return ROPEPROOF_UNSUPPORTED;
 *       }
 *       m->allocate = my_allocate, m->release = my_release, m->copy = my_copy;
 *       return ROPEPROOF_OK;
 *     }
 *
 * Example   conformance/examples/my_rope.cu
 * Streams   ropeproof_run may return before its work is done, on streams of its
 *           own; copy() waits for them.
 * Memory    no guard pages: what is written up to 64 bytes beside a buffer is
 *           found, what is read there is not (compute-sanitizer finds it).
 *           Calls whose strides need more than 64 MiB a buffer are unsupported.
 * Needs     C11 or C++; no library.
 */
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_DEVICE_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_DEVICE_H_

#include <ropeproof_kernel.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The functions are called by one thread at a time. */
typedef struct ropeproof_device_memory {
  uint32_t struct_size;
  /** At least 256-byte aligned; NULL: there is no more. */
  void* (*allocate)(size_t bytes);
  void (*release)(void* memory);
  /** Either side may be the host's. Begins after all that ropeproof_run has
      enqueued, returns when it is done; 0, or an error of its own. */
  int32_t (*copy)(void* to, const void* from, size_t bytes);
} ropeproof_device_memory;

/**
 * Called once, after ropeproof_describe. ROPEPROOF_OK, or ROPEPROOF_UNSUPPORTED
 * where there is no such device: then nothing is judged.
 */
ROPEPROOF_EXPORT int32_t ropeproof_device(ropeproof_device_memory* memory);

/** What became of the launches of a call. */
enum {
  ROPEPROOF_FAILED = 3,  /**< one failed: so does this case */
  ROPEPROOF_UNUSABLE = 4 /**< the device has less than the kernel asks for; as
                              the answer to a first call it ends the run */
};

/**
 * Optional: asked after ropeproof_run, whatever that returned. ROPEPROOF_OK; or
 * one of these, with a line in so many `bytes` that says why.
 */
ROPEPROOF_EXPORT int32_t ropeproof_fault(char* line, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* ROPEPROOF_CONFORMANCE_ROPEPROOF_DEVICE_H_ */
