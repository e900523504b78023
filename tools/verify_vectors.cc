// ropeproof verify-vectors: proves the committed vectors again, by every oracle
// that is installed.
#include <stdio.h>
#include <sys/wait.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iomanip>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "conformance/cases/corpus.h"
#include "conformance/cases/encoding_case.h"
#include "conformance/cases/prove.h"
#include "reference/golden.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace {

namespace fs = std::filesystem;
using cases::Bits;
using cases::Case;

struct VerifyVectorsOptions {
  std::string vectors = default_vectors().string();
};

// What an oracle came to.
struct Opinion {
  enum class State { kSpoke, kNotInstalled, kFailed } state = State::kSpoke;
  std::int64_t values = 0, disagreements = 0;
  std::string text;  // the disagreements, or why there is no opinion
};

Opinion no_opinion(Opinion::State state, const std::string& why) {
  return {state, 0, 0, why};
}

// cpp_bin_float ---------------------------------------------------------------

// The tensor `name` of a case: the committed patterns, and those found here.
// `hi` decides which count: a pattern that stands for a rule is no real number.
void compare(const std::string& name, const Bits& want, const Bits& got,
             const Bits& hi, Opinion& opinion) {
  constexpr std::int64_t kLines = 3;
  if (want.size() != got.size()) {
    ++opinion.disagreements;
    opinion.text += "  " + name + ": wrong size\n";
    return;
  }
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (!std::isfinite(std::bit_cast<double>(hi[i]))) continue;
    ++opinion.values;
    if (want[i] == got[i]) continue;
    if (++opinion.disagreements > kLines) continue;
    std::ostringstream line;
    line << "  " << name << "[" << i << "]: golden " << std::hex
         << std::setfill('0') << std::setw(16) << want[i] << ", here "
         << std::setw(16) << got[i] << "\n";
    opinion.text += line.str();
  }
}

void compare(const Case& want, const Case& got, Opinion& opinion) {
  const Bits m = {std::bit_cast<std::uint64_t>(want.golden.amplitude)};
  const Bits m_here = {std::bit_cast<std::uint64_t>(got.golden.amplitude)};
  compare(want.id + " amplitude", m, m_here, m, opinion);
  for (const auto& golden : cases::golden_tensors(want.problem)) {
    compare(want.id + " " + golden.key, want.golden.*golden.bits,
            got.golden.*golden.bits, want.golden.*golden.hi, opinion);
  }
}

// The case without its expected values.
void forget_goldens(Case& c) {
  for (const auto& golden : cases::golden_tensors(c.problem)) {
    (c.golden.*golden.bits).clear();
  }
  c.golden.amplitude = 1;
  c.printed.reset();
}

Opinion ask_bin_float(const VerifyVectorsOptions& options) {
  Opinion opinion;
  for (const cases::Group& group : cases::load_corpus(options.vectors).groups) {
    cases::Group again = group;
    for (Case& c : again.rope_cases) forget_goldens(c);
    cases::prove(reference::Oracle::kBinFloat, again);
    for (std::size_t i = 0; i < group.rope_cases.size(); ++i) {
      compare(group.rope_cases[i], again.rope_cases[i], opinion);
    }
  }
  for (const auto& want : cases::load_encodings(options.vectors)) {
    cases::EncodingCase got = want;
    cases::prove(reference::Oracle::kBinFloat, got);
    compare(want.id + " values", want.values, got.values, want.values, opinion);
  }
  return opinion;
}

// Other programs --------------------------------------------------------------

struct ProgramResult {
  bool has_exited = false;  // else it was not started, or died of a signal
  int status = 0;           // exit status
  std::string how;          // for example "killed by signal 11"
  std::string output;       // standard output and error
};

