// variations.h -- cases that differ from another one in one field alone.
//
// What a kernel keeps from one call to the next must be kept under every field
// that it depends on. Here are, for each field of a problem and of its scaling,
// two problems that differ in that field, and the check that calls the one
// after the other.
//
// These are no pairs of rows of the coverage model: a class holds several
// fields or none ("yarn beta_slow", "position 2 of 6"). Measured over 15,130
// pairs of rows that differ in one class, 22 of the 49 fields that a cache's
// key may lack (wrong/kept.h) never differ alone, 20 of them of a scaling.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/check/contract.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// What a change is of: angles, which must show it; a length of a scaling, which
// the positions say; or anything else.
enum class ChangeOf { kAngles, kLength, kOther };

struct Change {
  std::string field;  // "base", "yarn beta_slow", "position 2 of 6"
  ChangeOf of;
  cases::Case c;
};

// A case, and others that each differ from it in one field.
struct Variation {
  cases::Case base;
  std::vector<Change> changes;
};

// Every field that the kernel takes in more than one value: the first Variation
// is of `like` itself, a case that it takes, with up to two batch rows of three
// tokens; then one for each scaling, for frequencies, axes, weights and xPos,
// in the layout of `like`, each as far as the kernel offers it and does not
// decline it. Where cos and sin are given, there is the first alone; in a
// profile too, and dtype, pairing, direction, axes and frequencies that lists
// say stay the model's. All have the id of `like`, so that those of one size
// lie at the same addresses. A changed angle changes some cosine or sine by an
// eighth. Cost: a millisecond a case of eight pairs.
std::vector<Variation> variations_of(plugin::Kernel& kernel,
                                     std::uint32_t operation,
                                     const cases::Case& like,
                                     bool is_profile = false);

// The variations that the kernel takes under another operation; where that is
// given cos and sin, of the first alone.
std::vector<Variation> offered_of(plugin::Kernel& kernel,
                                  std::uint32_t operation,
                                  std::span<const Variation> variations);

// For every kernel: A, B, A for each change B of a base A, then those B that
// are lengths one after the other, in one process, each judged; for
// ROPEPROOF_DETERMINISTIC a problem gives the same bits each time.
Check check_changes(plugin::Kernel& kernel, std::uint32_t operation,
                    std::span<const Variation> variations);

}  // namespace ropeproof::conformance::check
