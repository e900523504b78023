// faults.h -- interaction faults: kernels that are wrong only where some
// classes of the coverage model meet.
//
// A fault is an operation, one, two or three classes that it sees, a mistake
// and a place. Nobody writes them by hand: there is one for every combination
// that the model allows. A fault is found if the judge finds its answer wrong
// in some call that has all its classes; one that no call touches is not.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cover/model.h"
#include "conformance/selftest/tally.h"
#include "conformance/selftest/wrong_rows.h"

namespace ropeproof::conformance::selftest {

// Which wrong rows the judge finds in the answers to calls of one operation, by
// the classes of a call as the kernel sees them. It is counted once for all
// faults, since no fault changes it.
using FoundIn = std::map<cover::Row, WrongRows>;

struct FaultTally {
  Tally found;
  std::vector<std::string> survivors;  // in words; the first ten

  void add(const FaultTally& other);
};

// The faults of every combination of `strength` classes, 1 to 3, in one
// operation.
FaultTally count_faults(const cover::Model& model, std::uint32_t operation,
                        const FoundIn& found, int strength);

// What the tiers find of the faults of a kernel of class A0 that offers
// everything.
struct FaultFigures {
  FaultTally smoke_one, smoke_two;
  FaultTally core_one, core_two;
  std::optional<FaultTally> full_three;  // where the full tier is asked

  // Core finds every fault of one and two classes, full 99 % of those of three.
  bool holds() const;
  // "faults    1-way 4572/4572, ...", and a line for those of three.
  std::string text() const;
  // A line for each that survives; at most ten of each figure.
  std::string survivors() const;
};

// Claims class A0 and offers every class of the model, in every dtype.
plugin::Description strict_description();

// Counts what the cases that it looks at find.
class FaultMeter {
 public:
  // The model outlives this.
  explicit FaultMeter(const cover::Model& model) : model_(model) {}

  // Judges a case's calls under each operation; see AskedCases::Look. Cost:
  // some 5 ms.
  void look(const cases::Case& c, const cover::Row& row);

  FaultTally count(int strength) const;

 private:
  const cover::Model& model_;
  std::map<std::uint32_t, FoundIn> found_;  // by operation
};

}  // namespace ropeproof::conformance::selftest
