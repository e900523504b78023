#include <fcntl.h>
#include <locale.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/plugin/kernel.h"
#include "conformance/plugin/library_here.h"
#include "conformance/plugin/sandbox.h"
#include "conformance/plugin/supervisor.h"
#include "conformance/plugin/worker.h"
#include "conformance/text/nearest.h"
#include "conformance/text/one_line.h"
#include "conformance/text/strict_json.h"
#include "tools/commands.h"

namespace {

// One line, whatever the message quotes.
int fail(int status, const std::string& message) {
  std::string line = ropeproof::conformance::text::printable(message);
  std::ranges::replace(line, '\n', ' ');
  std::cerr << "ropeproof: " << line << "\n";
  return status;
}

// Standard streams that the caller has closed: their numbers must not go to
// files that are opened later. To write to them is an error still.
void occupy_standard_streams() {
  for (;;) {
    const int lowest = ::open("/dev/null", O_RDONLY);
    if (lowest < 0) return;
    if (lowest > STDERR_FILENO) {
      ::close(lowest);
      return;
    }
  }
}

// Numbers are written with a point, whatever locale a kernel sets here.
void keep_locale() { uselocale(newlocale(LC_ALL_MASK, "C", nullptr)); }

constexpr const char* kUnwritable = "standard output cannot be written";

// What a shell makes of a variable that is not set.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_expected_min() == 0) continue;
    for (const std::string& value : option->results()) {
      if (!value.empty()) continue;
      throw std::invalid_argument(option->get_name() +
                                  " is empty; give a value, or leave it out");
    }
  }
}

// Why a command line cannot be read, with the name that was meant.
std::string misspelt(const CLI::ParseError& error,
                     const std::vector<ropeproof::tools::Command>& commands,
                     const std::string& first) {
  using ropeproof::conformance::text::suggestion;
  std::vector<std::string> names;
  // A word that is misspelt explains what is missing.
  for (const ropeproof::tools::Command& command : commands) {
    names.push_back(command.app->get_name());
    const std::vector<std::string> rest = command.app->remaining();
    if (!command.app->parsed() || rest.empty()) continue;
    const std::string word = rest[0].substr(0, rest[0].find('='));
    std::vector<const CLI::App*> parts = {command.app};
    for (const CLI::App* group : command.app->get_subcommands(nullptr)) {
      parts.push_back(group);
    }
    std::vector<std::string> flags;
    for (const CLI::App* part : parts) {
      for (const CLI::Option* option : part->get_options()) {
        for (const std::string& name : option->get_lnames()) {
          flags.push_back("--" + name);
        }
      }
    }
    std::ranges::stable_partition(flags, [&](const std::string& flag) {
      return flag.starts_with(word);  // of equally near ones
    });
    return "\"" + rest[0] + "\" was not expected" +
           (word.starts_with("--") ? suggestion(word, flags) : "");
  }
  const bool is_word = first != "" && first[0] != '-';
  if (!is_word || std::ranges::count(names, first) > 0) return error.what();
  return "unknown subcommand \"" + first + "\"" + suggestion(first, names);
}

// A library that calls exit() would end the program with a status that reads
// like a verdict: a kernel in this process, or OpenMP where it gets no threads.
bool has_returned = false;

void refuse_exit() {
  if (has_returned) return;
  const bool is_kernel = ropeproof::conformance::plugin::is_library_here();
  std::fputs(is_kernel ? "ropeproof: the kernel called exit(); no verdict\n"
                       : "ropeproof: a library ended the program, as its last "
                         "line says; no verdict\n",
             stderr);
  std::_Exit(is_kernel ? 3 : 5);
}

// What a frame of this program and of the libraries below it may take.
constexpr rlim_t kLeastStack = rlim_t{256} << 10;  // bytes

bool has_small_stack() {
  rlimit stack{};
  return getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < kLeastStack;
}

// Begins anew with an OpenMP whose threads sleep between loops: those that spin
// take processors from kernels and from who forms their cases. OpenMP reads it
// as the program starts. What is timed keeps it as it is.
void let_threads_sleep(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", argv);  // where there is none, they spin
}

// Large blocks of memory go back to the system when they are freed: else each
// thread that forms cases keeps what its largest one took, a third of a run's
// memory.
void keep_no_large_blocks() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 24);
  mallopt(M_TRIM_THRESHOLD, 1 << 26);
#endif
}

