/**
 * ropeproof_judge.h -- one result of a RoPE kernel, judged where it was made.
 *
 * For tests of one's own (gtest, Catch2, a debugger): no plug-in, no runner, no
 * files. Fill a ropeproof_problem as a kernel gets it (ropeproof_kernel.h),
 * with what the kernel has written in q.out and k.out, and ask:
 *
 *     ropeproof_problem p = ropeproof_dense(
 *         ROPEPROOF_F32, ROPEPROOF_HALF_SPLIT, 1, seq, heads, head_dim, x, y,
 *         positions, 10000);
 *     EXPECT_STREQ(ropeproof_failure(&p, NULL), "");
 *
 * or ropeproof_judge() for the numbers, too.
 * The golden is the exact result; the bound follows from the claim, by the
 * derivation in reference/bound/bound.h.
 *
 * Operations  ROPEPROOF_ROPE, ROPEPROOF_TABLE, and ROPEPROOF_ROTATE, whose
 *             golden is the exact rotation by the given cos and sin: one for
 *             each pair or, with cache ROPEPROOF_CACHE_DOUBLED, for each
 *             channel of the window, where those of a pair may differ.
 *             ROPEPROOF_LOOKUP is the same by the rows of a cache that `ids`
 *             names; a failure says which other rows were taken.
 * Memory      everything a problem points to is read and nothing written. q.in
 *             is what the kernel was given: after a call in place, a copy of
 *             it. Strides are as in ropeproof_kernel.h.
 * Scalings    with `scaling` the golden follows from its parameters, the bound
 *             has the roundings of computing with them, and the problem's
 *             amplitude is not read where the scaling decides it; else from
 *             base, or inv_freq, or pair_bases and exponents.
 * Errors      a problem that contradicts itself gives ROPEPROOF_INVALID and no
 *             judgement, and ropeproof_error() says what, in one line. Of NULL
 *             -1 elements are wrong, and the text is that line. Nothing throws
 *             or ends the process. Functions may be called by several threads
 *             at once.
 * No verdict  at positions from some 2^22 on, angles of class A1 may be any.
 *             Where nothing is wrong, but that the claim leaves open more than
 *             one element in 100, ROPEPROOF_UNSUPPORTED is returned, and
 *             ropeproof_error() says so; the judgement has the numbers.
 * Empty       batch, seq or heads of 0 is right: there are no elements.
 * Cost        about 20 ns an element and 30 ns for each position and pair where
 *             all are within their bounds, for golden and for bound 30 ns; ten
 *             times that where something is wrong, and for worst and text.
 *             Frequencies that no earlier call had take 10 us each, 50 us for
 *             golden and bound, a diagnosis some 0.1 s. Of
 *             more than 2^17 elements it is made of some tokens, and the text
 *             says of which.
 */
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_JUDGE_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_JUDGE_H_

#include <ropeproof_kernel.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The plain problem: `in` and what a kernel has made of it, `out`, both dense
 * [batch, seq, heads, head_dim] of elements of `dtype` in the host's memory,
 * every channel rotated by base^(-2j/head_dim) times positions[batch, seq].
 * What differs is set in the result: k, rotary_dim, scaling, direction, ...
 */
static inline ropeproof_problem ropeproof_dense(
    uint32_t dtype, uint32_t pairing, int64_t batch, int64_t seq, int64_t heads,
    int64_t head_dim, const void* in, const void* out, const int64_t* positions,
    double base) {
  ropeproof_problem p;
  memset(&p, 0, sizeof p);
  p.struct_size = (uint32_t)sizeof p;
  p.operation = ROPEPROOF_ROPE;
  p.dtype = dtype;
  p.pairing = pairing;
  p.direction = 1;
  p.batch = batch, p.seq = seq;
  p.head_dim = p.rotary_dim = head_dim;
  p.q.in = in;
  p.q.out = (void*)out;
  p.q.heads = heads;
  p.q.in_head_stride = p.q.out_head_stride = head_dim;
  p.q.in_token_stride = p.q.out_token_stride = heads * head_dim;
  p.q.in_batch_stride = p.q.out_batch_stride = seq * heads * head_dim;
  p.positions = positions;
  p.position_axes = 1;
  p.position_batch_stride = seq;
  p.base = base;
  p.amplitude = 1;
  return p;
}

/** What was found of one result. */
typedef struct ropeproof_judgement ropeproof_judgement;

/**
 * Judges the outputs of a problem, held to a claim; NULL: angles of class A1 in
 * f32, cos and sin within 1 ulp in the type of the tensors or f32, one rounding
 * at the end. Sets *judgement, which ropeproof_free() ends, unless it returns
 * ROPEPROOF_INVALID.
 */
