#include <algorithm>
#include <exception>
#include <iostream>
#include <stdexcept>

#include "conformance/plugin/kernel.h"
#include "conformance/text/strict_json.h"
#include "reference/golden.h"
#include "tools/commands.h"

namespace {

int fail(int status, const std::string& message) {
  std::cerr << "ropeproof: " << message << "\n";
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ropeproof;
  CLI::App app{
      "ropeproof: judges RoPE kernels against certified golden vectors"};
  app.set_version_flag("--version", ROPEPROOF_VERSION);
  app.require_subcommand(1);
  const tools::Command commands[] = {
      tools::add_run(app),           tools::add_sweep(app),
      tools::add_selftest(app),      tools::add_list(app),
      tools::add_show(app),          tools::add_generate(app),
      tools::add_search_hard(app),   tools::add_merge(app),
      tools::add_export(app),        tools::add_check(app),
      tools::add_stress(app),        tools::add_bench(app),
      tools::add_verify_vectors(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    const bool has_word = argc > 1 && argv[1][0] != '-';
    if (has_word && std::ranges::none_of(commands, [&](const auto& command) {
          return command.app->get_name() == argv[1];
        })) {
      return fail(
          2, "unknown subcommand \"" + std::string(argv[1]) + "\"; try --help");
    }
    return fail(2, std::string(error.what()) + "; try --help");
  }
  try {
    for (const tools::Command& command : commands) {
      if (command.app->parsed()) return command.run();
    }
    return 2;
  } catch (const std::invalid_argument& error) {
    return fail(2, error.what());
  } catch (const conformance::plugin::KernelError& error) {
    return fail(3, error.what());
  } catch (const conformance::text::FileError& error) {
    return fail(4, error.what());
  } catch (const std::exception& error) {
    return fail(5, error.what());
  }
}
