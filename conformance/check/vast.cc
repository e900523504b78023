// Dense tensors of many elements: a prompt, and more than 32 bits count.
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

constexpr const char* kOfTensors = "an operation of tensors";
constexpr std::int64_t kTile = 8;  // tokens whose rows are looked at together

// The tokens of a case, or its heads, around and around.
cases::Indices repeated(std::int64_t count, std::int64_t of) {
  cases::Indices indices(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    indices[static_cast<std::size_t>(i)] = i % of;
  }
  return indices;
}

// Rows of a case, tile after tile, [batch, seq, heads]: all tiles are the same
// kTile tokens.
struct Tiled {
  cases::Case tile;
  std::int64_t seq = 0;   // of each of two batch rows, whole tiles
  std::int64_t row = 0;   // elements of a token
  std::size_t width = 0;  // bytes of an element

  std::int64_t elements() const { return 2 * seq * row; }
  std::size_t bytes_at(std::int64_t token) const {
    return static_cast<std::size_t>(token * row) * width;
  }
  std::size_t bytes() const { return bytes_at(2 * seq); }
  call::Array array(std::byte* data) const {
    const std::int64_t d = tile.problem.spec.layout.head_dim;
    return {{{1, kTile, tile.problem.q_heads}, d, {0, row, d}}, width, data};
  }
  // Everything but the tensor: as for no heads.
  cases::Case rest() const {
    return cases::pick_tokens(cases::first_heads(tile, 0, 0),
                              repeated(2 * seq, kTile), 2, seq);
  }
  ropeproof_tensor tensor(const std::byte* in, std::byte* out) const {
    const std::int64_t d = tile.problem.spec.layout.head_dim;
    return {in,  out, tile.problem.q_heads, seq * row, row, d, seq * row,
            row, d};
  }
};

// `elements` and some more.
Tiled tiled(const cases::Case& c, std::int64_t elements, std::int64_t row) {
  const cases::Problem& p = c.problem;
  const std::int64_t d = p.spec.layout.head_dim;
  const std::int64_t heads = std::max<std::int64_t>(row / d, 1);
  Tiled all;
  all.tile = cases::pick_heads(
      cases::pick_tokens(c, repeated(kTile, p.tokens()), 1, kTile),
      repeated(heads, p.q_heads), {});
  all.row = heads * d;
  all.seq = (elements / 2 / (kTile * all.row) + 1) * kTile;
  all.width = plugin::bytes_of(p.dtype);
  return all;
}

// The first tokens of the tiles at both ends of each batch row, and around
// 2^30, 2^31 and 2^32 elements.
std::vector<std::int64_t> looked_at(const Tiled& vast) {
  const std::int64_t in_tile = kTile * vast.row;  // elements
  std::vector<std::int64_t> tokens;
  for (const std::int64_t tile :
       {std::int64_t{0}, kVastElements / 4 / in_tile,
        kVastElements / 2 / in_tile, vast.seq / kTile, kVastElements / in_tile,
        2 * vast.seq / kTile - 1}) {
    if (tokens.empty() || tokens.back() < tile * kTile) {
      tokens.push_back(tile * kTile);
    }
  }
  return tokens;
}

bool has_tensors(std::uint32_t operation) {
  return (operation & (ROPEPROOF_ROPE | ROPEPROOF_ROTATE | ROPEPROOF_LOOKUP)) !=
         0;
}

// The tile of the output that begins at this token, judged.
Check judged_tile(const plugin::Kernel& kernel, const Tiled& all,
                  std::uint32_t operation, const plugin::Answer& ended,
                  judge::Output output, std::byte* out, std::int64_t token,
                  Aspect aspect) {
  output.q = call::read(all.array(out + all.bytes_at(token)));
  return judged(kernel, {all.tile, operation}, ended, output, aspect,
                std::to_string(kTile * all.row) + " elements from " +
                    std::to_string(token * all.row) + " on, of " +
                    std::to_string(all.elements()));
}

}  // namespace

