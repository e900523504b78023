#include "conformance/check/shard.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace ropeproof::conformance::check {
namespace {

// "2/8", or "error" for one line of fault.
std::string shard_from(const std::string& text) {
  try {
    return parse_shard(text, "--shard").text();
  } catch (const std::invalid_argument& error) {
    CHECK(std::string(error.what()).starts_with("--shard"));
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return "error";
  }
}

TEST_CASE("a shard is written i/n and counted from 1", "[shards]") {
  CHECK(shard_from("1/1") == "1/1");
  CHECK(shard_from("8/8") == "8/8");
  for (const char* bad :
       {"", "/", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1 /2",
        "1/2 ", "1/99999999999999999999", "1/1000001", "1\n/2"}) {
    CAPTURE(bad);
    CHECK(shard_from(bad) == "error");
  }
}

TEST_CASE("GoogleTest's variables come before Slurm's, which count from 0",
          "[shards]") {
  ::setenv("SLURM_ARRAY_TASK_ID", "0", 1);
  ::setenv("SLURM_ARRAY_TASK_COUNT", "2", 1);
  CHECK(shard_of_environment().text() == "1/2");
  ::setenv("GTEST_TOTAL_SHARDS", "4", 1);
  CHECK_THROWS_AS(shard_of_environment(), std::invalid_argument);
  ::setenv("GTEST_SHARD_INDEX", "0", 1);
  CHECK(shard_of_environment().text() == "1/4");
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT",
                           "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS"}) {
    ::unsetenv(name);
  }
  CHECK(shard_of_environment().is_whole());
}

TEST_CASE("what spreads something else is read where it is asked for",
          "[shards]") {
  struct System {
    const char *index, *at, *count, *of, *shard;
  };
  for (const auto& [index, at, count, of, shard] :
       {System{"PYTEST_XDIST_WORKER", "gw2", "PYTEST_XDIST_WORKER_COUNT", "4",
               "3/4"},
        {"CI_NODE_INDEX", "2", "CI_NODE_TOTAL", "8", "2/8"},
        {"ROPEPROOF_SHARD_INDEX", "0", "ROPEPROOF_SHARD_COUNT", "3", "1/3"},
        {"JOB_COMPLETION_INDEX", "4", "JOB_COMPLETIONS", "5", "5/5"}}) {
    ::setenv(index, at, 1);
    CHECK_THROWS_AS(shard_asked_for(), std::invalid_argument);
    ::setenv(count, of, 1);
    CHECK(shard_asked_for().text() == shard);
    CHECK(shard_of_environment().is_whole());
    ::setenv(index, "9", 1);
    CHECK_THROWS_AS(shard_asked_for(), std::invalid_argument);
    ::unsetenv(index);
    ::unsetenv(count);
  }
  CHECK_THROWS_AS(shard_asked_for(), std::invalid_argument);
}

}  // namespace
}  // namespace ropeproof::conformance::check
