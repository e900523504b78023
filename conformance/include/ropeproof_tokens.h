/**
 * ropeproof_tokens.h -- for kernels that take a token, a head or a dense array
 * at a time, where ropeproof_run gets a problem of any strides. Optional.
 *
 *     a call a token or a head   ropeproof_begin, _next_token, _next_head
 *     cos and sin as data        cos and sin of the cursor: rotate and lookup
 *     in place only              ropeproof_copy, then work on `out`
 *     dense or head-major        ropeproof_pack, ropeproof_unpack
 *     int32 positions            ropeproof_int32_positions
 *
 * Examples  conformance/examples: per_token.c, per_head.c, head_major.c,
 *           given_table.c.
 * Memory    nothing here allocates or keeps state; every buffer is the
 *           caller's. Reads and writes the channels [0, head_dim) of heads,
 *           never a gap. The suite guards its own buffers: what a kernel does
 *           outside an array that it got by ropeproof_pack is not seen. One
 *           that takes strides should get the suite's pointers.
 * Problems  rotate, lookup and rope, as ropeproof_run gets them. What is absent
 *           or empty is skipped.
 * Needs     C11 or C++; no library.
 */
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_TOKENS_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_TOKENS_H_

#include <ropeproof_kernel.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes of an element: ROPEPROOF_F64 8, _F32 4, _F16 and _BF16 2. */
static inline size_t ropeproof_element_size(uint32_t dtype) {
  return dtype == ROPEPROOF_F64 ? 8 : dtype == ROPEPROOF_F32 ? 4 : 2;
}

/** One head of one token of q or k. */
typedef struct ropeproof_cursor {
  const ropeproof_problem* problem;
  const ropeproof_tensor* tensor; /**< &problem->q, then &problem->k */
  int64_t batch, token, head;
  const void* in;   /**< head_dim channels of this head; the heads of a token
                         are tensor->in_head_stride elements apart */
  void* out;        /**< likewise; == in where the problem is in place */
  int64_t position; /**< on axis 0; 0 without integer positions */
  /**
   * rotate, lookup: the row of this token, elements of table_dtype; for lookup
   * the one that ids names. rotary_dim/2 values each, rotary_dim in a cache
   * that is DOUBLED. Else not to be read.
   */
  const void *cos, *sin;
} ropeproof_cursor;

/** Before the first token of q; what comes first is a call of _next_. */
static inline ropeproof_cursor ropeproof_begin(
    const ropeproof_problem* problem) {
  ropeproof_cursor c;
  memset(&c, 0, sizeof c);
  c.problem = problem, c.tensor = &problem->q, c.token = -1;
  return c;
}

/** Sets what follows from tensor, batch, token and head: internal. */
static inline void ropeproof_point(ropeproof_cursor* c) {
  const ropeproof_problem* p = c->problem;
  const ropeproof_tensor* x = c->tensor;
  const int64_t size = (int64_t)ropeproof_element_size(p->dtype);
  const int64_t table_size = (int64_t)ropeproof_element_size(p->table_dtype);
  const int is_lookup = p->operation == ROPEPROOF_LOOKUP;
  const int64_t id = c->batch * p->position_batch_stride + c->token;
  c->in = (const char*)x->in +
          size * (c->batch * x->in_batch_stride +
                  c->token * x->in_token_stride + c->head * x->in_head_stride);
  c->out = (char*)x->out + size * (c->batch * x->out_batch_stride +
                                   c->token * x->out_token_stride +
                                   c->head * x->out_head_stride);
  c->position = p->positions != NULL ? p->positions[id] : 0;
  if (is_lookup || p->operation == ROPEPROOF_ROTATE) {
    const int64_t row = is_lookup ? p->ids[id] * p->table_token_stride
                                  : c->batch * p->table_batch_stride +
                                        c->token * p->table_token_stride;
    c->cos = (const char*)p->cos + table_size * row;
    c->sin = is_lookup && p->cache == ROPEPROOF_CACHE_SIDE_BY_SIDE
                 ? (const char*)c->cos + table_size * (p->rotary_dim / 2)
                 : (const char*)p->sin + table_size * row;
  }
}

/**
 * Goes to head 0 of the next token: all of q, then all of k, by batch and
 * token.
 *
 * Returns  1, or 0 at the end.
 * Cost     constant. ids are not checked: see ROPEPROOF_VALIDATES.
 */
static inline int ropeproof_next_token(ropeproof_cursor* c) {
  const ropeproof_problem* p = c->problem;
  c->head = 0;
  if (++c->token >= p->seq) c->token = 0, ++c->batch;
  while (c->tensor->heads <= 0 || p->seq <= 0 || c->batch >= p->batch) {
    if (c->tensor == &p->k) return 0;
    c->tensor = &p->k, c->batch = 0;
  }
  ropeproof_point(c);
  return 1;
}

