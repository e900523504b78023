#include "conformance/bench/suite.h"

#include <memory>

#include "conformance/bench/paired.h"
#include "conformance/text/words.h"
#include "reference/format.h"
#include "reference/golden.h"
#include "reference/sweep/sweep.h"

namespace ropeproof::conformance::bench {
namespace {

using reference::Format;
using reference::Oracle;
using reference::sweep::Sweep;

constexpr std::int64_t kDim = 128, kPairs = kDim / 2, kPositions = 131072;

reference::Spec spec() {
  return {reference::leading(kDim, kDim, reference::Pairing::kInterleaved),
          {500000}};
}

std::int64_t next_position() {
  static std::int64_t position = 1;
  position = (position + 7919) % (kPositions - 1);
  return 1 + position;
}

std::vector<double> next_positions(int count) {
  std::vector<double> positions;
  while (count-- > 0) {
    positions.push_back(static_cast<double>(next_position()));
  }
  return positions;
}

void add_oracle(std::vector<SuiteRow>& rows, Oracle oracle,
                const std::string& name) {
  for (const int count : {1, 64}) {
    rows.push_back({name + "/table/" + std::to_string(count),
                    count == 1 ? "frequency, cosine, sine" : "cosine, sine",
                    2.0 * kPairs * count, [=] {
                      golden_table(oracle, spec(), next_positions(count));
                    }});
  }
  constexpr int kTokens = 4, kHeads = 32;
  std::vector<double> x(kTokens * kHeads * kDim);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 1 + static_cast<double>(i % 97) * 0x1p-7;
  }
  rows.push_back({name + "/rope/32_heads",
                  "rotation; a 32nd of cosine and sine",
                  static_cast<double>(x.size()), [=] {
                    golden_rope(oracle, spec(), {1, kTokens, kHeads},
                                next_positions(kTokens), x);
                  }});
}

void add_sweep(std::vector<SuiteRow>& rows, Oracle oracle) {
  rows.push_back({"sweep/build", "the tables, for all positions below 131,072",
                  2.0 * kPairs * kPositions,
                  [=] { Sweep(oracle, spec(), kPositions); }});
  const auto sweep = std::make_shared<const Sweep>(oracle, spec(), kPositions);
  for (const Format format : {Format::kF64, Format::kF32, Format::kBF16}) {
    const auto rounding = format == Format::kF64
                              ? reference::Rounding::kNearestEven
                              : reference::Rounding::kToOdd;
    rows.push_back({"sweep/table/" + text::word(text::kFormatWords, format),
                    "at most three products, the rounding test", 2.0 * kPairs,
                    [=, cos = std::vector<double>(kPairs),
                     sin = std::vector<double>(kPairs)]() mutable {
                      sweep->table(next_position(), rounding, cos, sin);
                      for (const auto* values : {&cos, &sin}) {
                        for (const double y : *values) {
                          [[maybe_unused]] volatile std::uint64_t bits =
                              encode(format, y);
                        }
                      }
                    }});
  }
}

}  // namespace

std::vector<SuiteRow> suite_rows() {
  std::vector<SuiteRow> rows;
  add_oracle(rows, Oracle::kBinFloat, "cpp_bin_float");
  if (available(Oracle::kMpfi)) add_oracle(rows, Oracle::kMpfi, "mpfi");
  add_sweep(rows, reference::best_oracle());
  return rows;
}

double values_per_second(const SuiteRow& row) {
  constexpr double kVisitNs = 0.2e9;
  std::vector<double> speeds;
  while (speeds.size() < 5) {
    const double begin = process_ns();
    double runs = 0, ns = 0;
    for (; ns < kVisitNs; ++runs, ns = process_ns() - begin) row.run();
    speeds.push_back(1e9 * runs * row.values / ns);
  }
  return median(speeds);
}

}  // namespace ropeproof::conformance::bench
