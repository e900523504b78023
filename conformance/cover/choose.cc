#include "conformance/cover/choose.h"

#include <bit>
#include <optional>

namespace ropeproof::conformance::cover {
namespace {

class Chooser {
 public:
  Chooser(const Model& model, const Masks& offered, int strength,
          const Takes& takes)
      : model_(model),
        offered_(offered),
        takes_(takes),
        seen_(model, strength) {}

  void add_retracted(const Row& given, std::size_t number) {
    Row row = given;
    for (std::size_t d = 0; d < row.size(); ++d) {
      if ((offered_[d] >> row[d] & 1) != 0) continue;
      // Another class for another row.
      const std::vector<std::uint8_t> classes = classes_in(offered_[d]);
      row[d] = classes[number % classes.size()];
    }
    if (model_.contradiction(row) != nullptr) {
      const std::optional<Row> repaired = repair(given, row);
      if (!repaired) return;
      row = *repaired;
    }
    if (takes_(row)) {
      add(row);
    } else if (const std::optional<Row> other = taken(row)) {
      add(*other);
    }
  }

  void add_missing(const Row& part) {
    if (seen_.has(part)) return;
    std::optional<Row> row = model_.complete(part, offered_);
    if (!row) return;
    if (!takes_(*row)) row = taken(*row, &part);
    if (row) add(*row);
  }

  std::vector<Row> take() { return std::move(chosen_); }

 private:
  void add(const Row& row) {
    if (seen_.add(row)) chosen_.push_back(row);
  }

  // The classes that were put in are left open, and chosen such that no rule is
  // broken.
  std::optional<Row> repair(const Row& given, Row row) const {
    for (std::size_t d = 0; d < row.size(); ++d) {
      if (row[d] != given[d]) row[d] = kOpen;
    }
    if (auto whole = model_.complete(row, offered_)) return whole;
    // Classes that were offered contradict what can be put in beside them.
    for (std::size_t d = 0; d < row.size(); ++d) {
      Row wider = row;
      wider[d] = kOpen;
      if (auto whole = model_.complete(wider, offered_)) return whole;
    }
    return std::nullopt;
  }

  // The row with another class in one dimension, such that the kernel takes it.
  // The classes of `fixed` stay.
  std::optional<Row> taken(const Row& refused, const Row* fixed = nullptr) {
    for (std::size_t d = 0; d < refused.size(); ++d) {
      if (fixed != nullptr && (*fixed)[d] != kOpen) continue;
      for (std::uint64_t mask = offered_[d]; mask != 0; mask &= mask - 1) {
        Row row = refused;
        row[d] = static_cast<std::uint8_t>(std::countr_zero(mask));
        if (row[d] == refused[d] || model_.contradiction(row) != nullptr) {
          continue;
        }
        if (takes_(row)) return row;
      }
    }
    return std::nullopt;
  }

  const Model& model_;
  const Masks& offered_;
  const Takes& takes_;
  Combinations seen_;
  std::vector<Row> chosen_;
};

}  // namespace

Combinations::Combinations(const Model& model, int strength)
    : model_(model), strength_(strength) {
  for (const Dimension& d : model.dimensions()) {
    first_.push_back(classes_);
    classes_ += d.classes.size();
  }
  seen_.resize(strength == 2 ? classes_ * classes_
                             : classes_ * classes_ * classes_);
}

template <class Visit>
void Combinations::visit(const Row& row, const Visit& visit) const {
  const std::size_t n = row.size();
  const std::uint64_t masking = model_.masking(row);
  // What is left of the masking classes when one has been taken.
  const auto without = [](std::uint64_t mask, std::size_t d) {
    return mask & ~(std::uint64_t{1} << d);
  };
  for (std::size_t a = 0; a < n; ++a) {
    if (row[a] == kOpen) continue;
    const std::uint64_t left_a = without(masking, a);
    if (std::popcount(left_a) >= strength_) continue;
    const std::size_t at_a = (first_[a] + row[a]) * classes_;
    for (std::size_t b = a + 1; b < n; ++b) {
      if (row[b] == kOpen) continue;
      const std::uint64_t left_b = without(left_a, b);
      const std::size_t at_b = at_a + first_[b] + row[b];
      if (strength_ == 2) {
        if (left_b == 0) visit(at_b);
        continue;
      }
      for (std::size_t c = b + 1; c < n; ++c) {
        if (row[c] != kOpen && without(left_b, c) == 0) {
          visit(at_b * classes_ + first_[c] + row[c]);
        }
      }
    }
  }
}

bool Combinations::add(const Row& row) {
  const std::size_t before = count_;
  visit(row, [&](std::size_t at) {
    if (seen_[at]) return;
    seen_[at] = true;
    ++count_;
  });
  return count_ > before;
}

bool Combinations::has(const Row& part) const {
  bool all = true;
  visit(part, [&](std::size_t at) { all = all && seen_[at]; });
  return all;
}

void for_each_combination(const Model& model, const Masks& offered,
                          int strength,
                          const std::function<void(const Row&)>& visit) {
  Row part(model.size(), kOpen);
  const std::function<void(std::size_t, int)> next = [&](std::size_t from,
                                                         int left) {
    if (left == 0) return visit(part);
    for (std::size_t d = from; d < model.size(); ++d) {
      for (std::uint64_t mask = offered[d]; mask != 0; mask &= mask - 1) {
        part[d] = static_cast<std::uint8_t>(std::countr_zero(mask));
        next(d + 1, left - 1);
      }
      part[d] = kOpen;
    }
  };
  next(0, strength);
}

std::vector<Row> choose(const Model& model, std::span<const Row> array,
                        const Masks& offered, int strength,
                        const Takes& takes) {
  Chooser chooser(model, offered, strength, takes);
  for (std::size_t i = 0; i < array.size(); ++i) {
    chooser.add_retracted(array[i], i);
  }
  for_each_combination(model, offered, strength,
                       [&](const Row& part) { chooser.add_missing(part); });
  return chooser.take();
}

}  // namespace ropeproof::conformance::cover
