#include "conformance/report/scope.h"

#include <algorithm>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/plugin/scalings.h"
#include "conformance/report/headline.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

constexpr std::string_view kPositions = "positions>=", kDeclined = "declined<=";

// Calls `visit` with what is before a word, the words and the bits of a scope
// and of what a kernel declares, for each list of words.
template <class AnyScope, class Visit>
void for_each_list(AnyScope& scope, const plugin::Description& kernel,
                   const Visit& visit) {
  visit("", plugin::kOperationWords, scope.operations, kernel.operations);
  visit("", plugin::kDtypeWords, scope.dtypes, kernel.dtypes);
  visit("", plugin::kAbiPairingWords, scope.pairings, kernel.pairings);
  visit("", plugin::kFeatureWords, scope.features, kernel.features);
  visit("scaling=", plugin::kScalingWords, scope.scalings, kernel.scalings);
  visit("axis_map=", plugin::kAxisMapWords, scope.axis_maps, kernel.axis_maps);
}

bool read_number(std::string_view word, std::string_view begin,
                 std::int64_t none, std::int64_t& number) {
  if (!word.starts_with(begin) || number != none) return false;
  const auto value = text::parse_integer(word.substr(begin.size()));
  if (!value || *value < 0) return false;
  number = *value;
  return true;
}

template <class Words>
void add_words(std::vector<std::string>& all, const char* before,
               const Words& words, std::uint32_t bits) {
  for (const std::string& word : text::words_of(words, bits)) {
    all.push_back(before + word);
  }
}

}  // namespace

bool read_scope(std::string_view word, Scope& scope) {
  bool is_read = read_number(word, kPositions, 0, scope.positions) ||
                 read_number(word, kDeclined, -1, scope.declined);
  for_each_list(scope, {},
                [&](std::string_view before, const auto& words,
                    std::uint32_t& bits, std::uint32_t) {
                  if (is_read || !word.starts_with(before)) return;
                  const auto bit =
                      text::find_word(words, word.substr(before.size()));
                  if (!bit || (bits & *bit) != 0) return;
                  bits |= *bit;
                  is_read = true;
                });
  return is_read;
}

std::vector<std::string> scope_words(const Scope& scope) {
  std::vector<std::string> all;
  for_each_list(scope, {},
                [&](const char* before, const auto& words, std::uint32_t bits,
                    std::uint32_t) { add_words(all, before, words, bits); });
  if (scope.positions > 0) {
    all.push_back(std::string(kPositions) + std::to_string(scope.positions));
  }
  if (scope.declined >= 0) {
    all.push_back(std::string(kDeclined) + std::to_string(scope.declined));
  }
  return all;
}

std::vector<std::string> lacking(const Scope& scope, const Report& report,
                                 const Totals& totals) {
  std::vector<std::string> missing, all;
  for_each_list(scope, report.kernel,
                [&](const char* before, const auto& words, std::uint32_t bits,
                    std::uint32_t offered) {
                  add_words(missing, before, words, bits & ~offered);
                });
  if (!missing.empty()) {
    all.push_back("does not offer " + text::joined(missing, ", "));
  }
  const std::int64_t most = report.kernel.max_position;
  const double told = highest_told(totals);
  if (most != 0 && most < scope.positions) {
    all.push_back("positions only to " + std::to_string(most));
  } else if (scope.positions > 0 && report.shard.is_whole() && told >= 0 &&
             told < std::min(static_cast<double>(scope.positions),
                             totals.highest_position)) {
    all.push_back("its claim says something of positions only to " +
                  text::format("%.0f", told));
  }
  const std::int64_t declined = totals.of(check::Verdict::kDeclined);
  if (scope.declined >= 0 && declined > scope.declined) {
    all.push_back("declined " + std::to_string(declined) +
                  (declined == 1 ? " check" : " checks"));
  }
  return all;
}

}  // namespace ropeproof::conformance::report
