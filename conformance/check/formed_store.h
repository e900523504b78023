// formed_store.h -- formed cases, kept for the next kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/cover/recipe.h"

namespace ropeproof::conformance::check {

using FormedList = std::shared_ptr<const std::vector<cases::Case>>;

// What a formed case follows from, beside the model of a profile, which a
// store's user does not change.
struct FormedKey {
  FormedKey(const cover::Recipe& recipe, std::int64_t largest, bool rotated,
            bool permuted)
      : id(recipe.id),
        seed(recipe.seed),
        elements(recipe.elements),
        max_position(largest),
        rotates(rotated),
        permutes(permuted) {}
  auto operator<=>(const FormedKey&) const = default;

  std::string id;
  std::uint64_t seed;
  std::int64_t elements, max_position;
  bool rotates, permutes;
};

// Goldens take nine tenths of a verdict's time and follow from the questions
// alone, so a grader of many kernels forms them once. The store takes cases
// until it is full and gives none up: kernels are asked in one order, so the
// oldest is the next that is needed. It has one user at a time.
class FormedStore {
 public:
  explicit FormedStore(std::size_t most_bytes) : most_(most_bytes) {}

  // Returns null where there is none.
  FormedList find(const FormedKey& key) const;
  void keep(const FormedKey& key, const FormedList& formed);
  void clear();
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t most_, bytes_ = 0;
  std::map<FormedKey, FormedList> formed_;
};

}  // namespace ropeproof::conformance::check