ROPEPROOF_EXPORT int32_t ropeproof_judge(const ropeproof_problem* problem,
                                         const ropeproof_claim* claim,
                                         ropeproof_judgement** judgement);

/**
 * The golden and the bound of each element alone, before there is a result: of
 * q, k, cos and sin no `out` is read, -1 elements are wrong, and what a result
 * would have is not there. Returns what ropeproof_judge() does.
 */
ROPEPROOF_EXPORT int32_t ropeproof_expect(const ropeproof_problem* problem,
                                          const ropeproof_claim* claim,
                                          ropeproof_judgement** judgement);

/**
 * The number of elements; of those beyond their bound; and of those whose bound
 * accepts any rotation.
 */
ROPEPROOF_EXPORT int64_t ropeproof_elements(const ropeproof_judgement* j);
ROPEPROOF_EXPORT int64_t ropeproof_wrong(const ropeproof_judgement* j);
ROPEPROOF_EXPORT int64_t ropeproof_unjudged(const ropeproof_judgement* j);

/** The largest error over its bound; above 1 where something is wrong. */
ROPEPROOF_EXPORT double ropeproof_worst(const ropeproof_judgement* j);

/**
 * The golden of each element, binary64 rounded to odd: one cast to a narrower
 * type is correctly rounded. In the order [q, then k][batch, seq, heads,
 * head_dim], or of a table [cos, then sin][batch, seq, rotary_dim/2].
 */
ROPEPROOF_EXPORT const double* ropeproof_golden(const ropeproof_judgement* j);

/** How far each element may be from its golden, in the same order. */
ROPEPROOF_EXPORT const double* ropeproof_bound(const ropeproof_judgement* j);

/**
 * What is wrong, for people: the first and the worst element, the pattern of
 * the wrong ones, the bug whose results these are and what to try; or in a line
 * how much of the bound a right result has used. Lives as long as `j`.
 */
ROPEPROOF_EXPORT const char* ropeproof_text(const ropeproof_judgement* j);

/**
 * Begins a scaling of a kind, whose struct_size is set: what has a default gets
 * it, all else is 0. Returns the word of the kind and the fields that must be
 * given, "yarn factor original_length", until this thread's next call of it;
 * NULL, and the scaling as it was, where there is no such kind.
 */
ROPEPROOF_EXPORT const char* ropeproof_begin_scaling(
    uint32_t kind, ropeproof_scaling* scaling);

/**
 * Judges as ropeproof_judge() does, in one expression: "" where nothing is
 * wrong, else the text, or the line of an error. Lives until this thread's next
 * call of it.
 */
ROPEPROOF_EXPORT const char* ropeproof_failure(const ropeproof_problem* problem,
                                               const ropeproof_claim* claim);

/** NULL is no judgement: nothing happens. */
ROPEPROOF_EXPORT void ropeproof_free(ropeproof_judgement* j);

/** The RoPE of a model, as its config.json says it. */
typedef struct ropeproof_model ropeproof_model;

/**
 * Reads the text of a config.json. `types`: the folder vectors/models, whose
 * table says what only the code of a model class does; NULL: no model_type is
 * known. `layers`: which, where a model has several ropes, or NULL. `pairing`:
 * a word of the ABI, or 0, the model's. `seq_len`: what dynamic NTK and
 * LongRoPE depend on; 0: the model's longest. Sets *model, which
 * ropeproof_model_free() ends; ROPEPROOF_INVALID for a model without RoPE, or
 * with several and no word which.
 */
ROPEPROOF_EXPORT int32_t ropeproof_read_config(
    const char* config, const char* types, const char* layers, uint32_t pairing,
    int64_t seq_len, ropeproof_model** model);

/**
 * The words that `layers` may be for a model with several ropes, with ", "
 * between them: of its layers, "full_attention", and of other models in the
 * file, "vision_config"; "" where there is one rope. NULL for a config.json
 * that cannot be read. Lives until this thread's next call of it.
 */
ROPEPROOF_EXPORT const char* ropeproof_layers(const char* config,
                                              const char* types);

/**
 * Sets in a problem what the model says: head_dim, window, pairing, axes,
 * frequencies, amplitude, scaling; and turns its direction round where the
 * model's is. Pointers live as long as the model.
 */
ROPEPROOF_EXPORT void ropeproof_set_model(const ropeproof_model* model,
                                          ropeproof_problem* problem);
ROPEPROOF_EXPORT void ropeproof_model_free(ropeproof_model* model);

/** Why this thread's last call did not return ROPEPROOF_OK. */
ROPEPROOF_EXPORT const char* ropeproof_error(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ROPEPROOF_CONFORMANCE_ROPEPROOF_JUDGE_H_ */
