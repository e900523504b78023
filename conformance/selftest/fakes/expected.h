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
  enum Kind { kLibrary, kProcess } kind;
  std::string_view name;
  // The check that shows it: a ContractResult's, or "" for a plain call. Reject
  // checks are those of Defect::kOddRotaryDim.
  std::string_view check;
  // Of that check: PASS, DECLINED, FAIL, ERROR, CRASH, TIMEOUT; REFUSED: the kernel cannot
  // be loaded or started at all.
  std::string_view verdict;
  std::string_view reason;  // what the verdict's reason contains
  int exit_status;          // of a run that includes the check
};

inline constexpr ExpectedFake kExpectedFakes[] = {
    // Honest, whatever it looks like.
    {ExpectedFake::kLibrary, "keeps_promises", "", "PASS", "", 0},
    {ExpectedFake::kLibrary, "prints", "", "PASS", "", 0},
    {ExpectedFake::kLibrary, "leaks", "", "PASS", "", 0},
    {ExpectedFake::kLibrary, "answers_from_a_copy", "", "PASS", "", 0},
    {ExpectedFake::kLibrary, "declines", "", "DECLINED", "", 2},
    {ExpectedFake::kLibrary, "declines_at_will", "", "FAIL", "when asked again",
     1},
    {ExpectedFake::kLibrary, "device", "", "PASS", "", 0},
    // Wrong numbers.
    {ExpectedFake::kLibrary, "always_wrong", "", "FAIL", "", 1},
    {ExpectedFake::kLibrary, "echo", "", "FAIL", "", 1},
    {ExpectedFake::kLibrary, "refuses", "", "FAIL",
     "refused what it declares (ropeproof_run: ROPEPROOF_UNSUPPORTED)", 1},
    // Ends.
    {ExpectedFake::kLibrary, "crash_in_run", "", "CRASH",
     "killed by signal 11 (Segmentation fault)", 1},
    {ExpectedFake::kLibrary, "aborts", "", "CRASH",
     "killed by signal 6 (Aborted) (last printed: assertion failed: seq % 8 == "
     "0)",
     1},
    {ExpectedFake::kLibrary, "exit_in_run", "", "CRASH", "exited with status 3",
     1},
    {ExpectedFake::kLibrary, "overflows_stack", "", "CRASH",
     "killed by signal 11 (Segmentation fault), stack overflow", 1},
    {ExpectedFake::kLibrary, "forks_and_exits", "", "CRASH",
     "exited with status 0", 1},
    {ExpectedFake::kLibrary, "kills_its_parent", "", "CRASH",
     "its supervisor was killed", 1},
    {ExpectedFake::kLibrary, "closes_descriptors", "", "CRASH",
     "exited with status 0", 1},
    {ExpectedFake::kLibrary, "stops_its_parent", "", "CRASH",
     "killed by signal 6 (Aborted)", 1},
    // Hangs, in its first call, which gets three limits.
    {ExpectedFake::kLibrary, "hang_in_run", "", "TIMEOUT",
     "no answer within 900 ms", 1},
    {ExpectedFake::kLibrary, "stops", "", "TIMEOUT", "no answer within 900 ms",
     1},
    {ExpectedFake::kLibrary, "prints_forever", "", "TIMEOUT",
     "no answer within 900 ms (last printed: and another one)", 1},
    {ExpectedFake::kLibrary, "leaves_children", "", "TIMEOUT",
     "no answer within 900 ms (last printed: pid ", 1},
    // Breaks the contract.
    {ExpectedFake::kLibrary, "writes_past_end", "guard page at the end",
     "CRASH",
     "killed by signal 11 (Segmentation fault): wrote past the end of q.out",
     1},
    {ExpectedFake::kLibrary, "writes_past_end", "guard page at the start",
     "FAIL", "wrote past the end of q.out", 1},
    {ExpectedFake::kLibrary, "reads_past_end", "guard page at the end", "CRASH",
     "killed by signal 11 (Segmentation fault): read past the end of q", 1},
    {ExpectedFake::kLibrary, "reads_before_start", "guard page at the start",
     "CRASH",
     "killed by signal 11 (Segmentation fault): read before the start of q, at "
     "byte -4",
     1},
    {ExpectedFake::kLibrary, "hides_faults", "guard page at the end", "CRASH",
     "killed by signal 11 (Segmentation fault): read past the end of q", 1},
    {ExpectedFake::kLibrary, "nondeterministic", "20 calls", "FAIL",
     "other bits in ", 1},
    {ExpectedFake::kLibrary, "differs_by_batch", "rows alone", "FAIL",
     "token 0: other bits in q, element 0 of token 0", 1},
    {ExpectedFake::kLibrary, "races", "8 threads", "FAIL", "thread ", 1},
    // The same without a promise: wrong, not other bits alone.
    {ExpectedFake::kLibrary, "seventh_call", "20 calls", "FAIL", "call ", 1},
    {ExpectedFake::kLibrary, "single_tokens", "rows alone", "FAIL",
     "token 0: ", 1},
    {ExpectedFake::kLibrary, "third_batch_row", "other neighbours", "FAIL",
     "three times in a row: ", 1},
    {ExpectedFake::kLibrary, "wraps_counter", "70,000 calls", "FAIL",
     "a call of 65", 1},
    {ExpectedFake::kLibrary, "leaks", "70,000 calls", "FAIL",
     "memory grows with every call", 1},
    {ExpectedFake::kLibrary, "needs_zeros", "", "FAIL", "", 1},
    {ExpectedFake::kLibrary, "accepts_anything", "reject", "FAIL",
     "accepted it; it must answer ROPEPROOF_INVALID", 1},
    {ExpectedFake::kLibrary, "device_strays", "in place", "FAIL",
     "wrote past the end of q", 1},
    {ExpectedFake::kLibrary, "device_is_full", "", "ERROR",
     "the device's allocate gave no memory", 3},
    {ExpectedFake::kLibrary, "no_device", "", "REFUSED",
     "there is no device for it here: ropeproof_device returned 1", 3},
    // Begins or ends badly.
    {ExpectedFake::kLibrary, "flushes_when_loaded", "load", "FAIL",
     " when it is loaded: ", 1},
    {ExpectedFake::kLibrary, "describes_upward", "load", "FAIL",
     "ropeproof_describe changed the rounding mode; restore", 1},
    {ExpectedFake::kLibrary, "aborts_at_exit", "unload", "CRASH",
     "killed by signal 6 (Aborted) (last printed: my thread pool is gone)", 1},
    {ExpectedFake::kLibrary, "hangs_at_exit", "unload", "TIMEOUT",
     "not unloaded within 900 ms", 1},
    {ExpectedFake::kLibrary, "keeps_promises", "unload", "PASS", "", 0},
    // Breaks what the suite needs to go on.
    {ExpectedFake::kLibrary, "rounds_upward", "", "ERROR",
     "ropeproof_run changed the rounding mode", 3},
    {ExpectedFake::kLibrary, "flushes_subnormals", "", "ERROR",
     "ropeproof_run changed ", 3},
    {ExpectedFake::kLibrary, "writes_to_descriptors", "", "ERROR",
     "the worker's socket holds what the suite did not write", 3},
    {ExpectedFake::kLibrary, "wrong_abi", "", "REFUSED",
     "reports ABI 7, this suite speaks 1", 3},
    {ExpectedFake::kLibrary, "crash_in_load", "", "REFUSED",
     "crashes while it is loaded: killed by signal 11", 3},
    // Lies in the protocol.
    {ExpectedFake::kProcess, "answers-twice", "", "ERROR",
     "sends more bytes than its header declares", 3},
    {ExpectedFake::kProcess, "half-frame", "", "ERROR",
     "ends in the middle of an answer: exited with status 0", 3},
    {ExpectedFake::kProcess, "answers-another", "", "ERROR",
     "answers request 0, not ", 3},
    {ExpectedFake::kProcess, "garbage", "", "ERROR",
     "header is no JSON object: \"rotating...\"", 3},
    {ExpectedFake::kProcess, "short", "", "ERROR", "buffers of status \"ok\"",
     3},
    {ExpectedFake::kProcess, "never-reads", "", "TIMEOUT",
     "no answer within 900 ms", 1},
    {ExpectedFake::kProcess, "stalls", "", "TIMEOUT",
     "no answer within 900 ms, but a part of one", 1},
    {ExpectedFake::kProcess, "ends", "", "CRASH", "exited with status 4", 1},
    {ExpectedFake::kProcess, "later-abi", "", "REFUSED",
     "reports ABI 7, this suite speaks 1", 3},
};

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_FAKES_EXPECTED_H_
