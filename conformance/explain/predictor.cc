#include "conformance/explain/predictor.h"

#include <bit>
#include <cmath>
#include <limits>

#include "conformance/call/call.h"
#include "conformance/cases/storage.h"
#include "conformance/judge/output.h"
#include "conformance/plugin/sparse_memory.h"
#include "conformance/wrong/elements.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::explain {
namespace {

using reference::Format;

cases::Bits widened(Format format, const cases::Bits& bits) {
  cases::Bits wide;
  wide.reserve(bits.size());
  for (const std::uint64_t x : bits) {
    wide.push_back(std::bit_cast<std::uint64_t>(decode(format, x)));
  }
  return wide;
}

// The same problem in binary64, without what is due of q and k.
cases::Case widened(const cases::Case& c) {
  cases::Case wide = c;
  for (cases::Bits cases::Golden::*bits :
       {&cases::Golden::q, &cases::Golden::k, &cases::Golden::q_lo,
        &cases::Golden::k_lo}) {
    cases::Bits().swap(wide.golden.*bits);
  }
  wide.problem.dtype = Format::kF64;
  wide.problem.q = widened(c.problem.dtype, c.problem.q);
  wide.problem.k = widened(c.problem.dtype, c.problem.k);
  return wide;
}

// The same in less memory, which is much faster: rows beyond 2^32 elements
// drawn together, and with `all` whatever is far apart.
std::optional<cases::Case> drawn_together(const cases::Case& wide, bool all) {
  const cases::Storage& storage = wide.problem.storage;
  const bool is_far = storage.spacing == cases::Spacing::kFar ||
                      (all && storage.spacing == cases::Spacing::kWide);
  const bool has_far_rows = all && (storage.rows == cases::RowSpacing::kFar ||
                                    storage.rows == cases::RowSpacing::kWide);
  if (!is_far && !has_far_rows) return std::nullopt;
  cases::Case near = wide;
  if (is_far) near.problem.storage.spacing = cases::Spacing::kGaps;
  if (has_far_rows) near.problem.storage.rows = cases::RowSpacing::kGaps;
  return near;
}

std::vector<double> values_of(const cases::Bits& bits) {
  std::vector<double> values;
  for (const std::uint64_t x : bits) values.push_back(cases::value_of(x));
  return values;
}

// For what a buffer held before the call: a NaN that no arithmetic forms; and
// another where that is a NaN itself, which may have been written.
constexpr std::uint64_t kUnwrittenBits = 0x7ff800000000dead;
constexpr std::uint64_t kPerhapsBits = 0x7ff800000000beef;

constexpr double kUnlike = std::numeric_limits<double>::infinity();

bool are_bits(double x, std::uint64_t bits) {
  return std::bit_cast<std::uint64_t>(x) == bits;
}

}  // namespace

double written_number(Format format, std::uint64_t bits) {
  const double number = decode(format, bits);
  if (!cases::is_output_fill(format, bits)) return number;
  return std::bit_cast<double>(std::isnan(number) ? kPerhapsBits
                                                  : kUnwrittenBits);
}

double unwritten_number() { return std::bit_cast<double>(kUnwrittenBits); }

bool may_be_unwritten(double number) {
  return are_bits(number, kUnwrittenBits) || are_bits(number, kPerhapsBits);
}

bool is_surely_unwritten(double number) {
  return are_bits(number, kUnwrittenBits);
}

double distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    const bool may_be_like =
        are_bits(a, kPerhapsBits) || are_bits(b, kPerhapsBits) ||
        are_bits(a, kUnwrittenBits) == are_bits(b, kUnwrittenBits);
    return std::isnan(a) && std::isnan(b) && may_be_like ? 0 : kUnlike;
  }
  return a == b ? 0 : std::abs(a - b);
}

Predictor::Predictor(const Answer& answer, const plugin::Description& kernel)
    : case_(answer.asked.get()),
      operation_(answer.operation),
      table_(answer.claim.table),
      kernel_(kernel) {
  if (operation_ == ROPEPROOF_PERMUTE) return;
  wide_ = widened(*case_);
  inv_freq_ = values_of(case_->golden.inv_freq_hi);
  inv_freq_lo_ = values_of(case_->golden.inv_freq_lo);
  nearer_ = drawn_together(wide_, false);
  near_ = drawn_together(wide_, true);
}

