// filter.h -- which of all cases a run asks: tier, ids, operations, shard.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "conformance/check/run.h"
#include "conformance/check/runner.h"
#include "conformance/check/shard.h"

namespace ropeproof::conformance::check {

struct Named {
  std::string id;
  cases::Tier tier;
};

// The cases of a corpus, then those that are formed.
std::vector<Named> all_cases(const cases::Corpus& corpus,
                             std::span<const cover::Recipe> recipes);

class Filter {
 public:
  // `all` cases that there are. Throws std::invalid_argument naming an unknown
  // id or operation, or a pattern that matches no case.
  Filter(const std::vector<Named>& all, const Selection& selection);

  bool takes(cases::Tier tier, const std::string& id) const;
  bool declines(const std::string& id) const;
  bool takes(std::uint32_t operation) const { return taken(operation) != 0; }
  std::uint32_t taken(std::uint32_t operations) const {
    return operations_ & operations;
  }
  // "table, rope"; empty: all of them.
  std::string operations() const;

 private:
  cases::Tier tier_;
  std::set<std::string> ids_;
  std::vector<std::string> declined_;
  std::uint32_t operations_ = 0;
};

class ShardPicker {
 public:
  explicit ShardPicker(const Shard& shard) : shard_(shard) {}

  bool takes(const std::string& id);

  std::int64_t count() const { return count_; }
  std::size_t dealt() const { return dealt_.size(); }

  void finish(Run& run);

 private:
  Shard shard_;
  std::int64_t count_ = 0;
  std::string ids_;
  std::vector<std::string> dealt_;
};

}  // namespace ropeproof::conformance::check
