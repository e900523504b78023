// call.h -- one problem, laid out in memory, and a kernel's answer to it.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/call/call_memory.h"
#include "conformance/cases/case.h"
#include "conformance/judge/output.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::call {

class Call {
 public:
  // `kernel` provides the memory, which ends with the call's. Given tables hold
  // the goldens, table and frequency outputs are of type `table`. A storage
  // that is given replaces the case's. kLaidOut is enough for
  // questions().
  Call(plugin::Kernel& kernel, std::uint32_t operation, const cases::Case& c,
       reference::Format table,
       const std::optional<cases::Storage>& storage = std::nullopt,
       Contents contents = Contents::kWritten);

  // The call of a problem without a golden, which nobody judges. Two tokens
  // have the same entries in a given table only if they have the same position.
  // `id`: of the case that the problem will become.
  Call(plugin::Kernel& kernel, std::uint32_t operation,
       const cases::Problem& problem, const std::string& id,
       reference::Format table, Contents contents);

  // Runs the problem, unless the kernel declines it; a kernel without
  // ROPEPROOF_KEYS gets q, then k. `rounds` times over, as Kernel::run_together
  // does. The output counts only if the answer is kOk.
  plugin::Answer run(judge::Output& output, int rounds = 1);

  // begin() and finish() are run() in two steps, for problems that are solved
  // elsewhere or changed first: the problem, with k where the kernel takes
  // both; then what its answer left. A crash is told with the buffer whose
  // border was crossed.
  ropeproof_problem begin();
  // The problems that ropeproof_supports is asked about: two where the kernel
  // gets q and k one after the other. Valid as long as the call.
  std::vector<ropeproof_problem> questions() const;
  plugin::Answer finish(plugin::Answer answer, judge::Output& output);
  // Returns what changed at all after a refusal, outputs too.
  Stray find_change() const { return memory_.find_any_change(); }

 private:
  Call(plugin::Kernel& kernel, std::uint32_t operation,
       const cases::Problem& problem, const cases::Golden& golden,
       const std::string& id, reference::Format table,
       const std::optional<cases::Storage>& storage, Contents contents);

  void add_permutation();

  using Member = cases::Bits judge::Output::*;

  // Whether the batch rows of each of `lists`, which are alike, are to be one.
  bool is_shared(std::initializer_list<const cases::Bits*> lists,
                 std::int64_t blocks = 1) const;
  // The angle tables and the amplitudes share their strides.
  Rows table_rows(std::initializer_list<const cases::Bits*> inputs);
  std::byte* add_output(Member member, const std::string& name,
                        const Rows& rows, std::size_t width);
  // Fills in the input and marks the output.
  ropeproof_tensor rotated(Member member, const Array& in, const Array& out,
                           const cases::Bits& bits);
  ropeproof_tensor add_tensor(Member member, const std::string& name,
                              const cases::Bits& bits, std::int64_t heads);
  void add_packed();
  void add_tables(std::uint32_t operation, const cases::Golden& golden,
                  reference::Format table);
  void add_cache(const cases::Golden& golden, reference::Format table);
  void add_exponents();
  void add_angles(const cases::Golden& golden);
  void add_scaling();
  // Runs the problem unless the kernel declines it.
  plugin::Answer run_problem(int rounds);

  plugin::Kernel& kernel_;
  const cases::Problem& asked_;
  std::size_t salt_;  // decides what the problem leaves open
  cases::Storage storage_;
  CallMemory memory_;
  std::size_t width_ = 4;  // bytes per element of the tensors
  ropeproof_problem problem_{};
  ropeproof_tensor q_{}, k_{};
  std::vector<std::pair<Member, Array>> outputs_;
};

}  // namespace ropeproof::conformance::call
