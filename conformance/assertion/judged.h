// judged.h -- what is kept of one result: its problem, and the numbers formed
// of it when they are asked for.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "conformance/assertion/fused_parts.h"
#include "conformance/assertion/given_table.h"
#include "conformance/assertion/judgement.h"
#include "conformance/assertion/part.h"
#include "conformance/cases/case.h"
#include "conformance/explain/answer.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/judge/judge.h"
#include "conformance/plugin/description.h"

namespace ropeproof::conformance::assertion {

// Frequencies and amplitude of a problem: what the judge and the screening need
// of a golden beside q and k.
cases::Golden frequencies_of(const cases::Problem& problem);

struct Judgement::Judged {
  plugin::Description kernel;
  std::uint32_t operation = 0;
  cases::Case asked;  // its golden is formed when it is needed
  std::optional<GivenTable> given, cache;  // rows of the tokens; all
  std::optional<FusedParts> fused;
  judge::Claim claim;
  judge::Output output;

  cases::Golden tables;  // amplitude and frequencies, or a given table's

  std::once_flag is_looked_at, is_formed, is_measured, has_values, has_bounds,
      is_told;
  judge::Measurement measurement;
  std::vector<double> values, each_bound;
  std::string told;

  std::int64_t elements() const;
  judge::Claim rotation_claim(const ropeproof_claim& made) const;
  judge::Claim claim_by(const ropeproof_claim& made) const;
  bool is_table() const { return operation == ROPEPROOF_TABLE; }
  const cases::Problem& problem();
  const cases::Golden& golden();
  const judge::Measurement& measured();
  const std::vector<double>& golden_of_each();
  const std::vector<double>& bound_of_each();
  bool are_nans() const;
  std::optional<Part> looked_at() const;
  std::vector<explain::Diagnosis> diagnoses(
      explain::Answer answer, const std::optional<Part>& part) const;
  std::string case_text() const;
  std::string bound_text() const;
  std::string other_claim_text() const;
  std::string failure_text() const;
};

}  // namespace ropeproof::conformance::assertion
