// expected.h -- what the suite must say of each fake.
//
// A fake is a kernel that is wrong in one respect, or looks wrong and is not.
// Libraries are built as fakes/NAME.so in the build folder; processes are
// `python3 conformance/selftest/fakes/process.py NAME`. All offer rope, in f32,
// half-split, with full heads and without keys. A fake that hangs needs
// kFakeTimeLimit; the others get the usual one.
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_FAKES_EXPECTED_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_FAKES_EXPECTED_H_

#include <chrono>
#include <string_view>

namespace ropeproof::conformance::selftest {

inline constexpr std::chrono::milliseconds kFakeTimeLimit{300};

struct ExpectedFake {
  std::string_view name;
  // The aspect of the check that shows it, or "" for a plain call. Reject
  // checks are those of Defect::kOddRotaryDim.
  std::string_view check;
  // The verdict of that check, as reports have it; or REFUSED: the kernel
  // cannot be loaded or started at all.
  std::string_view verdict;
  std::string_view reason;  // what the verdict's reason contains
  enum Kind { kLibrary, kProcess } kind = kLibrary;

  // Returns the exit status of a run that includes the check.
  constexpr int exit_status() const {
    if (verdict == "PASS") return 0;
    if (verdict == "DECLINED") return 2;
    return verdict == "ERROR" || verdict == "REFUSED" ? 3 : 1;
  }
};

inline constexpr ExpectedFake kExpectedFakes[] = {
    // Honest, whatever it looks like.
    {"keeps_promises", "", "PASS", ""},
    {"prints", "", "PASS", ""},
    {"leaks", "", "PASS", ""},
    {"answers_from_a_copy", "", "PASS", ""},
    {"declines", "", "DECLINED", ""},
    {"declines_at_will", "", "FAIL", "when asked again"},
    {"device", "", "PASS", ""},
    // Wrong numbers.
    {"echo", "", "FAIL", ""},
    {"refuses", "", "FAIL",
     "refused what it declares (ropeproof_run: ROPEPROOF_UNSUPPORTED)"},
    // Ends.
    {"crash_in_run", "", "CRASH", "killed by signal 11 (Segmentation fault)"},
    {"aborts", "", "CRASH",
     "killed by signal 6 (Aborted) (last printed: assertion failed: seq % 8 == "
     "0)"},
    {"exit_in_run", "", "CRASH", "exited with status 3"},
    {"overflows_stack", "", "CRASH",
     "killed by signal 11 (Segmentation fault), stack overflow"},
    {"forks_and_exits", "", "CRASH", "exited with status 0"},
    {"kills_its_parent", "", "CRASH", "its supervisor was killed"},
    {"closes_descriptors", "", "CRASH", "exited with status 0"},
    {"stops_its_parent", "", "CRASH", "killed by signal 6 (Aborted)"},
    // Hangs, in its first call, which gets three limits.
    {"hang_in_run", "", "TIMEOUT", "no answer within 900 ms"},
    {"stops", "", "TIMEOUT", "no answer within 900 ms"},
    {"prints_forever", "", "TIMEOUT",
     "no answer within 900 ms (last printed: and another one)"},
    {"leaves_children", "", "TIMEOUT",
     "no answer within 900 ms (last printed: pid "},
    // Breaks the contract.
    {"writes_past_end", "guard page at the end", "CRASH",
     "killed by signal 11 (Segmentation fault): wrote past the end of q.out"},
    {"writes_past_end", "guard page at the start", "FAIL",
     "wrote past the end of q.out"},
    {"reads_past_end", "guard page at the end", "CRASH",
     "killed by signal 11 (Segmentation fault): read past the end of q"},
    {"reads_before_start", "guard page at the start", "CRASH",
     "killed by signal 11 (Segmentation fault): read before the start of q, at "
     "byte -4"},
    {"hides_faults", "guard page at the end", "CRASH",
     "killed by signal 11 (Segmentation fault): read past the end of q"},
    {"nondeterministic", "20 calls", "FAIL", "other bits in "},
    {"differs_by_batch", "rows alone", "FAIL",
     "token 0: other bits in q, element 0 of token 0"},
    {"races", "8 threads", "FAIL", "thread "},
    // Without a promise, wrong numbers fail, other bits alone do not.
    {"seventh_call", "20 calls", "FAIL", "call "},
    {"single_tokens", "rows alone", "FAIL", "token 0: "},
    {"third_batch_row", "other neighbours", "FAIL", "three times in a row: "},
    {"wraps_counter", "70,000 calls", "FAIL", "a call of 65"},
    {"leaks", "70,000 calls", "FAIL", "memory grows with every call"},
    {"needs_zeros", "", "FAIL", ""},
    {"accepts_anything", "reject", "FAIL",
     "accepted it; it must answer ROPEPROOF_INVALID"},
    {"device_strays", "in place", "FAIL", "wrote past the end of q"},
    {"device_is_full", "", "ERROR", "the device's allocate gave no memory"},
    {"no_device", "", "REFUSED",
     "there is no device for it here: ropeproof_device returned 1"},
    // Begins or ends badly.
    {"flushes_when_loaded", "load", "FAIL", " when it is loaded: "},
    {"describes_upward", "load", "FAIL",
     "ropeproof_describe changed the rounding mode; restore"},
    {"aborts_at_exit", "unload", "CRASH",
     "killed by signal 6 (Aborted) (last printed: my thread pool is gone)"},
    {"hangs_at_exit", "unload", "TIMEOUT", "not unloaded within 900 ms"},
    {"keeps_promises", "unload", "PASS", ""},
    // Breaks what the suite needs to go on.
    {"rounds_upward", "", "ERROR", "ropeproof_run changed the rounding mode"},
    {"flushes_subnormals", "", "ERROR", "ropeproof_run changed "},
    {"writes_to_descriptors", "", "ERROR",
     "the worker's socket holds what the suite did not write"},
    {"wrong_abi", "", "REFUSED", "reports ABI 7, this suite speaks 1"},
    {"crash_in_load", "", "REFUSED",
     "crashes while it is loaded: killed by signal 11"},
    // Lies in the protocol.
    {"answers-twice", "", "ERROR", "sends more bytes than its header declares",
     ExpectedFake::kProcess},
    {"half-frame", "", "ERROR",
     "ends in the middle of an answer: exited with status 0",
     ExpectedFake::kProcess},
    {"answers-another", "", "ERROR", "answers request 0, not ",
     ExpectedFake::kProcess},
    {"garbage", "", "ERROR", "header is no JSON object: \"rotating...\"",
     ExpectedFake::kProcess},
    {"short", "", "ERROR", "buffers of status \"ok\"", ExpectedFake::kProcess},
    {"never-reads", "", "TIMEOUT", "no answer within 900 ms",
     ExpectedFake::kProcess},
    {"stalls", "", "TIMEOUT", "no answer within 900 ms, but a part of one",
     ExpectedFake::kProcess},
    {"ends", "", "CRASH", "exited with status 4", ExpectedFake::kProcess},
    {"later-abi", "", "REFUSED", "reports ABI 7, this suite speaks 1",
     ExpectedFake::kProcess},
};

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_FAKES_EXPECTED_H_
