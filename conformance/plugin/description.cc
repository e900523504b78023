#include "conformance/plugin/description.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <utility>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/features.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/one_line.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::plugin {
namespace {

constexpr std::size_t kMaxNameBytes = 100;
constexpr std::uint32_t kMaxPaddingBytes = 4096;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("._/-").find(c) != std::string_view::npos;
}

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

struct Check {
  const std::string& source;

  [[noreturn]] void fail(const std::string& message) const {
    throw KernelError(source + ": " + message);
  }

  template <std::size_t kSize>
  void known_bits(const char* field, std::uint32_t value,
                  const text::Words<std::uint32_t, kSize>& words) const {
    std::uint32_t unknown = value;
    for (const auto& [bit, text] : words) unknown &= ~bit;
    if (unknown != 0) {
      fail(std::string(field) + " has unknown bits " + std::to_string(unknown) +
           "; known are " + text::list_words(words));
    }
  }

  template <std::size_t kSize>
  void some_bits(const char* field, std::uint32_t value,
                 const text::Words<std::uint32_t, kSize>& words) const {
    known_bits(field, value, words);
    if (value == 0) {
      fail(std::string("declares no ") + field + "; needs at least one of " +
           text::list_words(words));
    }
  }

  template <std::size_t kSize>
  void one_of(const char* field, std::uint32_t value,
              const text::Words<std::uint32_t, kSize>& words) const {
    const auto is_value = [&](const auto& pair) { return pair.first == value; };
    if (std::none_of(words.begin(), words.end(), is_value)) {
      fail(std::string(field) + " is " + std::to_string(value) +
           "; it must be " + text::list_words(words));
    }
  }

  void ulps(const char* field, std::uint32_t value) const {
    if (value >= 1 && value <= kMaxUlp) return;
    fail(std::string(field) + " is " + std::to_string(value) +
         "; it must be 1 to " + std::to_string(kMaxUlp));
  }

  void claim(const ropeproof_claim& c) const {
    known_bits("dtypes of a claim", c.dtypes, kDtypeWords);
    one_of("angle_class", c.angle_class, kAngleClassWords);
    const bool is_16_bit =
        c.angle_dtype == ROPEPROOF_F16 || c.angle_dtype == ROPEPROOF_BF16;
    if (c.angle_class == ROPEPROOF_A3 && !is_16_bit) {
      fail("angle class A3 needs an angle_dtype of f16 or bf16");
    }
    const bool is_wide =
        c.angle_class == ROPEPROOF_A1 &&
        (c.angle_dtype == ROPEPROOF_F64 || c.angle_dtype == ROPEPROOF_F32);
    if (c.angle_class != ROPEPROOF_A3 && c.angle_dtype != 0 && !is_wide) {
      fail(
          "angle_dtype is for angle class A3, or f64 or f32 for A1; leave it "
          "0");
    }
    one_of("power", c.power, kPowerWords);
    ulps("power_ulp", c.power_ulp);
    ulps("trig_ulp", c.trig_ulp);
    if (c.table_dtype != 0) one_of("table_dtype", c.table_dtype, kDtypeWords);
    one_of("rounding", c.rounding, kRoundingWords);
  }

  void text(const char* field, const std::string& value, bool (*allowed)(char),
            const char* rule) const {
    if (value.empty() || value.size() > kMaxNameBytes ||
        !std::all_of(value.begin(), value.end(), allowed)) {
      fail(std::string(field) + " \"" + text::one_line(value) +
           "\" must be 1 to " + std::to_string(kMaxNameBytes) +
           " characters of " + rule);
    }
  }
};

}  // namespace

const ropeproof_claim& Description::claim(std::uint32_t dtype) const {
  for (const ropeproof_claim& claim : claims) {
    if (claim.dtypes == 0 || (claim.dtypes & dtype) != 0) return claim;
  }
  return claims.front();
}

Description description_of(const ropeproof_description& d, std::string name,
                           std::string version) {
  constexpr ropeproof_claim kNothing{};
  std::size_t count = std::size(d.claims);
  while (count > 1 &&
         std::memcmp(&d.claims[count - 1], &kNothing, sizeof kNothing) == 0) {
    --count;
  }
  std::vector<ropeproof_claim> claims(d.claims, d.claims + count);
  for (ropeproof_claim& claim : claims) {
    claim.power_ulp = std::max(claim.power_ulp, 1u);
    claim.trig_ulp = std::max(claim.trig_ulp, 1u);
  }
  Description made;
  made.name = std::move(name), made.version = std::move(version);
  made.operations = d.operations, made.dtypes = d.dtypes;
  made.pairings = d.pairings, made.features = d.features;
  made.axis_maps = d.axis_maps, made.caches = d.caches;
  made.scalings = d.scalings, made.padding_bytes = d.padding_bytes;
  made.max_position = d.max_position, made.claims = std::move(claims);
  return made;
}

