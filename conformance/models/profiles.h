// profiles.h -- what a kernel must pass to serve a model: named lists of cases.
//
// A profile is a model's RoPE, a dtype and a range of positions. Its parameters
// are those of a preset (vectors/models/); its cases follow from them alone, and
// their goldens are computed when it runs, by the certifying oracle where that
// was built. So a profile costs no committed bytes, its ids are permanent
// (`profile-NAME-001`), and every machine judges the same bits.
//
// A kernel conforms to a profile if it passes every case under `rope`, or under
// `rotate` if it does not form angles. What it does not offer is UNSUPPORTED,
// and does not conform.
#ifndef ROPEPROOF_CONFORMANCE_MODELS_PROFILES_H_
#define ROPEPROOF_CONFORMANCE_MODELS_PROFILES_H_

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "conformance/cases/case.h"
#include "reference/golden.h"

namespace ropeproof::conformance::models {

struct Profile {
  std::string_view name;    // "llama3-f32-128k"
  std::string_view model;   // the preset
  std::string_view layers;  // of a model that has several; else empty
  reference::Format dtype;
  std::int64_t positions;  // 0 .. positions - 1, on every axis
  std::int64_t q_heads, k_heads;
  reference::Direction direction;
  std::string_view note;  // what it is, beside the model's title
};

std::span<const Profile> profiles();

// Throws std::invalid_argument, naming all of them.
const Profile& find_profile(const std::string& name);

// The cases without goldens, in a group "profile-NAME"; `presets` is the folder
// vectors/models. Throws FileError for a broken preset.
cases::Group profile_cases(const Profile& profile,
                           const std::filesystem::path& presets);

// The same with goldens. Cost: below a second with MPFI.
cases::Group proved_profile(const Profile& profile,
                            const std::filesystem::path& presets);

// A profile in one line.
std::string summary(const Profile& profile,
                    const std::filesystem::path& presets);

}  // namespace ropeproof::conformance::models

#endif  // ROPEPROOF_CONFORMANCE_MODELS_PROFILES_H_
