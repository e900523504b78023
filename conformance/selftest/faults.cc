#include "conformance/selftest/faults.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <string_view>

#include "conformance/check/call.h"
#include "conformance/check/contract.h"
#include "conformance/check/features.h"
#include "conformance/check/runner.h"
#include "conformance/cover/choose.h"
#include "conformance/cover/classes.h"
#include "conformance/cover/formed.h"
#include "conformance/cover/offer.h"
#include "conformance/plugin/words.h"
#include "conformance/report/failure_text.h"
#include "conformance/selftest/test_kernel.h"

namespace ropeproof::conformance::selftest {
namespace {

constexpr std::size_t kSurvivorsNamed = 10;
constexpr double kFullShare = 0.99;

constexpr std::uint32_t kAngles = ROPEPROOF_ROPE | ROPEPROOF_TABLE;

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

// What trials find of the faults of every combination of classes.
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

  void add(const Trial& trial) { add(trial, 0, 0, strength_); }

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

  void add(const Trial& trial, std::size_t index, std::size_t from, int left) {
    if (left == 0) {
      found_[index] |= trial.found;
      return;
    }
    for (std::size_t d = from; d < trial.classes.size(); ++d) {
      if (trial.classes[d] == cover::kOpen) continue;
      add(trial, next(index, d, trial.classes[d]), d + 1, left - 1);
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
  std::string text = text::word(plugin::kOperationWords, operation) + ": ";
  for (std::size_t d = 0; d < part.size(); ++d) {
    if (part[d] == cover::kOpen) continue;
    text += model.dimensions()[d].name + " " +
            model.dimensions()[d].classes[part[d]] + ", ";
  }
  return text + kMistakeWords[bit / kPlaces] + ", " +
         kPlaceWords[bit % kPlaces] + " place" +
         (count_of(rows) > 1
              ? " and " + std::to_string(count_of(rows) - 1) + " more"
              : "");
}

// Claims class A0 and offers every class of the model, in every dtype.
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

// The calls of one case. `asked` is the row that it was formed from, which says
// what no field of a problem does.
std::vector<Trial> trials_of(const cover::Model& model,
                             const cases::RopeCase& c, const cover::Row* asked,
                             const Judge& judge) {
  TestKernel memory(strict_description(), {});
  std::vector<Trial> trials;
  for (const std::uint32_t operation : check::kRopeOperations) {
    if (!check::missing_feature(memory.description(), operation, c, true)
             .empty()) {
      continue;
    }
    const judge::Claim claim = check::subject_of(memory, c, operation).claim;
    check::Call call(memory, operation, c, claim.table);
    Trial trial{operation, cover::classes_of(model, call.begin()),
                found_in(c, operation, claim, judge)};
    const cover::Masks seen = cover::seen_by(model, operation);
    for (const char* dimension : {"values", "edge"}) {
      const std::size_t d = model.at(dimension);
      if (asked != nullptr && d < model.size() && seen[d] != 0) {
        trial.classes[d] = (*asked)[d];
      }
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

// What make(i) gives for i < count, in this order, on all cores.
template <class Make>
void append(std::vector<Trial>& trials, std::size_t count, const Make& make) {
  std::vector<std::vector<Trial>> made(count);
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < count; ++i) {
    try {
      made[i] = make(i);
    } catch (...) {
#pragma omp critical(ropeproof_faults_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  for (const auto& some : made) {
    trials.insert(trials.end(), some.begin(), some.end());
  }
}

class Trials {
 public:
  Trials(const cases::Corpus& corpus, const cover::Arrays& arrays,
         const Judge& judge)
      : corpus_(corpus),
        arrays_(arrays),
        judge_(judge),
        formed_(cover::formed_cases(arrays, strict_description(), true, true, 0,
                                    [](const cover::Row&) { return true; })) {}

  // Of a tier, without those that it contains.
  void add(const char* tier) {
    std::vector<const cases::RopeCase*> committed;
    for (const cases::Group& group : corpus_.groups) {
      if (group.tier != tier) continue;
      for (const cases::RopeCase& c : group.rope_cases) committed.push_back(&c);
    }
    append(trials_, committed.size(), [&](std::size_t i) {
      return trials_of(arrays_.model, *committed[i], nullptr, judge_);
    });
    std::vector<const cover::FormedCase*> formed;
    for (const cover::FormedCase& c : formed_) {
      if (c.tier == tier) formed.push_back(&c);
    }
    append(trials_, formed.size(), [&](std::size_t i) {
      const cases::RopeCase c =
          cover::form(*formed[i], 0, reference::best_oracle());
      const cover::Row& row = formed[i]->row;  // none of a shape
      return trials_of(arrays_.model, c, row.empty() ? nullptr : &row, judge_);
    });
  }

  FaultTally count(int strength) const {
    FaultTally tally;
    for (const std::uint32_t operation : check::kRopeOperations) {
      tally.add(count_faults(arrays_.model, operation, trials_, strength));
    }
    return tally;
  }

 private:
  const cases::Corpus& corpus_;
  const cover::Arrays& arrays_;
  const Judge& judge_;
  std::vector<cover::FormedCase> formed_;
  std::vector<Trial> trials_;
};

}  // namespace

void FaultTally::add(const FaultTally& other) {
  found.add(other.found);
  for (const std::string& survivor : other.survivors) {
    if (survivors.size() < kSurvivorsNamed) survivors.push_back(survivor);
  }
}

FaultTally count_faults(const cover::Model& model, std::uint32_t operation,
                        std::span<const Trial> trials, int strength) {
  Findings findings(model, strength);
  for (const Trial& trial : trials) {
    if (trial.operation == operation) findings.add(trial);
  }
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
        if (missed != 0 && tally.survivors.size() < kSurvivorsNamed) {
          tally.survivors.push_back(text_of(model, operation, part, missed));
        }
      });
  return tally;
}

Judge quick_judge() {
  return [](const cases::RopeCase& c, std::uint32_t operation,
            const judge::Claim& claim, const judge::Output& output) {
    return judge::judge(c, operation, claim, output, false);
  };
}

FaultFigures measure_faults(const cases::Corpus& corpus,
                            const cover::Arrays& arrays, const Judge& judge,
                            bool with_full) {
  Trials trials(corpus, arrays, judge);
  FaultFigures figures;
  trials.add("smoke");
  figures.smoke_one = trials.count(1);
  figures.smoke_two = trials.count(2);
  trials.add("core");
  figures.core_one = trials.count(1);
  figures.core_two = trials.count(2);
  if (!with_full) return figures;
  trials.add("full");
  figures.full_three = trials.count(3);
  return figures;
}

bool FaultFigures::holds() const {
  return core_one.found.holds() && core_two.found.holds() &&
         core_one.found.all > 0 &&
         (full_three.found.all == 0 || full_three.found.share() >= kFullShare);
}

std::string FaultFigures::text() const {
  const std::string full =
      full_three.found.all == 0
          ? "3-way not judged: see --full"
          : report::format("3-way %.2f %% (%s) by full",
                           100 * full_three.found.share(),
                           full_three.found.text().c_str());
  return report::format(
      "faults    1-way %s, 2-way %s found by core; %s; smoke finds %.0f %% of "
      "1-way, %.0f %% of 2-way\n",
      core_one.found.text().c_str(), core_two.found.text().c_str(),
      full.c_str(), 100 * smoke_one.found.share(),
      100 * smoke_two.found.share());
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
  if (full_three.found.share() < kFullShare) add(full_three, "full");
  return text;
}

}  // namespace ropeproof::conformance::selftest
