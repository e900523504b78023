// A dense tensor of more elements than 32 bits count.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/smaller.h"
#include "conformance/check/attempt.h"
#include "conformance/check/choices.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/vast_memory.h"

namespace ropeproof::conformance::check {
namespace {

constexpr std::int64_t kTile = 8;  // tokens whose rows are looked at together

// The tokens of a case, or its heads, around and around.
cases::Indices repeated(std::int64_t count, std::int64_t of) {
  cases::Indices indices(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    indices[static_cast<std::size_t>(i)] = i % of;
  }
  return indices;
}

// Tiles back to back, [batch, seq, heads], all with the same tokens.
struct Vast {
  cases::Case tile;
  std::int64_t seq = 0;  // of each of two batch rows, whole tiles
  std::int64_t row = 0;  // elements of a token
  std::vector<std::int64_t> looked_at;  // the first tokens of tiles

  std::int64_t elements() const { return 2 * seq * row; }
};

Vast vast_of(const cases::Case& c) {
  const cases::Problem& p = c.problem;
  const std::int64_t d = p.spec.layout.head_dim;
  const std::int64_t heads = std::max<std::int64_t>(kVastRow / d, 1);
  Vast vast;
  vast.tile = cases::pick_heads(
      cases::pick_tokens(c, repeated(kTile, p.tokens()), 1, kTile),
      repeated(heads, p.q_heads), {});
  vast.row = heads * d;
  const std::int64_t in_tile = kTile * vast.row;  // elements
  vast.seq = (kVastElements / 2 / in_tile + 1) * kTile;
  // Both ends of each batch row, and around 2^30, 2^31 and 2^32 elements.
  for (const std::int64_t tile :
       {std::int64_t{0}, kVastElements / 4 / in_tile,
        kVastElements / 2 / in_tile, vast.seq / kTile, kVastElements / in_tile,
        2 * vast.seq / kTile - 1}) {
    if (vast.looked_at.empty() || vast.looked_at.back() < tile * kTile) {
      vast.looked_at.push_back(tile * kTile);
    }
  }
  return vast;
}

}  // namespace

Check check_vast(plugin::Kernel& kernel, const Subject& subject) {
  constexpr Aspect kAspect = Aspect::kVast;
  const std::uint32_t operation = subject.operation;
  if ((operation & (ROPEPROOF_ROPE | ROPEPROOF_ROTATE | ROPEPROOF_LOOKUP)) ==
      0) {
    return not_checked(kAspect, "an operation of tensors");
  }
  const Vast vast = vast_of(subject.c);
  const cases::Problem& p = vast.tile.problem;
  if (declines(kernel, operation, vast.tile)) return declined(kAspect);

  const std::size_t width = plugin::bytes_of(p.dtype);
  const auto bytes_at = [&](std::int64_t token) {
    return static_cast<std::size_t>(token * vast.row) * width;
  };
  std::vector<plugin::ByteRange> own;
  for (const std::int64_t token : vast.looked_at) {
    own.push_back({bytes_at(token), bytes_at(token + kTile)});
  }
  const std::int64_t d = p.spec.layout.head_dim;
  const auto tile_of = [&](std::byte* data) {
    const call::Rows rows{{1, kTile, p.q_heads}, d, {0, vast.row, d}};
    return call::Array{rows, width, data};
  };
  try {
    const plugin::VastMemory in(bytes_at(2 * vast.seq), own);
    std::optional<plugin::VastMemory> apart;
    const bool is_in_place = !offers(kernel, ROPEPROOF_OUT_OF_PLACE);
    if (!is_in_place) apart.emplace(bytes_at(2 * vast.seq), own);
    std::byte* const out = is_in_place ? in.data() : apart->data();
    for (const auto& range : own) {
      if (!is_in_place) {
        std::memset(out + range.begin, cases::kOutputFills[0], range.size());
      }
      call::write(tile_of(in.data() + range.begin), p.q);
    }
    // Everything but the tensor: as for no heads.
    const cases::Case rest =
        cases::pick_tokens(cases::first_heads(vast.tile, 0, 0),
                           repeated(2 * vast.seq, kTile), 2, vast.seq);
    call::Call call = call_of(kernel, {rest, operation});
    ropeproof_problem problem = call.begin();
    problem.q = {in.data(),           out,      p.q_heads,
                 vast.seq * vast.row, vast.row, d,
                 vast.seq * vast.row, vast.row, d};
    const std::optional<plugin::Answer> answer =
        kernel.run_afresh(problem, kVastLimits);
    if (!answer) return not_checked(kAspect, "a process that can be forked");
    judge::Output output;
    const plugin::Answer ended = call.finish(*answer, output);
    const std::string all = std::to_string(vast.elements());
    if (ended.outcome != plugin::Outcome::kOk) {
      return result_of(ended, kAspect, "a call of " + all + " elements");
    }
    for (const auto& range : own) {
      const std::string what =
          std::to_string(range.size() / width) + " elements from " +
          std::to_string(range.begin / width) + " on, of " + all;
      output.q = call::read(tile_of(out + range.begin));
      if (!is_in_place && output.stray.empty() &&
          call::read(tile_of(in.data() + range.begin)) != p.q) {
        output.stray = "changed q, which is no output";
      }
      const Check check =
          judged(kernel, {vast.tile, operation}, ended, output, kAspect, what);
      if (!check.passes()) return check;
    }
    return passed(kAspect);
  } catch (const plugin::NoAddressSpace& error) {
    return not_checked(kAspect, error.what());
  }
}

}  // namespace ropeproof::conformance::check
