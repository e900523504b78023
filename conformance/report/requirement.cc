#include "conformance/report/requirement.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/report/headline.h"
#include "conformance/report/scope.h"
#include "conformance/text/one_line.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

struct Requirement {
  Level level = Level::kPart;  // kPart: any
  check::Suffixes suffixes = 0;
  std::optional<std::uint32_t> angle_class;
  // ROPEPROOF_F32, ...: cos and sin are held in this type or one as precise; 0:
  // in any, or with an angle class, in one as precise as the tensors'.
  std::uint32_t table = 0;
  // ROPEPROOF_ROUND_ONCE, ... of 16-bit results, or one that errs less.
  std::optional<std::uint32_t> rounding;
  Scope scope;

  bool has_level() const { return level != Level::kPart || suffixes != 0; }
};

// From strict to loose.
constexpr std::uint32_t kRoundings[] = {
    ROPEPROOF_ROUND_ONCE, ROPEPROOF_TRUNCATE, ROPEPROOF_ROUND_EACH};

// "L2+M+D", "+M": false for what is none.
bool read_level(std::string_view text, Requirement& required) {
  if (text.empty() || required.has_level()) return false;
  const auto level = text::find_word(kLevelWords, text.substr(0, 2));
  if (level && *level >= Level::kL1) {
    required.level = *level;
    text.remove_prefix(2);
  }
  for (; !text.empty(); text.remove_prefix(2)) {
    const check::Suffixes suffix = check::suffixes_of(text.substr(1, 1));
    const bool is_new = (suffix & ~required.suffixes) != 0;
    if (text[0] != '+' || !is_new) return false;
    required.suffixes |= suffix;
  }
  return true;
}

bool read_part(std::string_view text, Requirement& required) {
  constexpr std::string_view kTable = "table=", kRounding = "rounding=";
  if (text.starts_with(kTable)) {
    const auto table =
        text::find_word(plugin::kDtypeWords, text.substr(kTable.size()));
    if (!table || required.table != 0) return false;
    required.table = *table;
    return true;
  }
  if (text.starts_with(kRounding)) {
    const auto rounding =
        text::find_word(plugin::kRoundingWords, text.substr(kRounding.size()));
    if (!rounding || required.rounding) return false;
    required.rounding = rounding;
    return true;
  }
  if (read_scope(text, required.scope)) return true;
  const auto angle_class = text::find_word(plugin::kAngleClassWords, text);
  if (!angle_class || *angle_class > ROPEPROOF_A2) {
    return read_level(text, required);
  }
  if (required.angle_class) return false;
  required.angle_class = *angle_class;
  return true;
}

Requirement read(const std::string& text) {
  Requirement required;
  const std::string_view all = text;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t comma = std::min(all.find_first_of(",/", at), all.size());
    if (!read_part(all.substr(at, comma - at), required)) {
      throw std::invalid_argument(
          text::one_line("--require \"" + text) +
          "\": expected a level, L1 to L3, with or without +E +M +D +B, an "
          "angle class, A0 to A2, table=DTYPE, rounding=once, what it has to "
          "offer by the words of a description, positions>=N, declined<=N, or "
          "several, as in rope/f32/half_split/L1,A1/positions>=131072");
    }
    at = comma + 1;
  }
  return required;
}

std::uint32_t weakest_class(const plugin::Description& kernel) {
  std::uint32_t weakest = ROPEPROOF_A0;
  for (const auto& [dtype, word] : plugin::kDtypeWords) {
    if ((kernel.dtypes & dtype) == 0) continue;
    weakest = std::max(weakest, kernel.claim(dtype).angle_class);
  }
  return weakest;
}

// "cos and sin in bf16", "results rounded by each operation": what the kernel
// claims for some dtype and that is coarser than required.
std::string coarser(const Requirement& required,
                    const plugin::Description& kernel) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& part) {
    if (std::ranges::count(parts, part) == 0) parts.push_back(part);
  };
  for (const auto& [dtype, word] : plugin::kDtypeWords) {
    if ((kernel.dtypes & dtype) == 0) continue;
    const ropeproof_claim& claim = kernel.claim(dtype);
    const std::uint32_t table =
        claim.table_dtype == 0 ? dtype : claim.table_dtype;
    const bool is_coarse =
        required.table != 0
            ? precision_of(table) < precision_of(required.table)
            : required.angle_class && has_coarse_table(claim, dtype);
    if (is_coarse) {
      add("cos and sin in " + text::word(plugin::kDtypeWords, table));
    }
    if (required.rounding && (dtype & plugin::k16BitDtypes) != 0 &&
        std::ranges::find(kRoundings, claim.rounding) >
            std::ranges::find(kRoundings, *required.rounding)) {
      add("rounding " + text::word(plugin::kRoundingWords, claim.rounding));
    }
  }
  return text::joined(parts, ", ");
}

