#include "conformance/selftest/strangers/strangers.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "conformance/check/diagnose.h"
#include "conformance/check/runner.h"
#include "conformance/selftest/strangers/engine_calls.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::selftest::strangers {
namespace {

constexpr std::uint64_t kFreshSeeds[] = {11, 22, 33};

// Engines rotate by a cache in a quarter of the calls, by given tables in
// another.
std::uint32_t operation_of(const plugin::Kernel& kernel, std::size_t call) {
  constexpr std::uint32_t kRope = ROPEPROOF_ROPE;
  constexpr std::uint32_t kOperations[] = {kRope, ROPEPROOF_LOOKUP, kRope,
                                           ROPEPROOF_ROTATE};
  const std::uint32_t offered = kernel.description().operations;
  return (offered & kOperations[call % 4]) != 0 ? kOperations[call % 4] : kRope;
}

class Asker {
 public:
  Asker(const cases::Corpus& corpus, const Options& options)
      : corpus_(corpus),
        options_(options),
        calls_{engine_calls(options.seed, options.engine_calls, false),
               engine_calls(~options.seed, options.engine_calls, true)} {
    for (const bool is_wide : {false, true}) {
      const auto honest =
          open(options.library, options.seed, std::nullopt, is_wide);
      if (wrong_share(*honest, calls_[is_wide ? 1 : 0], 1) == 0) continue;
      throw std::logic_error("the honest stranger is wrong");
    }
  }

  // Nothing for a program that is left out.
  std::optional<Stranger> ask(std::uint64_t number) {
    const bool is_reported = options_.seed == kReported;
    Stranger stranger;
    stranger.program =
        is_reported ? reported_programs()[number]
                    : random_program(options_.seed, number, number % 2 != 0);
    const bool is_wide = stranger.program.is_wide;
    const auto open_it = [&] {
      return open(options_.library, options_.seed, number, is_wide);
    };
    stranger.share = wrong_share(
        *open_it(), calls_[is_wide ? 1 : 0],
        options_.rarer_than < 1 ? options_.rarer_than : kLeastShare);
    if (stranger.share >= options_.rarer_than) return std::nullopt;
    if (!is_reported && stranger.share < kLeastShare) return stranger;
    stranger.killed_by = Asked::kNothing;
    for (Asked asked = Asked::kSmoke; asked <= options_.last;
         asked = static_cast<Asked>(static_cast<int>(asked) + 1)) {
      if (!is_killed(*open_it(), asked, stranger)) continue;
      stranger.killed_by = asked;
      const std::vector<Fault>& faults = stranger.program.faults;
      if (faults.size() == 1 && named_ < options_.named) {
        ++named_;
        stranger.diagnoses = diagnoses(*open_it(), asked);
        stranger.said = said_of(faults.front(), stranger.diagnoses);
      }
      break;
    }
    return stranger;
  }

 private:
  check::Selection selection(Asked asked, std::uint64_t seed = 0) const {
    check::Selection selection;
    selection.tier = asked == Asked::kSmoke  ? cases::Tier::kSmoke
                     : asked == Asked::kFull ? cases::Tier::kFull
                                             : cases::Tier::kCore;
    selection.arrays = options_.arrays;
    selection.seed = seed;
    return selection;
  }

  bool is_killed(plugin::Kernel& kernel, Asked asked, Stranger& stranger) {
    const auto fails = [&](std::uint64_t seed) {
      check::Selection some = selection(asked, seed);
      some.ends_at_failure = true;
      some.wanted = check::Wanted::kVerdict;
      const check::Run run = check::run_suite(kernel, corpus_, some);
      for (const check::Check& check : run.checks) {
        if (!check::is_failure(check.verdict)) continue;
        stranger.first_failure = check.case_id;
        return true;
      }
      return false;
    };
    if (asked != Asked::kFresh) return fails(0);
    return std::ranges::any_of(kFreshSeeds, fails);
  }

  std::vector<explain::Diagnosis> diagnoses(plugin::Kernel& kernel,
                                            Asked asked) {
    const check::Run run = check::run_suite(
        kernel, corpus_,
        selection(asked, asked == Asked::kFresh ? kFreshSeeds[0] : 0));
    return check::diagnose(run, corpus_, &kernel);
  }

