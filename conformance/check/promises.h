// promises.h -- what a check is about: the values of a case, or a promise
// beside them. There is one row for each, which the checks of the contract, the
// diagnosis of a run and reports read.
#pragma once

#include <ropeproof_kernel.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "conformance/cases/bug_class.h"
#include "conformance/cases/tier.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::check {

// The suffixes of a level, "L1+M+D", as bits: special values, memory, the same
// bits every time, backward.
using Suffixes = std::uint32_t;
inline constexpr Suffixes kSuffixE = 1, kSuffixM = 2, kSuffixD = 4,
                          kSuffixB = 8;

inline constexpr text::Words<Suffixes, 4> kSuffixWords{
    {{kSuffixE, "E"}, {kSuffixM, "M"}, {kSuffixD, "D"}, {kSuffixB, "B"}}};

// Reads "MD"; the letters of no suffix are left out.
constexpr Suffixes suffixes_of(std::string_view letters) {
  Suffixes suffixes = 0;
  for (const auto& [suffix, letter] : kSuffixWords) {
    if (letters.find(letter) != letters.npos) suffixes |= suffix;
  }
  return suffixes;
}

enum class Aspect {
  kValues,
  kGuardAtEnd,
  kGuardAtStart,
  kUnaligned,
  kInPlace,
  kStrided,
  kStridedInPlace,
  kFused,
  kFusedInPlace,
  kNoBatch,
  kNoTokens,
  kNoHeads,
  kOverlappingTensors,
  kOverlappingRows,
  kSameBits,
  kRepeats,
  kRowsAlone,
  kNeighbours,
  kThreadCount,
  kTogether,
  kLongTogether,
  kChanges,
  kManyCalls,
  kManyRequests,
  kMillionCalls,
  kPrompt,
  kVast,
  kLoad,
  kUnload,
  kReject,
  kSequence,
  kRejectNotAsked,
  kSequenceNotAsked,
};

// Whether its answer follows from the problem and its memory alone, not from
// other calls.
constexpr bool is_of_one_call(Aspect aspect) {
  using enum Aspect;
  constexpr Aspect kOfOneCall[] = {
      kGuardAtEnd,     kGuardAtStart, kUnaligned,    kInPlace,   kStrided,
      kStridedInPlace, kFused,        kFusedInPlace, kRowsAlone, kNeighbours};
  return std::ranges::find(kOfOneCall, aspect) != std::end(kOfOneCall);
}

// How often a run asks.
enum class Often {
  kOwnCases,           // reject and sequence cases
  kKind,               // each operation, dtype and pairing
  kOperationAndDtype,  // through a pipe once
  kMainDtype,          // each dtype of the main operation, each other operation
  kOnce,
};

// What a diagnosis says where the promise is broken; empty where it cannot be.
struct Broken {
  const char* what = "";
  cases::Bug bug = {};
  const char* advice = "";
};

struct Promise {
  Aspect aspect;
  std::string_view word;  // in reports
  Broken broken = {};
  Suffixes suffixes = 0;      // that every check of it counts for
  std::uint32_t feature = 0;  // that this check alone puts to the test
  Often often = Often::kKind;
  cases::Tier from = cases::Tier::kSmoke;
};

inline constexpr Broken kBeyondBuffer{"reads or writes beyond a buffer",
                                      "shape/simd-tail",
                                      "mask the last vector of a row"};
inline constexpr Broken kMisaligned{
    "wrong for buffers that are aligned as their elements only",
    "shape/simd-tail", "use unaligned loads and stores"};
inline constexpr Broken kInPlaceWrong{
    "wrong where the output is the input", "memory/aliasing",
    "read both channels of a pair before writing either"};
inline constexpr Broken kStridesIgnored{
    "wrong where rows have gaps", "memory/strides-ignored",
    "take every row's address from the strides"};
inline constexpr Broken kFusedWrong{"wrong where q, k and v share their rows",
                                    kStridesIgnored.bug,
                                    kStridesIgnored.advice};
inline constexpr Broken kNothingToDo{"fails on an empty tensor",
                                     "shape/odd-size", "return early"};
inline constexpr Broken kInvalidTaken{
    "takes a problem that contradicts itself", "shape/odd-size",
    "check the problem before the first write"};
inline constexpr Broken kOverlapTaken{"takes tensors that overlap",
                                      "memory/aliasing", kInvalidTaken.advice};
inline constexpr Broken kUnsteady{
    "other results for the same problem", "memory/race",
    "look for memory that is read before it is written, and for races"};
inline constexpr Broken kAlone{"a row's result depends on the rows beside it",
                               "position/single-token-path",
                               "compare the path for few rows with the other"};
inline constexpr Broken kBeside{"a row's result depends on what lies beside it",
                                "shape/simd-tail",
                                "look for loads and stores beyond the row"};
inline constexpr Broken kThreadsCount{
    "the number of threads changes the result", "memory/race",
    "let no two threads write the same row"};
inline constexpr Broken kDisturbed{
    "calls at once disturb each other", "memory/race",
    "give each call a scratch buffer of its own"};
inline constexpr Broken kStale{
    "keeps what it formed for an earlier problem", "table/stale",
    "look for a cache, or a buffer that is not written anew"};
