#include "conformance/weights/roles.h"

#include <algorithm>

#include "conformance/text/format.h"
#include "conformance/text/strict_json.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::weights {
namespace {

using nlohmann::json;
using reference::Pairing;

constexpr text::Words<Part, 5> kPartWords{{{Part::kQ, "q"},
                                           {Part::kK, "k"},
                                           {Part::kV, "v"},
                                           {Part::kQkv, "qkv"},
                                           {Part::kLatent, "latent"}}};
constexpr text::Words<Kind, 6> kKindWords{{{Kind::kWeight, "weight"},
                                           {Kind::kBias, "bias"},
                                           {Kind::kNorm, "norm"},
                                           {Kind::kNormBias, "norm bias"},
                                           {Kind::kLoraA, "lora_a"},
                                           {Kind::kLoraB, "lora_b"}}};
constexpr text::Words<FusedOrder, 2> kOrderWords{
    {{FusedOrder::kBlocks, "blocks"}, {FusedOrder::kHeads, "heads"}}};

struct Parsed {
  std::vector<std::string> pieces;  // between points; "#" for a number
  std::vector<std::int64_t> numbers;
};

Parsed parse(const std::string& name) {
  Parsed parsed;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string piece = name.substr(begin, end - begin);
    const auto number = text::parse_integer(piece);
    parsed.pieces.push_back(number ? "#" : piece);
    if (number) parsed.numbers.push_back(*number);
    begin = end + 1;
  }
  return parsed;
}

template <class Words>
auto member(const json& node, const char* key, const Words& words)
    -> decltype(text::find_word(words, "")) {
  const auto found = node.find(key);
  if (found == node.end()) return std::nullopt;
  return text::find_word(words, found->get_ref<const std::string&>());
}

}  // namespace

RoleTable::RoleTable(const std::filesystem::path& models) {
  const auto path = models / "types" / "tensors.json";
  table_ = text::parse_json(text::read_file(path), path.string());
}

std::optional<Role> RoleTable::find(const std::string& name) const {
  std::string end, word;
  for (const auto& [suffix, kind] : table_.at("kinds").items()) {
    if (name.ends_with(suffix) && suffix.size() > end.size()) {
      end = suffix;
      word = kind;
    }
  }
  if (end.empty()) return std::nullopt;
  const Parsed parsed = parse(name.substr(0, name.size() - end.size()));
  const json& towers = table_.at("other_towers");
  std::string tail;
  for (std::size_t i = parsed.pieces.size(); i-- > 0;) {
    tail = parsed.pieces[i] + (tail.empty() ? "" : ".") + tail;
    const auto found = table_.at("names").find(tail);
    if (found == table_.at("names").end()) continue;
    for (std::size_t before = 0; before < i; ++before) {
      if (std::ranges::count(towers, json(parsed.pieces[before])) != 0) {
        return std::nullopt;
      }
    }
    Role role;
    role.part = *member(*found, "part", kPartWords);
    role.kind = *text::find_word(kKindWords, word);
    if (found->value("norm", false)) {
      role.kind = role.kind == Kind::kBias ? Kind::kNormBias : Kind::kNorm;
    }
    role.layer = parsed.numbers.empty() ? 0 : parsed.numbers.back();
    role.pairing = member(*found, "pairing", text::kPairingWords);
    role.order = member(*found, "order", kOrderWords);
    return role;
  }
  return std::nullopt;
}

bool RoleTable::is_embedding(const std::string& name) const {
  return std::ranges::any_of(table_.at("embeddings"), [&](const json& end) {
    const auto& text = end.get_ref<const std::string&>();
    return name == text || name.ends_with("." + text);
  });
}

std::pair<std::string, std::int64_t> RoleTable::expert_of(
    const std::string& name) const {
  for (const json& list : table_.at("expert_lists")) {
    const std::string start = "." + list.get<std::string>() + ".";
    const std::size_t at = name.find(start);
    if (at == std::string::npos) continue;
    const std::size_t first = at + start.size();
    const std::size_t end = std::min(name.find('.', first), name.size());
    const auto number = text::parse_integer(name.substr(first, end - first));
    if (number)
      return {name.substr(0, first) + "*" + name.substr(end), *number};
  }
  return {name, -1};
}

std::optional<Pairing> RoleTable::pairing_of(
    const std::string& architecture) const {
  for (const auto& [word, names] : table_.at("architectures").items()) {
    if (std::ranges::count(names, json(architecture)) != 0) {
      return text::find_word(text::kPairingWords, word);
    }
  }
  return std::nullopt;
}

std::string words_of(Part part, Kind kind) {
  const std::string word = text::word(kPartWords, part);
  if (kind == Kind::kWeight) return word;
  return word + " " + text::word(kKindWords, kind);
}

}  // namespace ropeproof::conformance::weights
