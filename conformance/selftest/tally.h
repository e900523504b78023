// tally.h -- how many of all are right.
#pragma once

#include <cstddef>
#include <string>

namespace ropeproof::conformance::selftest {

struct Tally {
  std::size_t right = 0, all = 0;

  bool holds() const { return right == all; }
  double share() const {
    return all == 0 ? 0 : static_cast<double>(right) / static_cast<double>(all);
  }
  void add(const Tally& other) {
    right += other.right;
    all += other.all;
  }
  std::string text() const {
    return std::to_string(right) + "/" + std::to_string(all);
  }
};

}  // namespace ropeproof::conformance::selftest
