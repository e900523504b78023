#include "conformance/models/config_axes.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/models/axis_schemes.h"

namespace ropeproof::conformance::models {
namespace {

using nlohmann::json;

// Half of each axis' channels, which a list of the model has.
std::vector<std::int64_t> halves_of(const ConfigObject& model,
                                    const std::string& key, std::size_t axes,
                                    std::int64_t rotary_dim) {
  const auto channels = model.sections(key, axes, rotary_dim);
  if (!channels) model.missing(key, "a list of channels, one per axis");
  std::vector<std::int64_t> halves;
  for (const std::int64_t count : *channels) {
    if (count % 2 != 0) model.refuse(key, "even numbers");
    halves.push_back(count / 2);
  }
  return halves;
}

bool is_interleaved(const ConfigObject& rope) {
  return rope.boolean("mrope_interleaved").value_or(false) ||
         rope.boolean("interleaved").value_or(false);
}

// The axes of a model that the table does not know, but for their sections.
json usual_axes(const ConfigObject& rope, bool is_xdrope) {
  if (is_xdrope) {
    return {{"scheme", "contiguous_sections"}, {"names", {"p", "w", "h", "t"}}};
  }
  return {{"scheme", is_interleaved(rope) ? "interleaved_sections"
                                          : "contiguous_sections"},
          {"names", {"t", "h", "w"}}};
}

}  // namespace

void read_axes(const TypedConfig& config, const ConfigObject& rope,
               const RopeType& type, ModelRope& result) {
  const json* known = config.field("axes");
  // transformers 5 says both by the second name.
  constexpr const char *kOwn = "xdrope_section", *kUsual = "mrope_section";
  const bool is_xdrope = type.is_xdrope || rope.has(kOwn);
  const std::string key = is_xdrope && !rope.has(kUsual) ? kOwn : kUsual;
  if (rope.has(kOwn) && rope.has(kUsual)) {
    rope.refuse(kUsual, "it or xdrope_section, not both");
  }
  if (known == nullptr && !rope.has(key)) {
    if (is_xdrope) rope.missing(key, "a list of 4 integers >= 0");
    if (type.is_axial) {
      rope.fail("rope_type is axial, and the axes of " +
                (config.type.empty() ? "the model" : config.type) +
                " are not known; give its frequencies to your kernel as data");
    }
    return;
  }
  if (known == nullptr && config.entry != nullptr) {
    rope.refuse(key, "none: the class of " + config.type +
                         " has positions of one axis");
  }
  json axes = known != nullptr ? *known : usual_axes(rope, is_xdrope);
  const std::int64_t rotary_dim = result.spec.layout.rotary_dim;
  auto sections = rope.sections(key, axes["names"].size(), rotary_dim / 2);
  if (axes.contains("channels")) {
    sections = halves_of(config.object, axes["channels"], axes["names"].size(),
                         rotary_dim);
    axes.erase("channels");
  }
  if (sections) {
    axes["pairs"] = *sections;
  } else if (axes.contains("pairs")) {
    config.notes->defaults.insert(key + " " + axes["pairs"].dump());
  }
  try {
    set_axes(ConfigObject(axes, config.object.file(), rope.path("axes")),
             result);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    rope.refuse(key, "sections of its scheme: " + std::string(error.what()));
  }
}

}  // namespace ropeproof::conformance::models
