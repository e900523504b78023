#include "conformance/plugin/description.h"

#include <algorithm>
#include <cctype>

#include "conformance/plugin/words.h"
#include "conformance/text/one_line.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::plugin {
namespace {

constexpr std::size_t kMaxNameBytes = 100;
constexpr std::uint32_t kMaxTrigUlp = 4;

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

void check_abi_version(std::int64_t version, const std::string& source) {
  if (version == ROPEPROOF_ABI_VERSION) return;
  throw KernelError(source + ": reports ABI " + std::to_string(version) +
                    ", this suite speaks " +
                    std::to_string(ROPEPROOF_ABI_VERSION) +
                    ": rebuild against ropeproof_kernel.h");
}

void check_description(const Description& d, const std::string& source) {
  const Check check{source};
  check.text("name", d.name, is_name_character, "[A-Za-z0-9._/-]");
  check.text("version", d.version, is_printable, "printable ASCII");
  check.some_bits("operations", d.operations, kOperationWords);
  check.some_bits("dtypes", d.dtypes, kDtypeWords);
  check.some_bits("pairings", d.pairings, kAbiPairingWords);
  check.known_bits("features", d.features, kFeatureWords);
  check.known_bits("scalings", d.scalings, kScalingWords);
  const bool rotates =
      (d.operations & (ROPEPROOF_ROTATE | ROPEPROOF_ROPE)) != 0;
  const bool is_placed =
      (d.features & (ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE)) != 0;
  if (rotates && !is_placed) {
    check.fail("rotates neither out_of_place nor in_place; declare a feature");
  }
  if (d.max_position < 0) {
    check.fail("max_position is " + std::to_string(d.max_position) +
               "; it must be 0 (no limit) or above");
  }

  check.one_of("angle_class", d.angle_class, kAngleClassWords);
  const bool is_16_bit =
      d.angle_dtype == ROPEPROOF_F16 || d.angle_dtype == ROPEPROOF_BF16;
  if (d.angle_class == ROPEPROOF_A3 && !is_16_bit) {
    check.fail("angle class A3 needs an angle_dtype of f16 or bf16");
  }
  const bool is_wide =
      d.angle_class == ROPEPROOF_A1 &&
      (d.angle_dtype == ROPEPROOF_F64 || d.angle_dtype == ROPEPROOF_F32);
  if (d.angle_class != ROPEPROOF_A3 && d.angle_dtype != 0 && !is_wide) {
    check.fail(
        "angle_dtype is for angle class A3, or f64 or f32 for A1; leave it 0");
  }
  check.one_of("power", d.power, kPowerWords);
  if (d.trig_ulp < 1 || d.trig_ulp > kMaxTrigUlp) {
    check.fail("trig_ulp is " + std::to_string(d.trig_ulp) +
               "; it must be 1 to " + std::to_string(kMaxTrigUlp));
  }
  if (d.table_dtype != 0) {
    check.one_of("table_dtype", d.table_dtype, kDtypeWords);
  }
  check.one_of("rounding", d.rounding, kRoundingWords);
}

}  // namespace ropeproof::conformance::plugin
