/**
 * ropeproof_kernel.h -- the one file that a kernel author includes.
 *
 * A plug-in is a shared library with two C functions, and perhaps a third:
 *
 *     ropeproof_describe   says what the kernel can do and how exact it claims
 *                          to be
 *     ropeproof_run        solves one problem
 *     ropeproof_supports   says which problems it does not take (optional)
 *
 * They must neither throw nor exit. The suite owns every buffer. A kernel may
 * keep caches between calls; calls come one at a time unless the kernel
 * declares ROPEPROOF_CONCURRENT.
 *
 * Memory    a buffer is aligned as its elements are (an f32 to 4 bytes), and no
 *           better; its last or its first byte may border memory that must not
 *           be touched, not even read, unless `padding_bytes` says how far a
 *           kernel reads. The floating-point environment is the default one,
 *           and must be so again on return.
 *
 * Units     positions are counts, angles radians, strides ELEMENTS (not bytes).
 * Growth    every struct starts with struct_size, but for ropeproof_tensor,
 *           which stays as it is. New fields are appended, new bits and
 *           enumerators take unused values; nothing is renumbered. A
 *           plug-in reads only the fields it was compiled with and answers
 *           ROPEPROOF_UNSUPPORTED to an enumerator that it does not know.
 * Version   before release 1.0 that may be broken while ROPEPROOF_ABI_VERSION
 *           stays 1: a plug-in is compiled with the header of its suite.
 * Meaning   reference/rope.h, (R1)-(R6), and reference/scaling.h, (R7)-(R16).
 * Needs     C11 or C++; no library.
 */
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_KERNEL_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_KERNEL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define ROPEPROOF_EXPORT __declspec(dllexport)
#else
#define ROPEPROOF_EXPORT __attribute__((visibility("default")))
#endif

#define ROPEPROOF_ABI_VERSION 1u

enum { ROPEPROOF_MAX_CLAIMS = 4, ROPEPROOF_MAX_SECTIONS = 8 };

/** What ropeproof_describe and ropeproof_run return. */
enum {
  ROPEPROOF_OK = 0,
  ROPEPROOF_UNSUPPORTED = 1, /**< outside what the kernel offers; no output
                                  was written */
  ROPEPROOF_INVALID = 2      /**< the problem contradicts itself; no output
                                  was written */
};

/** Operations; bits in `operations`, one value in `operation`. */
enum {
  ROPEPROOF_FREQUENCIES = 1 << 0, /**< base -> inv_freq_out */
  ROPEPROOF_TABLE = 1 << 1,       /**< frequencies, positions -> cos, sin */
  ROPEPROOF_ROTATE = 1 << 2,      /**< q, k, given cos and sin -> q, k */
  ROPEPROOF_ROPE = 1 << 3,        /**< q, k, positions, frequencies -> q, k */
  ROPEPROOF_PERMUTE = 1 << 4,     /**< weight or bias -> the same for the other
                                       pairing, bit for bit; any dtype */
  ROPEPROOF_LOOKUP = 1 << 5       /**< q, k, a cache of cos and sin, the row of
                                       each token -> q, k */
};

/** Element types; bits in `dtypes` (of q and k), one value elsewhere. */
enum {
  ROPEPROOF_F64 = 1 << 0,
  ROPEPROOF_F32 = 1 << 1,
  ROPEPROOF_F16 = 1 << 2, /**< IEEE binary16 */
  ROPEPROOF_BF16 = 1 << 3 /**< the upper half of an f32 */
};

/** Pairings (R3); bits in `pairings`, one value in `pairing`. */
enum {
  ROPEPROOF_INTERLEAVED = 1 << 0, /**< (2j, 2j+1): GPT-J, Meta LLaMA */
  ROPEPROOF_HALF_SPLIT = 1 << 1,  /**< (j, j+rotary_dim/2): GPT-NeoX, HF */
  ROPEPROOF_INTERLEAVED_TO_HALF = 1 << 2, /**< read as the first, written as
                                               the second: HF DeepSeek */
  ROPEPROOF_NESTED_HALF_SPLIT = 1 << 3    /**< half-split inside each of
                                               pairing_blocks blocks */
};

