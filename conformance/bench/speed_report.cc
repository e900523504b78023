#include "conformance/bench/speed_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/description_json.h"
#include "conformance/report/failure_text.h"
#include "conformance/text/one_line.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::bench {
namespace {

using Json = nlohmann::ordered_json;
using Status = KernelSpeed::Status;

using report::format;

constexpr const char* kSpeedFormat = "ropeproof-bench/3";

std::string padded(std::string text, std::size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text;
}

std::size_t label_columns(const std::vector<Entry>& entries) {
  std::size_t columns = std::string("touch ahead").size();
  for (const Entry& entry : entries) {
    columns = std::max(columns, entry.label.size());
  }
  return columns;
}

// Three digits, in seven columns.
std::string ratio_text(const std::optional<double>& ratio) {
  if (!ratio) return "      -";
  return format(*ratio < 0.01   ? "%7.4f"
                : *ratio < 10   ? "%7.2f"
                : *ratio < 1000 ? "%7.1f"
                                : "%7.0f",
                *ratio);
}

std::string figures_text(const Figures& f, bool is_in_place) {
  return format(" %8.1f%c%7.1f", f.ns_per_token, is_in_place ? ' ' : '*',
                f.gb_per_s) +
         ratio_text(f.of_limit) + ratio_text(f.of_plain) +
         ratio_text(f.of_first) +
         (f.of_one_thread ? ratio_text(f.of_one_thread) : "");
}

std::string kernel_text(const KernelSpeed& speed) {
  switch (speed.status) {
    case Status::kUnsupported:
      return "        -  no " + speed.reason;
    case Status::kWrong:
      return "    WRONG  " + speed.reason;
    case Status::kMeasured:
      break;
  }
  return figures_text(speed.figures, speed.is_in_place);
}

Json figures_json(const Figures& f) {
  Json json = {{"ns_per_token", f.ns_per_token},
               {"gb_per_s", f.gb_per_s},
               {"of_limit", f.of_limit},
               {"of_plain", f.of_plain},
               {"of_first", f.of_first ? Json(*f.of_first) : Json()}};
  if (f.of_one_thread) json["of_one_thread"] = *f.of_one_thread;
  return json;
}

Json kernel_json(const KernelSpeed& speed, const Entry& entry) {
  Json json = {{"kernel", entry.label}};
  if (speed.status != Status::kMeasured) {
    json["status"] = speed.status == Status::kWrong ? "wrong" : "unsupported";
    json["reason"] = speed.reason;
    return json;
  }
  json["status"] = "measured";
  json["in_place"] = speed.is_in_place;
  json["worst_over_bound"] = speed.worst;
  json.update(figures_json(speed.figures));
  if (entry.doorbell_ns) json["others_ns_per_token"] = speed.others_ns;
  return json;
}

}  // namespace

std::string speed_heading(const std::vector<Entry>& entries) {
  const auto line = [&](const std::string& label, const std::string& version,
                        const std::string& claims, const Admission& a,
                        const std::string& argument) {
    return padded(label, label_columns(entries)) + "  " + padded(version, 10) +
           "  " + padded(claims, 6) + "  " + padded(a.found_class, 5) + "  " +
           padded(a.level, 11) + "  " + argument + "\n";
  };
  std::string text = line("kernel", "version", "claims",
                          {"", "", "level", "found"}, "argument");
  for (const Entry& entry : entries) {
    const plugin::Description& d = entry.description;
    text += line(entry.label, d.version,
                 text::word(plugin::kAngleClassWords, d.claims[0].angle_class),
                 entry.admission, entry.argument);
  }
  for (const Entry& entry : entries) {
    if (!entry.doorbell_ns) continue;
    text +=
        format("%s: behind walls; each call has %.0f ns of the doorbell's\n",
               entry.label.c_str(), *entry.doorbell_ns);
  }
  return text +
         "\n32 query heads and 8 key heads. GB/s: what is rotated, read once "
         "and written once; a table,\nwritten once. Ratios: the time of the "
         "row's limit (touch: the same bytes changed in place; fmt:\nwidened, "
         "multiplied, rounded; fill: written), of plain C++ with libm and of "
         "the first kernel over\nthe kernel's, in the same rounds; above 1 the "
         "kernel is faster. *: out of place.\n";
}

std::string speed_group(const Row& row, const std::vector<Entry>& entries) {
  return "\n" + row.group +
         format("\n%7s %9s %-11s %9s  ", "tokens",
                row.is_table() ? "channels" : "head_dim", "limit", "ns/token") +
         padded("kernel", label_columns(entries)) +
         format("%9s%8s%7s%7s%7s%s\n", "ns/token", "GB/s", "limit", "plain",
                "first", row.threads > 1 ? " 1 thrd" : "");
}

