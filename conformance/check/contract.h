// contract.h -- what a kernel promises beside its numbers.
//
// Each function makes calls that differ from a case's plain call in one respect
// -- where the tensors lie, what lies beside them, who calls at the same time,
// what was called before, what is wrong with the problem -- and says whether
// the kernel held its promise: in a Check with aspect ("in place", "20 calls"),
// suffixes, verdict, reason and error. UNSUPPORTED: the kernel does not promise
// this, or the case cannot show it; the reason says which. Frequencies alone
// have no such checks.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_CONTRACT_H_
#define ROPEPROOF_CONFORMANCE_CHECK_CONTRACT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/call/call.h"
#include "conformance/cases/case.h"
#include "conformance/check/run.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// A case under an operation that the kernel offers (missing_feature() is
// empty), judged by what the kernel claims.
struct Subject {
  const cases::Case& c;
  std::uint32_t operation;
  judge::Claim claim;  // its table is the type of cos, sin and inv_freq_out
};

Subject subject_of(const plugin::Kernel& kernel, const cases::Case& c,
                   std::uint32_t operation);

// check_memory, check_determinism and check_concurrency, for which `others`
// are.
std::vector<Check> check_contract(plugin::Kernel& kernel,
                                  const Subject& subject,
                                  std::span<const Subject> others = {});

// How the kernel's process begins ("load": the floating-point environment is as
// it was) and, after the calls before this, ends (kUnload). Nothing for kernels
// without a process that can be seen to.
inline constexpr const char* kUnload = "unload";
std::vector<Check> check_lifetime(plugin::Kernel& kernel);

// M: tensors at guard pages on either side, unaligned, in place, with gaps,
// fused, empty, overlapping. What the description does not offer is
// kUnsupported. About 12 calls.
std::vector<Check> check_memory(plugin::Kernel& kernel, const Subject& subject);

// A row in 20 calls, alone, among other rows, elsewhere in the batch, elsewhere
// in memory, with one thread: right for every kernel; D, for
// ROPEPROOF_DETERMINISTIC: of the same bits. About 40 calls; two fresh
// processes of a library or where the bits are promised.
std::vector<Check> check_determinism(plugin::Kernel& kernel,
                                     const Subject& subject);

// D, for ROPEPROOF_CONCURRENT: kThreads calls at once, kRounds times over: of
// the subject and of as many others, and where these are too few of the subject
// with its tokens in other orders.
inline constexpr int kThreads = 8;
inline constexpr int kRounds = 200;
Check check_concurrency(plugin::Kernel& kernel, const Subject& subject,
                        std::span<const Subject> others = {});

// D, for ROPEPROOF_CONCURRENT: the same of kThreads long problems, made of the
// subject's tokens, dense, strided and in place as the kernel takes them; then
// of kThreads permutations, where it offers them. kLargeRounds times over.
inline constexpr std::int64_t kLargeElements = 1 << 16;
inline constexpr int kLargeRounds = 20;
Check check_large_concurrency(plugin::Kernel& kernel, const Subject& subject);

// One token of the subject again and again in one process, as often as a
// counter of 16 bits holds and more; then the subject. A kernel that gets its
// calls through a pipe gets fewer: more than a process may have files open
// (1024).
inline constexpr int kManyCalls = 70000;
inline constexpr int kManyRequests = 1100;
// Fails, too, if memory grows with every call.
Check check_many_calls(plugin::Kernel& kernel, const Subject& subject);

// For ROPEPROOF_VALIDATES: the subject's problem with one defect is refused and
// nothing is written. ROPEPROOF_UNSUPPORTED refuses as well as
// ROPEPROOF_INVALID, but for defects of a feature that the kernel offers: an
// odd rotary_dim where it takes any. M for overlapping tensors. kUnsupported
// also where the operation cannot have the defect.
Check check_reject(plugin::Kernel& kernel, const Subject& subject,
                   cases::Defect defect);

// A SequenceCase: its calls in a row, in a fresh process, each judged; for
// ROPEPROOF_DETERMINISTIC also each in a process of its own, bit for bit.
Check check_sequence(plugin::Kernel& kernel, std::span<const Subject> calls);

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_CONTRACT_H_