/**
 * What a kernel accepts beyond the plain call; bits in `features`. The plain
 * call is: q alone, rows back to back in [batch, seq, heads, head_dim] order,
 * rotary_dim == head_dim, amplitude 1, direction forward, frequencies
 * base^(-2j/rotary_dim), positions >= 0 of any order, some of them more than
 * once, position_batch_stride seq. One of the first two bits is set, or both.
 */
enum {
  ROPEPROOF_OUT_OF_PLACE = 1 << 0,
  ROPEPROOF_IN_PLACE = 1 << 1,
  ROPEPROOF_STRIDED = 1 << 2,       /**< any strides: see ropeproof_tensor */
  ROPEPROOF_PARTIAL = 1 << 3,       /**< rotary_dim < head_dim */
  ROPEPROOF_WINDOW_OFFSET = 1 << 4, /**< rotary_offset > 0 */
  ROPEPROOF_KEYS = 1 << 5,          /**< q and k in one call */
  ROPEPROOF_ADJOINT = 1 << 6,       /**< direction -1 (backward) */
  ROPEPROOF_AMPLITUDE = 1 << 7,     /**< amplitude != 1, but where it is that of
                                         a scaling in `scalings` */
  ROPEPROOF_NEGATIVE_POSITIONS = 1 << 8,
  ROPEPROOF_INV_FREQ = 1 << 9,        /**< uses inv_freq: any scaling, base 0 */
  ROPEPROOF_EXPONENTS = 1 << 10,      /**< forms the frequencies from pair_bases
                                         and exponents */
  ROPEPROOF_AXIS_WEIGHTS = 1 << 11,   /**< axis_weights */
  ROPEPROOF_REAL_POSITIONS = 1 << 12, /**< real_positions */
  ROPEPROOF_PAIR_DISTANCE = 1 << 13,  /**< pair_distance != rotary_dim/2 */
  ROPEPROOF_PAIR_AMPLITUDE = 1 << 14, /**< pair_amplitude: xPos */
  /* Promises about behaviour; each is tested where it is declared. */
  ROPEPROOF_SPECIAL_VALUES = 1 << 15, /**< NaN, infinities and subnormals come
                                           out as IEEE arithmetic gives them */
  ROPEPROOF_VALIDATES = 1 << 16,      /**< a problem that contradicts itself is
                                           answered with ROPEPROOF_INVALID */
  ROPEPROOF_DETERMINISTIC = 1 << 17,  /**< a row's bits depend on nothing but
                                           the row, its position and the
                                           frequencies: not on other rows,
                                           memory, threads or earlier calls */
  ROPEPROOF_CONCURRENT = 1 << 18,     /**< ropeproof_run may be called by many
                                           threads at once */
  ROPEPROOF_EXPLICIT_LENGTH = 1 << 19 /**< takes ropeproof_scaling.seq_len as it
                                           is given; without it seq_len is
                                           always the largest position + 1 */
};

/**
 * Which axis a pair is on, with several position axes; bits in `axis_maps`, one
 * value in `axis_map`. axis_sections says how many pairs each axis has.
 *
 * - SECTIONS     the first pairs on axis 0, the next on axis 1, ...: Qwen2-VL
 * - INTERLEAVED  pair j on axis j mod axes while that has pairs left, else on
 *                axis 0: Qwen3-VL
 * - GRID         equal sections, each with the frequencies of a head of
 *                rotary_dim / axes channels, which INV_FREQ or EXPONENTS takes
 * - ANY          as axis_of_pair says
 */
enum {
  ROPEPROOF_AXES_SECTIONS = 1 << 0,
  ROPEPROOF_AXES_INTERLEAVED = 1 << 1,
  ROPEPROOF_AXES_GRID = 1 << 2,
  ROPEPROOF_AXES_ANY = 1 << 3
};

