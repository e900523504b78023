#include "conformance/selftest/hacks.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "conformance/check/runner.h"
#include "conformance/plugin/kernel.h"
#include "conformance/report/report.h"
#include "conformance/report/requirement.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::selftest {
namespace {

namespace fs = std::filesystem;

// What the hacks are held to, and honest kernels, who offer what they like.
constexpr const char* kPolicy =
    "L1,A1,rope,f32,half_split,positions>=131071,declined<=0";
constexpr const char* kLeast = "L1,A1";
constexpr std::uint64_t kHackSeed = 44;
constexpr std::chrono::milliseconds kShortLimit{300};
// What a hack says that has got hold of what is not its own.
constexpr const char* kGotHold = "returned 101";
// How a process of "outlives_the_run" is called.
constexpr const char* kLeft = "rp-outlives\n";

// A folder with the library of hacks under the name of each.
class Names {
 public:
  explicit Names(const std::string& library)
      : folder_(fs::temp_directory_path() /
                ("ropeproof-hacks-" + std::to_string(getpid()))),
        library_(fs::canonical(library)) {
    fs::create_directory(folder_);
  }
  ~Names() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  std::string path(std::string_view name) const {
    const fs::path file = folder_ / (std::string(name) + ".so");
    if (!fs::is_symlink(file)) fs::create_symlink(library_, file);
    return file.string();
  }

 private:
  fs::path folder_, library_;
};

bool is_left() {
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end;
       at.increment(error)) {
    std::ifstream file(at->path() / "comm");
    std::string name;
    if (std::getline(file, name) && name + "\n" == kLeft) return true;
  }
  return false;
}

struct HackFinding {
  bool conforms = false;
  std::string said;
};

// The first check that fails, or what is weaker than demanded.
HackFinding finding_of(const report::Report& found) {
  const report::Totals totals = report::total(found);
  const auto first = std::ranges::find_if(found.checks, [](const auto& check) {
    return check::is_failure(check.verdict);
  });
  if (first == found.checks.end()) {
    return {report::exit_status(totals) == 0, totals.weaker};
  }
  std::string said = text::word(first->verdict);
  if (!first->is_of_values()) {
    said += ", " + text::word(check::kAspectWords, first->aspect);
  }
  return {false, said + ": " +
                     (first->reason.empty() ? "wrong values" : first->reason)};
}

class Judge {
 public:
  Judge(const cases::Corpus& corpus, const UntrustedOptions& options)
      : corpus_(corpus), options_(options), names_(options.library) {}

  HackRow row_of(const Hack& hack) const {
    HackRow row{hack, "", false};
    const HackFinding found = judged(hack, true);
    row.got = found.said;
    if (hack.fate == Fate::kHonest || hack.fate == Fate::kOutOfReach) {
      row.is_right = found.conforms;
      if (found.conforms) row.got = "conforms";
      return row;
    }
    row.is_right =
        !found.conforms && row.got.find(hack.why) != std::string::npos;
    if (is_left()) {
      row.is_right = false;
      row.got += "; a process of its own runs on";
    }
    if (hack.fate == Fate::kReaches) {
      const HackFinding free = judged(hack, false);
      if (free.said.find(kGotHold) == std::string::npos) {
        row.is_right = false;
        row.got += "; it does not reach anything without walls: " + free.said;
      }
    }
    return row;
  }

 private:
  std::unique_ptr<plugin::Kernel> open(const Hack& hack, bool is_walled) const {
    plugin::KernelOptions options;
    if (hack.hangs) options.time_limit = kShortLimit;
    if (is_walled) {
      options.sandbox = std::make_shared<plugin::Sandbox>(options_.sandbox);
    }
    const std::string name(hack.name);
    if (hack.kind == Hack::kPython) {
      return plugin::start_process(options_.process + " " + name, options);
    }
    return plugin::load_library(hack.kind == Hack::kPlugin
                                    ? options_.plugins + "/" + name + ".so"
                                    : names_.path(name),
                                options);
  }

