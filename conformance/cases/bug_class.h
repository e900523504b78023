// bug_class.h -- what the cases are there to catch.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::cases {

// clang-format off
// The part of a kernel that goes wrong: the words that keys begin with.
enum class Area {
  kLayout, kRotation, kWindow, kFrequency, kScaling, kPosition,
  kAngle, kOutput, kTable, kMemory, kShape, kWeights,
  kAxes, kCall, kSource, kValue
};
inline constexpr text::Words<Area, 16> kAreaWords{{
  {Area::kLayout, "layout"}, {Area::kRotation, "rotation"},
  {Area::kWindow, "window"}, {Area::kFrequency, "frequency"},
  {Area::kScaling, "scaling"}, {Area::kPosition, "position"},
  {Area::kAngle, "angle"}, {Area::kOutput, "output"},
  {Area::kTable, "table"}, {Area::kMemory, "memory"},
  {Area::kShape, "shape"}, {Area::kWeights, "weights"},
  {Area::kAxes, "axes"}, {Area::kCall, "call"},
  {Area::kSource, "source"}, {Area::kValue, "value"}}};
// clang-format on

// An area that is not known does not compile.
consteval Area area_of(std::string_view key) {
  return text::find_word(kAreaWords, key.substr(0, key.find('/'))).value();
}

// What goes wrong with RoPE, and a public case of it: an issue, a change or
// a commit of a project that it happened to, below https://github.com/; empty:
// none is known. The key is an area, a slash and what goes wrong there.
struct BugClass {
  std::string_view key, meaning, link;
  Area area;

  consteval BugClass(std::string_view its_key, std::string_view its_meaning,
                     std::string_view its_link)
      : key(its_key),
        meaning(its_meaning),
        link(its_link),
        area(area_of(its_key)) {}
};

inline constexpr BugClass kBugClasses[] = {
    {"layout/pairs-swapped", "pairs formed by the other layout",
     "huggingface/candle/issues/3411"},
    {"layout/table-of-other-pairing", "table laid out for the other pairing",
     "raiyanyahya/how-to-train-your-gpt/issues/6"},
    {"layout/output-of-other-pairing", "output written in the other layout",
     "vllm-project/vllm-metal/issues/44"},
    {"rotation/direction-reversed", "sign or direction of the rotation",
     "karpathy/nanochat/issues/264"},
    {"rotation/sine-lost", "sine lost or read from the wrong place",
     "vllm-project/vllm-ascend/issues/15688"},
    {"window/outside-overwritten",
     "channels outside the window rotated or overwritten",
     "ggml-org/llama.cpp/issues/7634"},
    {"window/outside-not-copied",
     "channels outside the window not copied, stale or scaled",
     "ggml-org/llama.cpp/issues/14580"},
    {"window/head-dim-for-rotary-dim",
     "frequencies or pairs of a partial head formed over head_dim",
     "pie-project/pie/issues/602"},
    {"window/factor-misapplied", "partial factor ignored or applied twice",
     "NVIDIA-NeMo/Megatron-Bridge/issues/4271"},
    {"window/wrong-end", "window taken from the wrong end",
     "raullenchai/Rapid-MLX/issues/1225"},
    {"frequency/wrong-exponent", "exponent of the frequencies",
     "stanford-cs336/assignment1-basics/issues/22"},
    {"frequency/wrong-base", "base wrong or ignored",
     "vllm-project/vllm/issues/9503"},
    {"frequency/base-of-other-layer",
     "base of another layer, or a layer without positions rotated",
     "lablup/mlxcel/issues/1340"},
    {"scaling/linear-misapplied",
     "linear factor ignored, inverted or applied twice",
     "ml-explore/mlx/issues/261"},
    {"scaling/dynamic-ntk", "dynamic NTK: length, exponent or a stale base",
     "huggingface/transformers/issues/25306"},
    {"scaling/yarn-ramp", "YaRN's ramp", "vllm-project/vllm/issues/27722"},
    {"scaling/amplitude-misapplied",
     "amplitude missing, squared or on the wrong channels",
     "sgl-project/sglang/issues/33558"},
    {"scaling/llama3-smoothing", "llama3's smoothing",
     "unslothai/unsloth/issues/6197"},
    {"scaling/longrope-list",
     "LongRoPE: the wrong list, or the switch off by one",
     "vllm-project/vllm/issues/27431"},
    {"scaling/length-mistaken",
     "length of a row or an earlier call, or off by one at the trained length",
     "unslothai/unsloth/issues/10681"},
    {"scaling/factors-lost", "frequency factors lost or multiplied",
     "ikawrakow/ik_llama.cpp/issues/2291"},
    {"frequency/rounded-to-half", "frequencies or table in half precision",
     "EleutherAI/gpt-neox/issues/1003"},
    {"position/rounded-to-half", "positions in half precision",
     "huggingface/diffusers/issues/13920"},
    {"angle/rounded-to-half", "angle in half precision",
     "cactus-compute/cactus/issues/688"},
    {"angle/rounded-to-f32", "angle formed in f32",
     "NVIDIA/TensorRT-LLM/issues/18774"},
    {"angle/no-range-reduction", "fast trigonometry without range reduction",
     "kekzl/imp/issues/1316"},
    {"angle/by-recurrence", "angle or rotation by recurrence", ""},
    {"output/rounded-wrongly",
     "table or output rounded to the wrong type, or too often",
     "vllm-project/vllm/issues/4596"},
    {"position/offset-lost", "offset missing or off by one",
     "Blaizzy/mlx-vlm/issues/1983"},
    {"position/shared-across-batch",
     "positions ignored or shared across the batch",
     "linkedin/Liger-Kernel/issues/477"},
    {"position/single-token-path", "single-token fast path",
     "ml-explore/mlx/issues/3795"},
    {"position/int64-as-int32", "64-bit positions read as 32-bit",
     "flashinfer-ai/flashinfer/issues/697"},
    {"position/wrong-index", "positions indexed wrongly",
     "ggml-org/llama.cpp/issues/7452"},
    {"position/packed-not-restarted",
     "packed sequences: positions not restarted",
     "NVIDIA/Megatron-LM/issues/560"},
    {"position/shift-lost", "shifted positions: offset lost, sign wrong",
     "ggml-org/llama.cpp/issues/3825"},
    {"table/too-short", "table too short, clamped or wrapped",
     "pegainfer-project/pegainfer/issues/220"},
    {"table/row-clamped",
     "id beyond a cache: clamped, wrapped, or read behind its last row",
     "microsoft/onnxruntime/issues/28205"},
    {"table/stale",
     "cached table of another call: stale, or under the wrong key",
     "lucidrains/rotary-embedding-torch/issues/11"},
    {"frequency/uninitialised", "frequencies never initialised",
     "huggingface/transformers/issues/45902"},
    {"memory/race", "threads that write where others read",
     "vllm-project/vllm/issues/52415"},
    {"shape/axes-confused", "axes confused", "onnx/onnx/issues/6767"},
    {"memory/strides-ignored", "strides ignored",
     "ggml-org/llama.cpp/issues/19338"},
    {"memory/aliasing", "aliasing: an input overwritten before its last use",
     "google/gemma.cpp/issues/608"},
    {"shape/simd-tail", "SIMD tail or padded dimension",
     "Dao-AILab/flash-attention/issues/1195"},
    {"shape/32-bit-overflow", "32-bit offsets and limits of a grid",
     "linkedin/Liger-Kernel/issues/804"},
    {"shape/odd-size", "odd sizes", "huggingface/transformers/issues/48101"},
    {"shape/heads-miscounted", "number of heads of q and k",
     "nntile/nntile/issues/347"},
    {"weights/permuted-wrongly",
     "weight permutation: wrong head count, inverse, bias forgotten",
     "huggingface/transformers/issues/31766"},
    {"axes/mrope-sections",
     "M-RoPE: sections permuted, or blocks for interleaved",
     "alibaba/MNN/issues/4133"},
    {"axes/2d-swapped", "2-D positions: axes exchanged or summed",
     "huggingface/pytorch-image-models/issues/2541"},
    {"call/wrong-tensor",
     "wrong tensor rotated, attributes dropped in a fused path",
     "flashinfer-ai/flashinfer/issues/26"},
    {"rotation/backward-wrong", "backward pass",
     "ggml-org/llama.cpp/issues/11240"},
    {"source/numbers-not-exact", "a document's numbers taken for exact",
     "pie-project/pie/issues/602"},
    {"value/special-mishandled",
     "NaN, infinity, subnormal or signed zero not as arithmetic gives it", ""}};

