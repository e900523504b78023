#include "conformance/report/merge.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "conformance/text/one_line.h"
#include "conformance/text/sha256.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

[[noreturn]] void fail(const std::string& fault) {
  throw ReportError(text::one_line(fault));
}

// What shards of one run have in common: all but the index, what was found, and
// the path of a library, which its digest names better.
nlohmann::json head_of(const Report& report) {
  Report head = report;
  head.shard.index = head.shard.count;
  head.dealt.clear();
  head.checks.clear();
  head.diagnoses.clear();
  head.facts.clear();
  head.shown = {};
  if (!head.kernel_sha256.empty()) head.kernel_argument.clear();
  return nlohmann::json::parse(json_report(head));
}

void check_same_run(const NamedReport& first, const NamedReport& other) {
  const auto differ = [&](const std::string& what) {
    fail(first.file + " and " + other.file +
         " are of different runs: they differ in " + what);
  };
  if (first.report.shard.count != other.report.shard.count) {
    differ("number of shards");  // and so in members
  }
  const nlohmann::json a = head_of(first.report), b = head_of(other.report);
  for (const auto& [key, value] : a.items()) {
    if (b.at(key) != value) differ(key);
  }
}

// `shards` are sorted by index: each must be there, once.
void check_all_shards(const std::vector<NamedReport>& shards) {
  const std::int64_t count = shards[0].report.shard.count;
  const auto fail_missing = [count](std::size_t index) {
    fail("shard " +
         check::Shard{static_cast<std::int64_t>(index), count}.text() +
         " is missing");
  };
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const check::Shard& shard = shards[i].report.shard;
    if (i > 0 && shard.index == shards[i - 1].report.shard.index) {
      fail(shards[i - 1].file + " and " + shards[i].file +
           " are the same shard, " + shard.text());
    }
    if (shard.index != static_cast<std::int64_t>(i + 1)) fail_missing(i + 1);
  }
  if (static_cast<std::int64_t>(shards.size()) < count) {
    fail_missing(shards.size() + 1);
  }
}

// The ids of all shards, in the order of the selection.
std::vector<std::string> all_cases(const std::vector<NamedReport>& shards) {
  std::vector<std::string> ids;
  std::string joined;
  std::set<std::string> seen;
  for (std::size_t round = 0;; ++round) {
    for (const auto& [file, report] : shards) {
      if (round >= report.dealt.size()) continue;
      const std::string& id = report.dealt[round];
      if (!seen.insert(id).second) fail(file + ": case " + id + " twice");
      ids.push_back(id);
      joined += id + "\n";
    }
    const bool is_last =
        std::all_of(shards.begin(), shards.end(), [&](const auto& shard) {
          return round + 1 >= shard.report.dealt.size();
        });
    if (is_last) break;
  }
  if (text::sha256(joined) != shards[0].report.cases_sha256) {
    fail(shards[0].file +
         " and its partners do not hold the cases of the run: one is missing "
         "or in the wrong shard");
  }
  return ids;
}

// Every name that a shard leaves to a fault.
bool may_be(const explain::Diagnosis& d, const std::string& name) {
  return d.what == name ||
         std::ranges::find(d.aliases, name) != d.aliases.end();
}

// Wrong values; else a broken promise, which no hypothesis is compared with.
bool is_of_values(const explain::Diagnosis& d) {
  return d.residual.has_value();
}

// A fault, and the rule of each shard that found one for it.
struct Fault {
  explain::Diagnosis d;
  std::vector<std::string> rules;
};

