// ropeproof submit-check: whether reports of an engine may enter the
// scoreboard.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/submission.h"
#include "conformance/text/one_line.h"
#include "conformance/text/signature.h"
#include "tools/commands.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

struct SubmitOptions {
  std::vector<std::string> reports, again;
  std::optional<std::string> causes, key;
  std::string vectors = default_vectors().string();
};

int submit_check(const SubmitOptions& options) {
  report::Submission submission;
  std::vector<std::string> unsigned_reports;
  for (const std::string& file : options.reports) {
    submission.reports.push_back(named_report(file));
    if (!options.key) continue;
    const std::string why =
        text::why_not_signed(text_of_report(file), *options.key);
    if (!why.empty()) unsigned_reports.push_back(file + ": " + why);
  }
  for (const std::string& file : options.again) {
    submission.again.push_back(named_report(file));
  }
  if (options.causes) submission.causes = report::read_waivers(*options.causes);
  report::Findings found =
      report::look_at(submission, cases::load_corpus(options.vectors),
                      ROPEPROOF_VERSION, report::today());
  found.faults.insert(found.faults.begin(), unsigned_reports.begin(),
                      unsigned_reports.end());
  std::string text;
  for (const std::string& cell : found.cells) text += "cell   " + cell + "\n";
  for (const std::string& fault : found.faults)
    text += "fault  " + fault + "\n";
  text += found.faults.empty() ? "MAY ENTER\n" : "MAY NOT ENTER\n";
  std::cout << text::printable(text);
  return found.faults.empty() ? 0 : 1;
}

}  // namespace

Command add_submit_check(CLI::App& app) {
  auto options = std::make_shared<SubmitOptions>();
  CLI::App* command = app.add_subcommand(
      "submit-check",
      "say whether reports that somebody hands in may enter the scoreboard");
  command->add_option("reports", options->reports, "files of run --report")
      ->required();
  command->add_option("--causes", options->causes,
                      "file: why cells are red, as of matrix");
  command->add_option("--again", options->again,
                      "reports of your own runs of the same engine: what is "
                      "the same there is reproduced");
  command->add_option("--key", options->key,
                      "file with the public key that must have signed them");
  command->add_option("--vectors", options->vectors, "folder of the vectors");
  return {command, [options] { return submit_check(*options); }};
}

}  // namespace ropeproof::tools