  HackFinding judged(const Hack& hack, bool is_walled) const {
    std::unique_ptr<plugin::Kernel> kernel;
    try {
      kernel = open(hack, is_walled);
    } catch (const plugin::KernelError& error) {
      return {false, std::string("REFUSED: ") + error.what()};
    }
    check::Selection selection;
    selection.ends_at_failure = true;
    selection.wanted = check::Wanted::kAnswer;
    if (is_walled) {
      selection.arrays = options_.arrays;
      selection.seed = kHackSeed;
    } else {
      selection.tier = cases::Tier::kSmoke;
    }
    report::Report found = check::run_suite(*kernel, corpus_, selection);
    kernel.reset();
    found.required = report::parse_requirement(
        hack.fate == Fate::kHonest ? kLeast : kPolicy);
    return finding_of(found);
  }

  const cases::Corpus& corpus_;
  const UntrustedOptions& options_;
  Names names_;
};

std::string line(const HackRow& row) {
  return text::format("  %s  %-26s ", row.is_right ? "ok   " : "FAULT",
                      std::string(row.hack.name).c_str()) +
         row.got + "\n" +
         (row.is_right
              ? ""
              : "         expected " +
                    (is_caught(row.hack.fate) ? std::string(row.hack.why)
                                              : "that it conforms") +
                    "\n");
}

std::string fate_text(const HackRow& row) {
  const std::string why(row.hack.why);
  if (!row.is_right) return "**" + row.got + "**";
  switch (row.hack.fate) {
    case Fate::kCaught:
      return why;
    case Fate::kReaches:
      return why + "; without walls it gets hold of it";
    case Fate::kOutOfReach:
      return "conforms: " + why;
    case Fate::kHonest:
      return "conforms";
  }
  return "";
}

}  // namespace

std::vector<HackRow> run_untrusted(const cases::Corpus& corpus,
                                   const UntrustedOptions& options) {
  const Judge judge(corpus, options);
  std::vector<HackRow> rows;
  for (const Hack& hack : hacks()) {
    if (hack.cost == Hack::kNight && !options.is_full) continue;
    if (hack.kind == Hack::kPython && options.process.empty()) continue;
    rows.push_back(judge.row_of(hack));
    if (options.print) options.print(line(rows.back()));
  }
  return rows;
}

bool all_right(const std::vector<HackRow>& rows) {
  return !rows.empty() && std::ranges::all_of(rows, &HackRow::is_right);
}

std::string score_text(const std::vector<HackRow>& rows) {
  const auto tally = [&](auto is_one) {
    Tally counted;
    for (const HackRow& row : rows) {
      if (!is_one(row.hack.fate)) continue;
      ++counted.all;
      if (row.is_right) ++counted.right;
    }
    return text::part_of(counted.right, counted.all);
  };
  return tally(is_caught) + " hacks caught, " +
         tally([](Fate fate) { return fate == Fate::kOutOfReach; }) +
         " out of reach conform, as " +
         tally([](Fate fate) { return fate == Fate::kHonest; }) +
         " honest kernels do";
}

std::string untrusted_table(const std::vector<HackRow>& rows) {
  std::string text =
      "# Untrusted\n\n"
      "Kernels that are made to pass, not to be right ([hacks.h](hacks.h)), "
      "behind walls, by a policy, asked what nobody\n"
      "has seen; and honest ones. `ropeproof selftest --untrusted --full "
      "--table FILE` writes this page.\n\n" +
      score_text(rows) +
      ".\n\n| kernel | what it does | what becomes of it |\n"
      "|---|---|---|\n";
  for (const HackRow& row : rows) {
    text += "| " + std::string(row.hack.name) + " | " +
            std::string(row.hack.does) + " | " + fate_text(row) + " |\n";
  }
  return text;
}

}  // namespace ropeproof::conformance::selftest
