// runner.h -- cases x kernel -> checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/check/formed_store.h"
#include "conformance/check/run.h"
#include "conformance/cover/arrays.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// What a check of wrong values has beside its verdict: nothing; the answer,
// which a diagnosis reads; and a brief account of it, or all. A run makes brief
// ones of large answers: to measure one takes several times as long as to judge
// it.
enum class Wanted { kVerdict, kAnswer, kBrief, kAccount };

struct Selection {
  cases::Tier tier = cases::Tier::kCore;
  std::vector<std::string> cases;       // ids; empty: all of the tier
  std::vector<std::string> operations;  // words; empty: all
  std::vector<std::string> declined;    // patterns of rope cases, see Verdict
  std::string profile;  // name; then all of the corpus is the profile's
  // What is asked beside the corpus, in core and full; null: nothing.
  std::shared_ptr<const cover::Arrays> arrays;
  // A profile has a problem of its model, and the largest position.
  std::shared_ptr<const cases::Problem> model;
  std::int64_t model_positions = 0;
  std::uint64_t seed = 0;  // of fresh questions; 0: those of the suite
  // Keeps formed cases from run to run, of one model; null: nothing is kept.
  std::shared_ptr<FormedStore> formed;
  bool offered_only = false;  // no check says what a kernel does not offer
  bool values_only = false;   // without the checks of the contract
  Wanted wanted = Wanted::kAccount;  // of wrong values
  bool shows = false;            // what the pictures of a report are drawn of
  bool ends_at_failure = false;  // nothing is asked after a failing check
  Shard shard;                   // of the cases that all of the above select
  // Called with each case before its calls: how many came before, of how many,
  // and its id.
  std::function<void(std::size_t, std::size_t, const std::string&)> progress;
  // Called with the ids of all cases that there are, before the first call.
  std::function<void(const std::vector<std::string>&)> names;
};

// "tier core", "profile llama3-f32-128k".
std::string asked_text(const Selection& selection);

struct Asking {
  bool is_declined = false;  // said for it: DECLINED, without a call
  int rounds = 1;            // times over, as Call::run
  Wanted wanted = Wanted::kAccount;
  Shown* shown = nullptr;  // gets what the answer shows
  bool is_lent = false;  // a wrong answer has no copy of the case, which stays
};

// Judges the values of one case under one operation, in one call; UNSUPPORTED
// without a call where the kernel does not offer it. Neither id nor summary is
// filled in.
Check check_values(plugin::Kernel& kernel, std::uint32_t operation,
                   const cases::Case& c, const Asking& asking = {});

// Judges `kernel` on every selected case under every operation that the case
// defines. Throws std::invalid_argument naming an unknown id or
// operation.
Run run_suite(plugin::Kernel& kernel, const cases::Corpus& corpus,
              const Selection& selection);

}  // namespace ropeproof::conformance::check
