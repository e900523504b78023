// hacks.h -- kernels that are made to pass a grader's run, not to be right.
//
// A program that is rewarded for passing finds what a suite does not bind. Each
// row is one such find: a shared library or a Python process that runs behind
// walls (plugin/sandbox.h), asked by a policy with fresh questions, and what
// becomes of it. Honest kernels are rows, too: they raise no alarm.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cover/arrays.h"
#include "conformance/plugin/sandbox.h"
#include "conformance/selftest/tally.h"

namespace ropeproof::conformance::selftest {

enum class Fate {
  kCaught,      // the verdict has `why`
  kReaches,     // the same; without walls it says that it has got hold
  kOutOfReach,  // it conforms, for the reason `why`
  kHonest,      // it conforms
};
constexpr bool is_caught(Fate fate) {
  return fate == Fate::kCaught || fate == Fate::kReaches;
}

struct Hack {
  enum Kind { kLibrary, kPython, kPlugin } kind = kLibrary;
  std::string_view name, does, why;
  enum Cost { kQuick, kNight } cost = kQuick;
  Fate fate = Fate::kCaught;
  bool hangs = false;  // the time limit is short
};

// Returns all of them. Libraries are fakes/hacks.c, processes fakes/hacks.py.
const std::vector<Hack>& hacks();

struct UntrustedOptions {
  std::string library;  // fakes/hacks.so
  std::string plugins;  // folder of honest kernels
  std::string process;  // command to which a name is added; empty: no process
  plugin::Sandbox sandbox;
  std::shared_ptr<const cover::Arrays> arrays;  // not null
  bool is_full = false;                         // those of the night, too
  std::function<void(const std::string&)> print = {};  // gets a line each
};

struct HackRow {
  Hack hack;
  std::string got;  // the verdict, "FAIL, 20 calls: ..."
  bool is_right = false;
};

// Judges each behind walls. Throws where the library of hacks cannot be had.
// Cost: a second each, six for one that conforms.
std::vector<HackRow> run_untrusted(const cases::Corpus& corpus,
                                   const UntrustedOptions& options);

// Returns whether each is as its row says.
bool all_right(const std::vector<HackRow>& rows);
// "45 of 45 hacks caught, 3 out of reach, 6 honest kernels without an alarm"
std::string score_text(const std::vector<HackRow>& rows);
// Returns conformance/selftest/UNTRUSTED.md.
std::string untrusted_table(const std::vector<HackRow>& rows);

}  // namespace ropeproof::conformance::selftest