inline constexpr Broken kKeyTooSmall{
    kStale.what, kStale.bug, "make what changed a part of the cache's key"};
inline constexpr Broken kWornOut{
    "wrong after many calls", "table/stale",
    "look for a counter that overflows and for memory that is not freed"};
inline constexpr Broken kNotAllOfPrompt{
    "wrong in a tensor of millions of elements",
    {},
    "look for a limit on elements, tokens or blocks"};
inline constexpr Broken kCutTo32Bits{
    "wrong in a tensor of more than 2^31 elements", "shape/32-bit-overflow",
    "count elements and bytes in 64 bits"};
inline constexpr Broken kLoadChanges{
    "changes the floating-point environment when it is loaded",
    {},
    "link without -ffast-math"};

inline constexpr Promise kPromises[] = {
    {Aspect::kValues, ""},
    {Aspect::kGuardAtEnd, "guard page at the end", kBeyondBuffer, kSuffixM},
    {Aspect::kGuardAtStart, "guard page at the start", kBeyondBuffer, kSuffixM},
    {Aspect::kUnaligned, "unaligned", kMisaligned, kSuffixM},
    {Aspect::kInPlace, "in place", kInPlaceWrong, kSuffixM, ROPEPROOF_IN_PLACE},
    {Aspect::kStrided, "strided", kStridesIgnored, kSuffixM, ROPEPROOF_STRIDED},
    {Aspect::kStridedInPlace, "strided in place", kStridesIgnored, kSuffixM},
    {Aspect::kFused, "fused q, k, v", kFusedWrong, kSuffixM},
    {Aspect::kFusedInPlace, "fused q, k, v in place", kFusedWrong, kSuffixM},
    {Aspect::kNoBatch, "batch 0", kNothingToDo, kSuffixM},
    {Aspect::kNoTokens, "seq 0", kNothingToDo, kSuffixM},
    {Aspect::kNoHeads, "heads 0", kNothingToDo, kSuffixM},
    {Aspect::kOverlappingTensors, "overlapping tensors", kOverlapTaken,
     kSuffixM},
    {Aspect::kOverlappingRows, "overlapping rows", kOverlapTaken, kSuffixM},
    // kSameBits is said of a kernel that does not promise the same bits.
    {Aspect::kSameBits, "determinism", {}, kSuffixD, ROPEPROOF_DETERMINISTIC},
    {Aspect::kRepeats, "20 calls", kUnsteady},
    {Aspect::kRowsAlone, "rows alone", kAlone},
    {Aspect::kNeighbours, "other neighbours", kBeside},
    {Aspect::kThreadCount, "one thread or many", kThreadsCount},
    {Aspect::kTogether, "8 threads", kDisturbed, kSuffixD,
     ROPEPROOF_CONCURRENT},
    {Aspect::kLongTogether, "long calls on 8 threads", kDisturbed, kSuffixD,
     ROPEPROOF_CONCURRENT, Often::kMainDtype, cases::Tier::kCore},
    {Aspect::kChanges, "changes of one field", kKeyTooSmall, 0, 0,
     Often::kOperationAndDtype, cases::Tier::kCore},
    {Aspect::kManyCalls, "140,000 calls", kWornOut, 0, 0, Often::kOnce,
     cases::Tier::kCore},
    {Aspect::kManyRequests, "1,100 calls", kWornOut, 0, 0, Often::kOnce,
     cases::Tier::kCore},
    {Aspect::kMillionCalls, "2^20 calls", kWornOut, 0, 0, Often::kOnce,
     cases::Tier::kFull},
    {Aspect::kPrompt, "2^23 elements", kNotAllOfPrompt, 0, 0, Often::kMainDtype,
     cases::Tier::kCore},
    {Aspect::kVast, "2^32 elements", kCutTo32Bits, 0, 0, Often::kMainDtype,
     cases::Tier::kFull},
    {Aspect::kLoad, "load", kLoadChanges, 0, 0, Often::kOnce},
    {Aspect::kUnload, "unload", {}, 0, 0, Often::kOnce},
    {Aspect::kReject, "reject", kInvalidTaken, 0, ROPEPROOF_VALIDATES,
     Often::kOwnCases},
    {Aspect::kSequence, "calls in a row", kStale, 0, 0, Often::kOwnCases},
    // The last two are said where the kernel does not take the plain problem.
    {Aspect::kRejectNotAsked, "refuses"},
    {Aspect::kSequenceNotAsked, "sequence"},
};

inline constexpr auto kAspectWords =
    text::columns(kPromises, &Promise::aspect, &Promise::word);
constexpr const auto& table_of(Aspect) { return kAspectWords; }

// Returns the row of an aspect: they stand in the order of the enumeration.
constexpr const Promise& promise(Aspect aspect) {
  return kPromises[static_cast<std::size_t>(aspect)];
}

static_assert([] {
  for (std::size_t i = 0; i < std::size(kPromises); ++i) {
    if (static_cast<std::size_t>(kPromises[i].aspect) != i) return false;
  }
  return true;
}());

}  // namespace ropeproof::conformance::check
