// regenerate VECTORS_DIR: proves that the vectors' bytes depend neither on the
// compiler of this program nor on the locale. Exit status 1 if they do.
#include <exception>
#include <iostream>
#include <locale>
#include <string>

#include "conformance/cases/corpus.h"
#include "reference/golden.h"

namespace {

// Digits in groups, and another decimal point.
struct Swiss : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '\''; }
  std::string do_grouping() const override { return "\3"; }
};

}  // namespace

int main(int argc, char** argv) {
  using namespace ropeproof;
  namespace cases = conformance::cases;
  if (argc != 2) {
    std::cerr << "usage: regenerate VECTORS_DIR\n";
    return 2;
  }
  const std::locale classic = std::locale::classic();
  try {
    const std::string version = cases::load_corpus(argv[1]).version;
    std::locale::global(std::locale(classic, new Swiss));
    const cases::Files files =
        cases::generate_corpus(argv[1], reference::Oracle::kMpfi, version);
    const auto differences = cases::compare_corpus(files, argv[1]);
    std::locale::global(classic);
    for (const std::string& line : differences) std::cerr << line << "\n";
    std::cout << files.size() << " files regenerated, " << differences.size()
              << " differ\n";
    return differences.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "regenerate: " << error.what() << "\n";
    return 1;
  }
}
