#include "conformance/check/shard.h"

#include <catch2/catch_test_macros.hpp>
#include <map>
#include <stdexcept>

namespace ropeproof::conformance::check {
namespace {

using Variables = std::map<std::string, std::string>;

// "2/8", or "error" for one line of fault.
std::string shard_in(const Variables& variables) {
  try {
    return shard_of_environment([&](const char* name) {
             const auto found = variables.find(name);
             return found == variables.end() ? nullptr : found->second.c_str();
           })
        .text();
  } catch (const std::invalid_argument& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return "error";
  }
}

std::string shard_from(const std::string& text) {
  try {
    return parse_shard(text, "--shard").text();
  } catch (const std::invalid_argument& error) {
    CHECK(std::string(error.what()).starts_with("--shard"));
    return "error";
  }
}

TEST_CASE(
    "every case is in exactly one shard, and shards differ by at most one "
    "case",
    "[shards]") {
  for (const std::int64_t count : {1, 2, 3, 7, 64}) {
    for (const std::int64_t cases : {1, 5, 64, 1000}) {
      std::int64_t all = 0;
      for (std::int64_t i = 1; i <= count; ++i) {
        std::int64_t taken = 0;
        for (std::int64_t k = 0; k < cases; ++k) {
          if (Shard{i, count}.takes(k)) ++taken;
        }
        CHECK(taken >= cases / count);
        CHECK(taken <= cases / count + 1);
        all += taken;
      }
      CHECK(all == cases);
    }
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

TEST_CASE("batch systems name the shard, GoogleTest's variables before Slurm's",
          "[shards]") {
  const Variables gtest = {{"GTEST_SHARD_INDEX", "0"},
                           {"GTEST_TOTAL_SHARDS", "4"}};
  const Variables slurm = {{"SLURM_ARRAY_TASK_ID", "12"},
                           {"SLURM_ARRAY_TASK_MIN", "10"},
                           {"SLURM_ARRAY_TASK_COUNT", "5"}};
  CHECK(shard_in({}) == "1/1");
  CHECK(shard_in(gtest) == "1/4");
  CHECK(shard_in(slurm) == "3/5");
  CHECK(shard_in({{"SLURM_ARRAY_TASK_ID", "0"},
                  {"SLURM_ARRAY_TASK_COUNT", "2"}}) == "1/2");
  Variables both = gtest;
  both.insert(slurm.begin(), slurm.end());
  CHECK(shard_in(both) == "1/4");

  CHECK(shard_in({{"GTEST_SHARD_INDEX", "0"}}) == "error");
  CHECK(shard_in({{"GTEST_TOTAL_SHARDS", "2"}}) == "error");
  CHECK(shard_in({{"SLURM_ARRAY_TASK_ID", "1"}}) == "error");
  CHECK(shard_in({{"GTEST_SHARD_INDEX", "4"}, {"GTEST_TOTAL_SHARDS", "4"}}) ==
        "error");
  CHECK(shard_in({{"GTEST_SHARD_INDEX", "x\ny"},
                  {"GTEST_TOTAL_SHARDS", "4"}}) == "error");
  // An array with holes, as --array=1,3,7.
  CHECK(shard_in({{"SLURM_ARRAY_TASK_ID", "7"},
                  {"SLURM_ARRAY_TASK_MIN", "1"},
                  {"SLURM_ARRAY_TASK_COUNT", "3"}}) == "error");
}

}  // namespace
}  // namespace ropeproof::conformance::check
