#include "conformance/search/sweep_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "conformance/call/call.h"
#include "conformance/judge/meter.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"
#include "reference/rope.h"
#include "reference/sweep/sweep.h"

namespace ropeproof::conformance::search {
namespace {

using reference::Format;

constexpr std::int64_t kPositionsPerCall = 8192;

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

// The bounds of one sweep, relative to a pair of length 1.
struct Bounds {
  judge::Claim claim;
  std::int64_t rotary_dim;
  reference::bound::Formats base_in;
  reference::bound::LocalError local;
  double absolute;
  std::vector<double> inv_freq;

  double angle(std::int64_t position, std::size_t j) const {
    const auto p = static_cast<double>(position);
    reference::bound::PairAngle pair{static_cast<std::int64_t>(j), rotary_dim,
                                     inv_freq[j], p};
    pair.exact_in = reference::bound::formats_that_hold(p);
    pair.base_in = base_in;
    return angle_error(claim, pair);
  }
};

bool comes_before(const SweptValue& a, const SweptValue& b) {
  return std::tie(a.position, a.pair, a.is_sin) <
         std::tie(b.position, b.pair, b.is_sin);
}

// The order in which values come does not matter.
void keep(SweepCounts& counts, const SweptValue& value) {
  auto& first = counts.first_wrong;
  if (value.error > value.bound && (!first || comes_before(value, *first))) {
    first = value;
  }
  auto& worst = counts.worst;
  if (!worst || value.ratio() > worst->ratio() ||
      (value.ratio() == worst->ratio() && comes_before(value, *worst))) {
    worst = value;
  }
}

void add(SweepCounts& counts, const SweptValue& value) {
  ++counts.values;
  const bool zeros = value.got == 0 && value.want == 0;
  if (value.got_bits == value.want_bits || zeros) ++counts.nearest;
  if (value.error > value.bound) ++counts.wrong;
  counts.max_error = std::max(counts.max_error, value.error);
  keep(counts, value);
}

void add(SweepCounts& counts, const SweepCounts& other) {
  counts.values += other.values;
  counts.nearest += other.nearest;
  counts.wrong += other.wrong;
  counts.vacuous += other.vacuous;
  counts.max_error = std::max(counts.max_error, other.max_error);
  if (other.first_wrong) keep(counts, *other.first_wrong);
  if (other.worst) keep(counts, *other.worst);
}

// One kernel and one base.
class Sweeper {
 public:
  Sweeper(plugin::Kernel& kernel, const SweepRequest& request)
      : kernel_(kernel),
        sweep_(request.oracle, spec_of(kernel, request), request.positions) {
    const plugin::Description& description = kernel.description();
    result_.operation = chosen_operation(description);
    dtype_ = chosen_dtype(description, request);
    judge::Claim claim = judge::claim_of(description, dtype_);
    const bool is_table = result_.operation == ROPEPROOF_TABLE;
    result_.format = is_table ? claim.table : dtype_;
    bounds_ = {claim,
               request.rotary_dim,
               reference::bound::formats_that_hold(request.base),
               is_table ? entry_error(claim, false)
                        : output_error(claim, false, false),
               is_table ? table_underflow(claim) : underflow_error(claim, 1),
               {}};
    spec_ = spec_of(kernel, request);
    frequencies_ = golden_frequencies(request.oracle, spec_);
    for (const auto& theta : frequencies_) {
      bounds_.inv_freq.push_back(std::bit_cast<double>(theta.hi));
    }
    result_.positions = request.positions;
    if (description.max_position > 0) {
      result_.positions =
          std::min(result_.positions, description.max_position + 1);
    }
  }

  SweepResult run() {
    for (std::int64_t first = 0; first < result_.positions;
         first += kPositionsPerCall) {
      const std::int64_t count =
          std::min(kPositionsPerCall, result_.positions - first);
      judge::Output output;
      const cases::RopeCase c = case_at(first, count);
      result_.answer =
          call::Call(kernel_, result_.operation, c, result_.format).run(output);
      if (result_.answer.outcome != plugin::Outcome::kOk) break;
      judge(output, first, count);
    }
    result_.max_ulp = result_.max_error / reference::ulp(result_.format, 1);
    return result_;
  }

