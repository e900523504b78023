/**
 * ropeproof_fused.h -- one result of a kernel that does more than rotate,
 * judged where it was made: RMSNorm before, 8 bits or a paged cache behind.
 * Optional, beside ropeproof_judge.h.
 *
 *     ropeproof_fused f = {sizeof f};
 *     f.is_normed = 1, f.epsilon = 1e-6, f.weight_dtype = ROPEPROOF_BF16;
 *     f.q_weight = w_q, f.k_weight = w_k;
 *     EXPECT_STREQ(ropeproof_fused_failure(&p, &f, NULL), "");
 *
 * Operation  ROPEPROOF_ROPE, any problem that ropeproof_judge() takes.
 * Order      y = scale^-1 rotated(norm(x)), each part where it is asked for.
 * Bound      that of ropeproof_judge() and the roundings of a norm in f32,
 *            derived in reference/fused/norm.h, and of the stored type, in
 *            reference/fused/stored.h.
 * Memory     everything is read and nothing written. Padding, whose slot is -1,
 *            may hold anything.
 * No verdict where half of the elements are far beyond the largest number of a
 *            stored type, or too small for it to show a rotation: the line says
 *            so.
 * Errors     a line, as ropeproof_failure() gives it.
 * Cost       some 1 us an element.
 */
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_FUSED_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_FUSED_H_

#include <ropeproof_judge.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Types of 8 bits; 0: elements have the dtype of the problem. */
enum {
  ROPEPROOF_E4M3 = 1, /**< float8_e4m3fn: 448 the largest, no infinity */
  ROPEPROOF_E5M2 = 2, /**< 57344 the largest */
  ROPEPROOF_INT8 = 3
};

/**
 * The type that a tensor is stored in: each element as the number nearest to
 * y / scale, the largest number where that is beyond it (a NaN or an infinity
 * there is wrong). The scale of head h of
 * token s of batch row b is scale[b*batch_stride + s*token_stride +
 * h*head_stride]: strides of 0 are a scale of the whole tensor. NULL: 1.
 */
typedef struct ropeproof_stored {
  uint32_t type;
  const float* scale;
  int64_t batch_stride, token_stride, head_stride;
} ropeproof_stored;

/**
 * A cache of k or of v as it was before the call and is now. Channel c of head
 * h of slot n is [(n / block) * block_stride + (n % block) * slot_stride +
 * h*head_stride + c], elements of the stored type: the channels of a head lie
 * side by side. `block` 0: one block.
 */
typedef struct ropeproof_cached {
  const void *before, *after;
  int64_t block, block_stride, slot_stride, head_stride;
} ropeproof_cached;

/** What a kernel does beside the rotation; all zero: nothing. */
typedef struct ropeproof_fused {
  uint32_t struct_size;

  /**
   * RMSNorm over the channels of each head, of q and k both:
   * (weight + weight_offset) x / sqrt(mean(x^2) + epsilon). Weights are
   * [head_dim] of weight_dtype; NULL: x / sqrt(...) alone.
   */
  uint32_t is_normed;
  uint32_t weight_dtype;
  uint32_t norm_roundings; /**< 0 to 2: to the tensors' 16-bit type before the
                                rotation, as before and after the weight */
  double epsilon, weight_offset;
  const void *q_weight, *k_weight;

  ropeproof_stored q_stored, k_stored, v_stored;

  /**
   * With slots, k of token s of batch row b goes to slot slots[b*seq + s], and
   * k.out is not read; v is copied to the same slot of its cache, where v.in is
   * not NULL; v.out is not read. A slot of -1: nothing is written. All slots
   * that no token names stay as they were, bit for bit.
   */
  const int64_t* slots;
  int64_t slot_count;
  ropeproof_tensor v;
  ropeproof_cached k_cache, v_cache;
} ropeproof_fused;

/**
 * Judges what a fused kernel has written, held to a claim as in
 * ropeproof_judge(). Returns "" where nothing is wrong, else what is, for
 * people, or the line of an error. Lives until this thread's next call of it.
 */
ROPEPROOF_EXPORT const char* ropeproof_fused_failure(
    const ropeproof_problem* problem, const ropeproof_fused* fused,
    const ropeproof_claim* claim);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ROPEPROOF_CONFORMANCE_ROPEPROOF_FUSED_H_ */
