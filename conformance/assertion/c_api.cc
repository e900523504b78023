// The C functions of ropeproof_judge.h: nothing is thrown through them.
#include <ropeproof_judge.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include "conformance/assertion/judgement.h"
#include "conformance/plugin/description.h"

struct ropeproof_judgement : ropeproof::conformance::assertion::Judgement {};

namespace {

thread_local std::string last_error;

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
    ropeproof_claim usual = plugin::kStrictestClaim;
    usual.angle_class = ROPEPROOF_A1;
    auto made = std::make_unique<ropeproof_judgement>();
    static_cast<assertion::Judgement&>(*made) =
        assertion::judged(*problem, claim == nullptr ? usual : *claim);
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