// What numbers show of a bug that nobody has met. No case aims at these.
inline constexpr BugClass kSeenClasses[] = {
    {"angle/other", "rotated by another position, frequency or angle", ""},
    {"frequency/other", "other frequencies", ""},
    {"memory/wrong-place", "read or written where another element lies", ""},
    {"position/other", "rotated by another position", ""},
    {"rotation/cosine-or-sine-off", "cosine or sine off, the other right", ""},
    {"scaling/other", "frequencies of scalings off", ""},
    {"table/misread", "given cosines and sines read wrongly", ""},
    {"value/altered", "inputs, products or results altered", ""},
    {"value/or-rotation-off", "cosines, sines, inputs, products or results off",
     ""}};

class Bug {
 public:
  constexpr Bug() = default;
  // A key that is not known does not compile.
  consteval Bug(const char* key) : class_(find(key)) {}
  // Returns the class of a key, none for "". Throws std::out_of_range for a key
  // that is not known.
  static Bug named(std::string_view key) {
    Bug bug;
    if (!key.empty()) bug.class_ = find(key);
    return bug;
  }

  bool is_seen() const {
    return std::less_equal()(std::begin(kSeenClasses), class_) &&
           std::less()(class_, std::end(kSeenClasses));
  }
  // Nothing, or "", for none.
  std::optional<Area> area() const {
    return class_ == nullptr ? std::nullopt : std::optional(class_->area);
  }
  std::string key() const { return text(&BugClass::key); }
  std::string meaning() const { return text(&BugClass::meaning); }
  std::string link() const {
    const std::string below = text(&BugClass::link);
    return below.empty() ? below : "https://github.com/" + below;
  }

  bool operator==(const Bug&) const = default;

 private:
  static constexpr const BugClass* find(std::string_view key) {
    const auto* const found =
        std::ranges::find(kBugClasses, key, &BugClass::key);
    if (found != std::end(kBugClasses)) return found;
    const auto* const seen =
        std::ranges::find(kSeenClasses, key, &BugClass::key);
    if (seen == std::end(kSeenClasses)) {
      throw std::out_of_range("no class of bugs: " + std::string(key));
    }
    return seen;
  }
  std::string text(std::string_view BugClass::*member) const {
    return class_ == nullptr ? "" : std::string(class_->*member);
  }

  const BugClass* class_ = nullptr;
};

// The bytes of vectors/targets.json: key -> meaning and link.
std::string write_targets();

}  // namespace ropeproof::conformance::cases
