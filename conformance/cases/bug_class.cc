#include "conformance/cases/bug_class.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace ropeproof::conformance::cases {

const std::map<std::string, BugClass>& bug_classes() {
  // Links are below https://github.com/.
  static const std::map<std::string, BugClass> kClasses = [] {
    std::map<std::string, BugClass> classes = {
        {"A1",
         {"pairs formed by the other layout",
          "huggingface/candle/issues/3411"}},
        {"A2",
         {"table laid out for the other pairing",
          "raiyanyahya/how-to-train-your-gpt/issues/6"}},
        {"A3",
         {"output written in the other layout",
          "vllm-project/vllm-metal/issues/44"}},
        {"A4",
         {"sign or direction of the rotation", "karpathy/nanochat/issues/264"}},
        {"A5",
         {"sine lost or read from the wrong place",
          "vllm-project/vllm-ascend/issues/15688"}},
        {"B1",
         {"channels outside the window rotated or overwritten",
          "ggml-org/llama.cpp/issues/7634"}},
        {"B2",
         {"channels outside the window not copied, stale or scaled",
          "ggml-org/llama.cpp/issues/14580"}},
        {"B3",
         {"frequencies or pairs of a partial head formed over head_dim",
          "pie-project/pie/issues/602"}},
        {"B4",
         {"partial factor ignored or applied twice",
          "NVIDIA-NeMo/Megatron-Bridge/issues/4271"}},
        {"B5",
         {"window taken from the wrong end",
          "raullenchai/Rapid-MLX/issues/1225"}},
        {"C1",
         {"exponent of the frequencies",
          "stanford-cs336/assignment1-basics/issues/22"}},
        {"C2", {"base wrong or ignored", "vllm-project/vllm/issues/9503"}},
        {"C3",
         {"base of another layer, or a layer without positions rotated",
          "lablup/mlxcel/issues/1340"}},
        {"C4",
         {"linear factor ignored, inverted or applied twice",
          "ml-explore/mlx/issues/261"}},
        {"C5",
         {"dynamic NTK: length, exponent or a stale base",
          "huggingface/transformers/issues/25306"}},
        {"C6", {"YaRN's ramp", "vllm-project/vllm/issues/27722"}},
        {"C7",
         {"amplitude missing, squared or on the wrong channels",
          "sgl-project/sglang/issues/33558"}},
        {"C8", {"llama3's smoothing", "unslothai/unsloth/issues/6197"}},
        {"C9",
         {"LongRoPE: the wrong list, or the switch off by one",
          "vllm-project/vllm/issues/27431"}},
        {"C10",
         {"frequency factors lost or multiplied",
          "ikawrakow/ik_llama.cpp/issues/2291"}},
        {"D1",
         {"frequencies or table in half precision",
          "EleutherAI/gpt-neox/issues/1003"}},
        {"D2",
         {"positions in half precision", "huggingface/diffusers/issues/13920"}},
        {"D3", {"angle in half precision", "cactus-compute/cactus/issues/688"}},
        {"D4", {"angle formed in f32", "NVIDIA/TensorRT-LLM/issues/18774"}},
        {"D5",
         {"fast trigonometry without range reduction",
          "kekzl/imp/issues/1316"}},
        {"D6", {"angle or rotation by recurrence", ""}},
        {"D7",
         {"table or output rounded to the wrong type, or too often",
          "vllm-project/vllm/issues/4596"}},
        {"E1", {"offset missing or off by one", "Blaizzy/mlx-vlm/issues/1983"}},
        {"E2",
         {"positions ignored or shared across the batch",
          "linkedin/Liger-Kernel/issues/477"}},
        {"E3", {"single-token fast path", "ml-explore/mlx/issues/3795"}},
        {"E4",
         {"64-bit positions read as 32-bit",
          "flashinfer-ai/flashinfer/issues/697"}},
        {"E5", {"positions indexed wrongly", "ggml-org/llama.cpp/issues/7452"}},
        {"E6",
         {"packed sequences: positions not restarted",
          "NVIDIA/Megatron-LM/issues/560"}},
        {"E7",
         {"shifted positions: offset lost, sign wrong",
          "ggml-org/llama.cpp/issues/3825"}},
        {"F1",
         {"table too short, clamped or wrapped",
          "pegainfer-project/pegainfer/issues/220"}},
        {"F2",
         {"cached table of another call: stale, or under the wrong key",
          "lucidrains/rotary-embedding-torch/issues/11"}},
        {"F3",
         {"frequencies never initialised",
          "huggingface/transformers/issues/45902"}},
        {"F4",
         {"threads that write where others read",
          "vllm-project/vllm/issues/52415"}},
        {"G1", {"axes confused", "onnx/onnx/issues/6767"}},
        {"G2", {"strides ignored", "ggml-org/llama.cpp/issues/19338"}},
        {"G3",
         {"aliasing: an input overwritten before its last use",
          "google/gemma.cpp/issues/608"}},
        {"G4",
         {"SIMD tail or padded dimension",
          "Dao-AILab/flash-attention/issues/1195"}},
        {"G5",
         {"32-bit offsets and limits of a grid",
          "linkedin/Liger-Kernel/issues/804"}},
        {"G6", {"odd sizes", "huggingface/transformers/issues/48101"}},
        {"G7", {"number of heads of q and k", "nntile/nntile/issues/347"}},
        {"H1",
         {"weight permutation: wrong head count, inverse, bias forgotten",
          "huggingface/transformers/issues/31766"}},
        {"H2",
         {"M-RoPE: sections permuted, or blocks for interleaved",
          "alibaba/MNN/issues/4133"}},
        {"H3",
         {"2-D positions: axes exchanged or summed",
          "huggingface/pytorch-image-models/issues/2541"}},
        {"H4",
         {"wrong tensor rotated, attributes dropped in a fused path",
          "flashinfer-ai/flashinfer/issues/26"}},
        {"H5", {"backward pass", "ggml-org/llama.cpp/issues/11240"}},
        {"H6",
         {"a document's numbers taken for exact",
          "pie-project/pie/issues/602"}},
        {"X1",
         {"NaN, infinity, subnormal or signed zero not as arithmetic gives it",
          ""}}};
    for (auto& [key, entry] : classes) {
      if (!entry.link.empty()) entry.link.insert(0, "https://github.com/");
    }
    return classes;
  }();
  return kClasses;
}

const std::string& bug_class(const std::string& key) {
  return bug_classes().at(key).meaning;
}

std::string write_targets() {
  nlohmann::ordered_json classes = nlohmann::ordered_json::object();
  for (const auto& [key, entry] : bug_classes()) {
    classes[key] = {{"meaning", entry.meaning}, {"link", entry.link}};
  }
  const nlohmann::ordered_json document = {{"format", "ropeproof-targets/1"},
                                           {"targets", classes}};
  return document.dump(1) + "\n";
}

}  // namespace ropeproof::conformance::cases
