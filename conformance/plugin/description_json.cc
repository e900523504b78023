#include "conformance/plugin/description_json.h"

#include <stdexcept>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/features.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/file.h"
#include "conformance/text/one_line.h"
#include "conformance/text/strict_json.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::plugin {
namespace {

template <std::size_t kSize>
using BitWords = text::Words<std::uint32_t, kSize>;

constexpr std::uint32_t kImplied = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS;
constexpr std::uint32_t kNotShown =
    ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED | ROPEPROOF_VALIDATES |
    ROPEPROOF_DETERMINISTIC | ROPEPROOF_CONCURRENT;

constexpr std::int64_t kLargestHead = 1 << 24;
constexpr double kLeastBase = 1e-300, kLargestBase = 1e300;

enum class Absent { kError, kNone };  // what a list that is not there means

// The fields of a description, in the order of the documentation. `codec` reads
// or writes each; `otherwise` is the word of 0, and may be absent.
template <class AnyDescription, class Codec>
void for_each_description_field(AnyDescription& d, Codec& codec) {
  codec.text("name", d.name);
  codec.text("version", d.version);
  codec.list("operations", d.operations, kOperationWords);
  codec.list("dtypes", d.dtypes, kDtypeWords);
  codec.list("pairings", d.pairings, kAbiPairingWords);
  codec.list("features", d.features, kFeatureWords);
  codec.list("axis_maps", d.axis_maps, kAxisMapWords, Absent::kNone);
  codec.list("caches", d.caches, kCacheWords, Absent::kNone);
  codec.list("scalings", d.scalings, kScalingWords, Absent::kNone);
  codec.number("padding_bytes", d.padding_bytes, 0);
  codec.number("max_position", d.max_position, 0);
}

// The fields of a claim, in the same order.
template <class AnyClaim, class Codec>
void for_each_claim_field(AnyClaim& c, Codec& codec) {
  codec.list("dtypes", c.dtypes, kDtypeWords, Absent::kNone);
  codec.word("angle_class", c.angle_class, kAngleClassWords);
  codec.word("angle_dtype", c.angle_dtype, kDtypeWords, "none");
  codec.word("power", c.power, kPowerWords, "pow");
  codec.number("power_ulp", c.power_ulp, 1);
  codec.number("trig_ulp", c.trig_ulp, 1);
  codec.word("table_dtype", c.table_dtype, kDtypeWords, "same");
  codec.word("rounding", c.rounding, kRoundingWords, "once");
}

Json backend_json(const Backend& backend) {
  return {{"name", backend.name},
          {"version", backend.version},
          {"shows", backend.shows},
          {"hides", backend.hides},
          {"left_out", backend.left_out}};
}

Backend read_backend(const nlohmann::json& json, const std::string& where) {
  text::StrictObject object(json, where);
  const auto line = [&](const char* key) {
    return text::one_line(object.text(key));
  };
  Backend backend{
      line("name"), line("version"), line("shows"), line("hides"), {}};
  for (const std::string& given : object.texts("left_out")) {
    backend.left_out.push_back(text::one_line(given));
  }
  object.finish();
  return backend;
}

struct Writer {
  Json json = Json::object();

  void text(const char* key, const std::string& value) { json[key] = value; }
  void number(const char* key, std::int64_t value, std::int64_t) {
    json[key] = value;
  }
  template <std::size_t kSize>
  void list(const char* key, std::uint32_t bits, const BitWords<kSize>& words,
            Absent = Absent::kError) {
    json[key] = text::words_of(words, bits);
  }
  template <std::size_t kSize>
  void word(const char* key, std::uint32_t value, const BitWords<kSize>& words,
            const char* otherwise = nullptr) {
    json[key] = value == 0 && otherwise != nullptr ? otherwise
                                                   : text::word(words, value);
  }
};

struct Reader {
  text::StrictObject& object;