// Subcommands that make and prove the suite itself: not in each build.
std::vector<ropeproof::tools::Command> add_workshop(CLI::App& app) {
#ifdef ROPEPROOF_MAINTENANCE
  using namespace ropeproof::tools;
  return {add_encode(app),         add_gallery(app),  add_selftest(app),
          add_verify_vectors(app), add_generate(app), add_search_hard(app)};
#else
  std::vector<ropeproof::tools::Command> absent;
  for (const char* name : {"encode", "gallery", "selftest", "verify-vectors",
                           "generate", "search-hard"}) {
    CLI::App* command = app.add_subcommand(name, "not in this build");
    command->allow_extras();
    absent.push_back({command, [name]() -> int {
                        throw ropeproof::tools::not_in_this_build(name);
                      }});
  }
  return absent;
#endif
}

// Subcommands that --help names: what a newcomer needs.
constexpr std::size_t kNamed = 5;

// ropeproof more: the subcommands that --help leaves out.
ropeproof::tools::Command add_more(
    CLI::App& app, const std::vector<ropeproof::tools::Command>& commands) {
  std::string list;
  for (std::size_t i = kNamed; i < commands.size(); ++i) {
    CLI::App& command = *commands[i].app;
    command.group("");
    std::string name = "  " + command.get_name();
    name.resize(std::max<std::size_t>(name.size() + 2, 18), ' ');
    list += name + command.get_description() + "\n";
  }
  CLI::App* more = app.add_subcommand(
      "more", "list the other " + std::to_string(commands.size() - kNamed) +
                  " subcommands: merge, identify, stress ...");
  return {more, [list] {
            std::cout << list
                      << "\nropeproof SUBCOMMAND --help says what "
                         "each takes.\n";
            return 0;
          }};
}

// Says what the exception that is being handled means; the exit status.
int fail_by_exception() {
  using namespace ropeproof::conformance;
  try {
    throw;
  } catch (const std::invalid_argument& error) {
    return fail(2, error.what());
  } catch (const plugin::KernelError& error) {
    return fail(3, error.what());
  } catch (const text::FileError& error) {
    return fail(4, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(2, error.path1().string() + ": " + error.code().message());
  } catch (const std::bad_alloc&) {
    return fail(5,
                "out of memory; ask for less, end other programs, or raise "
                "ulimit -v, of which a run takes 2 GiB");
  } catch (const std::runtime_error& error) {
    return fail(5, error.what());
  } catch (const std::exception& error) {
    return fail(5, std::string("a fault of this program: ") + error.what() +
                       "; please report it with the command");
  }
}

int judge(int argc, char** argv) {
  using namespace ropeproof;
  if (has_small_stack()) {
    return fail(5,
                "the stack is limited to less than 256 KiB; raise ulimit -s");
  }
  // A limit on the size of files is an error of who writes.
  std::signal(SIGXFSZ, SIG_IGN);
  occupy_standard_streams();
  keep_locale();
  CLI::App app{
      "ropeproof: judges RoPE kernels against certified golden vectors"};
  app.set_version_flag("--version", ROPEPROOF_VERSION);
  app.require_subcommand(1);
  // The first ones are those of --help.
  std::vector<tools::Command> commands = {
      tools::add_run(app),      tools::add_html(app),  tools::add_diff(app),
      tools::add_list(app),     tools::add_bench(app), tools::add_show(app),
      tools::add_identify(app), tools::add_merge(app), tools::add_stress(app),
      tools::add_sweep(app),    tools::add_grade(app), tools::add_export(app),
      tools::add_check(app),    tools::add_matrix(app)};
  std::ranges::copy(add_workshop(app), std::back_inserter(commands));
  for (const auto add :
       {tools::add_check_report, tools::add_submit_check, tools::add_weights}) {
    commands.push_back(add(app));
  }
  commands.push_back(add_more(app, commands));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help
      app.exit(error);
      return std::cout.flush() ? 0 : fail(5, kUnwritable);
    }
    return fail(
        2, misspelt(error, commands, argc > 1 ? argv[1] : "") + "; try --help");
  }
  try {
    for (const tools::Command& command : commands) {
      if (!command.app->parsed()) continue;
      refuse_empty_values(*command.app);
      const int status = command.run();
      if (std::fflush(stdout) != 0 || !std::cout.flush()) {
        return fail(5, kUnwritable);
      }
      return status;
    }
    return 2;
  } catch (const std::exception&) {
    return fail_by_exception();
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ropeproof::conformance::plugin;
  if (argc > 1 && std::string_view(argv[1]) == kWorkerWord) {
    serve_executed({argv + 2, argv + argc});
  }
  if (argc > 1 && std::string_view(argv[1]) == kSupervisorWord) {
    supervise_executed({argv + 2, argv + argc});
  }
  if (argc < 2 || std::string_view(argv[1]) != "bench") {
    let_threads_sleep(argv);
    keep_no_large_blocks();
  }
  std::atexit(refuse_exit);
  const int status = judge(argc, argv);
  has_returned = true;
  return status;
}
