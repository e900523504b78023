// paper_kernel.h -- a kernel that computes nothing: it lends memory and hands
// each problem on.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

class PaperKernel : public plugin::Kernel {
 public:
  using Run = std::function<plugin::Answer(const ropeproof_problem&)>;

  PaperKernel(plugin::Description description, bool shares_memory, Run run)
      : description_(std::move(description)),
        shares_memory_(shares_memory),
        run_(std::move(run)) {}

  const plugin::Description& description() const override {
    return description_;
  }
  // The memory is not zeroed: a call fills it.
  std::byte* allocate(std::size_t bytes) override {
    if (used_ == blocks_.size()) blocks_.emplace_back();
    std::vector<std::byte>& block = blocks_[used_++];
    if (block.size() <= bytes) block.resize(bytes + 1);
    return block.data();
  }
  // Keeps the memory for the next call: the system's is slow to come and go.
  void release() override { used_ = 0; }
  plugin::Answer run(const ropeproof_problem& problem) override {
    return run_(problem);
  }
  bool is_live() const override { return false; }
  bool shares_memory() const override { return shares_memory_; }

 private:
  plugin::Description description_;
  bool shares_memory_;
  Run run_;
  std::vector<std::vector<std::byte>> blocks_;
  std::size_t used_ = 0;  // of them, by one call
};

}  // namespace ropeproof::conformance::check
