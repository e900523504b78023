// pipeline_kernel.h -- a kernel that computes what a pipeline says.
//
// With an honest pipeline the suite must pass it, with any other it must fail
// it: so selftest makes its controls and mutants of it. And what it answers
// with a known bug, a kernel with that bug answers, too: so a diagnosis
// compares. It runs in the suite's own process.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "conformance/plugin/kernel.h"
#include "conformance/wrong/pipeline.h"

namespace ropeproof::conformance::wrong {

// Offers everything but scalings by their parameters, exponents and promises,
// in f32, bf16 and f16; claims `angle_class`.
plugin::Description full_description(std::uint32_t angle_class);
// Offers every scaling as well, and calls at once; claims class A0.
plugin::Description computing_description();

class PipelineKernel : public plugin::Kernel {
 public:
  PipelineKernel(plugin::Description description, Pipeline pipeline)
      : description_(std::move(description)),
        pipeline_(std::move(pipeline)),
        keeper_(pipeline_.kept) {}

  const plugin::Description& description() const override {
    return description_;
  }
  std::byte* allocate(std::size_t bytes) override;
  void release() override { memory_.clear(); }
  plugin::Answer run(const ropeproof_problem& problem) override;
  bool shares_memory() const override { return true; }
  bool is_concurrent() const override {
    return (description_.features & ROPEPROOF_CONCURRENT) != 0;
  }
  // There is one thread; what several do to each other is done in turn.
  std::vector<plugin::Answer> run_together(
      std::span<const ropeproof_problem> problems, int rounds) override;

  // The answer that run() gives instead of working, if set.
  plugin::Answer canned{plugin::Outcome::kOk, ""};

 private:
  // Solves the problem, with what an earlier call has cached of it.
  plugin::Answer solve(const ropeproof_problem& problem);
  // Rotates q or k as `p` describes them, where the call was given `given`.
  // Returns false where `p` would leave the tensors of `given`: a real kernel
  // crashes there.
  bool rotate_tensor(const ropeproof_problem& given, const ropeproof_problem& p,
                     bool is_key);
  void rotate_head(const ropeproof_problem& p, const HeadIndex& index,
                   const std::byte* x, std::byte* y);
  reference::Pair target_of(const reference::Pair& from, std::int64_t j) const;
  void write_table(const ropeproof_problem& p);
  void write_frequencies(const ropeproof_problem& p);
  void permute(const ropeproof_problem& p);
  // The cosine and sine of a table that is given, or as they are formed.
  CosSin given_cos_sin(const PairIndex& at);
  CosSin formed_cos_sin(const PairIndex& at);
  // The rotation of a pair.
  CosSin rotation(const PairIndex& at);

  plugin::Description description_;
  Pipeline pipeline_;
  Keeper keeper_;
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::int64_t table_bytes_ = 0;  // of cos, and of sin, in the problem
  std::int64_t pairs_ = 0;        // of the problem
  reference::Spec spec_;          // what it is taken for
  std::int64_t last_id_ = 0;      // the last place to read an id or position at
  bool is_lost_ = false;          // read beyond them
};

}  // namespace ropeproof::conformance::wrong
