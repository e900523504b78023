#include "conformance/check/broken_promises.h"

#include <catch2/catch_test_macros.hpp>
#include <initializer_list>
#include <string>

namespace ropeproof::conformance::check {
namespace {

Run failing(Suffixes suffixes, Retry retry) {
  Run run;
  Check& check = run.checks.emplace_back();
  check.case_id = "core-special-000";
  check.operation = ROPEPROOF_ROPE;
  check.suffixes = suffixes;
  check.verdict = Verdict::kFail;
  check.retry = retry;
  check.measurement.emplace().elements = 2;
  check.measurement->wrong = 1;
  return run;
}

TEST_CASE(
    "wrong special values are told, though no hypothesis is tried on them",
    "[conformance][diagnosis]") {
  const auto found = broken_promises(failing(kSuffixE, Retry::kNone));
  REQUIRE(found.size() == 1);
  CHECK(found[0].bug.key() == "value/special-mishandled");
  CHECK(found[0].checks == 1);
  CHECK(broken_promises(failing(0, Retry::kNone)).empty());
}

TEST_CASE("a wrong answer that is right in a fresh process is kept state",
          "[conformance][diagnosis]") {
  const auto found = broken_promises(failing(0, Retry::kRightInFreshProcess));
  REQUIRE(found.size() == 1);
  CHECK(found[0].bug.key() == "table/stale");
}

TEST_CASE("a wrong answer that is right when asked again is no kept state",
          "[conformance][diagnosis]") {
  const auto found = broken_promises(failing(0, Retry::kRightAgain));
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == "other results for the same problem");
}

// A check of a case of its own.
struct Ended {
  std::string end;
  Aspect aspect = Aspect::kValues;
  std::string call = {};  // which of the aspect's calls it was
};

Run ending(Verdict verdict, std::initializer_list<Ended> checks) {
  Run run;
  for (const auto& [end, aspect, call] : checks) {
    Check& check = run.checks.emplace_back();
    check.case_id = "core-rich-00" + std::to_string(run.checks.size());
    check.operation = ROPEPROOF_ROPE;
    check.verdict = verdict;
    check.reason = call.empty() ? end : call + ": " + end;
    check.end = end;
    check.aspect = aspect;
  }
  return run;
}

Run raising(std::initializer_list<Ended> checks) {
  Run run = ending(Verdict::kFail, checks);
  for (Check& check : run.checks) {
    check.answer = {plugin::Outcome::kFailed, check.reason};
  }
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
  Run run = raising(
      {{"rope.py:7: KeyError"}, {"rope.py:7: KeyError", Aspect::kRepeats}});
  run.checks[1].case_id = run.checks[0].case_id;
  run.checks[1].reason = "call 2: rope.py:7: KeyError";
  auto found = broken_promises(run);
  REQUIRE(found.size() == 1);
  CHECK(found[0].bug == cases::Bug());
  CHECK(found[0].checks == 2);

  run.checks[1].answer = {};
  run.checks[1].reason = "call 2: other bits";
  run.checks[1].end = "other bits";
  found = broken_promises(run);
  REQUIRE(found.size() == 2);
  CHECK(found[1].bug.key() == "memory/race");
}

TEST_CASE("what a call shows by itself is said whatever it was made for",
          "[conformance][diagnosis]") {
  const auto answer = [](plugin::Outcome outcome, plugin::Trespass trespass) {
    plugin::Answer given{outcome, ""};
    given.trespass = trespass;
    return given;
  };
  plugin::Answer hung_up{plugin::Outcome::kCrash, ""};
  hung_up.has_hung_up = true;
  const struct {
    plugin::Answer answer;
    const char* what;
  } rows[] = {{answer(plugin::Outcome::kOk, plugin::Trespass::kWrotePastEnd),
               "writes beyond a buffer"},
              {answer(plugin::Outcome::kCrash, plugin::Trespass::kReadPastEnd),
               "reads beyond a buffer"},
              {answer(plugin::Outcome::kOk, plugin::Trespass::kWroteInside),
               "writes to an input or beside an output"},
              {{plugin::Outcome::kTimeout, ""}, "does not answer in time"},
              {{plugin::Outcome::kInvalid, ""}, "refuses what it declares"},
              {hung_up, "closes its connection to the suite"}};
  for (const auto& [given, what] : rows) {
    Run run =
        ending(Verdict::kFail, {{"x"}, {"x", Aspect::kRepeats, "call 2"}});
    for (Check& check : run.checks) check.answer = given;
    const auto found = broken_promises(run);
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == what);
    CHECK(found[0].checks == 2);
    for (Check& check : run.checks) check.answer.was_made = false;
    CHECK(broken_promises(run).empty());
  }
}

TEST_CASE("a promise whose call ends as plain ones do is not broken by that",
          "[conformance][diagnosis]") {
  const auto found = broken_promises(
      ending(Verdict::kCrash,
             {{"exited with status 0"},
              {"exited with status 0", Aspect::kStrided},
              {"exited with status 0", Aspect::kRepeats, "call 2"},
              {"exited with status 0", Aspect::kNeighbours, "twice in a row"},
              {"killed by signal 6 (Aborted)", Aspect::kTogether}}));
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
                   Aspect::kRepeats}}))
          .size() == 1);
  Run run = ending(Verdict::kCrash,
                   {{"exited with status 1"}, {"exited with status 2"}});
  for (int i = 0; i < 2; ++i) {
    run.checks[static_cast<std::size_t>(i)].answer.code = (i + 1) << 8;
  }
  CHECK(broken_promises(run).size() == 2);
}

TEST_CASE("a case with wrong numbers explains no error of another call",
          "[conformance][diagnosis]") {
  Run run = raising({{"rope.py:7: KeyError", Aspect::kManyCalls}});
  Check& values = run.checks.emplace_back(run.checks[0]);
  values.aspect = Aspect::kValues;
  values.answer = {};
  values.reason = "";
  values.measurement.emplace().elements = 2;
  values.measurement->wrong = 1;
  const auto found = broken_promises(run);
  REQUIRE(found.size() == 1);
  CHECK(found[0].what == "ends with an error: rope.py:7: KeyError");
}

}  // namespace
}  // namespace ropeproof::conformance::check
