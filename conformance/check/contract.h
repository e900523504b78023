// contract.h -- what a kernel promises beside its numbers (promises.h).
//
// Each function makes calls that differ from a case's plain call in one respect
// -- where the tensors lie, what lies beside them, who calls at the same time,
// what was called before, what is wrong with the problem -- and says whether
// the kernel held its promise. UNSUPPORTED: the kernel does not promise this,
// or the case cannot show it; the reason says which. Frequencies alone have no
// such checks.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/check/promises.h"
#include "conformance/check/run.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// A case under an operation that the kernel offers (missing_feature() is
// empty), judged by what the kernel claims.
struct Subject {
  const cases::Case& c;
  std::uint32_t operation;
};

// Runs check_memory, check_determinism and check_concurrency; the last one
// takes `others`.
std::vector<Check> check_contract(plugin::Kernel& kernel,
                                  const Subject& subject,
                                  std::span<const Subject> others = {});

// Checks how the kernel's process begins, the floating-point environment as it
// was, and ends after the calls before this. Nothing for kernels without a
// process that can be seen to.
std::vector<Check> check_lifetime(plugin::Kernel& kernel);

// Checks memory: tensors at guard pages on either side, unaligned, in place,
// with gaps, fused, empty, overlapping. What the description does not offer is
// kUnsupported. About 12 calls.
std::vector<Check> check_memory(plugin::Kernel& kernel, const Subject& subject);

// Checks a row in 20 calls, alone, among other rows, elsewhere in the batch,
// elsewhere in memory, with one thread: it is right for every kernel, and for
// ROPEPROOF_DETERMINISTIC of the same bits. About 40 calls; two fresh
// processes of a library or where the bits are promised.
std::vector<Check> check_determinism(plugin::Kernel& kernel,
                                     const Subject& subject);

// Makes kThreads calls at once, kRounds times over, for ROPEPROOF_CONCURRENT:
// of the subject and of as many others, and where these are too few of the
// subject with its tokens in other orders.
inline constexpr int kThreads = 8;
inline constexpr int kRounds = 200;
Check check_concurrency(plugin::Kernel& kernel, const Subject& subject,
                        std::span<const Subject> others = {});

// Makes calls at once of kThreads long problems, made of the subject's tokens,
// dense, strided and in place as the kernel takes them; then of kThreads
// permutations, where it offers them. kLargeRounds times over.
inline constexpr std::int64_t kLargeElements = 1 << 16;
inline constexpr int kLargeRounds = 20;
Check check_large_concurrency(plugin::Kernel& kernel, const Subject& subject);

// Calls one token of the subject again and again in one process, more often
// than counters of 16 and 17 bits hold; then the subject. A kernel that gets
// its calls through a pipe gets fewer: more than a process may have files open
// (1024). Fails, too, if memory grows with every call.
inline constexpr int kManyCalls = 140000;
inline constexpr int kManyRequests = 1100;
Check check_many_calls(plugin::Kernel& kernel, const Subject& subject);
// Makes that call in a fresh process more often than counters of 20 bits hold;
// then now and then, until it is kMillionSeconds old. Not through a pipe.
inline constexpr int kMillionCalls = (1 << 20) + 1000;
inline constexpr int kMillionSeconds = 60;
Check check_million_calls(plugin::Kernel& kernel, const Subject& subject);

// Makes one call of a dense tensor of 2^23 elements and some more, as a prompt
// of 2,048 tokens and 32 heads has, of which the subject's tokens and heads are
// repeated; half of it through a pipe. Every element is judged: tiles of the
// same bits once. It takes twice the tensor's memory.
inline constexpr std::int64_t kPromptElements = std::int64_t{1} << 23;
inline constexpr std::int64_t kPromptRow = 1 << 12;
Check check_prompt(plugin::Kernel& kernel, const Subject& subject);

// Makes one call of a dense tensor of 2^32 elements and some more, of which the
// subject's tokens and heads are repeated: tokens have kVastRow elements each.
// Looks at the rows around 2^30, 2^31 and 2^32 elements and at both ends. In
// place where the kernel takes nothing else. It takes 200 MiB of memory
// (vast_memory.h), and the kernel kVastLimits limits of a call.
inline constexpr std::int64_t kVastElements = std::int64_t{1} << 32;
inline constexpr std::int64_t kVastRow = 1 << 15;
inline constexpr int kVastLimits = 20;
Check check_vast(plugin::Kernel& kernel, const Subject& subject);

// Checks for ROPEPROOF_VALIDATES that the subject's problem with one defect is
// refused and nothing is written. ROPEPROOF_UNSUPPORTED refuses as well as
// ROPEPROOF_INVALID, but for defects of a feature that the kernel offers: an
// odd rotary_dim where it takes any. kUnsupported also where the operation
// cannot have the defect.
Check check_reject(plugin::Kernel& kernel, const Subject& subject,
                   cases::Defect defect, Aspect aspect = Aspect::kReject);

// What calls give in a process of their own, by the ids of their cases.
using ColdOutputs = std::map<std::string, judge::Output>;

// Makes the calls of a SequenceCase in a row, in a fresh process, and judges
// each; for ROPEPROOF_DETERMINISTIC compares each, bit for bit, with what it
// gives in a process of its own. `cold` is of this kernel and operation, and
// gets what it lacks.
Check check_sequence(plugin::Kernel& kernel, std::span<const Subject> calls,
                     ColdOutputs& cold);

}  // namespace ropeproof::conformance::check
