// The plug-in of a stranger: the environment says which, "SEED NUMBER wide".
#include <ropeproof_kernel.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "conformance/selftest/strangers/kernel.h"

namespace {

namespace strangers = ropeproof::conformance::selftest::strangers;

// The program; without a number the honest kernel.
strangers::Program read_program() {
  const char* const text = std::getenv("ROPEPROOF_STRANGER");
  std::istringstream words(text == nullptr ? "" : text);
  std::uint64_t seed = 0;
  std::string number, width;
  words >> seed >> number >> width;
  strangers::Program program;
  program.is_wide = width == "wide";
  if (!number.empty() && number != "honest") {
    const std::uint64_t n = std::stoull(number);
    program = seed == strangers::kReported
                  ? strangers::reported_programs().at(n)
                  : strangers::random_program(seed, n, program.is_wide);
  }
  return program;
}

const strangers::Program& program() {
  static const strangers::Program one = read_program();
  return one;
}

}  // namespace

extern "C" std::int32_t ropeproof_describe(ropeproof_description* d) {
  strangers::describe(program(), *d);
  return ROPEPROOF_OK;
}

extern "C" std::int32_t ropeproof_run(const ropeproof_problem* p) {
  return strangers::solve(program(), *p);
}