  void text(const char* key, std::string& value) { value = object.text(key); }
  void number(const char* key, std::int64_t& value, std::int64_t otherwise) {
    value = object.integer(key, otherwise);
  }
  void number(const char* key, std::uint32_t& value, std::int64_t otherwise) {
    value = object.has(key)
                ? static_cast<std::uint32_t>(object.integer(key, 0, UINT32_MAX))
                : static_cast<std::uint32_t>(otherwise);
  }
  template <std::size_t kSize>
  void list(const char* key, std::uint32_t& bits, const BitWords<kSize>& words,
            Absent absent = Absent::kError) {
    const bool is_none = absent == Absent::kNone && !object.has(key);
    bits = is_none ? 0 : object.bits(key, words);
  }
  template <std::size_t kSize>
  void word(const char* key, std::uint32_t& value, const BitWords<kSize>& words,
            const char* otherwise = nullptr) {
    const nlohmann::json* given = object.find(key);
    const bool is_none =
        otherwise != nullptr && (given == nullptr || *given == otherwise);
    value = is_none ? 0 : object.word(key, words);
  }
};

}  // namespace

Json description_json(const Description& description) {
  Writer writer;
  for_each_description_field(description, writer);
  Json& claims = writer.json["claims"] = Json::array();
  for (const ropeproof_claim& claim : description.claims) {
    claims.push_back(claim_json(claim));
  }
  if (description.head_dim != 0) {
    writer.json["head_dim"] = description.head_dim;
    writer.json["rotary_dim"] = description.rotary_dim;
  }
  if (description.base != 0) writer.json["base"] = description.base;
  if (description.backend) {
    writer.json["backend"] = backend_json(*description.backend);
  }
  return writer.json;
}

Json claim_json(const ropeproof_claim& claim) {
  Writer writer;
  for_each_claim_field(claim, writer);
  if (claim.dtypes == 0) writer.json.erase("dtypes");  // all that are left
  return writer.json;
}

Json claim_members(ropeproof_claim claim) {
  claim.dtypes = 0;
  Json members = claim_json(claim);
  const Json plain = claim_json(kStrictestClaim);
  for (const auto& [name, value] : plain.items()) {
    if (name != "angle_class" && members[name] == value) members.erase(name);
  }
  return members;
}

Description read_description(text::StrictObject& object) {
  Description description;
  Reader reader{object};
  for_each_description_field(description, reader);
  if (object.has("head_dim")) {
    description.head_dim = object.integer("head_dim", 2, kLargestHead);
    description.rotary_dim =
        object.integer("rotary_dim", 2, description.head_dim);
    if (description.rotary_dim % 2 != 0) object.fail("rotary_dim", "it is odd");
  }
  if (object.has("base")) {
    description.base = object.number("base", kLeastBase, kLargestBase);
  }
  description.claims.clear();
  for (const nlohmann::json& claim : object.array("claims")) {
    text::StrictObject fields(claim, object.at("claims"));
    Reader claim_reader{fields};
    for_each_claim_field(description.claims.emplace_back(), claim_reader);
    fields.finish();
  }
  if (const nlohmann::json* given = object.find("backend")) {
    description.backend = read_backend(*given, object.at("backend"));
  }
  return description;
}

Backend parse_backend(const std::string& text, const std::string& source) {
  const std::string where = source + ": ropeproof_backend";
  try {
    return read_backend(text::parse_json(text, where), where);
  } catch (const text::FileError& error) {
    throw KernelError(error.what());
  }
}

Description parse_device(const std::string& text, const std::string& file) {
  Description d;
  try {
    const nlohmann::json document = text::parse_json(text, file);
    text::StrictObject object(document, file);
    d = read_description(object);
    object.finish();
  } catch (const text::FileError& error) {
    throw KernelError(error.what());
  }
  if ((d.features & kNotShown) != 0) {
    throw KernelError(file +
                      ": in_place, strided, validates, deterministic and "
                      "concurrent cannot be shown by files; leave them out");
  }
  d.features |= kImplied;
  check_description(d, file);
  return d;
}

Description read_device(const std::string& file) {
  try {
    return parse_device(text::read_file(file), file);
  } catch (const text::FileError& error) {
    throw std::invalid_argument(std::string("--description ") + error.what());
  }
}

}  // namespace ropeproof::conformance::plugin