// Adds what another shard says of the same fault. False if it is another one.
bool join(Fault& fault, explain::Diagnosis other) {
  explain::Diagnosis& d = fault.d;
  const bool is_kept = may_be(other, d.what);
  if (is_of_values(d) != is_of_values(other) ||
      (!is_kept && !may_be(d, other.what))) {
    return false;
  }
  if (!is_kept) std::swap(d, other);
  if (const std::string& rule = is_kept ? other.where.rule : d.where.rule;
      !rule.empty() && std::ranges::count(fault.rules, rule) == 0) {
    fault.rules.insert(is_kept ? fault.rules.end() : fault.rules.begin(), rule);
  }
  std::erase_if(d.aliases,
                [&](const auto& name) { return !may_be(other, name); });
  d.checks += other.checks;
  if (d.residual) d.residual = std::max(*d.residual, *other.residual);
  d.next_residual = std::max(d.next_residual, other.next_residual);
  if (d.next != other.next) d.next.clear(), d.next_residual = 0;
  // Where no bug is known, the equation is the first failure's.
  if (d.what.empty() && d.equation != other.equation) d.equation = 0;
  // A right element shows that there is a rule.
  d.where.kind = std::max(d.where.kind, other.where.kind);
  return true;
}

// In the order of a run without shards.
std::vector<explain::Diagnosis> joined(const std::vector<NamedReport>& shards) {
  std::vector<Fault> faults;
  std::map<bool, std::int64_t> tried;  // by is_of_values
  for (const auto& [file, report] : shards) {
    std::map<bool, std::int64_t> here;
    for (const explain::Diagnosis& d : report.diagnoses) {
      here[is_of_values(d)] = d.tried;
      const bool is_known = std::ranges::any_of(
          faults, [&](Fault& known) { return join(known, d); });
      if (is_known) continue;
      faults.push_back({d, {}});
      if (!d.where.rule.empty()) faults.back().rules = {d.where.rule};
    }
    for (const auto& [kind, count] : here) tried[kind] += count;
  }
  std::vector<explain::Diagnosis> all;
  for (auto& [d, rules] : faults) {
    d.tried = tried[is_of_values(d)];
    const bool has_rule = d.where.kind != explain::Place::Kind::kNoSimpleRule;
    d.where.rule = has_rule ? text::joined(rules, "; in another shard ") : "";
    all.push_back(std::move(d));
  }
  std::ranges::stable_sort(all, {}, [](const explain::Diagnosis& d) {
    return std::tuple(d.what.empty(), !is_of_values(d), -d.checks);
  });
  return all;
}

// The checks of all shards, case by case in the order of `ids`; leaves the
// shards without.
std::vector<check::Check> all_checks(std::vector<NamedReport>& shards,
                                     const std::vector<std::string>& ids) {
  std::vector<check::Check> all;
  std::vector<std::size_t> next(shards.size(), 0);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    std::vector<check::Check>& own = shards[k % shards.size()].report.checks;
    std::size_t& at = next[k % shards.size()];
    while (at < own.size() && own[at].case_id == ids[k]) {
      all.push_back(std::move(own[at++]));
    }
  }
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const auto& [file, report] = shards[i];
    if (next[i] == report.checks.size()) continue;
    fail(file + ": case " + report.checks[next[i]].case_id +
         " is not one of its cases, or out of order");
  }
  return all;
}

}  // namespace

Report merge_reports(std::vector<NamedReport> shards) {
  if (shards.empty()) fail("no report to merge");
  std::sort(shards.begin(), shards.end(), [](const auto& a, const auto& b) {
    return a.report.shard.index < b.report.shard.index;
  });
  for (const NamedReport& shard : shards) check_same_run(shards[0], shard);
  check_all_shards(shards);
  if (shards.size() == 1) return std::move(shards[0].report);

  std::vector<std::string> ids = all_cases(shards);
  std::vector<check::Check> checks = all_checks(shards, ids);
  for (std::size_t i = 1; i < shards.size(); ++i) {
    shards[0].report.facts.merge(shards[i].report.facts);
    shards[0].report.shown.add(shards[i].report.shown);
  }
  std::vector<explain::Diagnosis> diagnoses = joined(shards);
  Report whole = std::move(shards[0].report);
  whole.diagnoses = std::move(diagnoses);
  whole.checks = std::move(checks);
  whole.shard = {};
  whole.dealt = std::move(ids);
  return whole;
}

}  // namespace ropeproof::conformance::report
