// test_problems.h -- for tests: processes that speak the protocol, and problems
// with gaps everywhere.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "conformance/plugin/kernel.h"
#include "conformance/plugin/test_outcomes.h"

namespace ropeproof::conformance::plugin {

// The command of a process that speaks the protocol by itself, and breaks it.
inline std::string process(const std::string& fault) {
  return ROPEPROOF_PYTHON " " ROPEPROOF_SOURCE_DIR
                          "/conformance/selftest/fakes/process.py " +
         fault;
}

// The command of a process that speaks it through the Python module.
inline std::string adapter(const std::string& mode) {
  return "PYTHONPATH=" ROPEPROOF_SOURCE_DIR
         "/conformance/adapters " ROPEPROOF_PYTHON " " ROPEPROOF_SOURCE_DIR
         "/conformance/selftest/fakes/adapter.py " +
         mode;
}

inline std::unique_ptr<Kernel> start(
    const std::string& command,
    std::chrono::milliseconds limit = std::chrono::milliseconds(5000)) {
  return start_process(command, KernelOptions{limit});
}

template <class T>
T* fill(Kernel& kernel, const std::vector<T>& values) {
  auto* const memory =
      reinterpret_cast<T*>(kernel.allocate(values.size() * sizeof(T)));
  std::copy(values.begin(), values.end(), memory);
  return memory;
}

template <class T>
std::vector<T> iota(std::size_t count, T first = 0) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Two batch rows of three tokens, two heads of q, one of k, four channels; two
// position axes; gaps everywhere: the value of an element is its index.
struct Strided {
  explicit Strided(Kernel& kernel) {
    problem.struct_size = sizeof problem;
    problem.operation = ROPEPROOF_ROPE;
    problem.dtype = problem.table_dtype = ROPEPROOF_F32;
    problem.pairing = ROPEPROOF_HALF_SPLIT;
    problem.direction = 1;
    problem.batch = 2;
    problem.seq = 3;
    problem.head_dim = problem.rotary_dim = 4;
    q = fill(kernel, iota<float>(80));
    k = fill(kernel, iota<float>(40));
    q_out = fill(kernel, std::vector<float>(100, -1.0f));
    k_out = fill(kernel, std::vector<float>(40, -1.0f));
    problem.q = {q, q_out, 2, 40, 12, 5, 50, 15, 6};
    problem.k = {k, k_out, 1, 20, 6, 5, 20, 6, 5};
    positions = fill(kernel, iota<std::int64_t>(20, 100));
    problem.positions = positions;
    problem.position_axes = 2;
    problem.position_axis_stride = 10;
    problem.position_batch_stride = 4;
    problem.axis_of_pair = fill(kernel, std::vector<std::int32_t>{1, 0});
    problem.inv_freq = fill(kernel, std::vector<double>{1, 0.25});
    problem.inv_freq_lo = fill(kernel, std::vector<double>{0x1p-20, 0});
    problem.base = 16;
    problem.amplitude = 0.5;
  }

  float *q, *k, *q_out, *k_out;
  std::int64_t* positions;
  ropeproof_problem problem{};
};

inline Answer run_strided(Kernel& kernel, bool has_keys = true) {
  Strided strided(kernel);
  if (!has_keys) strided.problem.k = {};
  return kernel.run(strided.problem);
}

// A weight of `count` channels to be permuted: 0, 1, 2, ...
struct Weight {
  Weight(Kernel& kernel, std::size_t count) {
    problem.operation = ROPEPROOF_PERMUTE;
    problem.dtype = ROPEPROOF_F32;
    problem.pairing = ROPEPROOF_HALF_SPLIT;
    problem.head_dim = 1;
    problem.permute_heads = static_cast<std::int64_t>(count);
    problem.permute_columns = 1;
    problem.permute_in = fill(kernel, iota<float>(count));
    problem.permute_out = out = fill(kernel, std::vector<float>(count));
  }

  float* out;
  ropeproof_problem problem{};
};

}  // namespace ropeproof::conformance::plugin
