// profiles.h -- what a kernel must pass to serve a model: lists of cases.
// PROFILES.md says what they follow from and what conforms.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/models/model_rope.h"
#include "reference/golden.h"

namespace ropeproof::conformance::models {

// What to make a profile of: a row of the table of names, or flags.
struct ProfileParts {
  std::string name;    // empty: what make_profile() makes of the rest
  std::string model;   // the preset
  std::string layers;  // of a model that has several kinds; else empty
  reference::Format dtype = reference::Format::kF32;
  std::optional<std::int64_t> positions = {};  // none: the model's context
  // Grouped-query attention in miniature, so that head counts differ.
  std::int64_t q_heads = 4, k_heads = 1;
  reference::Direction direction = reference::Direction::kForward;
  std::string note = {};                           // beside the model's title
  std::filesystem::path config = {};               // in place of the preset
  std::optional<reference::Pairing> pairing = {};  // none: the model's
};

struct Profile {
  // "llama3-f32-128k"; without a name of its own the model, or the first 12
  // digits of the SHA-256 of its config.json, and all that was chosen:
  // "llama-3.1-bf16-131072-4x1", "config-0f1e2d3c4b5a-f32-4096-32x8".
  std::string name;
  std::string
      whole;  // the same of all kinds of layers, where there are several
  std::string title;  // of the model
  std::string note;
  reference::Spec spec;  // of the model, with the direction
  // One per axis; empty: all are counts.
  std::vector<Coordinates> coordinates;
  reference::Format dtype = reference::Format::kF32;
  std::int64_t positions = 0;  // 0 .. positions - 1, on every axis
  std::int64_t q_heads = 0, k_heads = 0;
};

// Returns the profiles with names.
std::span<const ProfileParts> profiles();

// Finds a profile by its name. Throws std::invalid_argument, naming all.
const ProfileParts& find_profile(const std::string& name);

// `presets` is the folder vectors/models. Throws std::invalid_argument for an
// unknown model or layers, and what does not fit; ConfigError for a
// config.json; FileError for a broken preset.
Profile make_profile(const ProfileParts& parts,
                     const std::filesystem::path& presets);

// Returns a profile of each kind of layers, where `parts` names none.
std::vector<Profile> make_profiles(const ProfileParts& parts,
                                   const std::filesystem::path& presets);

// Returns the cases without goldens, in a group "profile-NAME".
cases::Group profile_cases(const Profile& profile);

// Returns the cases with goldens. Cost: below a second with MPFI and few heads.
cases::Group proved_profile(const Profile& profile);

// Returns a profile in one line.
std::string summary(const Profile& profile);

}  // namespace ropeproof::conformance::models
