// ropeproof search-hard: the values that are hardest to round, for the vectors.
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/cases/bits_json.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "reference/sweep/hardest.h"
#include "tools/commands.h"
#include "tools/output_file.h"

namespace ropeproof::tools {
namespace {

using nlohmann::ordered_json;
using reference::sweep::Hard;
using reference::sweep::HardCase;

// What vectors/sources/hard_to_round.json is made with: cos and sin of every
// position below 131,072 and of as many random ones below 2^31, of all pairs;
// 16 million random pairs, rotated, for each base, width and dtype.
const reference::sweep::HardSearch kSearch{{10000, 500000, 1e6, 1e7},
                                           {128, 80},
                                           131072,
                                           std::int64_t{1} << 31,
                                           262144,
                                           3,
                                           2,
                                           20261121};

ordered_json as_json(const HardCase& hard) {
  constexpr const char* kWhat[] = {"cos", "sin", "q"};
  ordered_json result = {{"dtype", text::word(text::kFormatWords, hard.format)},
                         {"base", cases::hex(hard.base)},
                         {"rotary_dim", hard.rotary_dim},
                         {"pair", hard.pair},
                         {"position", hard.position},
                         {"what", kWhat[static_cast<int>(hard.what)]}};
  if (hard.what == Hard::kRotated) {
    result["x"] = {cases::hex(encode(hard.format, hard.x_u), hard.format),
                   cases::hex(encode(hard.format, hard.x_v), hard.format)};
  }
  result["distance_log2"] = text::format("%.2f", std::log2(hard.distance));
  return result;
}

int search(const std::string& output) {
  const OutputFile file("search-hard", output, {});
  const auto found =
      reference::sweep::find_hardest(reference::Oracle::kMpfi, kSearch);
  std::string text = "{\"format\": \"ropeproof-hard/1\", \"cases\": [";
  const char* separator = "\n";
  for (const HardCase& hard : found) {
    text += separator + as_json(hard).dump();
    separator = ",\n";
  }
  text += "\n]}\n";
  file.write(text);
  std::cout << "wrote " << found.size() << " cases to " << output << "\n";
  return 0;
}

}  // namespace

Command add_search_hard(CLI::App& app) {
  auto output = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "search-hard",
      "write the angles and inputs that are hardest to round (needs MPFI; a "
      "minute)");
  command->add_option("output", *output, "JSON file to write")->required();
  return {command, [output] { return search(*output); }};
}

}  // namespace ropeproof::tools