std::string speed_lines(const RowSpeed& speed,
                        const std::vector<Entry>& entries, bool shows_limits) {
  std::string begin = format(
      "%7lld %9s %-11s %9.1f  ", static_cast<long long>(speed.row.problem.seq),
      speed.row.width().c_str(), speed.limit.c_str(), speed.limit_ns);
  std::string lines;
  const auto add = [&](const std::string& label, const std::string& text,
                       bool is_cut = false) {
    const std::string line =
        begin + padded(label, label_columns(entries)) + text;
    lines += (is_cut ? line.substr(0, report::kColumns) : line) + "\n";
    begin.assign(begin.size(), ' ');
  };
  if (shows_limits) {
    for (const auto& [name, figures] : speed.limits) {
      add(name, figures_text(figures, true));
    }
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const KernelSpeed& kernel = speed.kernels[i];
    add(entries[i].label, kernel_text(kernel), kernel.status == Status::kWrong);
  }
  return lines;
}

std::string speed_json(const std::string& suite_version, int repetitions,
                       const std::vector<Entry>& entries,
                       const std::vector<RowSpeed>& rows) {
  Json json = {{"format", kSpeedFormat},
               {"ropeproof", suite_version},
               {"repetitions", repetitions},
               {"kernels", Json::array()},
               {"rows", Json::array()}};
  for (const Entry& entry : entries) {
    json["kernels"].push_back(
        {{"kernel", entry.label},
         {"argument", entry.argument},
         {"description", plugin::description_json(entry.description)},
         {"level", entry.admission.level},
         {"found_class", entry.admission.found_class}});
    if (entry.doorbell_ns) {
      json["kernels"].back()["doorbell_ns"] = *entry.doorbell_ns;
    }
  }
  for (const RowSpeed& speed : rows) {
    const Row& row = speed.row;
    const cases::Problem& p = row.problem;
    Json item = {
        {"row", row.name},
        {"operation", text::word(plugin::kOperationWords, row.operation)},
        {"dtype", text::word(text::kFormatWords, p.dtype)}};
    if (!row.is_table()) {
      item["pairing"] = text::word(text::kPairingWords, p.spec.layout.pairing);
      item["q_heads"] = p.q_heads;
      item["k_heads"] = p.k_heads;
      item["head_dim"] = p.spec.layout.head_dim;
      item["is_head_major"] = row.is_head_major();
    }
    item["rotary_dim"] = p.spec.layout.rotary_dim;
    item["tokens"] = p.seq;
    item["threads"] = row.threads;
    item["bytes"] = row.bytes();
    item["limit"] = speed.limit;
    item["limit_ns_per_token"] = speed.limit_ns;
    item["limits"] = Json::object();
    for (const auto& [name, figures] : speed.limits) {
      item["limits"][name] = figures_json(figures);
    }
    item["kernels"] = Json::array();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      item["kernels"].push_back(kernel_json(speed.kernels[i], entries[i]));
    }
    json["rows"].push_back(std::move(item));
  }
  return json.dump(1) + "\n";
}

std::map<report::Engine, report::SpeedRange> read_speeds(
    const std::string& text, const std::string& file,
    const std::string& suite_version) {
  const auto fail = [&](const std::string& fault) {
    throw report::ReportError(text::one_line(file + ": " + fault));
  };
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object() ||
      document.value("format", Json()) != kSpeedFormat) {
    fail(std::string("no figures of `ropeproof bench --json`: expected ") +
         kSpeedFormat);
  }
  if (document.value("ropeproof", Json()) != suite_version) {
    fail("of another version of ropeproof than " + suite_version);
  }
  std::map<report::Engine, report::SpeedRange> speeds;
  try {
    std::map<Json, report::Engine> engines;  // by label
    for (const Json& kernel : document.at("kernels")) {
      const Json& description = kernel.at("description");
      engines[kernel.at("kernel")] = {description.at("name"),
                                      description.at("version")};
    }
    for (const Json& row : document.at("rows")) {
      for (const Json& kernel : row.at("kernels")) {
        if (kernel.at("status") != "measured") continue;
        const double ratio = kernel.at("of_limit");
        report::SpeedRange& speed = speeds[engines.at(kernel.at("kernel"))];
        speed.least = speed.rows == 0 ? ratio : std::min(speed.least, ratio);
        speed.most = std::max(speed.most, ratio);
        ++speed.rows;
      }
    }
  } catch (const std::exception&) {
    fail("a member is missing or of another type; write it again");
  }
  return speeds;
}

}  // namespace ropeproof::conformance::bench
