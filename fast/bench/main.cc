// fast_bench -- the kernels against the limits of this machine and against
// plain C++. All options are Google Benchmark's; what one wants most:
//
//   fast_bench                                      the table, one repetition
//   fast_bench --benchmark_repetitions=3 --benchmark_out=speed.json
//   fast_bench --benchmark_filter=decode
//
// A row is one benchmark: in turns, all its candidates; its counters are in ns
// per token (or table row), `ratio` is the limit's time over the kernel's, `cycles`
// are the kernel's, where the processor's count can be read.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <cstdio>
#include <string>

#include "fast/bench/rows.h"

namespace ropeproof::fast::bench {
namespace {

constexpr char kKernel[] = "fast";

void measure(benchmark::State& state, const Row& row) {
  for (auto _ : state) {
    const auto tokens = static_cast<double>(row.tokens);
    for (const Timing& timing :
         time_in_turns(row.make(), row.limits, row.clock)) {
      state.counters[timing.name] = timing.ns / tokens;
      if (timing.name != kKernel) continue;
      state.SetIterationTime(timing.ns * 1e-9);
      state.counters["ratio"] = timing.ratio;
      state.counters["GB/s"] = row.bytes / timing.ns;
      if (timing.cycles > 0) state.counters["cycles"] = timing.cycles / tokens;
    }
    state.counters["goal"] = row.goal;
    state.counters["floor"] = row.floor;
  }
  state.SetLabel("of " + row.limit);
}

class Table : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    std::printf("%-36s%10s%8s%8s%7s%7s  %-7s %s\n", "row", "ns/token", "GB/s",
                "ratio", "goal", "floor", "", "others, ns/token");
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Aggregate && run.aggregate_name != "median") {
        continue;
      }
      const auto value = [&](const char* name) {
        return run.counters.at(name).value;
      };
      const double ratio = value("ratio");
      const char* reached = ratio >= value("goal")    ? "goal"
                            : ratio >= value("floor") ? "floor"
                                                      : "below";
      const bool is_median = run.run_type == Run::RT_Aggregate;
      std::printf(
          "%-36s%10.1f%8.1f%8.3f%7.3f%7.3f  %-7s",
          (run.run_name.function_name + (is_median ? " median" : "")).c_str(),
          value(kKernel), value("GB/s"), ratio, value("goal"), value("floor"),
          reached);
      for (const auto& [name, counter] : run.counters) {
        if (name == kKernel || name == "ratio" || name == "GB/s" ||
            name == "goal" || name == "floor") {
          continue;
        }
        std::printf(" %s %.1f", name.c_str(), counter.value);
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
};

}  // namespace
}  // namespace ropeproof::fast::bench

int main(int argc, char** argv) {
  using namespace ropeproof::fast::bench;
  omp_set_num_threads(1);
  for (const Row& row : all_rows()) {
    benchmark::RegisterBenchmark(
        row.name.c_str(),
        [row](benchmark::State& state) { measure(state, row); })
        ->UseManualTime()
        ->Iterations(1);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Table table;
  return benchmark::RunSpecifiedBenchmarks(&table) == 0 ? 2 : 0;
}
