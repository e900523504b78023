#include "conformance/weights/others.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "conformance/text/format.h"
#include "conformance/weights/rows.h"

namespace ropeproof::conformance::weights {
namespace {

// One tensor, or the experts of a layer that are one tensor each.
struct Group {
  std::string name;
  std::int64_t layer = -1;  // the first number in the name
  std::vector<const Tensor*> tensors;
  std::uint64_t experts = 1;

  const ElementType& type() const { return tensors.front()->type; }
};

std::vector<Group> groups_of(const Checkpoint& checkpoint,
                             const RoleTable& table) {
  // By name without the number of the expert, then by that number.
  std::map<std::string, std::map<std::int64_t, const Tensor*>> found;
  for (const Tensor& tensor : checkpoint.tensors) {
    if (table.find(tensor.name) || tensor.bytes == 0) continue;
    const auto [name, expert] = table.expert_of(tensor.name);
    found[name][expert] = &tensor;
  }
  std::vector<Group> groups;
  for (const auto& [name, tensors] : found) {
    Group group;
    group.name = name;
    const std::size_t digit = name.find_first_of("0123456789");
    if (digit != std::string::npos) {
      const std::size_t end = name.find('.', digit);
      group.layer =
          text::parse_integer(name.substr(digit, end - digit)).value_or(-1);
    }
    for (const auto& [expert, tensor] : tensors) {
      group.tensors.push_back(tensor);
    }
    const Tensor& first = *group.tensors.front();
    group.experts = group.tensors.size();
    if (group.experts == 1 && first.shape.size() == 3) {
      group.experts = first.shape[0];
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

// The rows of a group, one after another; what has one dimension is one row.
std::vector<std::uint64_t> rows_of_group(const Checkpoint& checkpoint,
                                         const Group& group,
                                         const ElementType& as) {
  std::vector<std::uint64_t> result;
  for (const Tensor* tensor : group.tensors) {
    auto rows = rows_of(*tensor, Kind::kWeight);
    if (!rows || !converts(tensor->type, as)) return {};
    if (tensor->shape.size() < 2) rows = Rows{1, tensor->bytes};
    const auto more = digests(checkpoint, *tensor, *rows, as);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

// What is the same whatever the order of the rows and the type of floats.
std::uint64_t sum_of(const Checkpoint& checkpoint, const Group& group) {
  const ElementType& own = group.type();
  std::uint64_t sum = 0;
  for (const std::uint64_t row : rows_of_group(
           checkpoint, group, own.format ? *find_type("BF16") : own)) {
    sum += row;
  }
  return sum;
}

std::string fault_of_rows(const std::vector<std::uint64_t>& a,
                          const std::vector<std::uint64_t>& b,
                          std::uint64_t experts) {
  if (a.size() == b.size() && experts > 1 && b.size() % experts == 0) {
    const std::size_t size = b.size() / experts;
    std::string first;
    std::set<std::size_t> used;
    for (std::size_t e = 0; e < experts; ++e) {
      for (std::size_t f = 0; f < experts; ++f) {
        if (!std::ranges::equal(std::span(b).subspan(e * size, size),
                                std::span(a).subspan(f * size, size))) {
          continue;
        }
        used.insert(f);
        if (e != f && first.empty()) {
          first = "experts in another order: expert " + std::to_string(e) +
                  " of B is expert " + std::to_string(f) + " of A";
        }
        break;
      }
    }
    if (used.size() == experts) return first;
  }
  const Heads heads{b.size(), 0};
  for (const Candidate& candidate : candidates(heads)) {
    if (candidate.direction != Direction::kNone &&
        matches(a, b, candidate.map)) {
      return "permuted " + text::word(kDirectionWords, candidate.direction) +
             "; it has no rotary channels";
    }
  }
  const std::set<std::uint64_t> known(a.begin(), a.end());
  const auto here = std::ranges::count_if(
      b, [&](std::uint64_t row) { return known.contains(row); });
  return "no known rearrangement of rows: " + text::part_of(here, b.size()) +
         " are in A's tensor";
}

}  // namespace

std::vector<Finding> compare_others(
    const Checkpoint& a, const Checkpoint& b, const RoleTable& table,
    const std::function<void(std::size_t, std::size_t)>& progress) {
  const std::vector<Group> of_a = groups_of(a, table),
                           of_b = groups_of(b, table);
  const std::size_t all = of_a.size() + of_b.size();
  std::size_t done = 0;
  std::map<std::string, const Group*> by_name;
  std::map<std::uint64_t, const Group*> by_sum;
  for (const Group& group : of_a) {
    if (progress) progress(done++, all);
    by_name.emplace(group.name, &group);
    by_sum.emplace(sum_of(a, group), &group);
  }
  std::vector<Finding> findings;
  for (const Group& group : of_b) {
    if (progress) progress(done++, all);
    Finding finding;
    finding.layer = group.layer;
    finding.what = group.experts > 1 ? "experts" : "other";
    finding.tensor_b = group.name;
    const auto named = by_name.find(group.name);
    const auto summed = by_sum.find(sum_of(b, group));
    const Group* const match = named != by_name.end()   ? named->second
                               : summed != by_sum.end() ? summed->second
                                                        : nullptr;
    std::vector<std::uint64_t> rows_a, rows_b;
    if (match != nullptr) {
      finding.tensor_a = match->name;
      rows_a = rows_of_group(a, *match, group.type());
      rows_b = rows_of_group(b, group, group.type());
    }
    if (rows_a.empty() || rows_b.empty()) {
      finding.verdict = Verdict::kNotJudged;
      finding.fault = match == nullptr ? "its rows are in no tensor of A"
                                       : "in types that do not compare";
      finding.advice = "see whether the converter changes it on purpose";
    } else if (rows_a != rows_b) {
      finding.verdict = Verdict::kWrong;
      finding.fault = fault_of_rows(rows_a, rows_b,
                                    std::max(group.experts, match->experts));
      finding.advice = "keep its rows as they are";
      const auto [at, end] = std::ranges::mismatch(rows_b, rows_a);
      finding.first_row = static_cast<std::uint64_t>(at - rows_b.begin());
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace ropeproof::conformance::weights
