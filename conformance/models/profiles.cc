#include "conformance/models/profiles.h"

#include <algorithm>
#include <stdexcept>

#include "conformance/cases/families/family.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/summary.h"
#include "conformance/models/preset.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::models {
namespace {

using reference::Format;

constexpr Format kF64 = Format::kF64, kF32 = Format::kF32, kF16 = Format::kF16,
                 kBF16 = Format::kBF16;
constexpr reference::Direction kForward = reference::Direction::kForward,
                               kAdjoint = reference::Direction::kAdjoint;

// Heads: grouped-query attention in miniature, so that head counts differ.
constexpr Profile kProfiles[] = {
    {"llama2-f32-4k", "llama-2", "", kF32, 4096, 2, 2, kForward, ""},
    {"llama3-f32-128k", "llama-3.1", "", kF32, 131072, 4, 1, kForward, ""},
    {"llama3-bf16-128k", "llama-3.1", "", kBF16, 131072, 4, 1, kForward, ""},
    {"llama3-f32-8k-backward", "llama-3", "", kF32, 8192, 4, 1, kAdjoint,
     "the adjoint"},
    {"gptj-f16-2k", "gpt-j-6b", "", kF16, 2048, 2, 2, kForward, ""},
    {"neox-f16-32k", "gpt-neox-20b", "", kF16, 32768, 2, 2, kForward,
     "16 times the context of its training"},
    {"phi2-f16-2k", "phi-2", "", kF16, 2048, 2, 2, kForward,
     "a partial head of 32 among 80"},
    {"gemma3-local-bf16-32k", "gemma-3-4b", "sliding_attention", kBF16, 32768,
     2, 1, kForward, ""},
    {"gemma3-global-bf16-128k", "gemma-3-4b", "full_attention", kBF16, 131072,
     2, 1, kForward, ""},
    {"qwen2-vl-bf16-32k", "qwen2.5-vl", "", kBF16, 32768, 4, 1, kForward,
     "three axes"},
    {"qwen2.5-yarn-bf16-128k", "qwen2.5-yarn", "", kBF16, 131072, 4, 1,
     kForward, ""},
    {"phi3-longrope-bf16-128k", "phi-3-mini-128k", "", kBF16, 131072, 2, 2,
     kForward, "both lists, with factors of our own: see models/PROFILES.md"},
    {"deepseek-v3-bf16-160k", "deepseek-v3", "", kBF16, 163840, 2, 1, kForward,
     "the last 64 of 192 channels"},
    {"vit-2d-f32-64", "rope-vit-axial", "", kF32, 64, 2, 2, kForward,
     "two axes"},
    {"ref-f64-16m", "llama-3", "", kF64, 16777216, 2, 1, kForward,
     "for references in f64"},
};

// Where bugs hide: the ends, powers of two and their neighbours (tables end
// there, 16-bit formats lose odd numbers there), nothing regular between them.
std::vector<double> interesting_positions(std::int64_t count) {
  std::vector<std::int64_t> list = {0, 1, 2, count - 2, count - 1};
  for (std::int64_t power = 4; power <= count; power *= 2) {
    for (const std::int64_t p : {power - 1, power, power + 1, power / 8 * 11}) {
      if (p < count) list.push_back(p);
    }
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return {list.begin(), list.end()};
}

// LongRoPE's lists are data of the checkpoint, and no preset has them: 1.05 to
// about 50 over the pairs, as the published ones do, each an exact binary
// number.
void fill_lists(reference::LongRope& scaling) {
  const std::size_t pairs = scaling.long_factor.size();
  for (std::size_t j = 0; j < pairs; ++j) {
    const auto at = static_cast<double>(j) / static_cast<double>(pairs);
    const auto step = [](double x) {  // 8 fraction bits
      return static_cast<double>(static_cast<std::int64_t>(x * 256)) / 256;
    };
    scaling.short_factor[j] = step(1.05 + 2 * at);
    scaling.long_factor[j] = step(1.05 + 49 * at * at);
  }
}

struct FoundRope {
  std::string title;
  ModelRope rope;
};

FoundRope rope_of(const Profile& profile,
                  const std::filesystem::path& presets) {
  ConfigOptions options;
  options.seq_len = profile.positions;
  const auto model = find_preset(presets, std::string(profile.model), options);
  if (model) {
    for (ModelRope rope : model->ropes) {
      if (rope.layers != profile.layers) continue;
      auto& scaling = rope.spec.frequencies.scaling;
      if (auto* lists = std::get_if<reference::LongRope>(&scaling)) {
        if (!rope.has_frequencies) fill_lists(*lists);
      }
      rope.spec.direction = profile.direction;
      return {model->title, rope};
    }
  }
  throw text::FileError(
      (presets / std::string(profile.model)).string() + ".json: profile " +
      std::string(profile.name) + " needs this preset" +
      (profile.layers.empty() ? ""
                              : " with layers " + std::string(profile.layers)));
}

// Tokens of the case: consecutive positions of the list from `first` on,
// cyclically; other axes take the same list with other steps.
cases::RopeCase case_of(const Profile& profile, const reference::Spec& spec,
                        const std::vector<double>& list, std::size_t first,
                        std::int64_t batch, std::int64_t seq) {
  std::vector<double> positions;
  for (std::int64_t axis = 0; axis < spec.axes.count; ++axis) {
    for (std::int64_t i = 0; i < batch * seq; ++i) {
      const auto step = static_cast<std::size_t>(2 * axis + 1);
      const std::size_t at = (first + static_cast<std::size_t>(i)) * step +
                             static_cast<std::size_t>(5 * axis);
      positions.push_back(list[at % list.size()]);
    }
  }
  cases::RopeCase c = cases::make_case(
      profile.dtype, spec.layout, spec.frequencies.base, batch, seq,
      profile.q_heads, profile.k_heads, std::move(positions));
  c.spec = spec;
  return cases::with_length(c);
}

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile& find_profile(const std::string& name) {
  std::string names;
  for (const Profile& profile : kProfiles) {
    if (profile.name == name) return profile;
    names += (names.empty() ? "" : ", ") + std::string(profile.name);
  }
  throw std::invalid_argument("unknown profile \"" + name + "\"; expected " +
                              names);
}

cases::Group profile_cases(const Profile& profile,
                           const std::filesystem::path& presets) {
  const FoundRope found = rope_of(profile, presets);
  const reference::Spec& spec = found.rope.spec;
  const std::vector<std::string> targets = {
      "layout/pairs-swapped", "frequency/wrong-exponent",
      "frequency/wrong-base", "position/offset-lost",
      "position/shared-across-batch"};
  cases::Family family("core", "profile-" + std::string(profile.name),
                       found.title + ".");
  const std::vector<double> list = interesting_positions(profile.positions);
  constexpr std::int64_t kBatch = 2, kSeq = 4;
  for (std::size_t first = 0; first < list.size(); first += kBatch * kSeq) {
    family.add(case_of(profile, spec, list, first, kBatch, kSeq), targets,
               "prefill at positions " +
                   std::to_string(static_cast<std::int64_t>(list[first])) +
                   " and on");
  }
  family.add(case_of(profile, spec, list, list.size() - 3, 3, 1), targets,
             "decode at the end of the context");
  family.add(case_of(profile, spec, list, list.size() / 2, 1, 1), targets,
             "decode, batch 1");
  return family.take();
}

cases::Group proved_profile(const Profile& profile,
                            const std::filesystem::path& presets) {
  cases::Group group = profile_cases(profile, presets);
  cases::prove(reference::best_oracle(), group);
  return group;
}

std::string summary(const Profile& profile,
                    const std::filesystem::path& presets) {
  const FoundRope found = rope_of(profile, presets);
  const cases::Group group = profile_cases(profile, presets);
  std::string text = found.title;
  if (!profile.layers.empty()) text += ", " + std::string(profile.layers);
  text += "; positions below " + std::to_string(profile.positions) + "; " +
          std::to_string(group.rope_cases.size()) +
          " cases: " + cases::summary(group.rope_cases.front());
  if (!profile.note.empty()) text += "; " + std::string(profile.note);
  return text;
}

}  // namespace ropeproof::conformance::models
