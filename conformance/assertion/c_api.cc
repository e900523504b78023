// The C functions of ropeproof_judge.h: nothing is thrown through them.
#include <ropeproof_fused.h>
#include <ropeproof_judge.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "conformance/assertion/fused.h"
#include "conformance/assertion/judgement.h"
#include "conformance/assertion/model.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/problem.h"
#include "conformance/plugin/scalings.h"

struct ropeproof_judgement : ropeproof::conformance::assertion::Judgement {
  using Judgement::Judgement;
};
struct ropeproof_model : ropeproof::conformance::assertion::Model {
  using Model::Model;
};

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
  if (given.struct_size > sizeof known) {
    throw std::invalid_argument(
        std::string(name) + ".struct_size is " +
        std::to_string(given.struct_size) + ", and this library knows " +
        std::to_string(sizeof known) + " bytes: it is older than your header");
  }
  std::memcpy(&known, &given, given.struct_size);
  return known;
}

// What `form` gives, or a value in its place where it throws: a golden that no
// oracle decides, memory that is not there.
template <class T, class Form>
T or_else(T value, const Form& form) {
  try {
    return form();
  } catch (const std::exception& error) {
    last_error = error.what();
    return value;
  }
}

// What `work` says in place of a verdict, or throws, as the last error.
template <class Do>
int32_t guarded(const Do& work) {
  last_error.clear();
  try {
    last_error = work();
    return last_error.empty() ? ROPEPROOF_OK : ROPEPROOF_UNSUPPORTED;
  } catch (const std::exception& error) {
    last_error = error.what();
    std::ranges::replace(last_error, '\n', ' ');
    return ROPEPROOF_INVALID;
  }
}

// The problem, and what it points to of the ABI's structs, as known().
struct Known {
  ropeproof_problem problem;
  ropeproof_scaling scaling{};

  explicit Known(const ropeproof_problem& given)
      : problem(known(given, "problem")) {
    if (problem.scaling == nullptr) return;
    scaling = known(*problem.scaling, "scaling");
    problem.scaling = &scaling;
  }
  Known(const Known&) = delete;
  Known& operator=(const Known&) = delete;
};

ropeproof_claim claim_or_usual(const ropeproof_claim* claim) {
  if (claim != nullptr) return *claim;
  ropeproof_claim usual = ropeproof::conformance::plugin::kStrictestClaim;
  usual.angle_class = ROPEPROOF_A1;
  return usual;
}

int32_t judged(const ropeproof_problem* problem, const ropeproof_claim* claim,
               ropeproof_judgement** judgement,
               ropeproof::conformance::assertion::Result result) {
  return guarded([&] {
    if (judgement != nullptr) *judgement = nullptr;
    if (problem == nullptr || judgement == nullptr) {
      throw std::invalid_argument("problem or judgement is NULL");
    }
    const Known asked(*problem);
    *judgement =
        new ropeproof_judgement(asked.problem, claim_or_usual(claim), result);
    return (*judgement)->no_verdict();
  });
}

ropeproof::conformance::assertion::ModelQuestion question_of(const char* config,
                                                             const char* types,
                                                             const char* layers,
                                                             uint32_t pairing,
                                                             int64_t seq_len) {
  if (config == nullptr) throw std::invalid_argument("config is NULL");
  const auto text = [](const char* given) {
    return std::string(given == nullptr ? "" : given);
  };
  return {config, text(types), text(layers), pairing, seq_len};
}

}  // namespace