  const cases::Corpus& corpus_;
  const Options& options_;
  const std::array<std::vector<cases::Case>, 2> calls_;  // narrow, wide
  std::uint64_t named_ = 0;
};

std::string line(std::uint64_t number, const Stranger& stranger) {
  std::string text = "  " + std::to_string(number) + "  " +
                     text::word(kAskedWords, stranger.killed_by) + "  " +
                     words(stranger.program);
  if (stranger.killed_by == Asked::kNothing) {
    text +=
        text::format("  wrong in %.2g of engines' elements", stranger.share);
  }
  if (!stranger.first_failure.empty()) {
    text += "  [" + stranger.first_failure + "]";
  }
  if (stranger.said) {
    text += "\n      named " + text::word(kSaidWords, *stranger.said);
  }
  for (const explain::Diagnosis& d : stranger.diagnoses) {
    text += "\n      " + (d.what.empty() ? "no known bug" : d.what) +
            (d.where == explain::Place{} ? "" : ", where " + d.where.word());
  }
  return text + "\n";
}

// How many are killed by each, in the order of Asked.
struct Row {
  std::array<int, kAskedWords.size()> counts{};

  // The idle ones come last.
  std::string text(const std::string& name) const {
    int live = 0;
    std::string cells;
    for (std::size_t i = 1; i < counts.size(); ++i) {
      live += counts[i];
      cells += " | " + std::to_string(counts[i]);
    }
    return "| " + name + " | " + std::to_string(live) + cells + " | " +
           std::to_string(counts[0]) + " |\n";
  }
};

}  // namespace

double wrong_share(plugin::Kernel& kernel,
                   const std::vector<cases::Case>& calls, double enough) {
  const auto count = static_cast<double>(calls.size());
  double sum = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const check::Check check =
        check::check_values(kernel, operation_of(kernel, i), calls[i],
                            {.wanted = check::Wanted::kVerdict});
    if (check.passes() || check.verdict == check::Verdict::kUnsupported) {
      continue;
    }
    sum += check.measurement && check.measurement->wrong > 0
               ? static_cast<double>(check.measurement->wrong) /
                     static_cast<double>(check.measurement->elements)
               : 1;
    if (sum / count >= enough) break;
  }
  return sum / count;
}

std::unique_ptr<plugin::Kernel> open(const std::string& library,
                                     std::uint64_t seed,
                                     std::optional<std::uint64_t> number,
                                     bool is_wide) {
  const std::string which = std::to_string(seed) + " " +
                            (number ? std::to_string(*number) : "honest") +
                            (is_wide ? " wide" : " narrow");
  setenv("ROPEPROOF_STRANGER", which.c_str(), 1);
  return plugin::load_library(library, {});
}

std::vector<Stranger> run_strangers(const cases::Corpus& corpus,
                                    const Options& options) {
  Asker asker(corpus, options);
  std::vector<Stranger> strangers;
  std::uint64_t count = options.count;
  if (options.seed == kReported) {
    const std::uint64_t all = reported_programs().size();
    count = std::min(count, all - std::min(all, options.first));
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    std::optional<Stranger> one = asker.ask(options.first + i);
    if (!one) continue;
    strangers.push_back(std::move(*one));
    if (options.print) options.print(line(options.first + i, strangers.back()));
  }
  return strangers;
}

std::string table(const std::vector<Stranger>& strangers) {
  std::map<std::string, Row> rows;
  std::string survivors;
  for (const Stranger& stranger : strangers) {
    const auto by = static_cast<std::size_t>(stranger.killed_by);
    const bool is_one = stranger.program.faults.size() == 1;
    const Fault& fault = stranger.program.faults.front();
    const std::string width = stranger.program.is_wide ? "wide" : "narrow";
    ++rows["all"].counts[by];
    ++rows["all, " + width].counts[by];
    ++rows[is_one ? "one fault" : "two or three faults"].counts[by];
    if (is_one) {
      ++rows["one, " + word(fault.part)].counts[by];
      ++rows[fault.when ? "one, under a condition" : "one, always"].counts[by];
    }
    if (stranger.killed_by == Asked::kNothing) {
      survivors += "- " + words(stranger.program) + "\n";
    }
  }
  std::string text =
      "| programs | live | smoke | core | full | fresh | nothing | idle |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const auto& [name, row] : rows) text += row.text(name);
  for (const auto& [said, word] : kSaidWords) {
    const auto count = std::ranges::count(strangers, said, &Stranger::said);
    text += (said == Said::kExactly ? "\nNamed " : ", ") + std::string(word) +
            " " + std::to_string(count);
  }
  return text + ".\n\nSurvivors:\n\n" +
         (survivors.empty() ? "none\n" : survivors);
}

}  // namespace ropeproof::conformance::selftest::strangers
