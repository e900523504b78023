#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "conformance/explain/rotations.h"
#include "conformance/identify/frequencies.h"
#include "conformance/identify/readings.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "conformance/wrong/pipeline.h"
#include "reference/rope.h"

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
  const cases::Problem& p = reader.problem().problem;
  const auto reciprocal = [&](std::int64_t j) {
    return double{std::pow(static_cast<float>(p.spec.frequencies.base),
                           static_cast<float>(2 * j) /
                               static_cast<float>(p.spec.layout.rotary_dim))};
  };
  for (const double given : kPositions) {
    if (given > max_position || (speeds.broken > 0 && given >= speeds.broken)) {
      break;
    }
    const auto rotations = reader.at(given);
    if (!rotations) continue;
    for (const PairFrequency& pair : speeds.pairs) {
      const double angle = angle_of(reference::at(*rotations, pair.pair));
      const double sign = pair.measured < 0 ? -1 : 1;
      const Theta of_pair{reference::at(theta, pair.pair), pair.due,
                          reciprocal(pair.pair)};
      std::vector<std::size_t> fits;
      for (std::size_t i = 0; i < kTypes; ++i) {
        const double off = std::abs(explain::in_half_circle(
            angle -
            sign * kAngleTypes[i].angle(given + speeds.offset, of_pair)));
        if (off <= reader.noise()) fits.push_back(i);
        if (i == 0 && off > worst) worst = off, worst_at = given;
      }
      ++all;
      for (const std::size_t i : fits) ++agree[i];
      if (fits.size() == 1) ++tells[fits[0]];
    }
  }
  if (all == 0) return std::nullopt;
  const auto best =
      static_cast<std::size_t>(std::ranges::max_element(agree) - agree.begin());
  if (agree[best] < all) {
    return AngleReading{{Standing::kMeasured, "angle",
                         "no type known here; off by up to " +
                             number_words(worst) + " rad, at position " +
                             number_words(worst_at) +
                             "; the nearest: " + kAngleTypes[best].name,
                         text::part_of(agree[best], all) + " values"}};
  }
  std::string text = kAngleTypes[best].name,
              evidence = text::part_of(all, all) + " values";
  for (std::size_t i = best + 1; i < kTypes; ++i) {
    if (agree[i] == all) text += std::string(", or ") + kAngleTypes[i].name;
  }
  if (text == kAngleTypes[best].name) {
    evidence += ", " + std::to_string(tells[best]) + " of them no other type's";
  }
  const bool may =
      is_allowed(best, reader.declared().claim(plugin::abi_dtype(p.dtype)));
  return AngleReading{
      {may ? Standing::kDeclared : Standing::kDiffers, "angle", text, evidence},
      kAngleTypes[best].is_of_exact};
}

std::optional<Finding> read_table_type(RotationReader& reader) {
  const Format dtype = reader.problem().problem.dtype;
  if (is_16_bit(dtype)) return std::nullopt;
  std::vector<double> entries;
  for (int position = 1; position <= kTablePositions; ++position) {
    const auto rotations = reader.at(position);
    if (!rotations) break;
    for (std::size_t j = 0; j < rotations->size(); ++j) {
      if (!reader.is_seen()[j]) continue;
      entries.insert(entries.end(), {(*rotations)[j].c, (*rotations)[j].s});
    }
  }
  if (entries.empty()) return std::nullopt;
  const Format narrow = narrowest(entries, Format::kF64);
  const std::string text =
      narrow == Format::kF64
          ? "wider than f32"
          : text::word(text::kFormatWords, narrow) + " numbers";
  const ropeproof_claim& claim =
      reader.declared().claim(plugin::abi_dtype(dtype));
  const bool may =
      !is_16_bit(narrow) || claim.table_dtype == plugin::abi_dtype(narrow);
  return Finding{may ? Standing::kDeclared : Standing::kDiffers, "cos and sin",
                 text,
                 text::part_of(entries.size(), entries.size()) + " entries"};
}

}  // namespace ropeproof::conformance::identify