Check check_prompt(plugin::Kernel& kernel, const Subject& subject) {
  constexpr Aspect kAspect = Aspect::kPrompt;
  const std::uint32_t operation = subject.operation;
  if (!has_tensors(operation)) return not_checked(kAspect, kOfTensors);
  const std::int64_t elements =
      kernel.shares_memory() ? kPromptElements : kPromptElements / 2;
  const Tiled all = tiled(subject.c, elements, kPromptRow);
  if (declines(kernel, operation, all.tile)) return declined(kAspect);
  const cases::Case rest = all.rest();
  call::Call call = call_of(kernel, {rest, operation});
  ropeproof_problem problem = call.begin();
  std::byte* const in = kernel.allocate_at(plugin::Edge::kStart, all.bytes());
  std::byte* out = in;
  if (offers(kernel, ROPEPROOF_OUT_OF_PLACE)) {
    out = kernel.allocate_at(plugin::Edge::kStart, all.bytes());
    std::memset(out, cases::kOutputFills[0], all.bytes());
  }
  call::write(all.array(in), all.tile.problem.q);
  const std::size_t tile = all.bytes_at(kTile);
  for (std::size_t at = tile; at < all.bytes(); at += tile) {
    std::memcpy(in + at, in, tile);
  }
  problem.q = all.tensor(in, out);
  const plugin::Answer choice =
      kernel.has_supports() ? kernel.supports(problem) : plugin::Answer{};
  if (choice.outcome == plugin::Outcome::kDeclined) return declined(kAspect);
  if (choice.outcome != plugin::Outcome::kOk) {
    return result_of(choice, kAspect, "ropeproof_supports");
  }
  judge::Output output;
  const plugin::Answer ended = call.finish(kernel.run(problem), output);
  if (ended.outcome != plugin::Outcome::kOk) {
    return result_of(
        ended, kAspect,
        "a call of " + std::to_string(all.elements()) + " elements");
  }
  const std::byte* last = nullptr;  // the last tile that was judged
  for (std::int64_t token = 0; token < 2 * all.seq; token += kTile) {
    std::byte* const data = out + all.bytes_at(token);
    if (last != nullptr && std::memcmp(last, data, tile) == 0) continue;
    const Check check =
        judged_tile(kernel, all, operation, ended, output, out, token, kAspect);
    if (!check.passes()) return check;
    last = data;
  }
  return passed(kAspect);
}

Check check_vast(plugin::Kernel& kernel, const Subject& subject) {
  constexpr Aspect kAspect = Aspect::kVast;
  const std::uint32_t operation = subject.operation;
  if (!has_tensors(operation)) return not_checked(kAspect, kOfTensors);
  const Tiled vast = tiled(subject.c, kVastElements, kVastRow);
  const cases::Problem& p = vast.tile.problem;
  if (declines(kernel, operation, vast.tile)) return declined(kAspect);

  const std::vector<std::int64_t> tokens = looked_at(vast);
  std::vector<plugin::ByteRange> own;
  for (const std::int64_t token : tokens) {
    own.push_back({vast.bytes_at(token), vast.bytes_at(token + kTile)});
  }
  try {
    const plugin::VastMemory in(vast.bytes(), own);
    std::optional<plugin::VastMemory> apart;
    const bool is_in_place = !offers(kernel, ROPEPROOF_OUT_OF_PLACE);
    if (!is_in_place) apart.emplace(vast.bytes(), own);
    std::byte* const out = is_in_place ? in.data() : apart->data();
    for (const auto& range : own) {
      if (!is_in_place) {
        std::memset(out + range.begin, cases::kOutputFills[0], range.size());
      }
      call::write(vast.array(in.data() + range.begin), p.q);
    }
    const cases::Case rest = vast.rest();
    call::Call call = call_of(kernel, {rest, operation});
    ropeproof_problem problem = call.begin();
    problem.q = vast.tensor(in.data(), out);
    const std::optional<plugin::Answer> answer =
        kernel.run_afresh(problem, kVastLimits);
    if (!answer) return not_checked(kAspect, "a process that can be forked");
    judge::Output output;
    const plugin::Answer ended = call.finish(*answer, output);
    if (ended.outcome != plugin::Outcome::kOk) {
      return result_of(
          ended, kAspect,
          "a call of " + std::to_string(vast.elements()) + " elements");
    }
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool is_input_changed =
          !is_in_place &&
          call::read(vast.array(in.data() + own[i].begin)) != p.q;
      if (is_input_changed && output.stray.empty()) {
        output.stray = "changed q, which is no output";
      }
      const Check check = judged_tile(kernel, vast, operation, ended, output,
                                      out, tokens[i], kAspect);
      if (!check.passes()) return check;
    }
    return passed(kAspect);
  } catch (const plugin::NoAddressSpace& error) {
    return not_checked(kAspect, error.what());
  }
}

}  // namespace ropeproof::conformance::check
