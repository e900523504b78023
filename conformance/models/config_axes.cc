#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/models/axis_schemes.h"
#include "conformance/models/config_parts.h"
#include "reference/schemes.h"

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

// The pairs of each axis, which keys of the model say; in halves, those behind
// them stand still.
std::vector<std::int64_t> pairs_of(const ConfigObject& model, const json& keys,
                                   reference::Layout& layout) {
  const std::int64_t most = layout.rotary_dim / 2;
  std::vector<std::int64_t> pairs;
  std::int64_t sum = 0;
  for (const std::string key : keys) {
    pairs.push_back(model.need_integer(key, 0, most));
    sum += pairs.back();
    if (sum > most) {
      model.refuse(key, "as many as make at most " + std::to_string(most) +
                            " pairs of all axes");
    }
  }
  if (sum < most) layout = reference::proportional_layout(layout.head_dim, sum);
  return pairs;
}

// Each axis has a base of its own, which a key of the model says.
void set_bases(const ConfigObject& model, const json& keys, ModelRope& rope) {
  for (const std::int64_t axis : rope.spec.axes.axis_of_pair) {
    const std::string key = keys.at(static_cast<std::size_t>(axis));
    const double base = model.need_number(key, kPositive);
    rope.spec.frequencies.bases.push_back(base);
  }
}

// Classes with interleaved sections read those of the second and third axis;
// what they leave over follows the first.
std::optional<std::vector<std::int64_t>> inner_sections(
    const ConfigObject& holder, const std::string& key, std::int64_t pairs) {
  const json* list = holder.find(key);
  if (list == nullptr || !list->is_array() || list->size() != 3) {
    return holder.sections(key, 3, pairs);
  }
  json whole = *list;
  for (const std::size_t axis : {std::size_t{1}, std::size_t{2}}) {
    const bool is_count = whole[axis].is_number_integer();
    if (!is_count || whole[axis] < 0 || whole[axis] > pairs) {
      return holder.sections(key, 3, pairs);
    }
  }
  const auto inner =
      whole[1].get<std::int64_t>() + whole[2].get<std::int64_t>();
  whole[0] = pairs - inner;
  const json merged = {{key, whole}};
  return ConfigObject(merged, holder.file(), holder.where())
      .sections(key, 3, pairs);
}

std::optional<AxisScheme> scheme_of(const json& axes) {
  return text::find_word(kAxisSchemeWords,
                         axes["scheme"].get_ref<const std::string&>());
}

// Makes the sections of a class those of the pairs that heads of another width
// have, as its code does, and says so: where they are interleaved, each of them
// ends with the pairs; others must have as many.
std::string fitted(const ConfigObject& rope, const std::string& key,
                   std::int64_t pairs, json& axes) {
  const auto own = axes["pairs"].get<std::vector<std::int64_t>>();
  if (std::reduce(own.begin(), own.end()) == pairs) return "";
  const auto scheme = scheme_of(axes);
  if (scheme != AxisScheme::kInterleaved) {
    rope.fail("the axes of the class have " + axes["pairs"].dump() +
              " pairs, and heads have " + std::to_string(pairs) +
              (scheme == AxisScheme::kBlocks
                   ? "; give them to your kernel as data"
                   : "; say " + key));
  }
  const std::int64_t second = std::min(own.at(1), (pairs + 1) / 3);
  const std::int64_t third = std::min(own.at(2), pairs / 3);
  axes["pairs"] = {pairs - second - third, second, third};
  return ", of which heads of " + std::to_string(pairs) + " pairs have " +
         axes["pairs"].dump();
}

bool is_interleaved(const ConfigObject& rope) {
  return rope.boolean("mrope_interleaved").value_or(false) ||
         rope.boolean("interleaved").value_or(false);
}

// A class has one scheme, whatever the file says.
void check_interleaved(const TypedConfig& config, const ConfigObject& rope,
                       const json& axes) {
  const bool is_own = scheme_of(axes) == AxisScheme::kInterleaved;
  for (const char* key : {"mrope_interleaved", "interleaved"}) {
    if (rope.boolean(key).value_or(is_own) == is_own) continue;
    rope.refuse(key, std::string(is_own ? "true" : "false") +
                         ": the class of " + config.type + " does not read it");
  }
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
  if (known != nullptr) check_interleaved(config, rope, axes);
  const std::int64_t rotary_dim = result.spec.layout.rotary_dim;
  const bool is_beside = !rope.has(key) && config.object.has(key);
  const ConfigObject& holder = is_beside ? config.object : rope;
  auto sections =
      known != nullptr && scheme_of(axes) == AxisScheme::kInterleaved
          ? inner_sections(holder, key, rotary_dim / 2)
          : holder.sections(key, axes["names"].size(), rotary_dim / 2);
  if (axes.contains("channels")) {
    sections = halves_of(config.object, axes["channels"], axes["names"].size(),
                         rotary_dim);
    axes.erase("channels");
  }
  if (axes.contains("pairs_of")) {
    sections = pairs_of(config.object, axes["pairs_of"], result.spec.layout);
    axes.erase("pairs_of");
  }
  const json bases = axes.value("bases", json());
  axes.erase("bases");
  if (sections) {
    axes["pairs"] = *sections;
  } else if (axes.contains("pairs")) {
    const std::string own = key + " " + axes["pairs"].dump();
    config.notes->defaults.insert(own +
                                  fitted(rope, key, rotary_dim / 2, axes));
  }
  try {
    set_axes(ConfigObject(axes, config.object.file(), rope.path("axes")),
             result);
    if (!bases.is_null()) set_bases(config.object, bases, result);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::invalid_argument& error) {
    rope.refuse(key, "sections of its scheme: " + std::string(error.what()));
  }
}

}  // namespace ropeproof::conformance::models
