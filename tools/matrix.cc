// ropeproof matrix: the scoreboard of engines, from the reports of their runs.
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "conformance/bench/speed_report.h"
#include "conformance/report/scoreboard.h"
#include "conformance/text/one_line.h"
#include "tools/commands.h"
#include "tools/output_file.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

namespace fs = std::filesystem;

struct MatrixOptions {
  std::vector<std::string> reports, benches;
  std::optional<std::string> causes, date, kept;
  std::string out;
};

report::Date date_of(const MatrixOptions& options) {
  if (!options.date) return report::today();
  try {
    return report::parse_date(*options.date);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument("--date " + *options.date + ": " +
                                error.what());
  }
}

report::Scoreboard board_of(const MatrixOptions& options) {
  const report::Date date = date_of(options);
  report::Waivers causes;
  if (options.causes) causes = report::read_waivers(*options.causes);
  std::vector<report::NamedReport> reports;
  for (const std::string& file : options.reports) {
    reports.push_back(named_report(file));
  }
  std::map<report::Engine, report::SpeedRange> speeds;
  for (const std::string& file : options.benches) {
    for (const auto& [engine, speed] : bench::read_speeds(
             text_of_report(file), file, reports[0].report.suite_version)) {
      if (!speeds.emplace(engine, speed).second) {
        throw report::ReportError(file + ": " + engine.name + " " +
                                  engine.version + " has figures already");
      }
    }
  }
  std::vector<report::KeptRow> kept;
  if (options.kept) {
    kept = report::read_kept(text_of_report(*options.kept), *options.kept);
  }
  return report::make_scoreboard(reports, causes, speeds, date, kept);
}

// All that can go wrong goes wrong before the first file is written.
void write(const report::Scoreboard& board, const MatrixOptions& options) {
  std::vector<fs::path> inputs(options.reports.begin(), options.reports.end());
  inputs.insert(inputs.end(), options.benches.begin(), options.benches.end());
  if (options.causes) inputs.emplace_back(*options.causes);
  const fs::path folder = options.out;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::invalid_argument("--out " + options.out +
                                " cannot be made: " + error.message());
  }
  std::vector<std::pair<OutputFile, std::string>> files;
  const auto add = [&](const char* name, const std::string& text) {
    files.emplace_back(OutputFile("--out", (folder / name).string(), inputs),
                       text);
  };
  add("SCOREBOARD.md", report::scoreboard_markdown(board));
  add("scoreboard.html", report::scoreboard_html(board));
  add("badge.svg", report::scoreboard_badge(board));
  add("scoreboard.json", report::scoreboard_json(board));
  for (const auto& [file, text] : files) file.fill(text);
  for (const auto& [file, text] : files) file.appear(text);
}

int matrix(const MatrixOptions& options) {
  const report::Scoreboard board = board_of(options);
  write(board, options);
  const std::vector<std::string> open = report::open_points(board);
  std::string text = report::count_text(board) + "; " +
                     std::to_string(open.size()) + " to look at\n";
  for (const std::string& point : open) text += "  " + point + "\n";
  std::cout << text::printable(text);
  return open.empty() ? 0 : 1;
}

}  // namespace

Command add_matrix(CLI::App& app) {
  auto options = std::make_shared<MatrixOptions>();
  CLI::App* command = app.add_subcommand(
      "matrix", "the reports of many engines as one table, for people");
  command->add_option("reports", options->reports, "files of run --report")
      ->required();
  command->add_option("--causes", options->causes,
                      "file: why cells are red (conformance/report/README.md)");
  command->add_option("--bench", options->benches, "files of bench --json");
  command->add_option("--keep", options->kept,
                      "scoreboard.json of an earlier board: its rows stay, but "
                      "for engines that the reports are of");
  command->add_option("--date", options->date,
                      "the day that is printed, and on which causes expire "
                      "(default: today, in UTC)");
  command
      ->add_option("--out", options->out,
                   "folder for SCOREBOARD.md, scoreboard.html, badge.svg and "
                   "scoreboard.json")
      ->required();
  return {command, [options] { return matrix(*options); }};
}

}  // namespace ropeproof::tools
