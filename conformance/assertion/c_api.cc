// The C functions of ropeproof_judge.h: nothing is thrown through them.
#include <ropeproof_judge.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "conformance/assertion/judgement.h"
#include "conformance/plugin/description.h"

struct ropeproof_judgement : ropeproof::conformance::assertion::Judgement {};

namespace {

thread_local std::string last_error;

// A struct of the ABI as this version has it: what the caller's lacks is zero.
template <class T>
T known(const T& given, const char* name) {
  if (given.struct_size < 2 * sizeof given.struct_size) {
    throw std::invalid_argument(std::string(name) + ".struct_size is " +
                                std::to_string(given.struct_size) +
                                "; expected sizeof");
  }
  T known{};
  std::memcpy(&known, &given,
              std::min<std::size_t>(given.struct_size, sizeof known));
  return known;
}

}  // namespace

extern "C" {

int32_t ropeproof_judge(const ropeproof_problem* problem,
                        const ropeproof_claim* claim,
                        ropeproof_judgement** judgement) {
  using namespace ropeproof::conformance;
  last_error.clear();
  try {
    if (problem == nullptr || judgement == nullptr) {
      last_error = "problem or judgement is NULL";
      return ROPEPROOF_INVALID;
    }
    ropeproof_problem asked = known(*problem, "problem");
    ropeproof_scaling scaling{};
    if (asked.scaling != nullptr) {
      scaling = known(*asked.scaling, "scaling");
      asked.scaling = &scaling;
    }
    ropeproof_claim usual = plugin::kStrictestClaim;
    usual.angle_class = ROPEPROOF_A1;
    auto made = std::make_unique<ropeproof_judgement>();
    static_cast<assertion::Judgement&>(*made) =
        assertion::judged(asked, claim == nullptr ? usual : *claim);
    *judgement = made.release();
    return ROPEPROOF_OK;
  } catch (const std::exception& error) {
    last_error = error.what();
    std::ranges::replace(last_error, '\n', ' ');
    return ROPEPROOF_INVALID;
  }
}

int64_t ropeproof_elements(const ropeproof_judgement* j) { return j->elements; }
int64_t ropeproof_wrong(const ropeproof_judgement* j) { return j->wrong; }
double ropeproof_worst(const ropeproof_judgement* j) { return j->worst; }
const double* ropeproof_golden(const ropeproof_judgement* j) {
  return j->golden.data();
}
const double* ropeproof_bound(const ropeproof_judgement* j) {
  return j->bound.data();
}
const char* ropeproof_text(const ropeproof_judgement* j) {
  return j->text.c_str();
}
void ropeproof_free(ropeproof_judgement* j) { delete j; }
const char* ropeproof_error(void) { return last_error.c_str(); }

}  // extern "C"