/** As ropeproof_next_token, but a head at a time. */
static inline int ropeproof_next_head(ropeproof_cursor* c) {
  if (c->token < 0 || c->head + 1 >= c->tensor->heads)
    return ropeproof_next_token(c);
  ++c->head;
  ropeproof_point(c);
  return 1;
}

/**
 * Copies every head of x->in to x->out; nothing where the two are the same. A
 * kernel that works in place only then works on x->out, and may declare
 * ROPEPROOF_OUT_OF_PLACE and ROPEPROOF_IN_PLACE.
 */
static inline void ropeproof_copy(const ropeproof_problem* p,
                                  const ropeproof_tensor* x) {
  const int64_t size = (int64_t)ropeproof_element_size(p->dtype);
  if (x->in == x->out) return;
  for (int64_t b = 0; b < p->batch; ++b)
    for (int64_t s = 0; s < p->seq; ++s)
      for (int64_t h = 0; h < x->heads; ++h)
        memcpy((char*)x->out +
                   size * (b * x->out_batch_stride + s * x->out_token_stride +
                           h * x->out_head_stride),
               (const char*)x->in +
                   size * (b * x->in_batch_stride + s * x->in_token_stride +
                           h * x->in_head_stride),
               (size_t)(size * p->head_dim));
}

/** The order of a dense array. */
enum {
  ROPEPROOF_TOKEN_MAJOR = 0, /**< [batch, seq, heads, head_dim]: a token is one
                                  row, vLLM's [tokens, heads * head_dim] */
  ROPEPROOF_HEAD_MAJOR = 1   /**< [batch, heads, seq, head_dim]: Hugging Face */
};

/**
 * Copies x->in to `dense`, batch * seq * heads * head_dim elements of
 * problem->dtype in `order`, one of the two above; ropeproof_unpack copies
 * `dense` to x->out.
 *
 * Cost  one memcpy a head.
 */
static inline void ropeproof_pack(const ropeproof_problem* p,
                                  const ropeproof_tensor* x, int order,
                                  void* dense) {
  ropeproof_tensor t = *x;
  t.out = dense, t.out_batch_stride = p->seq * x->heads * p->head_dim;
  t.out_token_stride =
      p->head_dim * (order == ROPEPROOF_HEAD_MAJOR ? 1 : x->heads);
  t.out_head_stride =
      p->head_dim * (order == ROPEPROOF_HEAD_MAJOR ? p->seq : 1);
  ropeproof_copy(p, &t);
}

/** As ropeproof_pack, the other way. */
static inline void ropeproof_unpack(const ropeproof_problem* p,
                                    const ropeproof_tensor* x, int order,
                                    const void* dense) {
  ropeproof_tensor t = *x;
  t.in = dense, t.in_batch_stride = p->seq * x->heads * p->head_dim;
  t.in_token_stride =
      p->head_dim * (order == ROPEPROOF_HEAD_MAJOR ? 1 : x->heads);
  t.in_head_stride = p->head_dim * (order == ROPEPROOF_HEAD_MAJOR ? p->seq : 1);
  ropeproof_copy(p, &t);
}

/**
 * Copies the positions to `positions`, [position_axes, batch, seq], dense; with
 * NULL it only looks whether they fit. A kernel that declares a max_position of
 * INT32_MAX, or less, is asked for none that do not.
 *
 * Returns  ROPEPROOF_OK; ROPEPROOF_UNSUPPORTED where a position is below
 *          INT32_MIN or above INT32_MAX, or where there are real ones only.
 */
static inline int32_t ropeproof_int32_positions(const ropeproof_problem* p,
                                                int32_t* positions) {
  if (p->positions == NULL)
    return p->real_positions == NULL ? ROPEPROOF_OK : ROPEPROOF_UNSUPPORTED;
  for (int64_t a = 0; a < p->position_axes; ++a)
    for (int64_t b = 0; b < p->batch; ++b)
      for (int64_t s = 0; s < p->seq; ++s) {
        const int64_t position = p->positions[a * p->position_axis_stride +
                                              b * p->position_batch_stride + s];
        if (position < INT32_MIN || position > INT32_MAX)
          return ROPEPROOF_UNSUPPORTED;
        if (positions != NULL) *positions++ = (int32_t)position;
      }
  return ROPEPROOF_OK;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ROPEPROOF_CONFORMANCE_ROPEPROOF_TOKENS_H_ */
