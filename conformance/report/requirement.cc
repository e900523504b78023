#include "conformance/report/requirement.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/text/one_line.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

struct Requirement {
  std::string level;        // "L2"; empty: any
  std::string suffixes;     // "MD"
  std::string angle_class;  // "A1"; empty: any
};

bool is_one_of(std::string_view word, char letter, char first, char last) {
  return word.size() == 2 && word[0] == letter && word[1] >= first &&
         word[1] <= last;
}

// "L2+M+D", "+M": false for what is none.
bool read_level(std::string_view text, Requirement& required) {
  if (!required.level.empty() || !required.suffixes.empty()) return false;
  if (const auto level = text.substr(0, 2); is_one_of(level, 'L', '1', '3')) {
    required.level = level;
    text.remove_prefix(2);
  } else if (text.empty()) {
    return false;
  }
  std::string found;
  for (; !text.empty(); text.remove_prefix(2)) {
    if (text.size() < 2 || text[0] != '+') return false;
    found += text[1];
  }
  for (const Suffix& suffix : kSuffixes) {
    if (found.find(suffix.letter) != std::string::npos)
      required.suffixes += suffix.letter;
  }
  return required.suffixes.size() == found.size();  // else unknown, or twice
}

bool read_part(std::string_view text, Requirement& required) {
  if (!is_one_of(text, 'A', '0', '2')) return read_level(text, required);
  if (!required.angle_class.empty()) return false;
  required.angle_class = text;
  return true;
}

Requirement read(const std::string& text) {
  Requirement required;
  const std::string_view all = text;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t comma = std::min(all.find(',', at), all.size());
    if (!read_part(all.substr(at, comma - at), required)) {
      throw std::invalid_argument(
          text::one_line("--require \"" + text) +
          "\": expected a level, L1 to L3, with or without +E +M +D +B, an "
          "angle class, A0 to A2, or both: L2, +M, L2+M+D, A1, L1+M,A1");
    }
    at = comma + 1;
  }
  return required;
}

std::string weakest_class(const plugin::Description& kernel) {
  std::uint32_t weakest = ROPEPROOF_A0;
  for (const auto& [dtype, word] : plugin::kDtypeWords) {
    if ((kernel.dtypes & dtype) == 0) continue;
    weakest = std::max(weakest, kernel.claim(dtype).angle_class);
  }
  return text::word(plugin::kAngleClassWords, weakest);
}

// "; +M needs validates": what is not declared for required suffixes.
std::string undeclared(const std::string& suffixes,
                       const plugin::Description& kernel) {
  std::string text;
  for (const auto& [letter, features, meaning] : kSuffixes) {
    if (suffixes.find(letter) == std::string::npos) continue;
    const std::string words = text::joined(
        text::words_of(plugin::kFeatureWords, features & ~kernel.features),
        ", ");
    if (!words.empty()) text += std::string("; +") + letter + " needs " + words;
  }
  return text;
}

}  // namespace

std::string parse_requirement(const std::string& text) {
  const Requirement required = read(text);
  std::string level = required.level;
  for (const char letter : required.suffixes) level += {'+', letter};
  const bool has_both = !level.empty() && !required.angle_class.empty();
  return level + (has_both ? "," : "") + required.angle_class;
}

std::string weaker_than_required(const Report& report, const Totals& totals) {
  if (report.required.empty()) return "";
  const Requirement required = read(report.required);
  const std::string claimed = weakest_class(report.kernel);
  // By name: A0 is the strictest class, L3 the highest level.
  bool is_enough =
      required.angle_class.empty() || claimed <= required.angle_class;
  if (report.shard.is_whole()) {
    const bool has_level = totals.level.starts_with("L");
    const bool asks_level =
        !required.level.empty() || !required.suffixes.empty();
    is_enough = is_enough && (!asks_level || has_level) &&
                totals.level >= required.level &&
                std::ranges::all_of(required.suffixes, [&](char letter) {
                  return totals.suffixes.find(letter) != std::string::npos;
                });
  }
  if (is_enough) return "";
  return (totals.level.empty() ? "no level of a part"
                               : "level " + totals.level + totals.suffixes) +
         ", angle " + claimed + undeclared(required.suffixes, report.kernel);
}

}  // namespace ropeproof::conformance::report
