#include "conformance/search/sweep_kernel.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "conformance/call/call.h"
#include "conformance/cases/form_golden.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"
#include "reference/rope.h"

namespace ropeproof::conformance::search {
namespace {

using reference::Format;

// Cosines of one call: the more positions n, the fewer rows of the oracle, 2
// sqrt(n); each pair takes some 100 bytes, which is 100 MiB.
constexpr std::int64_t kPairsPerCall = std::int64_t{1} << 20;

Format chosen_dtype(const plugin::Description& kernel,
                    const SweepRequest& request) {
  if (request.dtype) {
    if ((kernel.dtypes & plugin::abi_dtype(*request.dtype)) != 0)
      return *request.dtype;
    throw std::invalid_argument("the kernel offers no dtype " +
                                text::word(text::kFormatWords, *request.dtype));
  }
  for (const Format format : {Format::kF32, Format::kBF16, Format::kF16}) {
    if ((kernel.dtypes & plugin::abi_dtype(format)) != 0) return format;
  }
  return Format::kF64;
}

std::uint32_t chosen_operation(const plugin::Description& kernel) {
  for (const std::uint32_t operation : {ROPEPROOF_TABLE, ROPEPROOF_ROPE}) {
    if ((kernel.operations & operation) != 0) return operation;
  }
  throw std::invalid_argument(
      "the kernel forms no angles: it offers neither table nor rope");
}

reference::Pairing chosen_pairing(const plugin::Description& kernel) {
  for (const auto& [pairing, text] : text::kPairingWords) {
    if ((kernel.pairings & plugin::abi_pairing(pairing)) != 0) return pairing;
  }
  return reference::Pairing::kInterleaved;
}

// Unit vectors: x = (1, 0) comes out as (cos, sin).
void choose_unit_vectors(cases::Problem& p) {
  p.q.assign(static_cast<std::size_t>(p.seq * p.spec.layout.head_dim), 0);
  for (std::int64_t token = 0; token < p.seq; ++token) {
    for (std::int64_t j = 0; j < p.pairs(); ++j) {
      const std::int64_t channel =
          token * p.spec.layout.head_dim + source_pair(p.spec, j).u;
      p.q[static_cast<std::size_t>(channel)] = encode(p.dtype, 1);
    }
  }
}

}  // namespace

void add(judge::Measurement& total, const judge::Measurement& part) {
  if (part.wrong > 0 && total.wrong == 0) {
    total.first_wrong = part.first_wrong;
  }
  total.elements += part.elements;
  total.wrong += part.wrong;
  total.vacuous += part.vacuous;
  total.not_nearest += part.not_nearest;
  total.max_norm_ulp = std::max(total.max_norm_ulp, part.max_norm_ulp);
  if (part.worst &&
      (!total.worst || part.worst->ratio() > total.worst->ratio())) {
    total.worst = part.worst;
  }
}

SweepResult sweep_kernel(plugin::Kernel& kernel, const SweepRequest& request) {
  const plugin::Description& description = kernel.description();
  SweepResult result;
  result.operation = chosen_operation(description);
  cases::Case c;
  c.problem.dtype = chosen_dtype(description, request);
  c.problem.spec = {reference::leading(request.rotary_dim, request.rotary_dim,
                                       chosen_pairing(description)),
                    {request.base}};
  validate(c.problem.spec);
  c.problem.batch = c.problem.q_heads = 1;
  const judge::Claim claim = judge::claim_of(description, c.problem.dtype);
  const bool is_table = result.operation == ROPEPROOF_TABLE;
  result.format = is_table ? claim.table : c.problem.dtype;
  result.positions = request.positions;
  if (description.max_position > 0) {
    result.positions = std::min(result.positions, description.max_position + 1);
  }
  const std::int64_t at_once =
      std::max<std::int64_t>(kPairsPerCall / c.problem.pairs(), 1);
  const check::Shard& shard = request.shard;
  result.first = result.positions * (shard.index - 1) / shard.count;
  result.end = result.positions * shard.index / shard.count;
  for (std::int64_t first = result.first; first < result.end;
       first += c.problem.seq) {
    c.problem.seq = std::min(at_once, result.end - first);
    c.problem.positions.resize(static_cast<std::size_t>(c.problem.seq));
    std::iota(c.problem.positions.begin(), c.problem.positions.end(),
              static_cast<double>(first));
    choose_unit_vectors(c.problem);
    c.golden = cases::form_golden(c.problem, request.oracle);
    judge::Output output;
    result.answer =
        call::Call(kernel, result.operation, c, result.format).run(output);
    if (result.answer.outcome != plugin::Outcome::kOk) break;
    // Unit vectors are too plain to tell causes apart: `run` explains.
    judge::Measurement part =
        judge::judge(c.problem, c.golden, result.operation, claim, output);
    // A token is a position, in whatever calls they come.
    for (auto* element : {&part.worst, &part.first_wrong}) {
      if (*element) (*element)->token += first;
    }
    add(result.measurement, part);
  }
  return result;
}

}  // namespace ropeproof::conformance::search
