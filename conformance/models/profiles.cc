#include "conformance/models/profiles.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "conformance/cases/families/family.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/summary.h"
#include "conformance/models/preset.h"
#include "conformance/text/nearest.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::models {
namespace {

using reference::Format;

constexpr Format kF64 = Format::kF64, kF32 = Format::kF32, kF16 = Format::kF16,
                 kBF16 = Format::kBF16;
// The most channels of q and k together: their goldens take seconds.
constexpr std::int64_t kMaxChannels = 1 << 17;

constexpr reference::Direction kForward = reference::Direction::kForward,
                               kAdjoint = reference::Direction::kAdjoint;

const std::vector<ProfileParts>& rows() {
  static const std::vector<ProfileParts> kRows = {
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
      {"deepseek-v3-bf16-160k", "deepseek-v3", "", kBF16, 163840, 2, 1,
       kForward, "the last 64 of 192 channels"},
      {"vit-2d-f32-64", "rope-vit-axial", "", kF32, 64, 2, 2, kForward,
       "two axes"},
      {"ref-f64-16m", "llama-3", "", kF64, 16777216, 2, 1, kForward,
       "for references in f64"},
  };
  return kRows;
}

// Where bugs hide: the ends, powers of two and their neighbours (tables end
// there, 16-bit formats lose odd numbers there), nothing regular between them.
std::vector<double> interesting_positions(std::int64_t count) {
  std::vector<std::int64_t> list = {0, 1, 2, count - 2, count - 1};
  for (std::int64_t power = 4; power <= count; power *= 2) {
    for (const std::int64_t p : {power - 1, power, power + 1, power / 8 * 11}) {
      list.push_back(p);
    }
  }
  std::erase_if(list, [&](std::int64_t p) { return p < 0 || p >= count; });
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

Model model_of(const ProfileParts& parts,
               const std::filesystem::path& presets) {
  ConfigOptions options;
  options.seq_len = parts.positions.value_or(0);
  options.pairing = parts.pairing;
  options.types = load_types(presets);
  if (!parts.config.empty()) return read_config_file(parts.config, options);
  if (auto model = find_preset(presets, parts.model, options)) return *model;
  throw std::invalid_argument("no model \"" + parts.model + "\" in " +
                              presets.string() +
                              "; `ropeproof list models` names them, --config "
                              "takes a config.json");
}

void check_positions(std::int64_t positions) {
  if (positions >= 2 && positions <= reference::kMaxPosition) return;
  throw std::invalid_argument("positions " + std::to_string(positions) +
                              ": expected how many, 2 to 2^53");
}

void check_heads(const Profile& profile) {
  const std::int64_t q = profile.q_heads, k = profile.k_heads;
  const std::int64_t head_dim = profile.spec.layout.head_dim;
  const auto fail = [&](const std::string& expected) {
    throw std::invalid_argument("heads " + std::to_string(q) + "," +
                                std::to_string(k) + ": expected " + expected);
  };
  if (q < 1 || k < 1 || q % k != 0) {
    fail("query heads, a multiple of the key heads, both at least 1");
  }
  if (q > kMaxChannels || (q + k) * head_dim > kMaxChannels) {
    fail("at most " + std::to_string(kMaxChannels) +
         " channels of q and k together, of head_dim " +
         std::to_string(head_dim));
  }
}

// In ids: no character that a pattern of ids or a shell takes for its own.
std::string plain(std::string text) {
  for (char& c : text) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!is_plain) c = '_';
  }
  return text;
}

std::string name_of(const ProfileParts& parts, const Model& model,
                    const Profile& profile) {
  std::string name =
      parts.config.empty() ? model.id : "config-" + model.sha256.substr(0, 12);
  const auto add = [&](const std::string& word) { name += "-" + word; };
  if (!parts.layers.empty()) add(plain(parts.layers));
  if (parts.pairing) add(text::word(text::kPairingWords, *parts.pairing));
  add(text::word(text::kFormatWords, profile.dtype));
  add(std::to_string(profile.positions));
  add(std::to_string(profile.q_heads) + "x" + std::to_string(profile.k_heads));
  if (parts.direction == kAdjoint) add("adjoint");
  return name;
}

// A position of an axis with such coordinates, in place of a count.
double coordinate(const Profile& profile, std::int64_t axis, double count) {
  if (profile.coordinates.empty()) return count;
  const double centred = count - static_cast<double>(profile.positions / 2);
  switch (reference::at(profile.coordinates, axis)) {
    case Coordinates::kCounts:
      return count;
    case Coordinates::kCentred:
      return centred;
    case Coordinates::kReal:
      return 0.3 * centred;
  }
  return count;
}

// Tokens of the case: consecutive positions of the list from `first` on,
// cyclically; other axes take the same list with other steps.
cases::Problem problem_of(const Profile& profile,
                          const std::vector<double>& list, std::size_t first,
                          std::int64_t batch, std::int64_t seq) {
  const reference::Spec& spec = profile.spec;
  std::vector<double> positions;
  for (std::int64_t axis = 0; axis < spec.axes.count; ++axis) {
    for (std::int64_t i = 0; i < batch * seq; ++i) {
      const auto step = static_cast<std::size_t>(2 * axis + 1);
      const std::size_t at = (first + static_cast<std::size_t>(i)) * step +
                             static_cast<std::size_t>(5 * axis);
      positions.push_back(coordinate(profile, axis, list[at % list.size()]));
    }
  }
  cases::Problem p = cases::make_problem(
      profile.dtype, spec.layout, spec.frequencies.base, batch, seq,
      profile.q_heads, profile.k_heads, std::move(positions));
  p.spec = spec;
  return cases::with_length(std::move(p));
}

}  // namespace

