// The pipelines. Each stage stands beside the roundings that it adds; bound.h
// says what they sum up to. Notation as in reference/README.md; u is the unit
// roundoff of the type at hand.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "reference/staged/pipeline.h"

namespace ropeproof::reference::staged {
namespace {

using enum Type;
using enum Op;
using enum Weight;

// --- frequency ---

// theta = 1 / base^(2j/r). A base off by u moves base^-e by e u < u.
constexpr std::array kReciprocalOfPowerSteps{
    Step{"b", kF32, kCast, {"base"}}, Step{"e", kF32, kDivide, {"2j", "r"}},
    Step{"t", kF32, kPow, {"b", "e"}},
    Step{"theta", kF32, kDivide, {"1", "t"}}};
constexpr std::array kReciprocalOfPowerRoundings{
    Roundings{kF32, kUnlessBase, 1, 0}, Roundings{kF32, kExponent2jR, 1, 0},
    Roundings{kF32, kOnce, 1, 1}};
constexpr Stage kReciprocalOfPower{kReciprocalOfPowerSteps,
                                   kReciprocalOfPowerRoundings};

// t = base^(2j/r); the angle divides by it.
constexpr auto kPowerSteps =
    std::to_array<Step>({{"b", kF32, kCast, {"base"}},
                         {"e", kF32, kDivide, {"2j", "r"}},
                         {"t", kF32, kPow, {"b", "e"}}});
constexpr std::array kPowerRoundings{Roundings{kF32, kUnlessBase, 1, 0},
                                     Roundings{kF32, kExponent2jR, 1, 0},
                                     Roundings{kF32, kOnce, 0, 1}};
constexpr Stage kPower{kPowerSteps, kPowerRoundings};

// ts = base^(-2/r), the ratio of neighbouring frequencies. theta_j is its j-th
// power, so its relative error counts j times; that of the exponent, which
// moves ts by |ln ts| u, counts j |ln ts| = |ln theta_j| times.
constexpr std::array kRatioSteps{Step{"b", kF32, kCast, {"base"}},
                                 Step{"e", kF32, kDivide, {"-2", "r"}},
                                 Step{"ts", kF32, kPow, {"b", "e"}}};
constexpr std::array kRatioRoundings{Roundings{kF32, kUnlessBase, 1, 0},
                                     Roundings{kF32, kExponent2R, 1, 0},
                                     Roundings{kF32, kPerPair, 0, 1}};
constexpr Stage kRatio{kRatioSteps, kRatioRoundings};

// theta = ts^j.
constexpr std::array kPowerOfRatioSteps{
    Step{"b", kF32, kCast, {"base"}}, Step{"e", kF32, kDivide, {"-2", "r"}},
    Step{"ts", kF32, kPow, {"b", "e"}}, Step{"theta", kF32, kPow, {"ts", "j"}}};
constexpr std::array kPowerOfRatioRoundings{
    Roundings{kF32, kUnlessBase, 1, 0}, Roundings{kF32, kExponent2R, 1, 0},
    Roundings{kF32, kPerPair, 0, 1}, Roundings{kF32, kOnce, 0, 1}};
constexpr Stage kPowerOfRatio{kPowerOfRatioSteps, kPowerOfRatioRoundings};

// theta = base^((-1/r) 2j): two roundings on the exponent.
constexpr std::array kPowerOfProductSteps{
    Step{"b", kF32, kCast, {"base"}}, Step{"-1/r", kF32, kDivide, {"-1", "r"}},
    Step{"e", kF32, kMultiply, {"-1/r", "2j"}},
    Step{"theta", kF32, kPow, {"b", "e"}}};
constexpr std::array kPowerOfProductRoundings{
    Roundings{kF32, kUnlessBase, 1, 0}, Roundings{kF32, kExponent2R, 2, 0},
    Roundings{kF32, kOnce, 0, 1}};
constexpr Stage kPowerOfProduct{kPowerOfProductSteps, kPowerOfProductRoundings};

// theta = 2^(-(j/P) log2(base)): logarithm, quotient and product fall on the
// exponent. This is what makes exp2 forms less accurate than pow.
constexpr std::array kExp2FormSteps{Step{"b", kF32, kCast, {"base"}},
                                    Step{"L", kF32, kLog2, {"b"}},
                                    Step{"j/P", kF32, kDivide, {"j", "P"}},
                                    Step{"-j/P", kF32, kNegate, {"j/P"}},
                                    Step{"e", kF32, kMultiply, {"-j/P", "L"}},
                                    Step{"theta", kF32, kExp2, {"e"}}};
constexpr std::array kExp2FormRoundings{
    Roundings{kF32, kUnlessBase, 1, 0}, Roundings{kF32, kExponent, 1, 1},
    Roundings{kF32, kExponent2jR, 1, 0}, Roundings{kF32, kOnce, 0, 1}};
constexpr Stage kExp2Form{kExp2FormSteps, kExp2FormRoundings};

// theta = e^(-j (ln(base)/P)).
constexpr std::array kExpFormSteps{Step{"b", kF32, kCast, {"base"}},
                                   Step{"L", kF32, kLog, {"b"}},
                                   Step{"L/P", kF32, kDivide, {"L", "P"}},
                                   Step{"-j", kF32, kNegate, {"j"}},
                                   Step{"e", kF32, kMultiply, {"-j", "L/P"}},
                                   Step{"theta", kF32, kExp, {"e"}}};
constexpr std::array kExpFormRoundings{Roundings{kF32, kUnlessBase, 1, 0},
                                       Roundings{kF32, kExponent, 2, 1},
                                       Roundings{kF32, kOnce, 0, 1}};
constexpr Stage kExpForm{kExpFormSteps, kExpFormRoundings};

// theta = f32(1 / base^(2j/r)) with power and reciprocal in f64.
constexpr std::array kF64ReciprocalSteps{
    Step{"e", kF64, kDivide, {"2j", "r"}}, Step{"t", kF64, kPow, {"base", "e"}},
    Step{"theta64", kF64, kDivide, {"1", "t"}},
    Step{"theta", kF32, kCast, {"theta64"}}};
constexpr std::array kF64ReciprocalRoundings{
    Roundings{kF64, kExponent2jR, 1, 0}, Roundings{kF64, kOnce, 1, 1},
    Roundings{kF32, kOnce, 1, 0}};
constexpr Stage kF64Reciprocal{kF64ReciprocalSteps, kF64ReciprocalRoundings};

// theta = 1 / f32(base^(2j/r)) with the power in f64, the reciprocal in f32.
constexpr std::array kF64PowerSteps{Step{"e", kF64, kDivide, {"2j", "r"}},
                                    Step{"t64", kF64, kPow, {"base", "e"}},
                                    Step{"t", kF32, kCast, {"t64"}},
                                    Step{"theta", kF32, kDivide, {"1", "t"}}};
constexpr std::array kF64PowerRoundings{Roundings{kF64, kExponent2jR, 1, 0},
                                        Roundings{kF64, kOnce, 0, 1},
                                        Roundings{kF32, kOnce, 2, 0}};
constexpr Stage kF64Power{kF64PowerSteps, kF64PowerRoundings};

// The same, stored in T.
constexpr std::array kF64PowerInTSteps{
    Step{"e", kF64, kDivide, {"2j", "r"}},
    Step{"t64", kF64, kPow, {"base", "e"}}, Step{"t", kF32, kCast, {"t64"}},
    Step{"theta32", kF32, kDivide, {"1", "t"}},
    Step{"theta", kT, kCast, {"theta32"}}};
constexpr std::array kF64PowerInTRoundings{
    Roundings{kF64, kExponent2jR, 1, 0}, Roundings{kF64, kOnce, 0, 1},
    Roundings{kF32, kOnce, 2, 0}, Roundings{kT, kUnlessF32, 1, 0}};
constexpr Stage kF64PowerInT{kF64PowerInTSteps, kF64PowerInTRoundings};

// All of it in f64.
constexpr std::array kAllF64Steps{Step{"e", kF64, kDivide, {"2j", "r"}},
                                  Step{"t", kF64, kPow, {"base", "e"}},
                                  Step{"theta", kF64, kDivide, {"1", "t"}}};
constexpr std::array kAllF64Roundings{Roundings{kF64, kExponent2jR, 1, 0},
                                      Roundings{kF64, kOnce, 1, 1}};
constexpr Stage kAllF64{kAllF64Steps, kAllF64Roundings};

// --- angle ---

constexpr std::array kProductSteps{
    Step{"p32", kF32, kCast, {"p"}},
    Step{"angle", kF32, kMultiply, {"p32", "theta"}}};
constexpr std::array kProductRoundings{Roundings{kF32, kUnlessP, 1, 0},
                                       Roundings{kF32, kOnce, 1, 0}};
constexpr Stage kProduct{kProductSteps, kProductRoundings};

constexpr std::array kQuotientSteps{Step{"p32", kF32, kCast, {"p"}},
                                    Step{"angle", kF32, kDivide, {"p32", "t"}}};
constexpr Stage kQuotient{kQuotientSteps, kProductRoundings};

// angle = (...((p ts) ts) ...) ts, j products.
constexpr std::array kIteratedSteps{
    Step{"p32", kF32, kCast, {"p"}},
    Step{"angle", kF32, kIterate, {"p32", "ts", "j"}}};
constexpr std::array kIteratedRoundings{Roundings{kF32, kUnlessP, 1, 0},
                                        Roundings{kF32, kPerPair, 1, 0}};
constexpr Stage kIterated{kIteratedSteps, kIteratedRoundings};

constexpr std::array kProductInTSteps{
    Step{"pT", kT, kCast, {"p"}},
    Step{"angle", kT, kMultiply, {"pT", "theta"}}};
constexpr std::array kProductInTRoundings{Roundings{kT, kUnlessP, 1, 0},
                                          Roundings{kT, kOnce, 1, 0}};
constexpr Stage kProductInT{kProductInTSteps, kProductInTRoundings};

constexpr std::array kProductInF64Steps{
    Step{"angle", kF64, kMultiply, {"p", "theta"}}};
constexpr std::array kProductInF64Roundings{Roundings{kF64, kOnce, 1, 0}};
constexpr Stage kProductInF64{kProductInF64Steps, kProductInF64Roundings};

// --- trig ---

constexpr std::array kTrigF32Steps{Step{"cos", kF32, kCos, {"angle"}},
                                   Step{"sin", kF32, kSin, {"angle"}}};
constexpr std::array kTrigF32Roundings{Roundings{kF32, kOnce, 0, 1}};
constexpr Stage kTrigF32{kTrigF32Steps, kTrigF32Roundings};

constexpr std::array kTrigF64Steps{Step{"cos", kF64, kCos, {"angle"}},
                                   Step{"sin", kF64, kSin, {"angle"}}};
constexpr std::array kTrigF64Roundings{Roundings{kF64, kOnce, 0, 1}};
constexpr Stage kTrigF64{kTrigF64Steps, kTrigF64Roundings};

// --- storage: of cos, and of sin alike ---

constexpr std::array kAsTheyAreSteps{Step{"c", kF64, kCast, {"cos"}},
                                     Step{"s", kF64, kCast, {"sin"}}};
constexpr Stage kAsTheyAre{kAsTheyAreSteps, {}};

// m in f32, times cos.
constexpr std::array kScaledSteps{Step{"m32", kF32, kCast, {"m"}},
                                  Step{"c", kF32, kMultiply, {"cos", "m32"}},
                                  Step{"s", kF32, kMultiply, {"sin", "m32"}}};
constexpr std::array kScaledRoundings{Roundings{kF32, kUnlessOne, 2, 0}};
constexpr Stage kScaled{kScaledSteps, kScaledRoundings};

constexpr std::array kScaledInTSteps{
    Step{"m32", kF32, kCast, {"m"}},
    Step{"mc", kF32, kMultiply, {"cos", "m32"}},
    Step{"ms", kF32, kMultiply, {"sin", "m32"}}, Step{"c", kT, kCast, {"mc"}},
    Step{"s", kT, kCast, {"ms"}}};
constexpr std::array kScaledInTRoundings{Roundings{kF32, kUnlessOne, 2, 0},
                                         Roundings{kT, kUnlessF32, 1, 0}};
constexpr Stage kScaledInT{kScaledInTSteps, kScaledInTRoundings};

constexpr std::array kInTSteps{Step{"c", kT, kCast, {"cos"}},
                               Step{"s", kT, kCast, {"sin"}}};
constexpr std::array kInTRoundings{Roundings{kT, kUnlessF32, 1, 0}};
constexpr Stage kInT{kInTSteps, kInTRoundings};

// --- the engines ---

constexpr std::array kAll{Format::kF32, Format::kF16, Format::kBF16};
constexpr std::array kF32AndF16{Format::kF32, Format::kF16};
constexpr std::array kF32AndBF16{Format::kF32, Format::kBF16};
constexpr std::array kF32Only{Format::kF32};

constexpr std::array kPipelines{
    // The rotation is three operations on tensors of type T, each rounded.
    Pipeline{"hf_eager", "transformers: modeling_rope_utils.py, eager PyTorch",
             kAll, kReciprocalOfPower, kProduct, kTrigF32, kScaledInT, kT},
    Pipeline{"meta_complex64", "meta-llama/llama: llama/model.py", kAll,
             kReciprocalOfPower, kProduct, kTrigF32, kAsTheyAre, kF32},
    // The CUDA kernel; the native implementation is hf_eager.
    Pipeline{"vllm_cache", "vLLM: pos_encoding_kernels.cu", kAll,
             kReciprocalOfPower, kProduct, kTrigF32, kScaledInT, kF32},
    Pipeline{"ggml_cpu", "ggml: ggml-cpu/ops.cpp", kF32AndF16, kRatio,
             kIterated, kTrigF32, kScaled, kF32},
    Pipeline{"ggml_cuda", "ggml: ggml-cuda/rope.cu", kF32AndF16, kPowerOfRatio,
             kProduct, kTrigF32, kScaled, kF32},
    Pipeline{"ggml_metal", "ggml: ggml-metal/ggml-metal.metal", kF32AndF16,
             kPowerOfProduct, kProduct, kTrigF32, kScaled, kF32},
    Pipeline{"gemma_cpp", "gemma.cpp: ops/ops.h, ops/ops-inl.h", kF32Only,
             kF64Reciprocal, kProduct, kTrigF32, kAsTheyAre, kF32},
    // gemma itself forms (2/r) j instead of 2j/r: the same where 2/r is exact.
    Pipeline{"jax_division", "MaxText: layers/embeddings.py", kF32AndBF16,
             kPower, kQuotient, kTrigF32, kAsTheyAre, kF32},
    // Metal itself calls fast::cos, which is within no number of ulp.
    Pipeline{"mlx_exp2", "MLX: backend/cuda/rope.cu, backend/metal/rope.cpp",
             kAll, kExp2Form, kProduct, kTrigF32, kAsTheyAre, kF32},
    Pipeline{"mlx_exp", "MLX: fast.cpp, fallback", kAll, kExpForm, kProduct,
             kTrigF32, kInT, kT},
    Pipeline{"trtllm_f64_power", "TensorRT-LLM: functional.py", kAll, kF64Power,
             kProduct, kTrigF32, kAsTheyAre, kF32},
    Pipeline{"wan_f64", "Wan 2.1: wan/modules/model.py", kF32Only, kAllF64,
             kProductInF64, kTrigF64, kAsTheyAre, kF64},
    // Positions and frequencies in T: in bf16, 257 is 256.
    Pipeline{"candle_t_angles", "candle: models/phi3.rs", kF32AndBF16,
             kF64PowerInT, kProductInT, kTrigF32, kInT, kT}};

}  // namespace

std::span<const Pipeline> pipelines() { return kPipelines; }

const Pipeline& find_pipeline(std::string_view name) {
  const auto found = std::ranges::find(kPipelines, name, &Pipeline::name);
  if (found == kPipelines.end()) {
    throw std::invalid_argument("no pipeline is called " + std::string(name));
  }
  return *found;
}

Format resolve(Type type, const Pipeline& pipeline, Format t) {
  switch (type) {
    case kF64:
      return Format::kF64;
    case kF32:
      return Format::kF32;
    case kT:
      return t;
    case kW:
      return resolve(pipeline.arithmetic, pipeline, t);
  }
  throw std::logic_error("not a type");
}

}  // namespace ropeproof::reference::staged
