#include "conformance/bench/speed_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/bench/speed_report.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::bench {
namespace {

using Json = nlohmann::ordered_json;
using Speeds = std::map<report::Engine, report::SpeedRange>;

Speeds speeds_of(const Json& document) {
  std::map<std::string, report::Engine> engines;  // by label
  for (const Json& kernel : document.at("kernels")) {
    const Json& description = kernel.at("description");
    engines[kernel.at("kernel").get<std::string>()] = {
        description.at("name").get<std::string>(),
        description.at("version").get<std::string>()};
  }
  Speeds speeds;
  for (const Json& row : document.at("rows")) {
    for (const Json& kernel : row.at("kernels")) {
      if (kernel.at("status") != "measured") continue;
      const auto ratio = kernel.at("of_limit").get<double>();
      const auto [at, is_new] =
          speeds.try_emplace(engines.at(kernel.at("kernel").get<std::string>()),
                             report::SpeedRange{ratio, ratio, 0});
      report::SpeedRange& speed = at->second;
      speed.least = std::min(speed.least, ratio);
      speed.most = std::max(speed.most, ratio);
      ++speed.rows;
    }
  }
  return speeds;
}

}  // namespace

Speeds read_speeds(const std::string& text, const std::string& file,
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
  try {
    return speeds_of(document);
  } catch (const std::exception&) {
    fail("a member is missing or of another type; write it again");
  }
  return {};
}

}  // namespace ropeproof::conformance::bench