std::span<const ProfileParts> profiles() { return rows(); }

const ProfileParts& find_profile(const std::string& name) {
  const auto found = std::ranges::find(rows(), name, &ProfileParts::name);
  if (found != rows().end()) return *found;
  std::vector<std::string> names;
  for (const ProfileParts& row : rows()) names.push_back(row.name);
  throw std::invalid_argument("unknown profile \"" + name + "\"; nearest are " +
                              text::nearest(name, names) +
                              "; `ropeproof list profiles` names all");
}

Profile make_profile(const ProfileParts& parts,
                     const std::filesystem::path& presets) {
  if (parts.positions) check_positions(*parts.positions);
  const Model model = model_of(parts, presets);
  const ModelRope& rope = rope_named(model, parts.layers);
  if (!model.doubt.empty()) throw std::invalid_argument(model.doubt);
  if (!rope.pairing_is_known) {
    throw std::invalid_argument(model.id + ": pairing is " +
                                rope.pairing_source);
  }
  Profile profile;
  profile.title =
      parts.config.empty() ? model.title : parts.config.filename().string();
  if (!parts.layers.empty()) profile.title += ", " + parts.layers;
  profile.note = parts.note;
  for (const PartRopes& other : model.others) {
    if (other.ropes.empty() || other.where == parts.layers) continue;
    profile.note += (profile.note.empty() ? "not asked: " : ", ") + other.where;
  }
  profile.spec = rope.spec;
  profile.coordinates = rope.coordinates;
  if (parts.direction == kAdjoint) {
    profile.spec.direction =
        rope.spec.direction == kForward ? kAdjoint : kForward;
  }
  profile.dtype = parts.dtype;
  profile.positions = parts.positions.value_or(rope.context_length);
  profile.q_heads = parts.q_heads;
  profile.k_heads = parts.k_heads;
  check_heads(profile);
  if (profile.positions == 0) {
    throw std::invalid_argument(model.id +
                                " does not say its context; give --positions");
  }
  if (!rope.has_frequencies) {
    if (parts.name.empty()) {
      throw std::invalid_argument(
          model.id +
          " has no factor lists, which belong to the checkpoint; give " +
          (rope.spec.frequencies.pair_factors.empty()
               ? "its config.json by --config"
               : "them as pair_factors in its config.json"));
    }
    fill_lists(std::get<reference::LongRope>(profile.spec.frequencies.scaling));
  }
  profile.name =
      parts.name.empty() ? name_of(parts, model, profile) : parts.name;
  return profile;
}

std::vector<Profile> make_profiles(const ProfileParts& parts,
                                   const std::filesystem::path& presets) {
  const Model model = model_of(parts, presets);
  if (!parts.layers.empty() || model.ropes.size() < 2) {
    return {make_profile(parts, presets)};
  }
  std::vector<Profile> profiles;
  for (const ModelRope& rope : model.ropes) {
    ProfileParts one = parts;
    one.layers = rope.layers;
    profiles.push_back(make_profile(one, presets));
    profiles.back().whole = name_of(parts, model, profiles.back());
  }
  return profiles;
}

cases::Group profile_cases(const Profile& profile) {
  const std::vector<std::string> targets = {
      "layout/pairs-swapped", "frequency/wrong-exponent",
      "frequency/wrong-base", "position/offset-lost",
      "position/shared-across-batch"};
  cases::Family family(cases::Tier::kCore, "profile-" + profile.name,
                       profile.title + ".");
  const std::vector<double> list = interesting_positions(profile.positions);
  constexpr std::int64_t kBatch = 2, kSeq = 4;
  for (std::size_t first = 0; first < list.size(); first += kBatch * kSeq) {
    family.add(problem_of(profile, list, first, kBatch, kSeq), targets,
               "prefill at positions " +
                   std::to_string(static_cast<std::int64_t>(list[first])) +
                   " and on");
  }
  family.add(problem_of(profile, list,
                        std::max<std::size_t>(list.size(), 3) - 3, 3, 1),
             targets, "decode at the end of the context");
  family.add(problem_of(profile, list, list.size() / 2, 1, 1), targets,
             "decode, batch 1");
  return family.take();
}

cases::Group proved_profile(const Profile& profile) {
  cases::Group group = profile_cases(profile);
  cases::prove(reference::best_oracle(), group);
  return group;
}

std::string summary(const Profile& profile) {
  const cases::Group group = profile_cases(profile);
  return profile.title + "; positions below " +
         std::to_string(profile.positions) + "; " +
         std::to_string(group.rope_cases.size()) +
         " cases: " + cases::summary(group.rope_cases.front()) +
         (profile.note.empty() ? "" : "; " + profile.note);
}

}  // namespace ropeproof::conformance::models
