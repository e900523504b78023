#include "conformance/models/profiles.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <set>
#include <string>

namespace ropeproof::conformance::models {
namespace {

using Catch::Matchers::ContainsSubstring;
using reference::Format;

const std::filesystem::path kPresets =
    std::filesystem::path(ROPEPROOF_VECTORS_DIR) / "models";

Profile named(const char* name) {
  return make_profile(find_profile(name), kPresets);
}

// The parts of a profile that has no name of its own.
ProfileParts parts_of(const char* model) {
  ProfileParts parts;
  parts.model = model;
  parts.dtype = Format::kBF16;
  return parts;
}

Profile custom(const ProfileParts& parts) {
  return make_profile(parts, kPresets);
}

TEST_CASE(
    "there are profiles of at least 12 models, each with cases of its own",
    "[conformance][profiles]") {
  CHECK(profiles().size() >= 12);
  std::set<std::string> ids;
  std::size_t count = 0;
  for (const ProfileParts& parts : profiles()) {
    CAPTURE(parts.name);
    const Profile profile = make_profile(parts, kPresets);
    const cases::Group group = profile_cases(profile);
    CHECK(group.rope_cases.size() >= 5);
    for (const cases::Case& c : group.rope_cases) {
      ids.insert(c.id);
      ++count;
      CHECK(c.id.starts_with("profile-" + parts.name + "-"));
      CHECK(c.problem.dtype == profile.dtype);
      for (const double p : c.problem.positions) {
        CHECK(p < static_cast<double>(profile.positions));
      }
    }
    CHECK_FALSE(summary(profile).empty());
  }
  CHECK(ids.size() == count);
}

TEST_CASE("positions are what those of the model are",
          "[conformance][profiles]") {
  const auto positions_of = [](const char* model) {
    ProfileParts parts = parts_of(model);
    parts.positions = 64;
    std::vector<double> all;
    for (const auto& c : profile_cases(custom(parts)).rope_cases) {
      const auto& own = c.problem.positions;
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  };
  const auto is_whole = [](double p) { return p == std::floor(p); };
  const auto reals = positions_of("dinov3");
  CHECK_FALSE(std::ranges::all_of(reals, is_whole));
  CHECK(std::ranges::min(reals) < 0);
  const auto centred = positions_of("qwen-image");
  CHECK(std::ranges::all_of(centred, is_whole));
  CHECK(std::ranges::min(centred) == -32);
  CHECK(std::ranges::max(centred) == 63);  // time counts from 0
}

TEST_CASE("a profile has the parameters of its model",
          "[conformance][profiles]") {
  const auto spec_of = [](const char* name) {
    return profile_cases(named(name)).rope_cases[0].problem.spec;
  };
  const auto llama = spec_of("llama3-f32-128k");
  const auto* scaling =
      std::get_if<reference::Llama3>(&llama.frequencies.scaling);
  REQUIRE(scaling != nullptr);
  CHECK(scaling->factor == 8);
  CHECK(llama.frequencies.base == 5e5);
  CHECK(spec_of("deepseek-v3-bf16-160k").layout.rotary_offset == 128);
  CHECK(spec_of("gemma3-local-bf16-32k").frequencies.base == 1e4);
  CHECK(spec_of("gemma3-global-bf16-128k").frequencies.base == 1e6);
  CHECK(spec_of("qwen2-vl-bf16-32k").axes.count == 3);
  CHECK(spec_of("phi2-f16-2k").layout.rotary_dim == 32);
  CHECK(spec_of("llama3-f32-8k-backward").direction ==
        reference::Direction::kAdjoint);
}

TEST_CASE("a profile with a length has the length of each call",
          "[conformance][profiles]") {
  int long_calls = 0, short_calls = 0;
  for (const cases::Case& c :
       profile_cases(named("phi3-longrope-bf16-128k")).rope_cases) {
    const auto& scaling =
        std::get<reference::LongRope>(c.problem.spec.frequencies.scaling);
    CHECK(static_cast<double>(scaling.seq_len) ==
          std::ranges::max(c.problem.positions) + 1);
    ++(scaling.seq_len > scaling.original_length ? long_calls : short_calls);
  }
  CHECK(long_calls > 2);
  CHECK(short_calls > 2);
}

TEST_CASE("a profile reaches the last position and crosses powers of two",
          "[conformance][profiles]") {
  const cases::Group group = profile_cases(named("llama3-f32-128k"));
  std::set<double> positions;
  for (const cases::Case& c : group.rope_cases) {
    positions.insert(c.problem.positions.begin(), c.problem.positions.end());
  }
  for (const double p : {0., 1., 255., 256., 257., 2049., 65535., 131071.}) {
    CAPTURE(p);
    CHECK(positions.contains(p));
  }
}

TEST_CASE("any model makes a profile, named after all that was chosen",
          "[conformance][profiles]") {
  ProfileParts parts = parts_of("llama-3.1");
  CHECK(custom(parts).name == "llama-3.1-bf16-131072-4x1");
  parts.positions = 8192;
  parts.q_heads = 32;
  parts.k_heads = 8;
  CHECK(custom(parts).name == "llama-3.1-bf16-8192-32x8");
  parts.direction = reference::Direction::kAdjoint;
  parts.pairing = reference::Pairing::kInterleaved;
  const Profile profile = custom(parts);
  CHECK(profile.name == "llama-3.1-interleaved-bf16-8192-32x8-adjoint");
  for (const cases::Case& c : profile_cases(profile).rope_cases) {
    CHECK(c.id.starts_with("profile-" + profile.name + "-"));
    CHECK(c.problem.q_heads == 32);
    CHECK(c.problem.k_heads == 8);
    CHECK(c.problem.spec.direction == reference::Direction::kAdjoint);
    CHECK(c.problem.spec.layout.pairing == reference::Pairing::kInterleaved);
    CHECK(std::ranges::max(c.problem.positions) < 8192);
  }
}

TEST_CASE("a profile has at least two positions, all below its number",
          "[conformance][profiles]") {
  ProfileParts parts = parts_of("llama-2");
  for (const std::int64_t count : {2, 3, 4, 5, 7, 8, 9}) {
    parts.positions = count;
    std::set<double> positions;
    for (const auto& c : profile_cases(custom(parts)).rope_cases) {
      positions.insert(c.problem.positions.begin(), c.problem.positions.end());
    }
    CHECK(*positions.begin() == 0);
    CHECK(*positions.rbegin() == static_cast<double>(count - 1));
  }
}

TEST_CASE("what does not fit a model makes no profile",
          "[conformance][profiles]") {
  ProfileParts gemma = parts_of("gemma-3-4b");
  gemma.layers = "odd";
  CHECK_THROWS_WITH(custom(gemma),
                    ContainsSubstring("full_attention or sliding_attention"));
  const auto with_heads = [](std::int64_t q, std::int64_t k) {
    ProfileParts parts = parts_of("llama-2");
    parts.q_heads = q, parts.k_heads = k;
    return custom(parts);
  };
  CHECK_THROWS_WITH(with_heads(-4, 1), ContainsSubstring("at least 1"));
  CHECK_THROWS_WITH(with_heads(std::int64_t{1} << 62, 1),
                    ContainsSubstring("at most 131072 channels"));
  CHECK_NOTHROW(with_heads(512, 512));
  CHECK_THROWS_WITH(with_heads(513, 513), ContainsSubstring("at most"));
  ProfileParts parts = parts_of("llama-2");
  parts.positions = 1;
  CHECK_THROWS_WITH(custom(parts), ContainsSubstring("2 to 2^53"));
  parts.positions = reference::kMaxPosition;
  CHECK_NOTHROW(custom(parts));
}

}  // namespace
}  // namespace ropeproof::conformance::models