// "; +M needs validates": what is not declared for required suffixes.
std::string undeclared(check::Suffixes suffixes,
                       const plugin::Description& kernel) {
  std::string text;
  for (const auto& [suffix, features, meaning] : kAdditions) {
    if ((suffixes & suffix) == 0) continue;
    const std::string words = text::joined(
        text::words_of(plugin::kFeatureWords, features & ~kernel.features),
        ", ");
    if (!words.empty()) text += "; " + suffix_text(suffix) + " needs " + words;
  }
  return text;
}

}  // namespace

std::string parse_requirement(const std::string& text) {
  const Requirement required = read(text);
  const std::string level =
      text::word(required.level) + suffix_text(required.suffixes);
  std::vector<std::string> parts;
  if (!level.empty()) parts.push_back(level);
  if (required.angle_class) {
    parts.push_back(
        text::word(plugin::kAngleClassWords, *required.angle_class));
  }
  if (required.table != 0) {
    parts.push_back("table=" + text::word(plugin::kDtypeWords, required.table));
  }
  if (required.rounding) {
    parts.push_back("rounding=" +
                    text::word(plugin::kRoundingWords, *required.rounding));
  }
  std::ranges::move(scope_words(required.scope), std::back_inserter(parts));
  return text::joined(parts, ",");
}

void keep_required(const std::string& required, const Judged& judged,
                   plugin::Description& d) {
  const Requirement least = read(required);
  const Scope& scope = least.scope;
  if (scope.operations == 0) return;
  const auto keep = [](std::uint32_t& offered, std::uint32_t wanted) {
    if ((offered & wanted) != 0) offered &= wanted;
  };
  keep(d.operations, scope.operations);
  if (scope.dtypes != 0) keep(d.dtypes, scope.dtypes);
  if (scope.pairings != 0) keep(d.pairings, scope.pairings);
  std::uint32_t features =
      judged.features | ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE;
  for (const auto& [suffix, needed, meaning] : kAdditions) {
    if ((least.suffixes & suffix) != 0) features |= needed;
  }
  if (d.axis_maps != 0 && (judged.axis_maps & ROPEPROOF_AXES_GRID) != 0) {
    features |= ROPEPROOF_INV_FREQ | ROPEPROOF_EXPONENTS;  // it has no formula
  }
  d.features &= features;
  d.scalings &= judged.scalings;
  d.axis_maps &= judged.axis_maps;
  if (scope.positions > 0 &&
      (d.max_position == 0 || d.max_position > scope.positions)) {
    d.max_position = scope.positions;
  }
}

std::string weaker_than_required(const Report& report, const Totals& totals) {
  if (report.required.empty()) return "";
  const Requirement required = read(report.required);
  // A0 is the strictest class.
  const std::uint32_t claimed = weakest_class(report.kernel);
  bool is_enough = claimed <= required.angle_class.value_or(claimed);
  if (report.shard.is_whole() && required.has_level()) {
    is_enough = is_enough &&
                totals.level >= std::max(required.level, Level::kL0) &&
                (required.suffixes & ~totals.suffixes) == 0;
  }
  const std::string coarse = coarser(required, report.kernel);
  auto missing = lacking(required.scope, report, totals);
  if (exit_status(totals) == 1) missing.push_back("what fails meets nothing");
  if (is_enough && coarse.empty() && missing.empty()) return "";
  const std::string more = missing.empty() ? "" : "; ";
  return (totals.level == Level::kPart ? "no level of a part"
                                       : "level " + level_text(totals)) +
         ", angle " + text::word(plugin::kAngleClassWords, claimed) +
         (coarse.empty() ? "" : ", " + coarse) +
         undeclared(required.suffixes, report.kernel) + more +
         text::joined(missing, "; ");
}

}  // namespace ropeproof::conformance::report
