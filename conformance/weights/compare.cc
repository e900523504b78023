#include "conformance/weights/compare.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "conformance/text/format.h"
#include "conformance/weights/collect.h"
#include "conformance/weights/faults.h"

namespace ropeproof::conformance::weights {
namespace {

// Whether rows of this kind tell which way a model was permuted.
bool votes(const Compared& compared) {
  return (compared.kind == Kind::kWeight || compared.kind == Kind::kLoraB) &&
         compared.part != Part::kV;
}

class Judge {
 public:
  Judge(Collected collected, const Attention& attention)
      : entries_(std::move(collected.entries)) {
    result_.findings = std::move(collected.findings);
    result_.names = std::move(collected.names);
    result_.attention = attention;
    add_width();
    for (Entry& entry : entries_) set_heads(entry);
  }

  Comparison take(std::optional<Direction> expected,
                  const std::string& reason) {
    result_.reason = reason;
    if (expected) result_.direction = *expected;
    vote(expected.has_value());
    for (Entry& entry : entries_) {
      judge(entry);
      result_.findings.push_back(std::move(entry.finding));
    }
    std::ranges::stable_sort(result_.findings, {}, &Finding::layer);
    return std::move(result_);
  }

 private:
  // The width of a head follows from how many q has, where nobody says it.
  void add_width() {
    Attention& attention = result_.attention;
    if (!attention.layouts.empty() || attention.heads == 0) return;
    for (const Entry& entry : entries_) {
      const Compared& compared = entry.compared;
      const std::uint64_t rows = compared.a.size();
      if (compared.part != Part::kQ || compared.kind != Kind::kWeight ||
          rows % (2 * attention.heads) != 0) {
        continue;
      }
      const auto width = static_cast<std::int64_t>(rows / attention.heads);
      attention.layouts = {reference::leading(width, width, {})};
      return;
    }
  }

  void set_heads(Entry& entry) const {
    Compared& compared = entry.compared;
    compared.heads = heads_of(result_.attention, compared.part, compared.kind,
                              compared.a.size());
  }

  // Of q and k whose rows tell: the direction, and the width of a head where
  // nobody says it.
  void vote(bool is_decided) {
    std::map<Direction, std::size_t> directions, any;
    std::map<std::size_t, std::size_t> widths;
    std::size_t width = 0;
    for (const Entry& entry : entries_) {
      if (!votes(entry.compared)) continue;
      const auto right = right_maps(entry.compared);
      for (const Candidate& found : right) ++any[found.direction];
      if (right.size() != 1) continue;
      const Candidate& found = right.front();
      ++directions[found.direction];
      if (found.direction == Direction::kNone) continue;
      ++widths[found.map.size()];
      if (entry.compared.part == Part::kQ) width = found.map.size();
    }
    // Where no rows tell: of four rotary channels both directions are one map,
    // rows of zeros are equal.
    const bool is_any = directions.empty();
    std::size_t most = 0;
    for (const auto& [direction, count] : is_any ? any : directions) {
      const bool is_better =
          count > most ||
          (count == most && !is_any && result_.direction == Direction::kNone);
      if (is_decided || !is_better) continue;
      most = count;
      result_.direction = direction;
      result_.reason = "most of q and k";
    }
    const Attention& attention = result_.attention;
    if (!attention.layouts.empty()) return;
    for (const auto& [size, count] : widths) {
      if (count > widths[width]) width = size;
    }
    if (width != 0) infer(static_cast<std::int64_t>(width));
  }

  void infer(std::int64_t width) {
    result_.attention.layouts = {reference::leading(width, width, {})};
    result_.attention.source = "rows that were found permuted";
    for (Entry& entry : entries_) {
      set_heads(entry);
      const auto count = entry.compared.heads.count;
      if (entry.compared.kind != Kind::kWeight) continue;
      if (entry.compared.part == Part::kQ) result_.attention.heads = count;
      if (entry.compared.part == Part::kK) result_.attention.kv_heads = count;
    }
  }

  void judge(Entry& entry) {
    Finding& finding = entry.finding;
    const Compared& compared = entry.compared;
    if (finding.verdict == Verdict::kWrong) return;  // fused in another order
    const Expected expected{is_never_permuted(compared.part, compared.kind)
                                ? Direction::kNone
                                : result_.direction,
                            &result_.attention};
    const auto is_expected = [&](const Candidate& candidate) {
      return candidate.direction == expected.direction;
    };
    if (std::ranges::any_of(right_maps(compared), is_expected)) {
      finding.verdict = expected.direction == Direction::kNone
                            ? Verdict::kEqual
                            : Verdict::kPermuted;
      return;
    }
    finding.verdict = Verdict::kWrong;
    RowMap right = {0};
    if (expected.direction != Direction::kNone &&
        !compared.heads.layouts.empty()) {
      right = head_map(compared.heads.layouts.front(), expected.direction);
    }
    std::uint64_t first = 0;
    if (!matches(compared.a, compared.b, right, &first)) {
      finding.first_row = first;
    }
    if (const auto fault = fault_of(compared, expected)) {
      finding.fault = fault->text;
      finding.advice = fault->advice;
      return;
    }
    finding.fault = unknown(entry);
    finding.advice = "compare with the checkpoint that it was made of";
  }

  // Says where the rows are found, if not where they should be.
  std::string unknown(const Entry& entry) {
    if (tensor_of_.empty()) {
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        for (const std::uint64_t row : entries_[i].compared.a) {
          tensor_of_.emplace(row, i);
        }
      }
    }
    std::map<std::size_t, std::size_t> counts;  // rows, by entry
    std::unordered_map<std::uint64_t, int> own;
    for (const std::uint64_t row : entry.compared.a) own[row];
    std::size_t here = 0;
    for (const std::uint64_t row : entry.compared.b) {
      const auto found = tensor_of_.find(row);
      if (own.contains(row)) {
        ++here;
      } else if (found != tensor_of_.end()) {
        ++counts[found->second];
      }
    }
    const std::size_t all = entry.compared.b.size();
    std::string text =
        "no known rearrangement of rows: " + text::part_of(here, all) +
        " are in A's tensor";
    const auto most = std::ranges::max_element(
        counts, {}, [](const auto& pair) { return pair.second; });
    if (most != counts.end()) {
      const Entry& other = entries_[most->first];
      text += ", " + std::to_string(most->second) + " in \"" +
              other_name(other) + "\"";
    }
    return text;
  }

  static std::string other_name(const Entry& other) {
    return words_of(other.compared.part, other.compared.kind) + " of layer " +
           std::to_string(other.finding.layer);
  }

  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, std::size_t> tensor_of_;  // rows of A
  Comparison result_;
};

}  // namespace

std::size_t Comparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::ranges::count(findings, verdict, &Finding::verdict));
}

int Comparison::exit_status() const {
  if (count(Verdict::kWrong) != 0) return 1;
  return findings.empty() || count(Verdict::kNotJudged) != 0 ? 2 : 0;
}

Comparison compare(
    const Checkpoint& a, const Checkpoint& b, const RoleTable& table,
    const Attention& attention, std::optional<Direction> expected,
    const std::string& reason,
    const std::function<void(std::size_t, std::size_t)>& progress) {
  return Judge(collect(a, b, table, attention, progress), attention)
      .take(expected, reason);
}

}  // namespace ropeproof::conformance::weights