/**
 * How a cache of cos and sin lies; bits in `caches`, one value in `cache`.
 *
 * - SPLIT         cos and sin, [rows, rotary_dim/2] each: ONNX
 * - SIDE_BY_SIDE  [rows, rotary_dim], cosines before sines: vLLM
 * - DOUBLED       cos and sin, [rows, rotary_dim] each, a value for every
 *                 channel of the window: Hugging Face
 */
enum {
  ROPEPROOF_CACHE_SPLIT = 1 << 0,
  ROPEPROOF_CACHE_SIDE_BY_SIDE = 1 << 1,
  ROPEPROOF_CACHE_DOUBLED = 1 << 2
};

/**
 * Scalings that a kernel can compute by itself from their parameters; bits in
 * `scalings`, one value in ropeproof_scaling.kind. The formulas are (R7)-(R14)
 * of reference/scaling.h. A kernel with ROPEPROOF_INV_FREQ needs none of them:
 * inv_freq and amplitude hold what a scaling decides.
 */
enum {
  ROPEPROOF_LINEAR = 1 << 0,
  ROPEPROOF_NTK = 1 << 1,
  ROPEPROOF_DYNAMIC_NTK = 1 << 2,
  ROPEPROOF_YARN = 1 << 3,
  ROPEPROOF_LONG_ROPE = 1 << 4,
  ROPEPROOF_LLAMA3 = 1 << 5,
  ROPEPROOF_FREQUENCY_FACTORS = 1 << 6
};

/**
 * How the angle is formed; decides the tolerance (reference/bound/bound.h).
 *
 * - A0  the angle's error does not grow with the position
 * - A1  angle = f32 position x f32 inv_freq; in f64 if `angle_dtype` says so
 * - A2  as A1, with inv_freq or the angle multiplied on from pair to pair
 * - A3  as A1, in the arithmetic of `angle_dtype`, a 16-bit type
 */
enum { ROPEPROOF_A0 = 0, ROPEPROOF_A1 = 1, ROPEPROOF_A2 = 2, ROPEPROOF_A3 = 3 };

/** How the power in inv_freq is formed; matters for A1 only. */
enum {
  ROPEPROOF_POW = 0, /**< pow(base, e) */
  ROPEPROOF_EXP2 = 1 /**< exp or exp2 of (e * log(base)), formed in f32 */
};

/** Where a result in a 16-bit dtype is rounded; f32 and f64 ignore it. */
enum {
  ROPEPROOF_ROUND_ONCE = 0, /**< f32 arithmetic, one rounding at the end */
  ROPEPROOF_ROUND_EACH = 1, /**< every product and sum is rounded to dtype */
  ROPEPROOF_TRUNCATE = 2    /**< f32 arithmetic, the last bits cut off; those of
                                 16-bit tables that it forms, too */
};

/** How exact the results in some dtypes are; decides the tolerance. */
typedef struct ropeproof_claim {
  uint32_t dtypes;      /**< of q and k; 0: all that no claim before names */
  uint32_t angle_class; /**< ROPEPROOF_A0 .. ROPEPROOF_A3 */
  uint32_t angle_dtype; /**< A3: a 16-bit type; A1: f64, or 0 for f32 */
  uint32_t power;       /**< ROPEPROOF_POW or ROPEPROOF_EXP2 */
  uint32_t power_ulp;   /**< error bound of that power, 1..4; 0 means 1 */
  uint32_t trig_ulp;    /**< error bound of sin and cos, 1..4; 0 means 1 */
  uint32_t table_dtype; /**< type cos and sin are held in, given or formed;
                             0: same as q */
  uint32_t rounding;    /**< ROPEPROOF_ROUND_ONCE, _ROUND_EACH or _TRUNCATE */
} ropeproof_claim;

/**
 * What a kernel is. The suite zero-fills it, sets struct_size, and calls
 * ropeproof_describe; the strings must live as long as the library.
 */