 private:
  static reference::Spec spec_of(const plugin::Kernel& kernel,
                                 const SweepRequest& request) {
    return {reference::leading(request.rotary_dim, request.rotary_dim,
                               chosen_pairing(kernel.description())),
            {request.base}};
  }

  // Unit vectors: x = (1, 0) comes out as (cos, sin).
  cases::RopeCase case_at(std::int64_t first, std::int64_t count) const {
    cases::RopeCase c;
    c.dtype = dtype_;
    c.spec = spec_;
    c.batch = c.q_heads = 1;
    c.seq = count;
    for (std::int64_t i = 0; i < count; ++i) {
      c.positions.push_back(static_cast<double>(first + i));
    }
    for (const auto& theta : frequencies_) {
      c.inv_freq_hi.push_back(theta.hi);
      c.inv_freq_lo.push_back(theta.lo);
    }
    if (result_.operation == ROPEPROOF_TABLE) return c;
    cases::Bits row(static_cast<std::size_t>(spec_.layout.head_dim));
    for (std::int64_t j = 0; j < c.pairs(); ++j) {
      row[static_cast<std::size_t>(source_pair(spec_, j).u)] =
          encode(c.dtype, 1);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      c.q.insert(c.q.end(), row.begin(), row.end());
    }
    return c;
  }

  // Adds the values of one answer.
  void judge(const judge::Output& output, std::int64_t first,
             std::int64_t count) {
    std::exception_ptr failure;
#pragma omp parallel
    {
      SweepCounts mine;
#pragma omp for schedule(dynamic, 64)
      for (std::int64_t row = 0; row < count; ++row) {
        try {
          judge_row(output, first, row, mine);
        } catch (...) {
#pragma omp critical(ropeproof_conformance_sweep)
          if (!failure) failure = std::current_exception();
        }
      }
#pragma omp critical(ropeproof_conformance_sweep)
      add(result_, mine);
    }
    if (failure) std::rethrow_exception(failure);
  }

  std::uint64_t got(const judge::Output& output, std::int64_t row,
                    std::int64_t pair, bool is_sin) const {
    if (result_.operation == ROPEPROOF_TABLE) {
      return (is_sin ? output.sin : output.cos)[static_cast<std::size_t>(
          row * sweep_.pairs() + pair)];
    }
    const reference::Pair target = target_pair(spec_, pair);
    return output.q[static_cast<std::size_t>(row * spec_.layout.head_dim +
                                             (is_sin ? target.v : target.u))];
  }

  void judge_row(const judge::Output& output, std::int64_t first,
                 std::int64_t row, SweepCounts& counts) const {
    const auto width = static_cast<std::size_t>(sweep_.pairs());
    std::vector<double> cos(width), sin(width);
    sweep_.table(first + row,
                 result_.format == Format::kF64
                     ? reference::Rounding::kNearestEven
                     : reference::Rounding::kToOdd,
                 cos, sin);
    for (std::size_t j = 0; j < width; ++j) {
      const double angle = bounds_.angle(first + row, j);
      const auto pair = static_cast<std::int64_t>(j);
      for (const bool is_sin : {false, true}) {
        SweptValue value{first + row, pair, is_sin};
        value.got_bits = got(output, row, pair, is_sin);
        value.want = is_sin ? sin[j] : cos[j];
        value.want_bits = encode(result_.format, value.want);
        value.got = decode(result_.format, value.got_bits);
        const double error = std::abs(value.got - value.want);
        value.error = std::isfinite(error)
                          ? error
                          : std::numeric_limits<double>::infinity();
        const double of_length =
            bounds_.local.with_angle(angle + judge::kGoldenError);
        value.bound = of_length + bounds_.local.result * std::abs(value.want) +
                      bounds_.absolute;
        if (of_length >= reference::bound::kVacuous) ++counts.vacuous;
        add(counts, value);
      }
    }
  }

  plugin::Kernel& kernel_;
  reference::sweep::Sweep sweep_;
  reference::Spec spec_;
  Format dtype_ = Format::kF32;
  std::vector<reference::WideGolden> frequencies_;
  Bounds bounds_{};
  SweepResult result_;
};

}  // namespace

double SweptValue::ratio() const {
  return judge::Reading{0, error, bound}.ratio();
}

SweepResult sweep_kernel(plugin::Kernel& kernel, const SweepRequest& request) {
  return Sweeper(kernel, request).run();
}

}  // namespace ropeproof::conformance::search
