#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "conformance/explain/rotations.h"
#include "conformance/identify/arithmetic.h"
#include "conformance/identify/frequency_words.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/format.h"
#include "conformance/wrong/pipeline.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;

constexpr int kTablePositions = 24;

// Odd ones, which no 16-bit type has, and small ones for kernels with a short
// range.
constexpr double kPositions[] = {3,     7,     11,     37,     101,    257,
                                 1023,  2049,  4097,   8191,   16385,  32769,
                                 65537, 98303, 131071, 262147, 524309, 1048573};

// A frequency: as it was read, as it is due, and its reciprocal as f32 has it.
struct Theta {
  double read, due, reciprocal;
};

struct AngleType {
  const char* name;
  wrong::AngleForm form;
  bool is_half = false;
  bool is_of_exact = false;  // of the frequency that is due

  double angle(double position, const Theta& theta) const {
    if (form) return form(position, is_of_exact ? theta.due : theta.read);
    return round_to(Format::kF32,
                    round_to(Format::kF32, position) / theta.reciprocal);
  }
};

const AngleType kAngleTypes[] = {
    {"wider than f32", wrong::wide_product()},
    {"a product in f32", wrong::product_in(Format::kF32)},
    {"a quotient in f32, position / pow(base, 2j/r)", nullptr},
    {"a product of wider numbers, rounded to f32",
     wrong::rounded_product(Format::kF32), false, true},
    {"a product in f32, reduced in f32 with two constants",
     [](double position, double theta) {
       return wrong::reduced_in_f32(
           wrong::product_in(Format::kF32)(position, theta));
     }},
    {"a product in f16", wrong::product_in(Format::kF16), true},
    {"a product in bf16", wrong::product_in(Format::kBF16), true},
    {"a product of wider numbers, rounded to f16",
     wrong::rounded_product(Format::kF16), true, true},
    {"a product of wider numbers, rounded to bf16",
     wrong::rounded_product(Format::kBF16), true, true}};

// Whether a class of angles allows them.
bool is_allowed(std::size_t type, const ropeproof_claim& claim) {
  if (type == 0 || claim.angle_class == ROPEPROOF_A3) return true;
  const bool is_single =
      claim.angle_class == ROPEPROOF_A2 ||
      (claim.angle_class == ROPEPROOF_A1 && claim.angle_dtype == 0);
  return is_single && !kAngleTypes[type].is_half;
}

}  // namespace

std::optional<AngleReading> read_angle(RotationReader& reader,
                                       const std::vector<double>& theta,
                                       const Speeds& speeds,
                                       double max_position) {
  constexpr std::size_t kTypes = std::size(kAngleTypes);
  std::vector<std::int64_t> agree(kTypes, 0), tells(kTypes, 0);
  std::int64_t all = 0;
  double worst = 0, worst_at = 0;
  const cases::Case& c = reader.problem();
  const auto reciprocal = [&](std::int64_t j) {
    return double{
        std::pow(static_cast<float>(c.problem.spec.frequencies.base),
                 static_cast<float>(2 * j) /
                     static_cast<float>(c.problem.spec.layout.rotary_dim))};
  };
  for (const double given : kPositions) {
    if (given > max_position) break;
    if (speeds.broken > 0 && given >= speeds.broken) break;
    const auto rotations = reader.at(given);
    if (!rotations) continue;
    const double used = given + speeds.offset;
    for (const PairFrequency& pair : speeds.pairs) {
      const auto j = static_cast<std::size_t>(pair.pair);
      const double angle = angle_of((*rotations)[j]);
      const double sign = pair.measured < 0 ? -1 : 1;
      std::vector<bool> fits;
      for (std::size_t i = 0; i < kTypes; ++i) {
        const double off = explain::in_half_circle(
            angle - sign * kAngleTypes[i].angle(used, {theta[j], pair.due,
                                                       reciprocal(pair.pair)}));
        fits.push_back(std::abs(off) <= reader.noise());
        if (i == 0 && std::abs(off) > worst) {
          worst = std::abs(off), worst_at = given;
        }
      }
      ++all;
      for (std::size_t i = 0; i < kTypes; ++i) {
        if (!fits[i]) continue;
        ++agree[i];
        if (std::ranges::count(fits, true) == 1) ++tells[i];
      }
    }
  }
  if (all == 0) return std::nullopt;
  std::vector<std::size_t> full;
  for (std::size_t i = 0; i < kTypes; ++i) {
    if (agree[i] == all) full.push_back(i);
  }
  if (full.empty()) {
    const auto i = static_cast<std::size_t>(std::ranges::max_element(agree) -
                                            agree.begin());
    return AngleReading{{Standing::kMeasured, "angle",
                         "no type known here; off by up to " +
                             number_words(worst) + " rad, at position " +
                             number_words(worst_at) +
                             "; the nearest: " + kAngleTypes[i].name,
                         text::part_of(agree[i], all) + " values"}};
  }
  std::string text = kAngleTypes[full[0]].name;
  for (std::size_t i = 1; i < full.size(); ++i) {
    text += std::string(", or ") + kAngleTypes[full[i]].name;
  }
  const bool may = is_allowed(
      full[0], reader.declared().claim(plugin::abi_dtype(c.problem.dtype)));
  return AngleReading{
      {may ? Standing::kDeclared : Standing::kDiffers, "angle", text,
       text::part_of(all, all) + " values" +
           (full.size() > 1 ? ""
                            : ", " + std::to_string(tells[full[0]]) +
                                  " of them no other type's")},
      kAngleTypes[full[0]].is_of_exact};
}

std::optional<Finding> read_table_type(RotationReader& reader) {
  const Format dtype_format = reader.problem().problem.dtype;
  if (dtype_format != Format::kF32 && dtype_format != Format::kF64) {
    return std::nullopt;
  }
  std::int64_t all = 0, in_half = 0, in_brain = 0, in_single = 0;
  for (int position = 1; position <= kTablePositions; ++position) {
    const auto rotations = reader.at(position);
    if (!rotations) break;
    for (std::size_t j = 0; j < rotations->size(); ++j) {
      if (!reader.is_seen()[j]) continue;
      for (const double x : {(*rotations)[j].c, (*rotations)[j].s}) {
        ++all;
        in_half += round_to(Format::kF16, x) == x ? 1 : 0;
        in_brain += round_to(Format::kBF16, x) == x ? 1 : 0;
        in_single += round_to(Format::kF32, x) == x ? 1 : 0;
      }
    }
  }
  if (all == 0) return std::nullopt;
  const bool is_brain = in_brain == all, is_half = in_half == all;
  const bool is_wide = in_single < all;
  const std::string text = is_brain  ? "bf16 numbers"
                           : is_half ? "f16 numbers"
                           : is_wide ? "wider than f32"
                                     : "f32 numbers";
  const std::int64_t count = is_brain ? in_brain : is_half ? in_half : all;
  const std::uint32_t dtype = plugin::abi_dtype(reader.problem().problem.dtype);
  const ropeproof_claim& claim = reader.declared().claim(dtype);
  const std::uint32_t declared =
      claim.table_dtype == 0 ? dtype : claim.table_dtype;
  const bool may = is_brain  ? declared == ROPEPROOF_BF16
                   : is_half ? declared == ROPEPROOF_F16
                             : true;
  return Finding{may ? Standing::kDeclared : Standing::kDiffers, "cos and sin",
                 text, text::part_of(count, all) + " entries"};
}

}  // namespace ropeproof::conformance::identify
