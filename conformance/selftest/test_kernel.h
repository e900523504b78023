// test_kernel.h -- a kernel made of knobs, for testing the suite itself:
// `ropeproof selftest` and the tests.
//
// With honest knobs it is a control: the suite must pass it. Each dishonest
// knob is a bug that engines have shipped: the suite must fail it. Runs in the
// suite's own process; numbers are rounded by reference/format.h.
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_TEST_KERNEL_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_TEST_KERNEL_H_

#include <memory>
#include <utility>
#include <vector>

#include "conformance/plugin/kernel.h"
#include "conformance/selftest/knobs.h"

namespace ropeproof::conformance::selftest {

// Offers everything, in f32, bf16 and f16; claims `angle_class`.
plugin::Description full_description(std::uint32_t angle_class);

class TestKernel : public plugin::Kernel {
 public:
  TestKernel(plugin::Description description, Knobs knobs)
      : description_(std::move(description)), knobs_(std::move(knobs)) {}

  const plugin::Description& description() const override {
    return description_;
  }
  std::byte* allocate(std::size_t bytes) override;
  void release() override { memory_.clear(); }
  plugin::Answer run(const ropeproof_problem& problem) override;
  bool shares_memory() const override { return true; }

  // What run() answers instead of working, if set.
  plugin::Answer canned{plugin::Outcome::kOk, ""};

 private:
  // q or k of `p`, which the problem is taken for. False where that leaves the
  // tensor of the problem itself: there are guard pages, and a crash.
  bool rotate_tensor(const ropeproof_problem& given, const ropeproof_problem& p,
                     bool is_key);
  void rotate_head(const ropeproof_problem& p, const HeadIndex& index,
                   const std::byte* x, std::byte* y);
  void write_table(const ropeproof_problem& p);
  void write_frequencies(const ropeproof_problem& p);
  void permute(const ropeproof_problem& p);
  void cos_sin_of(const ropeproof_problem& p, const HeadIndex& index,
                  std::int64_t j, double& c, double& s);

  plugin::Description description_;
  Knobs knobs_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
};

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_TEST_KERNEL_H_
