// ropeproof_bench: values per second of each way to an exact cosine, sine or
// rotated number, with 1 and 2 threads.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "reference/format.h"
#include "reference/golden.h"
#include "reference/sweep/sweep.h"

namespace {

using namespace ropeproof::reference;
using sweep::Sweep;

constexpr std::int64_t kDim = 128, kPairs = kDim / 2, kLimit = 131072;

Spec spec() { return {leading(kDim, kDim, Pairing::kInterleaved), {500000}}; }

// Positions that differ from call to call and from thread to thread.
class Positions {
 public:
  explicit Positions(const benchmark::State& state)
      : next_(1 + 40961 * state.thread_index()) {}
  std::int64_t next() {
    next_ = (next_ + 7919) % kLimit;
    return next_ == 0 ? next() : next_;
  }
  std::vector<double> next(int count) {
    std::vector<double> positions;
    while (count-- > 0) positions.push_back(static_cast<double>(next()));
    return positions;
  }

 private:
  std::int64_t next_;
};

void count_values(benchmark::State& state, std::int64_t each) {
  state.SetItemsProcessed(state.iterations() * each);
}

// Goldens of one position: the frequencies are formed each time.
void table_alone(benchmark::State& state, Oracle oracle) {
  if (!available(oracle)) return state.SkipWithError("not built in");
  Positions positions(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(golden_table(oracle, spec(), positions.next(1)));
  }
  count_values(state, 2 * kPairs);
}

// Goldens of 64 positions: the frequencies are formed once.
void table(benchmark::State& state, Oracle oracle) {
  if (!available(oracle)) return state.SkipWithError("not built in");
  Positions positions(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(golden_table(oracle, spec(), positions.next(64)));
  }
  count_values(state, 64 * 2 * kPairs);
}

// Rotated numbers of 4 positions and 32 heads: cosine and sine are formed once.
void rope(benchmark::State& state, Oracle oracle) {
  if (!available(oracle)) return state.SkipWithError("not built in");
  Positions positions(state);
  const Shape shape{1, 4, 32};
  std::vector<double> x(4 * 32 * kDim);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 1 + static_cast<double>(i % 97) * 0x1p-7;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        golden_rope(oracle, spec(), shape, positions.next(4), x));
  }
  count_values(state, 4 * 32 * kDim);
}

const Sweep& shared_sweep() {
  static const Sweep kSweep(
      available(Oracle::kMpfi) ? Oracle::kMpfi : Oracle::kBinFloat, spec(),
      kLimit);
  return kSweep;
}

void sweep_table(benchmark::State& state, Format format) {
  const Sweep& sweep = shared_sweep();
  const Rounding rounding =
      format == Format::kF64 ? Rounding::kNearestEven : Rounding::kToOdd;
  Positions positions(state);
  std::vector<double> cos(kPairs), sin(kPairs);
  for (auto _ : state) {
    sweep.table(positions.next(), rounding, cos, sin);
    for (const auto* values : {&cos, &sin}) {
      for (const double y : *values) {
        benchmark::DoNotOptimize(encode(format, y));
      }
    }
  }
  count_values(state, 2 * kPairs);
}

void build_sweep(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        std::make_unique<Sweep>(Oracle::kMpfi, spec(), kLimit));
  }
}

template <class... Arguments>
void add(const char* name, Arguments&&... arguments) {
  benchmark::RegisterBenchmark(name, std::forward<Arguments>(arguments)...)
      ->Threads(1)
      ->Threads(2)
      ->UseRealTime()
      ->MinTime(1);
}

}  // namespace

int main(int argc, char** argv) {
  // Threads are the benchmark's; the oracles' own would come on top.
  setenv("OMP_NUM_THREADS", "1", 1);
  add("MPFI/frequencies_each_time", table_alone, Oracle::kMpfi);
  add("MPFI/frequencies_cached", table, Oracle::kMpfi);
  add("MPFI/turns_cached_for_32_heads", rope, Oracle::kMpfi);
  add("cpp_bin_float/frequencies_each_time", table_alone, Oracle::kBinFloat);
  add("cpp_bin_float/frequencies_cached", table, Oracle::kBinFloat);
  add("cpp_bin_float/turns_cached_for_32_heads", rope, Oracle::kBinFloat);
  add("sweep/table/f64", sweep_table, Format::kF64);
  add("sweep/table/f32", sweep_table, Format::kF32);
  add("sweep/table/bf16", sweep_table, Format::kBF16);
  if (available(Oracle::kMpfi)) {
    benchmark::RegisterBenchmark("sweep/build", build_sweep)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
