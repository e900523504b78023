// shard.h -- one of several parts of a run that together are the whole.
//
// The selected cases are divided round-robin, in the order of the corpus: shard
// i of n judges cases i, i + n, i + 2n ... Neighbours cost about the same, so
// the shards do too, and who gets what depends on nothing but i, n and the
// selection.
#pragma once

#include <cstdint>
#include <string>

namespace ropeproof::conformance::check {

struct Shard {
  std::int64_t index = 1, count = 1;  // 1 <= index <= count

  bool is_whole() const { return count == 1; }
  // Whether the `ordinal`-th selected case, from 0, is this shard's.
  bool takes(std::int64_t ordinal) const {
    return ordinal % count == index - 1;
  }
  std::string text() const;  // "2/8"
};

inline constexpr std::int64_t kMaxShards = 1000000;

// Reads "i/n". Throws std::invalid_argument, one line that begins with
// `source`.
Shard parse_shard(const std::string& text, const std::string& source);

// The shard that a batch system asks for in the environment, in this order:
//
//   GTEST_SHARD_INDEX, from 0, of GTEST_TOTAL_SHARDS
//   SLURM_ARRAY_TASK_ID, from SLURM_ARRAY_TASK_MIN (0 if not set), of
//   SLURM_ARRAY_TASK_COUNT
//
// The whole if none is set. Throws std::invalid_argument, one line, for half a
// pair, for what is no number, and for an index outside its count.
Shard shard_of_environment();

// Returns the same for a user who asks for it, `--shard auto`, also by
// variables that are set where something else is spread over the jobs:
//
//   PYTEST_XDIST_WORKER, gw0 to gwN, of PYTEST_XDIST_WORKER_COUNT
//   CI_NODE_INDEX, from 1, of CI_NODE_TOTAL (GitLab's `parallel`)
//   ROPEPROOF_SHARD_INDEX, from 0, of ROPEPROOF_SHARD_COUNT, which a job fills
//   in from a matrix of GitHub (strategy.job-index and job-total)
//   JOB_COMPLETION_INDEX, from 0, of JOB_COMPLETIONS (an indexed job of
//   Kubernetes, which does not set its number of completions: the job does)
//
// Throws also where none is set.
Shard shard_asked_for();

}  // namespace ropeproof::conformance::check
