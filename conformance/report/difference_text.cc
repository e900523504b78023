// The difference of two reports in words: the same lists for a terminal and as
// Markdown.
#include <algorithm>

#include "conformance/plugin/abi_words.h"
#include "conformance/report/diagnoses_text.h"
#include "conformance/report/difference.h"
#include "conformance/report/failure_text.h"
#include "conformance/report/headline.h"
#include "conformance/text/one_line.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {
namespace {

// A list of checks, and what it means that they are in it.
struct FateWords {
  Fate fate;
  const char *name, *meaning;
};
constexpr FateWords kFates[] = {
    {Fate::kBroken, "broken", "passed before, fail"},
    {Fate::kGivenUp, "given up", "passed before, the kernel no longer offers"},
    {Fate::kWaived, "broken, waived", "passed before, fail under a waiver"},
    {Fate::kFixed, "fixed", "failed before, pass"},
    {Fate::kNew, "newly asked", "not judged before"},
    {Fate::kGone, "no longer asked", "judged before"},
    {Fate::kStillFails, "still failing", ""},
    {Fate::kStillPasses, "still passing", ""}};

constexpr bool is_shown(Fate fate) {
  return fate != Fate::kStillFails && fate != Fate::kStillPasses;
}

std::string checks_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " check" : " checks");
}

std::string subject_text(const Report& report) {
  return text::one_line(report.kernel.name + " " + report.kernel.version);
}

std::string questions_text(const Report& report) {
  return "ropeproof " + report.suite_version + ", " + report.selection;
}

// "PASS", "FAIL, 37 x the bound", "not asked".
std::string outcome_text(const check::Check* check) {
  if (check == nullptr) return "not asked";
  std::string text = text::word(check->verdict);
  if (check->measurement && check->measurement->worst &&
      check::is_judged(check->verdict)) {
    text +=
        " " + ratio_text(check->measurement->worst->ratio()) + " x the bound";
  } else if (!check->reason.empty()) {
    text += " (" + text::one_line(check->reason) + ")";
  }
  return text;
}

std::string check_text(const CheckPair& pair) {
  const check::Check& check =
      pair.after == nullptr ? *pair.before : *pair.after;
  return check.case_id + "  " +
         text::word(plugin::kOperationWords, check.operation) +
         (check.is_of_values() ? "" : "  " + text::word(check.aspect)) + ": " +
         outcome_text(pair.before) + " -> " + outcome_text(pair.after);
}

// "3 PASS, 2 FAIL", of what is there.
std::string verdicts_text(const std::vector<CheckPair>& pairs) {
  std::map<check::Verdict, std::size_t> count;
  for (const CheckPair& pair : pairs) {
    ++count[(pair.after == nullptr ? pair.before : pair.after)->verdict];
  }
  std::string text;
  for (const auto& [verdict, n] : count) {
    text += (text.empty() ? "" : ", ") + std::to_string(n) + " " +
            text::word(verdict);
  }
  return text;
}

std::string count_line(const Difference& difference, const FateWords& words) {
  const std::vector<CheckPair>& pairs = difference.of(words.fate);
  std::string note = words.meaning;
  const bool is_split = words.fate == Fate::kNew || words.fate == Fate::kGone;
  if (is_split && !pairs.empty()) note += ": " + verdicts_text(pairs);
  return format("  %-16s %6zu", words.name, pairs.size()) +
         (note.empty() ? "" : "   " + note) + "\n";
}

// The failures first, of these values before promises, which repeat them; lists
// of passes are as long as a tier.
std::vector<const CheckPair*> most_telling(const std::vector<CheckPair>& pairs,
                                           std::size_t most) {
  std::vector<const CheckPair*> all;
  for (const CheckPair& pair : pairs) all.push_back(&pair);
  std::ranges::stable_sort(all, {}, [](const CheckPair* pair) {
    const check::Check& check =
        pair->after == nullptr ? *pair->before : *pair->after;
    const bool fails =
        pair->after != nullptr && check::is_failure(check.verdict);
    return std::pair(!fails, !check.is_of_values());
  });
  all.resize(std::min(all.size(), most));
  return all;
}

std::string change(double before, double after) {
  const auto number = [](double x) { return x < 0 ? "-" : ratio_text(x); };
  return std::string(number(before)) + " -> " + number(after);
}

std::string speed_range(const SpeedRange& speed) {
  return format("%.2f to %.2f", speed.least, speed.most);
}

std::string list_text(const Difference& difference, std::size_t most) {
  std::string text;
  for (const FateWords& words : kFates) {
    const auto& pairs = difference.of(words.fate);
    if (!is_shown(words.fate) || pairs.empty() || most == 0) continue;
    text += std::string("\n") + words.name + "\n";
    for (const CheckPair* pair : most_telling(pairs, most)) {
      text += "  " + check_text(*pair) + "\n";
    }
    if (pairs.size() > most) {
      text += "  ... and " + std::to_string(pairs.size() - most) +
              " more; --failures N shows them\n";
    }
  }
  return text;
}

