#include "conformance/plugin/words.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "conformance/plugin/features.h"

namespace ropeproof::conformance::plugin {
namespace {

// The words in the second column of the row that is about `field`.
std::vector<std::string> documented(const std::string& field) {
  std::ifstream file(ROPEPROOF_SOURCE_DIR "/conformance/adapters/PROTOCOL.md");
  const std::regex row("\\| `" + field + "` +\\|(.*)\\|"), word("`(\\w+)`");
  std::vector<std::string> words;
  std::smatch cells;
  for (std::string line; words.empty() && std::getline(file, line);) {
    if (!std::regex_match(line, cells, row)) continue;
    const std::string cell = cells[1];
    for (std::sregex_iterator at(cell.begin(), cell.end(), word), end;
         at != end; ++at) {
      words.push_back((*at)[1]);
    }
  }
  std::ranges::sort(words);
  return words;
}

template <std::size_t kSize>
std::vector<std::string> known(const text::Words<std::uint32_t, kSize>& table) {
  std::vector<std::string> words;
  for (const auto& [bit, word] : table) words.emplace_back(word);
  std::ranges::sort(words);
  return words;
}

}  // namespace

TEST_CASE("the protocol's document has the words of the ABI, and no others",
          "[conformance][kernel]") {
  CHECK(documented("operations") == known(kOperationWords));
  CHECK(documented("dtypes") == known(kDtypeWords));
  CHECK(documented("pairings") == known(kAbiPairingWords));
  CHECK(documented("features") == known(kFeatureWords));
  CHECK(documented("axis_maps") == known(kAxisMapWords));
  CHECK(documented("caches") == known(kCacheWords));
  CHECK(documented("scalings") == known(kScalingWords));
  CHECK(documented("angle_class") == known(kAngleClassWords));
  CHECK(documented("power") == known(kPowerWords));
  CHECK(documented("rounding") == known(kRoundingWords));
}

}  // namespace ropeproof::conformance::plugin
