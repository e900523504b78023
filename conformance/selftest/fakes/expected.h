// expected.h -- what the suite must say of each fake.
//
// A fake is a kernel that is wrong in one respect, or looks wrong and is not.
// Libraries are built as fakes/NAME.so in the build folder; processes are
// `python3 conformance/selftest/fakes/process.py NAME`. All offer rope, in f32,
// half-split, with full heads and without keys. A fake that hangs needs
// kFakeTimeLimit; the others get the usual one.
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_FAKES_EXPECTED_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_FAKES_EXPECTED_H_

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "conformance/check/run.h"

namespace ropeproof::conformance::selftest {

inline constexpr std::chrono::milliseconds kFakeTimeLimit{300};

struct ExpectedFake {
  std::string_view name;
  // What the check that shows it is about; a reject check is that of
  // Defect::kOddRotaryDim.
  check::Aspect aspect;
  // The verdict of that check; nothing: the kernel cannot be loaded or started
  // at all.
  std::optional<check::Verdict> verdict;
  std::string_view reason;  // what the verdict's reason contains
  enum Kind { kLibrary, kProcess } kind = kLibrary;
  bool needs_device = false;  // and there is none

  // Returns the exit status of a run that includes the check.
  constexpr int exit_status() const {
    if (verdict == check::Verdict::kPass) return 0;
    if (verdict == check::Verdict::kDeclined) return 2;
    if (needs_device) return 2;
    return !verdict || verdict == check::Verdict::kError ? 3 : 1;
  }
};

inline constexpr auto kExpectedFakes = [] {
  using enum check::Verdict;
  using enum check::Aspect;
  return std::to_array<ExpectedFake>({
      // Honest, whatever it looks like.
      {"keeps_promises", kValues, kPass, ""},
      {"prints", kValues, kPass, ""},
      {"leaks", kValues, kPass, ""},
      {"answers_from_a_copy", kValues, kPass, ""},
      {"declines", kValues, kDeclined, ""},
      {"declines_at_will", kValues, kFail, "when asked again"},
      {"device", kValues, kPass, ""},
      // Wrong numbers.
      {"echo", kValues, kFail, ""},
      {"refuses", kValues, kFail,
       "refused what it declares (ropeproof_run: ROPEPROOF_UNSUPPORTED)"},
      // Ends.
      {"crash_in_run", kValues, kCrash,
       "killed by signal 11 (Segmentation fault)"},
      {"aborts", kValues, kCrash,
       "killed by signal 6 (Aborted) (last printed: assertion failed: seq % 8 "
       "== 0)"},
      {"exit_in_run", kValues, kCrash, "exited with status 3"},
      {"overflows_stack", kValues, kCrash,
       "killed by signal 11 (Segmentation fault), stack overflow"},
      {"forks_and_exits", kValues, kCrash, "exited with status 0"},
      {"kills_its_parent", kValues, kCrash, "its supervisor was killed"},
      {"closes_descriptors", kValues, kCrash, "exited with status 0"},
      {"stops_its_parent", kValues, kCrash, "killed by signal 6 (Aborted)"},
      {"is_traced", kValues, kCrash, "killed by signal 6 (Aborted)"},
      // Finds something that is not its own, since no walls are around it.
      {"reaches_out", kValues, kError, "ropeproof_run returned 10"},
      // Hangs, in its first call, which gets three limits.
      {"hang_in_run", kValues, kTimeout, "no answer within 900 ms"},
      {"stops", kValues, kTimeout, "no answer within 900 ms"},
      {"prints_forever", kValues, kTimeout,
       "no answer within 900 ms (last printed: and another one)"},
      {"leaves_children", kValues, kTimeout,
       "no answer within 900 ms (last printed: pid "},
      // Breaks the contract.
      {"writes_past_end", kGuardAtEnd, kCrash,
       "killed by signal 11 (Segmentation fault): wrote past the end of q.out"},
      {"writes_past_end", kGuardAtStart, kFail, "wrote past the end of q.out"},
      {"reads_past_end", kGuardAtEnd, kCrash,
       "killed by signal 11 (Segmentation fault): read past the end of q"},
      {"reads_before_start", kGuardAtStart, kCrash,
       "killed by signal 11 (Segmentation fault): read before the start of q, "
       "at byte -4"},
      {"hides_faults", kGuardAtEnd, kCrash,
       "killed by signal 11 (Segmentation fault): read past the end of q"},
      {"nondeterministic", kRepeats, kFail, "other bits in "},
      {"differs_by_batch", kRowsAlone, kFail,
       "token 0: other bits in q, element 0 of token 0"},
      {"races", kTogether, kFail, "thread "},
      // Without a promise, wrong numbers fail, other bits alone do not.
      {"seventh_call", kRepeats, kFail, "call "},
      {"single_tokens", kRowsAlone, kFail, "token 0: "},
      {"third_batch_row", kNeighbours, kFail, "three times in a row: "},
      {"wraps_counter", kManyCalls, kFail, "one of calls 65"},
      {"wraps_long_counter", kMillionCalls, kFail, "one of calls 1048501"},
      {"leaks", kManyCalls, kFail, "memory grows with every call"},
      {"forgets_long", kPrompt, kFail, " on, of 8454144: "},
      {"counts_in_32_bits", kVast, kFail, " on, of 4295491584: "},
      {"indexes_in_31_bits", kVast, kCrash,
       "killed by signal 11 (Segmentation fault)"},
      {"needs_zeros", kValues, kFail, ""},
      {"accepts_anything", kReject, kFail,
       "accepted it; it must answer ROPEPROOF_INVALID"},
      {"device_strays", kInPlace, kFail, "wrote past the end of q"},
      {"device_is_full", kValues, kError,
       "the device's allocate gave no memory"},
      {"no_device", kValues, std::nullopt,
       "there is no device for it here: ropeproof_device returned 1",
       ExpectedFake::kLibrary, true},
      // Begins or ends badly.
      {"flushes_when_loaded", kLoad, kFail, " when it is loaded: "},
      {"describes_upward", kLoad, kFail,
       "ropeproof_describe changed the rounding mode; restore"},
      {"aborts_at_exit", kUnload, kCrash,
       "killed by signal 6 (Aborted) (last printed: my thread pool is gone)"},
      {"hangs_at_exit", kUnload, kTimeout, "not unloaded within 900 ms"},
      {"keeps_promises", kUnload, kPass, ""},
      // Breaks what the suite needs to go on.
      {"rounds_upward", kValues, kError,
       "ropeproof_run changed the rounding mode"},
      {"flushes_subnormals", kValues, kError, "ropeproof_run changed "},
      {"writes_to_descriptors", kValues, kError,
       "the worker's socket holds what the suite did not write"},
      {"answers_first", kValues, std::nullopt,
       "the worker's socket holds what the suite did not write"},
      {"forges_endless_name", kValues, std::nullopt,
       "nnn\" must be 1 to 100 characters of "},
      {"wrong_abi", kValues, std::nullopt,
       "reports ABI 7, this suite speaks 1"},
      {"crash_in_load", kValues, std::nullopt,
       "crashes while it is loaded: killed by signal 11"},
      // Lies in the protocol.
      {"answers-twice", kValues, kError,
       "sends more bytes than its header declares", ExpectedFake::kProcess},
      {"half-frame", kValues, kError,
       "ends in the middle of an answer: exited with status 0",
       ExpectedFake::kProcess},
      {"answers-another", kValues, kError, "answers request 0, not ",
       ExpectedFake::kProcess},
      {"garbage", kValues, kError, "header is no JSON object: \"rotating...\"",
       ExpectedFake::kProcess},
      {"short", kValues, kError, "buffers of status \"ok\"",
       ExpectedFake::kProcess},
      {"never-reads", kValues, kTimeout, "no answer within 900 ms",
       ExpectedFake::kProcess},
      {"stalls", kValues, kTimeout,
       "no answer within 900 ms, but a part of one", ExpectedFake::kProcess},
      {"ends", kValues, kCrash, "exited with status 4", ExpectedFake::kProcess},
      {"later-abi", kValues, std::nullopt, "reports ABI 7, this suite speaks 1",
       ExpectedFake::kProcess},
  });
}();

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_FAKES_EXPECTED_H_
