// ropeproof html: a report as a page, and what has changed since another.
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/html/page.h"
#include "tools/commands.h"
#include "tools/output_file.h"
#include "tools/report_file.h"

namespace ropeproof::tools {

Command add_html(CLI::App& app) {
  struct Options {
    std::string file, out;
    std::optional<std::string> since;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("html", "a report as a page, with pictures");
  command->add_option("report", options->file, "file of run --report")
      ->required();
  command->add_option("--out", options->out, "HTML file to write")->required();
  command->add_option("--since", options->since,
                      "an earlier report: the page says what has changed");
  return {command, [options] {
            std::vector<std::filesystem::path> inputs{options->file};
            if (options->since) inputs.emplace_back(*options->since);
            const OutputFile file("--out", options->out, inputs);
            const report::NamedReport after = named_report(options->file);
            if (options->since) {
              const report::NamedReport before = named_report(*options->since);
              const auto difference = report::difference_of(before, after);
              file.write(report::html_report(after.report, &difference));
            } else {
              file.write(report::html_report(after.report));
            }
            std::cout << "wrote " << options->out << "\n";
            return 0;
          }};
}

}  // namespace ropeproof::tools
