#include "conformance/selftest/faults.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "conformance/call/call.h"
#include "conformance/check/offered.h"
#include "conformance/cover/choose.h"
#include "conformance/cover/offer.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/scalings.h"
#include "conformance/report/failure_text.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::selftest {
namespace {

using plugin::kAngles;
using wrong::full_description;
using wrong::PipelineKernel;

constexpr std::size_t kSurvivorsNamed = 10;
constexpr double kFullShare = 0.99;

constexpr WrongRows at_all_places(Mistake mistake) {
  return static_cast<WrongRows>(((1 << kPlaces) - 1)
                                << (static_cast<int>(mistake) * kPlaces));
}
constexpr WrongRows kSign = at_all_places(Mistake::kSineSign);
constexpr WrongRows kNeighbour = at_all_places(Mistake::kNeighbour);
constexpr WrongRows kAll = (1 << kWrongRows) - 1;

struct ClassName {
  std::string_view dimension, word;
};

// What is no fault: the result is right, or no call can have it.
struct NoFault {
  std::uint32_t operations;
  WrongRows rows;
  std::vector<ClassName> of;
  const char* because;
};
const NoFault kNoFaults[] = {
    {kAngles, kSign | kNeighbour, {{"amplitude", "zero"}}, "all is zero"},
    {ROPEPROOF_TABLE,
     kNeighbour,
     {{"order", "constant"}, {"pairs", "1"}},
     "all entries are equal"},
    {ROPEPROOF_FREQUENCIES,
     kAll,
     {{"scaling", "inv_freq"}},
     "nothing is computed"}};

bool has(const cover::Model& model, const cover::Row& part,
         const ClassName& c) {
  const std::size_t d = model.at(c.dimension);
  return d < model.size() && part[d] == model.at(d, c.word);
}

WrongRows faults_of(const cover::Model& model, std::uint32_t operation,
                    const cover::Row& part) {
  WrongRows faults = kAll;
  for (const NoFault& rule : kNoFaults) {
    const bool applies = (rule.operations & operation) != 0 &&
                         std::ranges::all_of(rule.of, [&](const ClassName& c) {
                           return has(model, part, c);
                         });
    if (applies) faults &= static_cast<WrongRows>(~rule.rows);
  }
  return faults;
}

std::size_t count_of(WrongRows rows) {
  return static_cast<std::size_t>(std::popcount(rows));
}

class Findings {
 public:
  Findings(const cover::Model& model, int strength) : strength_(strength) {
    for (const cover::Dimension& d : model.dimensions()) {
      first_.push_back(classes_);
      classes_ += d.classes.size();
    }
    std::size_t size = 1;
    for (int i = 0; i < strength; ++i) size *= classes_;
    found_.resize(size);
  }

  void add(const cover::Row& classes, WrongRows found) {
    add(classes, found, 0, 0, strength_);
  }

  WrongRows at(const cover::Row& part) const {
    std::size_t index = 0;
    for (std::size_t d = 0; d < part.size(); ++d) {
      if (part[d] != cover::kOpen) index = next(index, d, part[d]);
    }
    return found_[index];
  }

 private:
  std::size_t next(std::size_t index, std::size_t d, std::uint8_t c) const {
    return index * classes_ + first_[d] + c;
  }

  void add(const cover::Row& classes, WrongRows found, std::size_t index,
           std::size_t from, int left) {
    if (left == 0) {
      found_[index] |= found;
      return;
    }
    for (std::size_t d = from; d < classes.size(); ++d) {
      if (classes[d] == cover::kOpen) continue;
      add(classes, found, next(index, d, classes[d]), d + 1, left - 1);
    }
  }

  int strength_;
  std::vector<std::size_t> first_;  // number of each dimension's first class
  std::size_t classes_ = 0;
  std::vector<WrongRows> found_;
};

std::string text_of(const cover::Model& model, std::uint32_t operation,
                    const cover::Row& part, WrongRows rows) {
  constexpr const char* kMistakeWords[kMistakes] = {
      "row skipped", "sine negated", "neighbour's value", "twice its bound"};
  constexpr const char* kPlaceWords[kPlaces] = {"first", "middle", "last"};
  const int bit = std::countr_zero(rows);
  return text::word(plugin::kOperationWords, operation) + ": " +
         model.words(part) + ", " + kMistakeWords[bit / kPlaces] + ", " +
         kPlaceWords[bit % kPlaces] + " place" +
         (count_of(rows) > 1
              ? " and " + std::to_string(count_of(rows) - 1) + " more"
              : "");
}

}  // namespace

