#include "conformance/check/promises.h"

#include <catch2/catch_test_macros.hpp>
#include <initializer_list>
#include <string>

namespace ropeproof::conformance::check {
namespace {

Run failing(const char* suffixes, bool is_right_alone) {
  Run run;
  Check& check = run.checks.emplace_back();
  check.case_id = "core-special-000";
  check.operation = ROPEPROOF_ROPE;
  check.suffixes = suffixes;
  check.verdict = Verdict::kFail;
  check.is_right_alone = is_right_alone;
  check.measurement.emplace().elements = 2;
  check.measurement->wrong = 1;
  return run;
}

TEST_CASE(
    "wrong special values are told, though no hypothesis is tried on them",
    "[conformance][diagnosis]") {
  const auto found = broken_promises(failing("E", false));
  REQUIRE(found.size() == 1);
  CHECK(found[0].bug == "value/special-mishandled");
  CHECK(found[0].checks == 1);
  CHECK(broken_promises(failing("", false)).empty());
}

TEST_CASE("a wrong answer that is right in a fresh process is kept state",
          "[conformance][diagnosis]") {
  const auto found = broken_promises(failing("", true));
  REQUIRE(found.size() == 1);
  CHECK(found[0].bug == "table/stale");
}

TEST_CASE("a wrong answer that is right when asked again is no kept state",
          "[conformance][diagnosis]") {
  Run run = failing("", true);
  run.checks[0].is_right_again = true;
  const auto found = broken_promises(run);
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == "other results for the same problem");
}

// A check of a case of its own.
struct Ended {
  std::string reason;
  const char* aspect = "";
};

Run ending(Verdict verdict, std::initializer_list<Ended> checks) {
  Run run;
  for (const auto& [reason, aspect] : checks) {
    Check& check = run.checks.emplace_back();
    check.case_id = "core-rich-00" + std::to_string(run.checks.size());
    check.operation = ROPEPROOF_ROPE;
    check.verdict = verdict;
    check.reason = reason;
    check.aspect = aspect;
  }
  return run;
}

Run raising(std::initializer_list<Ended> checks) {
  Run run = ending(Verdict::kFail, checks);
  for (Check& check : run.checks) check.error = check.reason;
  return run;
}

TEST_CASE("an error about other sizes is the same, one of another line is not",
          "[conformance][diagnosis]") {
  const auto found = broken_promises(
      raising({{"rope.py:7: ValueError: shapes (5,16) (6,16)"},
               {"rope.py:7: ValueError: along dimension 2"},
               {"rope.py:7: KeyError: 2"},
               {"rope.py:7: KeyError: 3"},
               {"rope.py:9: ValueError: shapes (5,16) (6,16)"}}));
  REQUIRE(found.size() == 3);
  CHECK(found[0].what ==
        "ends with an error: rope.py:7: ValueError: shapes (5,16) (6,16)");
  CHECK(found[0].checks == 2);
  CHECK(found[1].what == "ends with an error: rope.py:7: KeyError: 2");
  CHECK(found[1].checks == 2);
  CHECK(found[2].checks == 1);
}

TEST_CASE(
    "a promise that ends with an error is not said to be broken otherwise",
    "[conformance][diagnosis]") {
  Run run =
      raising({{"rope.py:7: KeyError"}, {"rope.py:7: KeyError", "20 calls"}});
  run.checks[1].case_id = run.checks[0].case_id;
  run.checks[1].reason = "call 2: rope.py:7: KeyError";
  auto found = broken_promises(run);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bug.empty());
  CHECK(found[0].checks == 2);

  run.checks[1].error.clear();
  run.checks[1].reason = "call 2: other bits";
  found = broken_promises(run);
  REQUIRE(found.size() == 2);
  CHECK(found[1].bug == "memory/race");
}

TEST_CASE("a call that ends badly breaks no promise otherwise",
          "[conformance][diagnosis]") {
  for (const std::string reason :
       {"no answer within 900 ms", "closed its connection and ran on"}) {
    const auto found = broken_promises(
        ending(Verdict::kFail, {{reason}, {"call 2: " + reason, "20 calls"}}));
    REQUIRE(found.size() == 1);
    CHECK(found[0].bug.empty());
    CHECK(found[0].checks == 2);
  }
}

TEST_CASE("a promise whose call ends as plain ones do is not broken by that",
          "[conformance][diagnosis]") {
  const auto found = broken_promises(
      ending(Verdict::kCrash,
             {{"exited with status 0"},
              {"exited with status 0", "strided"},
              {"call 2: exited with status 0", "20 calls"},
              {"twice in a row: exited with status 0", "other neighbours"},
              {"killed by signal 6 (Aborted)", "8 threads"}}));
  REQUIRE(found.size() == 2);
  CHECK(found[0].what == "CRASH: exited with status 0");
  CHECK(found[0].checks == 4);
  CHECK(found[1].what == "calls at once disturb each other");
}

TEST_CASE(
    "an end that names sizes is one for all sizes, for a status it is not",
    "[conformance][diagnosis]") {
  CHECK(
      broken_promises(
          ending(Verdict::kError,
                 {{"buffers of status \"ok\" are [[\"q\",4]], not [[\"q\",8]]"},
                  {"buffers of status \"ok\" are [[\"q\",5]], not [[\"q\",9]]"},
                  {"buffers of status \"ok\" are [[\"q\",0]], not [[\"q\",1]]",
                   "20 calls"}}))
          .size() == 1);
  CHECK(broken_promises(ending(Verdict::kCrash, {{"exited with status 0"},
                                                 {"exited with status 1"}}))
            .size() == 2);
}

TEST_CASE("a case with wrong numbers explains no error of another call",
          "[conformance][diagnosis]") {
  Run run = raising({{"rope.py:7: KeyError", "70,000 calls"}});
  Check& values = run.checks.emplace_back(run.checks[0]);
  values.aspect = values.error = values.reason = "";
  values.measurement.emplace().elements = 2;
  values.measurement->wrong = 1;
  const auto found = broken_promises(run);
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == "ends with an error: rope.py:7: KeyError");
}

}  // namespace
}  // namespace ropeproof::conformance::check
