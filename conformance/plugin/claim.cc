#include "conformance/plugin/claim.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "conformance/plugin/description.h"
#include "conformance/plugin/words.h"
#include "conformance/text/one_line.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::plugin {
namespace {

constexpr std::uint32_t kImplied = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_KEYS;
constexpr std::uint32_t kNotShown =
    ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED | ROPEPROOF_VALIDATES |
    ROPEPROOF_DETERMINISTIC | ROPEPROOF_CONCURRENT;

template <std::size_t kSize>
std::uint32_t all_bits(const text::Words<std::uint32_t, kSize>& words) {
  std::uint32_t bits = 0;
  for (const auto& [bit, text] : words) bits |= bit;
  return bits;
}

class Claim {
 public:
  Claim(const std::string& text, const std::string& file) : file_(file) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
      std::istringstream words(line.substr(0, line.find('#')));
      std::string key;
      if (!(words >> key)) continue;
      const bool is_new =
          values_
              .emplace(key, std::vector<std::string>(
                                std::istream_iterator<std::string>(words), {}))
              .second;
      if (!is_new) fail(key + " is there twice");
    }
  }

  [[noreturn]] void fail(const std::string& fault) const {
    throw KernelError(text::one_line(file_ + ": " + fault));
  }

  // The words after the key, and the key is used up; none if it is not there.
  std::vector<std::string> take(const std::string& key) {
    const auto found = values_.find(key);
    if (found == values_.end()) return {};
    std::vector<std::string> words = std::move(found->second);
    values_.erase(found);
    if (words.empty()) fail(key + " has no value");
    return words;
  }

  std::string text(const std::string& key) {
    std::string text;
    for (const std::string& word : take(key)) {
      text += (text.empty() ? "" : " ") + word;
    }
    if (text.empty()) fail(key + " is missing");
    return text;
  }

  template <std::size_t kSize>
  std::uint32_t bits(const std::string& key,
                     const text::Words<std::uint32_t, kSize>& words) {
    std::uint32_t bits = 0;
    for (const std::string& text : take(key)) {
      bits |= known(key, text, words);
    }
    return bits;
  }

  // `otherwise` where the key is not there.
  template <std::size_t kSize>
  std::uint32_t one_of(const std::string& key,
                       const text::Words<std::uint32_t, kSize>& words,
                       std::uint32_t otherwise) {
    const std::vector<std::string> given = take(key);
    if (given.empty()) return otherwise;
    if (given.size() > 1) fail(key + " takes one word");
    return known(key, given[0], words);
  }

  std::int64_t number(const std::string& key, std::int64_t otherwise) {
    const std::vector<std::string> given = take(key);
    if (given.empty()) return otherwise;
    std::int64_t value = 0;
    const char* end = given[0].data() + given[0].size();
    const auto [rest, error] = std::from_chars(given[0].data(), end, value);
    if (given.size() > 1 || error != std::errc{} || rest != end || value < 0) {
      fail(key + " takes one number, 0 or above");
    }
    return value;
  }

  bool has(const std::string& key) const { return values_.contains(key); }

  void finish() const {
    if (values_.empty()) return;
    fail("unknown key \"" + values_.begin()->first + "\"");
  }

 private:
  template <std::size_t kSize>
  std::uint32_t known(const std::string& key, const std::string& text,
                      const text::Words<std::uint32_t, kSize>& words) const {
    const auto value = text::find_word(words, text);
    if (!value) {
      fail(key + " has \"" + text + "\"; known are " + text::list_words(words));
    }
    return *value;
  }

  std::string file_;
  std::map<std::string, std::vector<std::string>> values_;
};

}  // namespace

Description parse_claim(const std::string& text, const std::string& file) {
  Claim claim(text, file);
  Description d;
  d.name = claim.text("name");
  d.version = claim.text("version");
  d.operations = claim.bits("operations", kOperationWords);
  d.dtypes = claim.bits("dtypes", kDtypeWords);
  d.pairings = claim.bits("pairings", kAbiPairingWords);
  d.features = claim.bits("features", kFeatureWords);
  if ((d.features & kNotShown) != 0) {
    claim.fail(
        "in_place, strided, validates, deterministic and concurrent cannot be "
        "shown by files; leave them out");
  }
  d.features |= kImplied;
  if (!claim.has("angle_class")) claim.fail("angle_class is missing");
  d.angle_class = claim.one_of("angle_class", kAngleClassWords, 0);
  d.angle_dtype = claim.one_of("angle_dtype", kDtypeWords, 0);
  d.max_position = claim.number("max_position", 0);
  d.power = claim.one_of("power", kPowerWords, ROPEPROOF_POW);
  d.trig_ulp = static_cast<std::uint32_t>(
      std::min<std::int64_t>(claim.number("trig_ulp", 1), UINT32_MAX));
  d.table_dtype = claim.one_of("table_dtype", kDtypeWords, 0);
  d.rounding = claim.one_of("rounding", kRoundingWords, ROPEPROOF_ROUND_ONCE);
  d.scalings = claim.bits("scalings", kScalingWords);
  claim.finish();
  check_description(d, file);
  return d;
}

Description read_claim(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (!stream.is_open() || stream.bad() || text.empty()) {
    throw std::invalid_argument("--claim " + file +
                                " cannot be read, or is empty");
  }
  return parse_claim(text, file);
}

Description universal_claim() {
  Description d;
  d.name = "universal";
  d.version = "1";
  d.operations = all_bits(kOperationWords);
  d.dtypes = all_bits(kDtypeWords);
  d.pairings = all_bits(kAbiPairingWords);
  d.features = all_bits(kFeatureWords) & ~kNotShown;
  d.scalings = all_bits(kScalingWords);
  return d;
}

}  // namespace ropeproof::conformance::plugin