plugin::Description strict_description() {
  plugin::Description d = full_description(ROPEPROOF_A0);
  d.dtypes |= ROPEPROOF_F64;
  d.features |= ROPEPROOF_EXPONENTS | ROPEPROOF_EXPLICIT_LENGTH |
                ROPEPROOF_SPECIAL_VALUES;
  for (const auto& [bit, word] : plugin::kScalingWords) d.scalings |= bit;
  d.max_position = 0;
  ropeproof_claim wide = d.claims[0];
  wide.dtypes = ROPEPROOF_F64;
  wide.table_dtype = ROPEPROOF_F64;
  d.claims.insert(d.claims.begin(), wide);
  return d;
}

void FaultTally::add(const FaultTally& other) {
  found.add(other.found);
  for (const std::string& survivor : other.survivors) {
    if (survivors.size() < kSurvivorsNamed) survivors.push_back(survivor);
  }
}

FaultTally count_faults(const cover::Model& model, std::uint32_t operation,
                        const FoundIn& found, int strength) {
  Findings findings(model, strength);
  for (const auto& [classes, rows] : found) findings.add(classes, rows);
  const cover::Masks everything = model.everything();
  const cover::Masks seen = cover::seen_by(model, operation);
  FaultTally tally;
  cover::for_each_combination(
      model, seen, strength, [&](const cover::Row& part) {
        const WrongRows faults = faults_of(model, operation, part);
        if (faults == 0 || !model.complete(part, everything)) return;
        const WrongRows missed =
            faults & static_cast<WrongRows>(~findings.at(part));
        tally.found.all += count_of(faults);
        tally.found.right += count_of(faults) - count_of(missed);
        if (missed == 0) return;
        if (tally.survivors.size() < kSurvivorsNamed) {
          tally.survivors.push_back(text_of(model, operation, part, missed));
        }
      });
  return tally;
}

void FaultMeter::look(const cases::Case& c, const cover::Row& row) {
  PipelineKernel memory(strict_description(), {});
  for (const std::uint32_t operation :
       check::offered_operations(memory.description(), c.problem, true)) {
    const judge::Claim claim =
        judge::claim_of(memory.description(), c.problem.dtype, operation);
    call::Call call(memory, operation, c, claim.table);
    const cover::Row classes = cover::classes_of(model_, call.begin(), row);
    const WrongRows found = found_in(c, operation, claim);
#pragma omp critical(ropeproof_faults)
    found_[operation][classes] |= found;
  }
}

FaultTally FaultMeter::count(int strength) const {
  FaultTally tally;
  for (const std::uint32_t operation : check::kRopeOperations) {
    const auto found = found_.find(operation);
    tally.add(count_faults(model_, operation,
                           found == found_.end() ? FoundIn() : found->second,
                           strength));
  }
  return tally;
}

bool FaultFigures::holds() const {
  return core_one.found.holds() && core_two.found.holds() &&
         core_one.found.all > 0 &&
         (!full_three || full_three->found.share() >= kFullShare);
}

std::string FaultFigures::text() const {
  std::string text = report::format(
      "faults    1-way %s, 2-way %s found by core; smoke finds %.0f %% and "
      "%.0f %%\n",
      core_one.found.text().c_str(), core_two.found.text().c_str(),
      100 * smoke_one.found.share(), 100 * smoke_two.found.share());
  if (full_three) {
    text += report::format("          3-way %s (%.2f %%) by full\n",
                           full_three->found.text().c_str(),
                           100 * full_three->found.share());
  }
  return text;
}

std::string FaultFigures::survivors() const {
  std::string text;
  const auto add = [&](const FaultTally& tally, const char* tier) {
    for (const std::string& survivor : tally.survivors) {
      text += "  FAULT  survives the " + std::string(tier) +
              " tier: " + survivor + "\n";
    }
  };
  add(core_one, "core");
  add(core_two, "core");
  if (full_three && full_three->found.share() < kFullShare) {
    add(*full_three, "full");
  }
  return text;
}

}  // namespace ropeproof::conformance::selftest