// Runs `arguments` to the end; the first is a path, or a name on PATH. Standard
// input is empty. The shell gives way to the program, so that a signal is seen.
ProgramResult run_program(const std::vector<std::string>& arguments) {
  std::string command = "exec";
  for (const std::string& argument : arguments) {
    command += " '";
    for (const char c : argument) {
      command += c == '\'' ? "'\\''" : std::string(1, c);
    }
    command += "'";
  }
  ProgramResult result;
  result.how = "not started";
  std::FILE* const pipe = ::popen((command + " </dev/null 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char buffer[4096];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) {
    result.output.append(buffer, n);
  }
  const int status = ::pclose(pipe);
  constexpr int kNoPermission = 126, kNoProgram = 127;  // as the shell says
  if (WIFSIGNALED(status)) {
    result.how = "killed by signal " + std::to_string(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != kNoPermission &&
             WEXITSTATUS(status) != kNoProgram) {
    result.has_exited = true;
    result.status = WEXITSTATUS(status);
    result.how = "exit status " + std::to_string(result.status);
  }
  return result;
}

// The last line, "total VALUES BITS DISAGREEMENTS", must be there and agree
// with the exit status; anything else is no opinion.
Opinion read_opinion(const ProgramResult& result) {
  const auto failed = [&](const std::string& why) {
    const std::size_t end = result.output.find_last_not_of('\n');
    const std::size_t begin = result.output.find_last_of('\n', end) + 1;
    const std::string last = end == std::string::npos
                                 ? ""
                                 : result.output.substr(begin, end + 1 - begin);
    return no_opinion(Opinion::State::kFailed,
                      why + (last.empty() ? "" : ": " + last));
  };
  if (!result.has_exited || result.status > 1) return failed(result.how);
  Opinion opinion;
  std::istringstream lines(result.output);
  std::string line;
  bool has_total = false;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string first;
    std::int64_t bits = 0;
    words >> first;
    if (first == "total") {
      has_total = static_cast<bool>(words >> opinion.values >> bits >>
                                    opinion.disagreements);
    } else if (line.starts_with("  ")) {
      opinion.text += "  " + line.substr(line.find_first_not_of(' ')) + "\n";
    }
  }
  if (!has_total) return failed("no total, " + result.how);
  if ((opinion.disagreements == 0) != (result.status == 0)) {
    return failed("total and " + result.how + " contradict each other");
  }
  if (opinion.values == 0) return failed("no values were checked");
  return opinion;
}

Opinion ask_arb(const VerifyVectorsOptions& options) {
  const fs::path program = program_beside("ropeproof_recheck");
  if (!fs::exists(program)) {
    return no_opinion(
        Opinion::State::kNotInstalled,
        "there is no " + program.string() + "; it is built where Arb is found");
  }
  return read_opinion(run_program({program.string(), options.vectors}));
}

// A Python that has mpmath.
std::optional<std::string> find_python() {
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    const ProgramResult result =
        run_program({candidate, "-c", "import mpmath"});
    if (result.has_exited && result.status == 0) return candidate;
  }
  return std::nullopt;
}

Opinion ask_mpmath(const VerifyVectorsOptions& options) {
  fs::path script = program_beside("..") / "share" / "ropeproof" / "recheck.py";
  if (!fs::exists(script)) script = ROPEPROOF_RECHECK_SCRIPT;
  if (!fs::exists(script)) {
    return no_opinion(Opinion::State::kNotInstalled,
                      "there is no " + script.string());
  }
  const auto python = find_python();
  if (!python) {
    return no_opinion(Opinion::State::kNotInstalled,
                      "no python3 with the module mpmath");
  }
  return read_opinion(run_program({*python, script.string(), options.vectors}));
}

int verify(const VerifyVectorsOptions& options) {
  if (!fs::exists(fs::path(options.vectors) / "MANIFEST.json")) {
    throw std::invalid_argument(options.vectors +
                                ": there is no MANIFEST.json");
  }
  struct Row {
    const char* name;
    Opinion opinion;
  };
  // The first one also checks the digests and the format of the files.
  const Row rows[] = {
      {"cpp_bin_float, here", ask_bin_float(options)},
      {"Arb, ropeproof_recheck", ask_arb(options)},
      {"mpmath, recheck.py", ask_mpmath(options)},
  };
  int status = 0;
  std::printf("%-24s %9s %14s\n", "oracle", "values", "disagreements");
  for (const auto& [name, opinion] : rows) {
    if (opinion.state == Opinion::State::kSpoke) {
      std::printf("%-24s %9lld %14lld\n%s", name,
                  static_cast<long long>(opinion.values),
                  static_cast<long long>(opinion.disagreements),
                  opinion.text.c_str());
      if (opinion.disagreements != 0) status = 1;
    } else {
      const bool is_missing = opinion.state == Opinion::State::kNotInstalled;
      std::printf("%-24s %s: %s\n", name,
                  is_missing ? "not installed" : "FAILED",
                  opinion.text.c_str());
      if (!is_missing && status == 0) status = 5;
    }
  }
  return status;
}

}  // namespace

Command add_verify_vectors(CLI::App& app) {
  auto options = std::make_shared<VerifyVectorsOptions>();
  CLI::App* command = app.add_subcommand(
      "verify-vectors",
      "prove the vectors again by every oracle that is installed");
  command->add_option("--vectors", options->vectors, "folder of vectors");
  return {command, [options] { return verify(*options); }};
}

}  // namespace ropeproof::tools