typedef struct ropeproof_description {
  uint32_t struct_size; /**< in: bytes the suite provides */
  uint32_t abi_version; /**< ROPEPROOF_ABI_VERSION */
  const char* name;     /**< [A-Za-z0-9._/-]+, for reports */
  const char* version;
  uint32_t operations, dtypes, pairings, features;
  uint32_t axis_maps;     /**< 0: one position axis only */
  uint32_t caches;        /**< for lookup */
  uint32_t scalings;      /**< computed from ropeproof_problem.scaling */
  uint32_t padding_bytes; /**< read behind every buffer, 0..4096 */
  int64_t max_position;   /**< largest |position| accepted; 0: no limit. With
                             inv_freq alone, a binary64 angle is A0 up to
                             about 2^30; with inv_freq_lo, beyond */
  ropeproof_claim claims[ROPEPROOF_MAX_CLAIMS]; /**< the first that fits */
} ropeproof_description;

/**
 * q or k: [batch, seq, heads, head_dim], innermost stride 1. Channel c of head
 * h of token s of batch b is in[b*in_batch_stride + s*in_token_stride +
 * h*in_head_stride + c]; `out` likewise. In place (q, k or both): out == in,
 * equal strides; else the two extents do not overlap. ROPEPROOF_STRIDED:
 * dimensions in any order, k and out with strides of their own, offsets beyond
 * 2^32; rows of out do not overlap. Batch strides of what is read may be 0.
 */
typedef struct ropeproof_tensor {
  const void* in;
  void* out;
  int64_t heads; /**< 0: this tensor is absent */
  int64_t in_batch_stride, in_token_stride, in_head_stride;
  int64_t out_batch_stride, out_token_stride, out_head_stride;
} ropeproof_tensor;

/**
 * The parameters of a scaling; a field that its kind does not have is 0. Names
 * and meanings are those of reference/scaling.h.
 */
typedef struct ropeproof_scaling {
  uint32_t struct_size;
  uint32_t kind;
  double factor;          /**< s; alpha for ROPEPROOF_NTK */
  double original_length; /**< L; the trained length for DYNAMIC_NTK */
  double seq_len;         /**< largest position + 1; or more: EXPLICIT_LENGTH */
  double beta_fast, beta_slow;
  double low_freq_factor, high_freq_factor;
  int32_t truncate;
  /** rotary_dim/2 entries; FREQUENCY_FACTORS has the first. */
  const double *short_factor, *long_factor;
  /** Where a model states them; ropeproof_problem.amplitude has the result. */
  double attention_factor, mscale, mscale_all_dim;
} ropeproof_scaling;

