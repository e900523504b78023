# Benchmarks, where Google Benchmark is installed: tools/bench/README.md.
find_package(benchmark QUIET)
if(benchmark_FOUND)
  add_executable(ropeproof_bench EXCLUDE_FROM_ALL tools/bench/bench.cc)
  target_link_libraries(ropeproof_bench PRIVATE ropeproof::reference
    benchmark::benchmark ropeproof_options)
endif()
