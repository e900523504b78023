// strangers.h -- the suite against kernels with faults that nobody made for it.
//
// Each program of the grammar first answers calls that engines make: one that
// is right in all of them, or wrong in fewer than one of 10^4 of their
// elements, is idle and no fault at all. The others are asked smoke, core, full
// and three fresh cores, until one kills them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cover/arrays.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/plugin/kernel.h"
#include "conformance/selftest/strangers/program.h"
#include "conformance/selftest/strangers/said.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::selftest::strangers {

// What is asked, the cheapest first.
enum class Asked { kIdle, kSmoke, kCore, kFull, kFresh, kNothing };
inline constexpr text::Words<Asked, 6> kAskedWords{
    {{Asked::kIdle, "idle"},
     {Asked::kSmoke, "smoke"},
     {Asked::kCore, "core"},
     {Asked::kFull, "full"},
     {Asked::kFresh, "fresh"},
     {Asked::kNothing, "nothing"}}};

struct Options {
  std::string library = {};  // of plugin.cc
  std::uint64_t seed = 1;
  std::uint64_t first = 0, count = 0;  // numbers of programs
  int engine_calls = 200;
  Asked last = Asked::kFresh;  // the last that is asked
  // Programs that are wrong in this share of elements or more are left out:
  // what is rare is missed first.
  double rarer_than = 1;
  std::uint64_t named = 0;  // of so many killed with one fault, what is said
  std::shared_ptr<const cover::Arrays> arrays = {};
  // Called with each line of the report as soon as it is known.
  std::function<void(const std::string&)> print = {};
};

struct Stranger {
  Program program;
  double share = 0;  // of elements of engines' calls, wrong
  // What kills it; kIdle: nothing may, kNothing: nothing does.
  Asked killed_by = Asked::kIdle;
  std::string first_failure;  // "core-plain-003 rope"
  std::vector<explain::Diagnosis> diagnoses;
  std::optional<Said> said;  // of one fault alone
};

// The kernel of a program; without a number the honest one. Throws KernelError.
std::unique_ptr<plugin::Kernel> open(const std::string& library,
                                     std::uint64_t seed,
                                     std::optional<std::uint64_t> number,
                                     bool is_wide);

// The mean over engines' calls of the share of their elements that is wrong; a
// call without an answer is wrong as a whole. As soon as it is `enough` no more
// calls are made.
double wrong_share(plugin::Kernel& kernel,
                   const std::vector<cases::Case>& calls, double enough);
inline constexpr double kLeastShare = 1e-4;  // of a fault

// Narrow programs have even numbers, wide ones odd ones. Cost: seconds for each
// that is not idle, minutes for each that survives core.
std::vector<Stranger> run_strangers(const cases::Corpus& corpus,
                                    const Options& options);

// How many are killed by what, in all and by part of the grammar; then those
// that nothing kills, in words.
std::string table(const std::vector<Stranger>& strangers);

}  // namespace ropeproof::conformance::selftest::strangers
