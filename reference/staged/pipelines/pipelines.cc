// The pipelines. Notation as in reference/README.md.
#include <array>
#include <stdexcept>

#include "reference/staged/pipelines/pipeline.h"

namespace ropeproof::reference::staged {
namespace {

using enum StepFormat;
using enum Op;
using enum bound::AngleClass;
constexpr auto kByPow = bound::Power::kPow, kByExp2 = bound::Power::kExp2;

// --- frequency ---

// theta = 1 / base^(2j/r)
constexpr std::array kReciprocalOfPower{
    Step{"b", kF32, kCast, {"base"}}, Step{"e", kF32, kDivide, {"2j", "r"}},
    Step{"t", kF32, kPow, {"b", "e"}},
    Step{"theta", kF32, kDivide, {"1", "t"}}};

// t = base^(2j/r); the angle divides by it.
constexpr auto kPower = std::to_array<Step>({{"b", kF32, kCast, {"base"}},
                                             {"e", kF32, kDivide, {"2j", "r"}},
                                             {"t", kF32, kPow, {"b", "e"}}});

// ts = base^(-2/r), the ratio of neighbouring frequencies. theta_j is its j-th
// power, so its relative error counts j times.
constexpr std::array kRatio{Step{"b", kF32, kCast, {"base"}},
                            Step{"e", kF32, kDivide, {"-2", "r"}},
                            Step{"ts", kF32, kPow, {"b", "e"}}};

// theta = ts^j.
constexpr std::array kPowerOfRatio{
    Step{"b", kF32, kCast, {"base"}}, Step{"e", kF32, kDivide, {"-2", "r"}},
    Step{"ts", kF32, kPow, {"b", "e"}}, Step{"theta", kF32, kPow, {"ts", "j"}}};

// theta = base^((-1/r) 2j): two roundings on the exponent.
constexpr std::array kPowerOfProduct{Step{"b", kF32, kCast, {"base"}},
                                     Step{"-1/r", kF32, kDivide, {"-1", "r"}},
                                     Step{"e", kF32, kMultiply, {"-1/r", "2j"}},
                                     Step{"theta", kF32, kPow, {"b", "e"}}};

// theta = 2^(-(j/P) log2(base)): logarithm, quotient and product fall on the
// exponent. This is what makes exp2 forms less accurate than pow.
constexpr std::array kExp2Form{Step{"b", kF32, kCast, {"base"}},
                               Step{"L", kF32, kLog2, {"b"}},
                               Step{"j/P", kF32, kDivide, {"j", "P"}},
                               Step{"-j/P", kF32, kNegate, {"j/P"}},
                               Step{"e", kF32, kMultiply, {"-j/P", "L"}},
                               Step{"theta", kF32, kExp2, {"e"}}};

// theta = e^(-j (ln(base)/P)).
constexpr std::array kExpForm{Step{"b", kF32, kCast, {"base"}},
                              Step{"L", kF32, kLog, {"b"}},
                              Step{"L/P", kF32, kDivide, {"L", "P"}},
                              Step{"-j", kF32, kNegate, {"j"}},
                              Step{"e", kF32, kMultiply, {"-j", "L/P"}},
                              Step{"theta", kF32, kExp, {"e"}}};

// theta = f32(1 / base^(2j/r)) with power and reciprocal in f64.
constexpr std::array kF64Reciprocal{Step{"e", kF64, kDivide, {"2j", "r"}},
                                    Step{"t", kF64, kPow, {"base", "e"}},
                                    Step{"theta64", kF64, kDivide, {"1", "t"}},
                                    Step{"theta", kF32, kCast, {"theta64"}}};

// theta = 1 / f32(base^(2j/r)) with the power in f64, the reciprocal in f32.
constexpr std::array kF64Power{Step{"e", kF64, kDivide, {"2j", "r"}},
                               Step{"t64", kF64, kPow, {"base", "e"}},
                               Step{"t", kF32, kCast, {"t64"}},
                               Step{"theta", kF32, kDivide, {"1", "t"}}};

// The power in f64 and the reciprocal in f32, stored in T.
constexpr std::array kF64PowerInT{Step{"e", kF64, kDivide, {"2j", "r"}},
                                  Step{"t64", kF64, kPow, {"base", "e"}},
                                  Step{"t", kF32, kCast, {"t64"}},
                                  Step{"theta32", kF32, kDivide, {"1", "t"}},
                                  Step{"theta", kT, kCast, {"theta32"}}};

// theta in f64 in every step.
constexpr std::array kAllF64{Step{"e", kF64, kDivide, {"2j", "r"}},
                             Step{"t", kF64, kPow, {"base", "e"}},
                             Step{"theta", kF64, kDivide, {"1", "t"}}};

// --- angle ---

constexpr std::array kProduct{Step{"p32", kF32, kCast, {"p"}},
                              Step{"angle", kF32, kMultiply, {"p32", "theta"}}};

constexpr std::array kQuotient{Step{"p32", kF32, kCast, {"p"}},
                               Step{"angle", kF32, kDivide, {"p32", "t"}}};

// angle = (...((p ts) ts) ...) ts, j products.
constexpr std::array kIteratedProduct{
    Step{"p32", kF32, kCast, {"p"}},
    Step{"angle", kF32, kIterate, {"p32", "ts", "j"}}};

constexpr std::array kProductInT{Step{"pT", kT, kCast, {"p"}},
                                 Step{"angle", kT, kMultiply, {"pT", "theta"}}};

constexpr std::array kProductInF64{
    Step{"angle", kF64, kMultiply, {"p", "theta"}}};

// --- trig ---

constexpr std::array kTrigF32{Step{"cos", kF32, kCos, {"angle"}},
                              Step{"sin", kF32, kSin, {"angle"}}};

constexpr std::array kTrigF64{Step{"cos", kF64, kCos, {"angle"}},
                              Step{"sin", kF64, kSin, {"angle"}}};

// --- storage: of cos, and of sin alike ---

constexpr std::array kAsTheyAre{Step{"c", kF64, kCast, {"cos"}},
                                Step{"s", kF64, kCast, {"sin"}}};

// m in f32, times cos.
constexpr std::array kScaled{Step{"m32", kF32, kCast, {"m"}},
                             Step{"c", kF32, kMultiply, {"cos", "m32"}},
                             Step{"s", kF32, kMultiply, {"sin", "m32"}}};

constexpr std::array kScaledInT{Step{"m32", kF32, kCast, {"m"}},
                                Step{"mc", kF32, kMultiply, {"cos", "m32"}},
                                Step{"ms", kF32, kMultiply, {"sin", "m32"}},
                                Step{"c", kT, kCast, {"mc"}},
                                Step{"s", kT, kCast, {"ms"}}};

constexpr std::array kInT{Step{"c", kT, kCast, {"cos"}},
                          Step{"s", kT, kCast, {"sin"}}};

constexpr std::array kTruncatedToT{Step{"c", kT, kTruncate, {"cos"}},
                                   Step{"s", kT, kTruncate, {"sin"}}};

// --- the engines ---

constexpr std::array kAll{Format::kF32, Format::kF16, Format::kBF16};
constexpr std::array kAllAndF64{Format::kF64, Format::kF32, Format::kF16,
                                Format::kBF16};
constexpr std::array kF32AndF16{Format::kF32, Format::kF16};
constexpr std::array kF32AndBF16{Format::kF32, Format::kBF16};
constexpr std::array kF32Only{Format::kF32};

constexpr std::array kPipelines{
    // The rotation is three operations on tensors of format T, each rounded.
    // f64 tensors have angles, cosines and sines of f32, too.
    Pipeline{"hf_eager", "transformers: modeling_rope_utils.py, eager PyTorch",
             kAllAndF64, kReciprocalOfPower, kProduct, kTrigF32, kScaledInT, kT,
             kDirect, kByPow, kT},
    Pipeline{"meta_complex64", "meta-llama/llama: llama/model.py", kAll,
             kReciprocalOfPower, kProduct, kTrigF32, kAsTheyAre, kF32, kDirect,
             kByPow, kF32},
    // The CUDA kernel; the native implementation is hf_eager.
    Pipeline{"vllm_cache", "vLLM: pos_encoding_kernels.cu", kAll,
             kReciprocalOfPower, kProduct, kTrigF32, kScaledInT, kF32, kDirect,
             kByPow, kT},
    Pipeline{"ggml_cpu", "ggml: ggml-cpu/ops.cpp", kF32AndF16, kRatio,
             kIteratedProduct, kTrigF32, kScaled, kF32, kIterated, kByPow,
             kF32},
    // As iterated: the error of the ratio counts j times here too.
    Pipeline{"ggml_cuda", "ggml: ggml-cuda/rope.cu", kF32AndF16, kPowerOfRatio,
             kProduct, kTrigF32, kScaled, kF32, kIterated, kByPow, kF32},
    // As by exp2: a pow whose exponent is rounded twice. The row of pow has one
    // such rounding, and none where 2j/r is exact.
    Pipeline{"ggml_metal", "ggml: ggml-metal/ggml-metal.metal", kF32AndF16,
             kPowerOfProduct, kProduct, kTrigF32, kScaled, kF32, kDirect,
             kByExp2, kF32},
    Pipeline{"gemma_cpp", "gemma.cpp: ops/ops.h, ops/ops-inl.h", kF32Only,
             kF64Reciprocal, kProduct, kTrigF32, kAsTheyAre, kF32, kDirect,
             kByPow, kF32},
    // gemma itself forms (2/r) j instead of 2j/r: the same where 2/r is exact.
    Pipeline{"jax_division", "MaxText: layers/embeddings.py", kF32AndBF16,
             kPower, kQuotient, kTrigF32, kAsTheyAre, kF32, kDirect, kByPow,
             kF32},
    // Metal itself calls fast::cos, which is within no number of ulp.
    Pipeline{"mlx_exp2", "MLX: backend/cuda/rope.cu, backend/metal/rope.cpp",
             kAll, kExp2Form, kProduct, kTrigF32, kAsTheyAre, kF32, kDirect,
             kByExp2, kF32},
    Pipeline{"mlx_exp", "MLX: fast.cpp, fallback", kAll, kExpForm, kProduct,
             kTrigF32, kInT, kT, kDirect, kByExp2, kT},
    Pipeline{"trtllm_f64_power", "TensorRT-LLM: functional.py", kAll, kF64Power,
             kProduct, kTrigF32, kAsTheyAre, kF32, kDirect, kByPow, kF32},
    Pipeline{"wan_f64", "Wan 2.1: wan/modules/model.py", kF32Only, kAllF64,
             kProductInF64, kTrigF64, kAsTheyAre, kF64, kDirect, kByPow, kF64},
    // Positions and frequencies in T: in bf16, 257 is 256.
    Pipeline{"candle_t_angles", "candle: models/phi3.rs", kF32AndBF16,
             kF64PowerInT, kProductInT, kTrigF32, kInT, kT, kDirect, kByPow,
             kT},
    // Cosine and sine come from PyTorch. Whatever becomes bf16 is truncated,
    // where the processor has no instruction that rounds.
    Pipeline{"ncnn_truncated", "ncnn: layer/x86/rotaryembed_x86.cpp",
             kF32AndBF16, kReciprocalOfPower, kProduct, kTrigF32, kTruncatedToT,
             kF32, kDirect, kByPow, kT, kTruncate}};

}  // namespace

std::span<const Pipeline> pipelines() { return kPipelines; }

Format resolve(StepFormat format, const Pipeline& pipeline, Format t) {
  switch (format) {
    case kF64:
      return Format::kF64;
    case kF32:
      return Format::kF32;
    case kT:
      return t;
    case kW:
      return resolve(pipeline.arithmetic, pipeline, t);
  }
  throw std::logic_error("not a format");
}

bound::Claim claim_of(const Pipeline& pipeline, Format t) {
  // An f32 cosine that an f64 tensor holds is one of f32.
  const Format formed = resolve(pipeline.trig.back().format, pipeline, t);
  const Format held = resolve(pipeline.table, pipeline, t);
  return {
      .angle_class = pipeline.angle_class,
      .angle_arithmetic = resolve(pipeline.angle.back().format, pipeline, t),
      .power = pipeline.power,
      .table = held == Format::kF64 ? formed : held,
      .output = t,
      .rounds = pipeline.arithmetic == kT          ? bound::Rounds::kEach
                : pipeline.conversion == kTruncate ? bound::Rounds::kTruncate
                                                   : bound::Rounds::kOnce};
}

}  // namespace ropeproof::reference::staged
