#include "conformance/search/sweep_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/plugin/abi_words.h"
#include "conformance/report/json_codec.h"
#include "conformance/text/format.h"
#include "conformance/text/one_line.h"
#include "reference/spec.h"

namespace ropeproof::conformance::search {

using report::Json;
using report::ReportError;

template <class Codec>
void members(Codec& c, report::Is<SweepRow> auto& row) {
  auto& m = row.measurement;
  c.value("base", row.base);
  c.value("first", row.first);
  c.value("end", row.end);
  c.word("answered", row.answered, check::kVerdictWords);
  c.value("detail", row.detail);
  c.value("values", m.elements);
  c.value("wrong", m.wrong);
  c.value("vacuous", m.vacuous);
  c.value("not_nearest", m.not_nearest);
  c.number("max_norm_ulp", m.max_norm_ulp);
  element(c, "first_wrong", m.first_wrong);
  element(c, "worst", m.worst);
}

template <class Codec>
void members(Codec& c, report::Is<Sweep> auto& sweep) {
  c.value("suite_version", sweep.suite_version);
  c.value("kernel_argument", sweep.kernel_argument);
  c.value("kernel_sha256", sweep.kernel_sha256);
  description(c, sweep.kernel);
  c.value("is_certified", sweep.is_certified);
  c.word("operation", sweep.operation, plugin::kOperationWords);
  c.word("number", sweep.format, text::kFormatWords);
  c.value("rotary_dim", sweep.rotary_dim);
  c.value("positions", sweep.positions);
  c.list("rows", sweep.rows);
}

namespace {

[[noreturn]] void fail(const std::string& fault) {
  throw ReportError(text::one_line(fault));
}

// Cosines and sines that a row is to have.
std::int64_t values_of(const SweepRow& row, std::int64_t rotary_dim) {
  return (row.end - row.first) * rotary_dim;
}

bool is_judged(const SweepRow& row, std::int64_t rotary_dim) {
  return row.measurement.elements == values_of(row, rotary_dim);
}

// Whether the counts are such as a sweep may have: those of parts are added.
bool is_sound(const Sweep& sweep) {
  constexpr std::int64_t kMostPositions = std::int64_t{1} << 32;
  if (sweep.rows.empty() || sweep.rotary_dim < 2 ||
      sweep.rotary_dim > reference::kMaxHeadDim ||
      sweep.positions > kMostPositions) {
    return false;
  }
  return std::ranges::all_of(sweep.rows, [&](const SweepRow& row) {
    const judge::Measurement& m = row.measurement;
    const bool is_range =
        0 <= row.first && row.first <= row.end && row.end <= sweep.positions;
    const auto counts = {m.wrong, m.vacuous, m.not_nearest};
    return is_range && m.elements <= values_of(row, sweep.rotary_dim) &&
           std::ranges::all_of(
               counts,
               [&](std::int64_t n) { return 0 <= n && n <= m.elements; }) &&
           (m.wrong > 0) == m.first_wrong.has_value() &&
           (is_judged(row, sweep.rotary_dim) ||
            row.answered != check::Verdict::kPass);
  });
}

// What parts of one sweep have in common; a library's digest names it better
// than its path.
Json head_of(Sweep sweep) {
  sweep.rows.clear();
  if (!sweep.kernel_sha256.empty()) sweep.kernel_argument.clear();
  return Json::parse(sweep_json(sweep));
}

std::vector<double> bases_of(const Sweep& sweep) {
  std::vector<double> bases;
  for (const SweepRow& row : sweep.rows) {
    if (bases.empty() || bases.back() != row.base) bases.push_back(row.base);
  }
  return bases;
}

void check_same_sweep(const NamedSweep& first, const NamedSweep& other) {
  const auto refuse = [&](const std::string& what) {
    fail(first.file + " and " + other.file +
         " are of different sweeps: they differ in " + what);
  };
  const Json a = head_of(first.sweep), b = head_of(other.sweep);
  for (const auto& [key, value] : a.items()) {
    if (b.at(key) != value) refuse(key);
  }
  if (bases_of(first.sweep) != bases_of(other.sweep)) refuse("bases");
}

std::string range_text(double base, std::int64_t first, std::int64_t end) {
  return text::format("base %.9g, positions %lld to %lld", base,
                      static_cast<long long>(first),
                      static_cast<long long>(end - 1));
}

struct NamedRow {
  const std::string* file = nullptr;
  const SweepRow* row = nullptr;
};

// `rows` are of one base, in the order of their positions.
SweepRow joined(const std::vector<NamedRow>& rows, std::int64_t positions) {
  SweepRow whole = *rows.front().row;
  whole.first = whole.end = 0;
  whole.measurement = {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& row = *rows[i].row;
    if (row.first > whole.end) break;
    if (row.first < whole.end) {
      fail(*rows[i - 1].file + " and " + *rows[i].file + " both have " +
           range_text(row.base, row.first, std::min(row.end, whole.end)));
    }
    whole.end = row.end;
    add(whole.measurement, row.measurement);
    // A verdict worse than DECLINED stays.
    if (row.answered != check::Verdict::kPass &&
        (whole.answered == check::Verdict::kPass ||
         whole.answered == check::Verdict::kDeclined)) {
      whole.answered = row.answered;
      whole.detail = row.detail;
    }
  }
  if (whole.end < positions) {
    std::int64_t next = positions;
    for (const NamedRow& named : rows) {
      if (named.row->first > whole.end) next = std::min(next, named.row->first);
    }
    fail(range_text(whole.base, whole.end, next) + " are missing");
  }
  return whole;
}

}  // namespace

bool Sweep::is_complete() const {
  return std::ranges::all_of(rows, [this](const SweepRow& row) {
    return row.first == 0 && row.end == positions && is_judged(row, rotary_dim);
  });
}

int Sweep::exit_status() const {
  bool is_any_judged = false;
  for (const SweepRow& row : rows) {
    is_any_judged = is_any_judged || row.measurement.elements > 0;
    if (!row.measurement.pass() || (row.answered != check::Verdict::kPass &&
                                    row.answered != check::Verdict::kDeclined))
      return 1;
  }
  return is_any_judged ? 0 : 2;
}

std::string sweep_json(const Sweep& sweep) {
  report::Writer out;
  out.value("format", kSweepFormat);
  members(out, sweep);
  return out.json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_sweep(const std::string& text) {
  return text.find("ropeproof-sweep/") < 100;
}

Sweep read_sweep(const std::string& text, const std::string& file) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("format", Json()) != kSweepFormat)
    fail(file + ": no report of `ropeproof sweep --report`: expected " +
         kSweepFormat + ", whole");
  Sweep sweep;
  try {
    report::Reader in{document};
    members(in, sweep);
  } catch (const std::exception&) {
    fail(file + ": a member is missing or of another type");
  }
  if (!is_sound(sweep) || sweep_json(sweep) != text) {
    fail(file + ": not as this version writes it; was it edited?");
  }
  return sweep;
}

Sweep merge_sweeps(std::vector<NamedSweep> parts) {
  Sweep whole = parts.at(0).sweep;
  whole.rows.clear();
  for (const NamedSweep& part : parts) check_same_sweep(parts[0], part);
  for (const double base : bases_of(parts[0].sweep)) {
    std::vector<NamedRow> rows;
    for (const NamedSweep& part : parts) {
      for (const SweepRow& row : part.sweep.rows) {
        if (row.base == base && row.first < row.end) {
          rows.push_back({&part.file, &row});
        }
      }
    }
    if (rows.empty()) fail("base " + text::format("%.9g", base) + " is empty");
    std::ranges::stable_sort(
        rows, {}, [](const NamedRow& named) { return named.row->first; });
    whole.rows.push_back(joined(rows, whole.positions));
  }
  return whole;
}

}  // namespace ropeproof::conformance::search
