#include "conformance/bench/speed_report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::bench {
namespace {

using Json = nlohmann::ordered_json;
using Status = KernelSpeed::Status;

constexpr std::size_t kColumns = 100, kLabelColumns = 18;
// Where a kernel's own columns begin.
constexpr int kRowColumns = 29;

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, pattern, arguments...);
  return buffer;
}

std::string cut(const std::string& text, std::size_t columns) {
  return text.size() <= columns ? text : text.substr(0, columns - 3) + "...";
}

// Three digits, in seven columns.
std::string ratio_text(double ratio) {
  return format(ratio < 0.01   ? "%7.4f"
                : ratio < 10   ? "%7.2f"
                : ratio < 1000 ? "%7.1f"
                               : "%7.0f",
                ratio);
}

// "L2" of "L2+E+M".
std::string level_of(const SpeedEntry& entry) {
  const std::string& level = entry.admission.level;
  return level.substr(0, level.find('+'));
}

std::string kernel_text(const KernelSpeed& speed, const SpeedEntry& entry) {
  std::string text = format("%-*s %-2s %-4s", static_cast<int>(kLabelColumns),
                            cut(entry.label, kLabelColumns).c_str(),
                            entry.admission.found_class == "none"
                                ? "-"
                                : entry.admission.found_class.c_str(),
                            level_of(entry).c_str());
  switch (speed.status) {
    case Status::kUnsupported:
      return text + "        -  no " + speed.reason;
    case Status::kWrong:
      return text + "    WRONG  " + speed.reason;
    case Status::kMeasured:
      break;
  }
  text += format("%9.1f%c%6.1f", speed.ns_per_token,
                 speed.is_in_place ? ' ' : '*', speed.gb_per_s);
  for (const double ratio : {speed.of_touch, speed.of_memcpy, speed.of_plain}) {
    text += ratio_text(ratio);
  }
  return text + (speed.of_first ? ratio_text(*speed.of_first) : "      -");
}

const char* status_word(Status status) {
  switch (status) {
    case Status::kUnsupported:
      return "unsupported";
    case Status::kWrong:
      return "wrong";
    case Status::kMeasured:
      break;
  }
  return "measured";
}

Json kernel_json(const KernelSpeed& speed, const SpeedEntry& entry) {
  Json json = {{"kernel", entry.label}, {"status", status_word(speed.status)}};
  if (speed.status != Status::kMeasured) {
    json["reason"] = speed.reason;
    return json;
  }
  json["in_place"] = speed.is_in_place;
  json["ns_per_token"] = speed.ns_per_token;
  json["gb_per_s"] = speed.gb_per_s;
  json["of_touch"] = speed.of_touch;
  json["of_memcpy"] = speed.of_memcpy;
  json["of_plain"] = speed.of_plain;
  json["of_first"] = speed.of_first ? Json(*speed.of_first) : Json(nullptr);
  json["worst_over_bound"] = speed.worst;
  return json;
}

}  // namespace

std::string speed_heading(const std::vector<SpeedEntry>& entries) {
  std::string text = format("%-*s  %-10s  %-6s  %-5s  %-11s  %s\n",
                            static_cast<int>(kLabelColumns), "kernel",
                            "version", "claims", "found", "level", "argument");
  for (const SpeedEntry& entry : entries) {
    text += format("%-*s  %-10s  %-6s  %-5s  %-11s  ",
                   static_cast<int>(kLabelColumns),
                   cut(entry.label, kLabelColumns).c_str(),
                   cut(entry.version, 10).c_str(),
                   entry.admission.claimed_class.c_str(),
                   entry.admission.found_class.c_str(),
                   entry.admission.level.c_str()) +
            entry.argument + "\n";
  }
  return text +
         "\nOne thread; 32 query heads and 8 key heads. GB/s: what turns, read "
         "once and written once.\nRatios: the time of touch (the same bytes "
         "changed in place), memcpy, plain C++ with libm and\nthe first kernel "
         "over the kernel's, in the same rounds; above 1 the kernel is faster. "
         "*: out\nof place. For a table touch is the best way to fill it.\n";
}

std::string speed_group(const SpeedRow& row) {
  std::string text = "\n" + text::word(plugin::kOperationWords, row.operation) +
                     "  " + text::word(text::kFormatWords, row.dtype);
  if (!row.is_table()) {
    text += "  " + text::word(text::kPairingWords, row.layout.pairing);
  }
  return text + format("\n%7s %9s %8s  %-*s %-7s%9s%7s%7s%7s%7s%7s\n", "tokens",
                       row.is_table() ? "channels" : "head_dim", "touch ns",
                       static_cast<int>(kLabelColumns), "kernel", "judged",
                       "ns/token", "GB/s", "touch", "memcpy", "plain", "first");
}

std::string speed_lines(const RowSpeed& speed,
                        const std::vector<SpeedEntry>& entries) {
  std::string text =
      format("%7lld %9s %8.1f  ", static_cast<long long>(speed.row.tokens),
             speed.row.width().c_str(), speed.touch_ns);
  text.resize(kRowColumns - 1, ' ');
  std::string lines;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += kernel_text(speed.kernels[i], entries[i]);
    lines += cut(text, kColumns) + "\n";
    text.assign(kRowColumns - 1, ' ');
  }
  return lines;
}

std::string speed_json(const std::string& suite_version, int repetitions,
                       const std::vector<SpeedEntry>& entries,
                       const std::vector<RowSpeed>& rows) {
  Json json = {{"format", kSpeedFormat},
               {"ropeproof", suite_version},
               {"threads", 1},
               {"repetitions", repetitions},
               {"kernels", Json::array()},
               {"rows", Json::array()}};
  for (const SpeedEntry& entry : entries) {
    json["kernels"].push_back({{"kernel", entry.label},
                               {"version", entry.version},
                               {"argument", entry.argument},
                               {"level", entry.admission.level},
                               {"claimed_class", entry.admission.claimed_class},
                               {"found_class", entry.admission.found_class}});
  }
  for (const RowSpeed& speed : rows) {
    const SpeedRow& row = speed.row;
    Json item = {
        {"row", row.name()},
        {"operation", text::word(plugin::kOperationWords, row.operation)},
        {"dtype", text::word(text::kFormatWords, row.dtype)}};
    if (!row.is_table()) {
      item["pairing"] = text::word(text::kPairingWords, row.layout.pairing);
      item["q_heads"] = kSpeedQHeads;
      item["k_heads"] = kSpeedKHeads;
      item["head_dim"] = row.layout.head_dim;
    }
    item["rotary_dim"] = row.layout.rotary_dim;
    item["tokens"] = row.tokens;
    item["bytes"] = row.bytes();
    item["ns_per_token"] = {{"touch", speed.touch_ns},
                            {"memcpy", speed.memcpy_ns},
                            {"plain", speed.plain_ns}};
    item["kernels"] = Json::array();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      item["kernels"].push_back(kernel_json(speed.kernels[i], entries[i]));
    }
    json["rows"].push_back(std::move(item));
  }
  return json.dump(1) + "\n";
}

}  // namespace ropeproof::conformance::bench
