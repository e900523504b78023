// angle_probe.h -- asks a kernel for the cosines and sines of a run of positions.
#ifndef ROPEPROOF_CONFORMANCE_SEARCH_ANGLE_PROBE_H_
#define ROPEPROOF_CONFORMANCE_SEARCH_ANGLE_PROBE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conformance/plugin/kernel.h"
#include "reference/format.h"
#include "reference/golden.h"
#include "reference/spec.h"

namespace ropeproof::conformance::search {

class AngleProbe {
 public:
  // At most `capacity` positions at a time. `format` is what the values come in:
  // the table's for the operation table, the dtype for rope. Throws
  // std::bad_alloc.
  AngleProbe(plugin::Kernel& kernel, std::uint32_t operation,
             reference::Format format, const reference::Spec& spec,
             const std::vector<reference::WideGolden>& frequencies,
             std::int64_t capacity);
  ~AngleProbe() { kernel_.release(); }
  AngleProbe(const AngleProbe&) = delete;
  AngleProbe& operator=(const AngleProbe&) = delete;

  // Positions first .. first + count - 1. Outputs are NaNs before the call.
  plugin::Answer ask(std::int64_t first, std::int64_t count);

  // The bits of the last answer; `row` counts from its first position.
  std::uint64_t cos(std::int64_t row, std::int64_t pair) const;
  std::uint64_t sin(std::int64_t row, std::int64_t pair) const;

 private:
  void prepare_table();
  void prepare_rope();
  std::uint64_t load(const std::byte* tensor, std::int64_t element) const;

  plugin::Kernel& kernel_;
  reference::Spec spec_;
  std::int64_t pairs_, capacity_;
  std::size_t width_;  // bytes of a value
  ropeproof_problem problem_{};
  std::int64_t* positions_ = nullptr;
  std::byte *cos_ = nullptr, *sin_ = nullptr;  // table
  std::byte *in_ = nullptr, *out_ = nullptr;   // rope; the same one in place
};

}  // namespace ropeproof::conformance::search

#endif  // ROPEPROOF_CONFORMANCE_SEARCH_ANGLE_PROBE_H_