void check_abi_version(std::int64_t version, const std::string& source) {
  if (version == ROPEPROOF_ABI_VERSION) return;
  throw KernelError(source + ": reports ABI " + std::to_string(version) +
                    ", this suite speaks " +
                    std::to_string(ROPEPROOF_ABI_VERSION) +
                    ": rebuild against ropeproof_kernel.h");
}

namespace {

void check_claims(const Check& check, const Description& d) {
  if (d.claims.empty() || d.claims.size() > ROPEPROOF_MAX_CLAIMS) {
    check.fail("makes " + std::to_string(d.claims.size()) +
               " claims; it must be 1 to " +
               std::to_string(ROPEPROOF_MAX_CLAIMS));
  }
  std::uint32_t left = d.dtypes;
  for (const ropeproof_claim& claim : d.claims) {
    check.claim(claim);
    if (&claim != &d.claims.back() && claim.dtypes == 0) {
      check.fail(
          "a claim without dtypes is for all that are left: it must be the "
          "last one");
    }
    left &= claim.dtypes == 0 ? 0 : ~claim.dtypes;
  }
  for (const auto& [dtype, word] : kDtypeWords) {
    if ((left & dtype) != 0) {
      check.fail("no claim names dtype " + std::string(word) +
                 "; a claim without dtypes is for all that are left");
    }
  }
}

}  // namespace

void check_description(const Description& d, const std::string& source) {
  const Check check{source};
  check.text("name", d.name, is_name_character, "[A-Za-z0-9._/-]");
  check.text("version", d.version, is_printable, "printable ASCII");
  if (d.backend) {
    check.text("backend.name", d.backend->name, is_name_character,
               "[A-Za-z0-9._/-]");
    check.text("backend.version", d.backend->version, is_printable,
               "printable ASCII");
  }
  check.some_bits("operations", d.operations, kOperationWords);
  check.some_bits("dtypes", d.dtypes, kDtypeWords);
  check.some_bits("pairings", d.pairings, kAbiPairingWords);
  check.known_bits("features", d.features, kFeatureWords);
  check.known_bits("axis_maps", d.axis_maps, kAxisMapWords);
  check.known_bits("caches", d.caches, kCacheWords);
  check.known_bits("scalings", d.scalings, kScalingWords);
  if ((d.operations & ROPEPROOF_LOOKUP) != 0) {
    check.some_bits("caches", d.caches, kCacheWords);
  }
  const bool rotates = (d.operations & kTensors) != 0;
  const bool has_outputs =
      (d.features & (ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE)) != 0;
  if (rotates && !has_outputs) {
    check.fail("rotates neither out_of_place nor in_place; declare a feature");
  }
  if ((d.axis_maps & ROPEPROOF_AXES_GRID) != 0 &&
      (d.operations & kAngles) != 0 &&
      (d.features & (ROPEPROOF_INV_FREQ | ROPEPROOF_EXPONENTS)) == 0) {
    check.fail(
        "axis_maps has grid, whose frequencies are given; declare inv_freq or "
        "exponents");
  }
  if (d.max_position < 0) {
    check.fail("max_position is " + std::to_string(d.max_position) +
               "; it must be 0 (no limit) or above");
  }

  if (d.padding_bytes > kMaxPaddingBytes) {
    check.fail("padding_bytes is " + std::to_string(d.padding_bytes) +
               "; it must be 0 to " + std::to_string(kMaxPaddingBytes));
  }
  check_claims(check, d);
}

Description everything(std::string name) {
  Description d;
  d.name = std::move(name);
  d.version = "1";
  d.operations = text::all_bits(kOperationWords);
  d.dtypes = text::all_bits(kDtypeWords);
  d.pairings = text::all_bits(kAbiPairingWords);
  d.features = text::all_bits(kFeatureWords);
  d.axis_maps = text::all_bits(kAxisMapWords);
  d.caches = text::all_bits(kCacheWords);
  d.scalings = text::all_bits(kScalingWords);
  return d;
}

}  // namespace ropeproof::conformance::plugin