std::string drift_text(const Difference& difference) {
  std::string text;
  for (const Drift& d : difference.drifts) {
    if (text.empty()) {
      text = format("\n  %-12s %-5s  %-20s  %-20s  %s\n", "drifted", "dtype",
                    "worst/bound", "rho", "at");
    }
    text +=
        format("  %-12s %-5s  %-20s  %-20s  ",
               text::word(plugin::kOperationWords, d.operation).c_str(),
               d.dtype == 0 ? ""
                            : text::word(plugin::kDtypeWords, d.dtype).c_str(),
               change(d.ratio_before, d.ratio_after).c_str(),
               change(d.rho_before, d.rho_after).c_str()) +
        d.worst_case + "\n";
  }
  for (const SpeedDrift& speed : difference.speeds) {
    text += "  speed        " + text::one_line(speed.engine.name) + ": " +
            speed_range(speed.before) + " -> " + speed_range(speed.after) +
            " of the machine's limit\n";
  }
  return text;
}

// Why something is broken is what the later report says of itself.
std::string cause_of_broken(const Difference& difference) {
  if (difference.of(Fate::kBroken).empty()) return "";
  const std::string text =
      diagnoses_text(difference.after->report.diagnoses, false);
  return text.empty() ? "" : "\n" + text.substr(0, text.size() - 1);
}

std::string conclusion(const Difference& difference) {
  const std::size_t broken = difference.of(Fate::kBroken).size();
  const std::size_t given_up = difference.of(Fate::kGivenUp).size();
  const std::string lost =
      given_up == 0 ? ""
                    : checks_text(given_up) + " passed before and " +
                          (given_up == 1 ? "is" : "are") + " no longer offered";
  if (broken > 0) {
    return "BROKEN  " + checks_text(broken) + " passed before and fail" +
           (broken == 1 ? "s" : "") + (lost.empty() ? "" : "; " + lost);
  }
  if (given_up > 0) return "GIVEN UP  " + lost;
  const std::size_t compared = difference.compared();
  if (compared == 0) return "NOTHING COMPARED  no check is in both reports";
  const auto passes = std::ranges::count_if(
      difference.of(Fate::kGone),
      [](const CheckPair& pair) { return pair.before->passes(); });
  return "NOTHING BROKEN  " + checks_text(compared) +
         " of both reports compared" +
         (passes == 0 ? ""
                      : "; " + std::to_string(passes) +
                            " that passed before are not asked");
}

std::string heads_text(const Difference& difference) {
  std::string text;
  for (const auto& [label, named] :
       {std::pair("before", difference.before), {"after", difference.after}}) {
    const Report& report = named->report;
    text += paragraph(label, headline(report, total(report)));
    text += paragraph("", subject_text(report) + ", " + questions_text(report) +
                              "   " + text::one_line(named->file));
  }
  return text;
}

// Text that stands as it is, whatever it holds: nothing in it is Markdown, a
// tag, or the name of somebody who would be told.
std::string fenced(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += "`";
  return fence + "text\n" + text + fence + "\n";
}

}  // namespace

std::string difference_text(const Difference& difference, std::size_t most) {
  std::string text = "ropeproof diff\n" + heads_text(difference) + "\n";
  for (const FateWords& words : kFates) text += count_line(difference, words);
  text += list_text(difference, most) + cause_of_broken(difference) +
          drift_text(difference) + "\n" + conclusion(difference) + "\n";
  return text::printable(text);
}

std::string difference_markdown(const Difference& difference,
                                std::size_t most) {
  std::string text = "### ropeproof: " + conclusion(difference) + "\n\n" +
                     fenced(text::printable(heads_text(difference))) +
                     "\n| | checks | |\n|---|---:|---|\n";
  for (const FateWords& words : kFates) {
    const auto& pairs = difference.of(words.fate);
    const bool is_split = words.fate == Fate::kNew || words.fate == Fate::kGone;
    const bool is_worse =
        words.fate == Fate::kBroken || words.fate == Fate::kGivenUp;
    text += std::string("| ") +
            (is_worse && !pairs.empty() ? "**" + std::string(words.name) + "**"
                                        : words.name) +
            " | " + std::to_string(pairs.size()) + " | " + words.meaning +
            (is_split && !pairs.empty() ? ": " + verdicts_text(pairs) : "") +
            " |\n";
  }
  bool is_first = true;
  for (const auto& [summary, body] :
       {std::pair("What is wrong", cause_of_broken(difference)),
        {"Check by check", list_text(difference, most)},
        {"Drift of errors and speed", drift_text(difference)}}) {
    if (body.empty()) continue;
    text += std::string("\n<details") + (is_first ? " open" : "") +
            "><summary>" + summary + "</summary>\n\n" +
            fenced(text::printable(body.substr(1))) + "\n</details>\n";
    is_first = false;
  }
  return text;
}

}  // namespace ropeproof::conformance::report