/** One problem. Fields that the operation does not need are zero or NULL. */
typedef struct ropeproof_problem {
  uint32_t struct_size;
  uint32_t operation;
  uint32_t dtype;       /**< of q, k and their outputs */
  uint32_t table_dtype; /**< of cos, sin and inv_freq_out */
  uint32_t pairing;
  int32_t direction; /**< +1 forward, -1 adjoint */

  int64_t batch, seq, head_dim;
  int64_t rotary_dim;    /**< even, 2 .. head_dim */
  int64_t rotary_offset; /**< the window is [offset, offset + rotary_dim) */

  ropeproof_tensor q, k; /**< rotate, lookup, rope */

  /**
   * positions[a*position_axis_stride + b*position_batch_stride + s], |p| <=
   * 2^53. Pair j rotates by the position on axis axis_of_pair[j]; NULL: axis 0.
   * axis_map says the same in a word, 0 for one axis or axis_weights, with the
   * number of pairs of each axis; zeros beyond ROPEPROOF_MAX_SECTIONS axes.
   */
  const int64_t* positions;
  int64_t position_axes, position_axis_stride, position_batch_stride;
  const int32_t* axis_of_pair;
  uint32_t axis_map;
  int32_t axis_sections[ROPEPROOF_MAX_SECTIONS];

  /**
   * Radians per position of pair j: inv_freq[j] + inv_freq_lo[j], within 2^-104
   * relative; one binary64 alone would cost 2^-22 rad at position 2^31. base is
   * the same before `scaling`, by the formula base^(-2j/rotary_dim), or 0 where
   * there is none, as with learned factors (R16); then they may follow
   *     pair_bases[j]^(-exponent_numerators[j] / exponent_denominators[j]),
   * three arrays or none; a denominator of 0 says that the pair does not
   * rotate. table and rope get all of them, frequencies all but inv_freq.
   */
  double base;
  const double *inv_freq, *inv_freq_lo;
  const double* pair_bases;
  const int64_t *exponent_numerators, *exponent_denominators;
  double amplitude; /**< m: multiplies cos and sin, so the window only */

  /**
   * m*cos(phi) and m*sin(phi) at [b*table_batch_stride + s*table_token_stride +
   * j], j < rotary_dim/2, always of the forward direction. Read by rotate,
   * written by table.
   *
   * lookup reads a cache instead: row r of cache_rows begins at
   * r*table_token_stride, `cache` says what it holds, SIDE_BY_SIDE in cos
   * alone. Token s of batch b uses row ids[b*position_batch_stride + s]. Rows
   * that no token uses hold numbers of no meaning.
   */
  void *cos, *sin;
  int64_t table_batch_stride, table_token_stride;
  uint32_t cache;
  int64_t cache_rows;
  const int64_t* ids;

  void* inv_freq_out; /**< frequencies: rotary_dim/2 elements of table_dtype */

  /**
   * permute: a weight [permute_heads * head_dim, permute_columns], row-major; a
   * bias has one column. `pairing` is the one that the weight was trained for;
   * the result serves the other one. Only the rows of the rotary window move.
   * in and out do not overlap.
   */
  const void* permute_in;
  void* permute_out;
  int64_t permute_heads, permute_columns;

  /** Half-split: v - u; 0 means rotary_dim/2. */
  int64_t pair_distance;
  int64_t pairing_blocks; /**< ROPEPROOF_NESTED_HALF_SPLIT */

  /** In place of positions (then NULL): any binary64, with the same strides. */
  const double* real_positions;

  /**
   * W[position_axes, rotary_dim/2]: pair j rotates by the sum over a of
   * axis_weights[a*rotary_dim/2 + j] * position on axis a, times inv_freq[j].
   * NULL: 1 on axis_of_pair[j], 0 elsewhere.
   */
  const double* axis_weights;

  /** In place of amplitude, for each pair and token, as cos; or NULL. */
  const double* pair_amplitude;

  /** Where inv_freq and amplitude come from; NULL: base alone. */
  const ropeproof_scaling* scaling;
} ropeproof_problem;

/** Fills `description`; anything but ROPEPROOF_OK refuses the whole run. */
ROPEPROOF_EXPORT int32_t ropeproof_describe(ropeproof_description* description);

/**
 * Whether the kernel takes a problem that its description offers: what words
 * above do not say, "only even head_dim", "only base 10000". Optional.
 *
 * The problem is as ropeproof_run gets it, but that pointers to data are NULL;
 * `scaling` is there, without its lists. The answer depends on what the problem
 * says and on nothing else. A problem taken must be solved; one declined is
 * listed in the report and is no pass.
 *
 * Returns  ROPEPROOF_OK or ROPEPROOF_UNSUPPORTED.
 */
ROPEPROOF_EXPORT int32_t ropeproof_supports(const ropeproof_problem* problem);

/**
 * Solves one problem.
 *
 * Writes   rotate, lookup, rope: channels [0, head_dim) of every head of q.out
 *          and k.out; those outside the window are copied bit for bit. In
 *          place, only the window changes. table: cos and sin. Nothing else:
 *          gaps, inputs and positions stay as they are.
 * Result   within the bound that follows from the description; see
 *          conformance/README.md.
 * Empty    batch, seq or heads of 0 is a valid problem: nothing to do.
 * Returns  ROPEPROOF_OK, ROPEPROOF_UNSUPPORTED or ROPEPROOF_INVALID. A problem
 *          inside the description must be answered with ROPEPROOF_OK, unless
 *          ropeproof_supports declines it.
 */
ROPEPROOF_EXPORT int32_t ropeproof_run(const ropeproof_problem* problem);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ROPEPROOF_CONFORMANCE_ROPEPROOF_KERNEL_H_ */