extern "C" {

using ropeproof::conformance::assertion::Result;

int32_t ropeproof_judge(const ropeproof_problem* problem,
                        const ropeproof_claim* claim,
                        ropeproof_judgement** judgement) {
  return judged(problem, claim, judgement, Result::kGiven);
}
int32_t ropeproof_expect(const ropeproof_problem* problem,
                         const ropeproof_claim* claim,
                         ropeproof_judgement** judgement) {
  return judged(problem, claim, judgement, Result::kNone);
}

int64_t ropeproof_elements(const ropeproof_judgement* j) {
  return j == nullptr ? 0 : j->elements();
}
int64_t ropeproof_wrong(const ropeproof_judgement* j) {
  return j == nullptr ? -1 : j->wrong();
}
int64_t ropeproof_unjudged(const ropeproof_judgement* j) {
  return j == nullptr ? 0 : j->unjudged();
}
double ropeproof_worst(const ropeproof_judgement* j) {
  if (j == nullptr) return HUGE_VAL;
  return or_else(HUGE_VAL, [&] { return j->worst(); });
}
const double* ropeproof_golden(const ropeproof_judgement* j) {
  if (j == nullptr) return nullptr;
  return or_else<const double*>(nullptr, [&] { return j->golden().data(); });
}
const double* ropeproof_bound(const ropeproof_judgement* j) {
  if (j == nullptr) return nullptr;
  return or_else<const double*>(nullptr, [&] { return j->bound().data(); });
}
const char* ropeproof_text(const ropeproof_judgement* j) {
  if (j == nullptr) return ropeproof_error();
  const char* text =
      or_else<const char*>(nullptr, [&] { return j->text().c_str(); });
  return text == nullptr ? ropeproof_error() : text;
}
void ropeproof_free(ropeproof_judgement* j) { delete j; }

const char* ropeproof_failure(const ropeproof_problem* problem,
                              const ropeproof_claim* claim) {
  thread_local std::string failure;
  ropeproof_judgement* j = nullptr;
  const int32_t status = ropeproof_judge(problem, claim, &j);
  const std::unique_ptr<ropeproof_judgement> judgement(j);
  const bool is_wrong = status == ROPEPROOF_OK && j->wrong() > 0;
  if (is_wrong) return (failure = ropeproof_text(j)).c_str();
  return (failure = last_error).c_str();
}

const char* ropeproof_fused_failure(const ropeproof_problem* problem,
                                    const ropeproof_fused* fused,
                                    const ropeproof_claim* claim) {
  thread_local std::string failure;
  failure.clear();
  const int32_t status = guarded([&] {
    if (problem == nullptr || fused == nullptr) {
      throw std::invalid_argument("problem or fused is NULL");
    }
    const Known asked(*problem);
    failure = ropeproof::conformance::assertion::fused_failure(
        asked.problem, known(*fused, "fused"), claim_or_usual(claim));
    return std::string();
  });
  if (status != ROPEPROOF_OK) failure = last_error;
  return failure.c_str();
}

const char* ropeproof_begin_scaling(uint32_t kind, ropeproof_scaling* scaling) {
  namespace plugin = ropeproof::conformance::plugin;
  thread_local std::string words;
  const int32_t status = guarded([&] {
    const auto begun = plugin::scaling_of(kind);
    if (begun.index() == 0 || scaling == nullptr) {
      throw std::invalid_argument("there is no such kind, or scaling is NULL");
    }
    static_cast<void>(known(*scaling, "scaling"));
    ropeproof_scaling given = plugin::abi_scaling(begun);
    given.struct_size = scaling->struct_size;
    std::memcpy(scaling, &given, given.struct_size);
    words = plugin::scaling_word(begun);
    for (const auto& field : plugin::needed_fields(begun)) words += " " + field;
    return std::string();
  });
  return status == ROPEPROOF_OK ? words.c_str() : nullptr;
}

const char* ropeproof_layers(const char* config, const char* types) {
  thread_local std::string layers;
  const int32_t status = guarded([&] {
    layers = ropeproof::conformance::assertion::layers_of(
        question_of(config, types, nullptr, 0, 0));
    return std::string();
  });
  return status == ROPEPROOF_OK ? layers.c_str() : nullptr;
}
int32_t ropeproof_read_config(const char* config, const char* types,
                              const char* layers, uint32_t pairing,
                              int64_t seq_len, ropeproof_model** model) {
  return guarded([&] {
    if (model != nullptr) *model = nullptr;
    if (model == nullptr) throw std::invalid_argument("model is NULL");
    *model = new ropeproof_model(
        question_of(config, types, layers, pairing, seq_len));
    return std::string();
  });
}
void ropeproof_set_model(const ropeproof_model* model,
                         ropeproof_problem* problem) {
  if (model != nullptr && problem != nullptr) model->set(*problem);
}
void ropeproof_model_free(ropeproof_model* model) { delete model; }

const char* ropeproof_error(void) { return last_error.c_str(); }

}  // extern "C"