bool Predictor::is_wanted(const ropeproof_problem& p,
                          const wrong::HeadIndex& index) const {
  const std::int64_t token = index.batch * case_->problem.seq + index.token;
  const auto is_wanted = [&](bool is_key) {
    const std::int64_t head =
        is_key ? case_->problem.tokens() * case_->problem.q_heads +
                     token * case_->problem.k_heads
               : token * case_->problem.q_heads;
    return wanted_[static_cast<std::size_t>(head + index.head)];
  };
  if ((kernel_.features & ROPEPROOF_KEYS) != 0) return is_wanted(index.is_key);
  // It gets q, then k, each as q.
  return (p.q.heads == case_->problem.q_heads && is_wanted(false)) ||
         (p.q.heads == case_->problem.k_heads && is_wanted(true));
}

std::optional<judge::Output> Predictor::answer(wrong::Pipeline pipeline,
                                               const cases::Case& asked,
                                               reference::Format table) const {
  wrong::PipelineKernel kernel(kernel_, std::move(pipeline));
  judge::Output output;
  try {
    call::Call call(kernel, operation_, asked, table);
    if (call.run(output).outcome == plugin::Outcome::kOk) return output;
  } catch (const plugin::NoAddressSpace&) {  // as it is too far
  }
  return std::nullopt;
}

std::vector<double> Predictor::operator()(
    const std::function<void(wrong::Pipeline&)>& change,
    double angle_error) const {
  std::vector<double> values;
  if (operation_ == ROPEPROOF_PERMUTE) {
    wrong::Pipeline pipeline = wrong::exact_pipeline();
    change(pipeline);
    if (const auto output = answer(std::move(pipeline), *case_, table_)) {
      values.assign(output->q.begin(), output->q.end());
    }
    return values;
  }
  const bool is_table =
      operation_ == ROPEPROOF_TABLE || operation_ == ROPEPROOF_FREQUENCIES;
  const Format dtype = is_table ? table_ : case_->problem.dtype;
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  pipeline.dtype = dtype;
  pipeline.table = Format::kF64;
  change(pipeline);
  if (angle_error != 0) {
    pipeline.angle = [f = pipeline.angle, angle_error](double position,
                                                       double theta) {
      return f(position, theta) * (1 + angle_error);
    };
  }
  // Rows that are read or written elsewhere meet others where they lie.
  const std::optional<cases::Case>& drawn = pipeline.misread ? nearer_ : near_;
  const cases::Case& asked = drawn && !pipeline.needs_distance ? *drawn : wide_;
  const bool moves_rows =
      pipeline.misread || pipeline.offset || pipeline.reads_outside_densely;
  if (!wanted_.empty() && !moves_rows) {
    pipeline.leaves = [this, f = pipeline.leaves](
                          const ropeproof_problem& p,
                          const wrong::HeadIndex& index) {
      return !is_wanted(p, index) || (f && f(p, index));
    };
  }
  // Frequencies as they are due, with their low parts, whatever a kernel is
  // given.
  pipeline.misread = [this, f = pipeline.misread](ropeproof_problem& p) {
    if (p.inv_freq == nullptr) {
      p.inv_freq = inv_freq_.data();
      p.inv_freq_lo = inv_freq_lo_.data();
    }
    if (f) f(p);
  };
  const auto output =
      answer(std::move(pipeline), asked, is_table ? Format::kF64 : table_);
  if (!output) return values;
  const reference::FormatTraits range = reference::traits(dtype);
  const double beyond = std::ldexp(2 - range.unit_roundoff, range.max_exponent);
  for (const cases::Bits* bits : {&output->q, &output->k, &output->cos,
                                  &output->sin, &output->inv_freq}) {
    for (const std::uint64_t x : *bits) {
      const double value = wrong::as_in(
          dtype, cases::is_output_fill(Format::kF64, x)
                     ? unwritten_number()  // a NaN that is written is no match
                     : decode(Format::kF64, x));
      values.push_back(
          std::abs(value) >= beyond
              ? std::copysign(std::numeric_limits<double>::infinity(), value)
              : value);
    }
  }
  return values;
}

}  // namespace ropeproof::conformance::explain
