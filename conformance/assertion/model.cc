#include "conformance/assertion/model.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <variant>

#include "conformance/models/preset.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/problem.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/word_tables.h"
#include "reference/rope.h"

namespace ropeproof::conformance::assertion {
namespace {

using models::ModelRope;

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument("config: " + what);
}

// The table of a folder, read once: a program asks for one or two of them.
models::ModelTypes types_in(const std::string& folder) {
  static std::mutex mutex;
  static std::map<std::string, models::ModelTypes> kept;
  const std::lock_guard lock(mutex);
  models::ModelTypes& types = kept[folder];
  if (types == nullptr) types = models::load_types(folder);
  return types;
}

models::Model read(const ModelQuestion& question) {
  models::ConfigOptions options;
  if (!question.types.empty()) {
    options.types = types_in(question.types);
  }
  if (question.seq_len < 0) {
    refuse("seq_len is " + std::to_string(question.seq_len) +
           "; expected a length, or 0 for the model's longest");
  }
  options.seq_len = question.seq_len;
  for (const auto& [pairing, word] : text::kPairingWords) {
    if (plugin::abi_pairing(pairing) == question.pairing) {
      options.pairing = pairing;
    }
  }
  if (question.pairing != 0 && !options.pairing) {
    refuse("pairing is " + std::to_string(question.pairing) +
           "; expected 0 or ROPEPROOF_HALF_SPLIT, _INTERLEAVED ...");
  }
  return models::read_config(question.config, "config", options);
}

}  // namespace

std::string layers_of(const ModelQuestion& question) {
  const models::Model model = read(question);
  std::string names;
  for (const auto& [name, rope] : models::named_ropes(model)) {
    if (!name.empty()) names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

Model::Model(const ModelQuestion& question) {
  const models::Model model = read(question);
  const ModelRope& rope = models::rope_named(model, question.layers);
  if (!model.doubt.empty()) refuse(model.doubt);
  if (!rope.pairing_is_known) refuse("its pairing is not known; say which");
  if (!rope.has_frequencies) refuse("the factor lists of LongRoPE are missing");
  if (rope.spec.frequencies.xpos) refuse("xPos cannot be judged here");
  spec_ = rope.spec;
  axis_of_pair_.assign(spec_.axes.axis_of_pair.begin(),
                       spec_.axes.axis_of_pair.end());
  if (plugin::follows_exponents(spec_.frequencies)) {
    for (std::int64_t j = 0; j < spec_.layout.rotary_dim / 2; ++j) {
      const reference::Exponent e = exponent_of(spec_, j);
      numerators_.push_back(e.numerator);
      denominators_.push_back(e.denominator);
      bases_.push_back(base_of(spec_, j));
    }
  }
  scaling_ = plugin::abi_scaling(spec_.frequencies.scaling);
  const auto add_list = [&](const char*, const auto& value, const auto& field) {
    if constexpr (requires { value.data(); }) {
      scaling_.*field.member = value.data();
    }
  };
  std::visit([&](const auto& s) { plugin::for_each_field(s, add_list); },
             spec_.frequencies.scaling);
}

void Model::set(ropeproof_problem& p) const {
  const auto data = [](const auto& list) {
    return list.empty() ? nullptr : list.data();
  };
  const ropeproof_problem said = plugin::problem_of(
      ROPEPROOF_ROPE, spec_, reference::Format::kF32, p.batch, p.seq);
  p.pairing = said.pairing;
  p.direction = p.direction < 0 ? -said.direction : said.direction;
  p.head_dim = said.head_dim, p.rotary_dim = said.rotary_dim;
  p.rotary_offset = said.rotary_offset;
  p.pair_distance = said.pair_distance;
  p.pairing_blocks = said.pairing_blocks;
  p.position_axes = said.position_axes;
  p.axis_map = said.axis_map;
  std::ranges::copy(said.axis_sections, p.axis_sections);
  p.axis_of_pair = data(axis_of_pair_);
  p.axis_weights = data(spec_.axes.weights);
  p.base = said.base;
  p.inv_freq = data(spec_.frequencies.inv_freq), p.inv_freq_lo = nullptr;
  p.pair_bases = data(bases_);
  p.exponent_numerators = data(numerators_);
  p.exponent_denominators = data(denominators_);
  p.amplitude = spec_.frequencies.amplitude;
  p.scaling = scaling_.kind == 0 ? nullptr : &scaling_;
}

}  // namespace ropeproof::conformance::assertion
