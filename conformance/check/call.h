// call.h -- one problem laid out in memory, and what a kernel left there.
//
// Outputs, with their gaps and the zones around them, are filled with ones, a
// NaN in every format: an element that is not written shows. Everything else
// that is no input element is filled with finite numbers: a kernel that rotates a
// gap or the zone behind a buffer leaves other bits there, which arithmetic on
// NaNs would not. After the call each byte that is not part of an output element
// must be what it was.
//
// Every buffer borders a guard page on one side, which nobody can touch, not
// even to read, and a zone of 64 bytes on the other. Which side is which changes
// from case to case and from buffer to buffer.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_CALL_H_
#define ROPEPROOF_CONFORMANCE_CHECK_CALL_H_

#include <optional>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/check/call_layout.h"
#include "conformance/judge/output.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// How a problem lies in memory, where it is not as the case says.
struct Placement {
  std::optional<cases::Memory> memory = std::nullopt;
  std::optional<plugin::Edge> edge = std::nullopt;  // of every buffer
  // Buffers begin one element after a page does, and border no guard page.
  bool is_unaligned = false;
  // q, k and as many heads of v lie side by side in each token of one buffer;
  // needs ROPEPROOF_STRIDED. v and what else the buffer holds must not change.
  bool is_fused = false;
};

class Call {
 public:
  // `kernel` provides the memory, which ends with the call's. Table and
  // frequency outputs are `table`.
  Call(plugin::Kernel& kernel, std::uint32_t operation,
       const cases::RopeCase& c, reference::Format table,
       const Placement& placement = {});
  Call(plugin::Kernel& kernel, const cases::PermuteCase& c);
  ~Call() { kernel_.release(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Runs the problem; a kernel without ROPEPROOF_KEYS gets q, then k. The
  // output counts only if the answer is kOk.
  plugin::Answer run(judge::Output& output);

  // The same in two steps, for problems that are solved elsewhere or changed
  // first: the problem, with k where the kernel takes both; then what its
  // answer left. A crash is told with the buffer whose border was crossed.
  ropeproof_problem begin();
  plugin::Answer finish(plugin::Answer answer, judge::Output& output);
  // After a refusal: what changed at all, outputs too, in words.
  std::string find_change() const { return find_stray(false); }

 private:
  struct Buffer {
    std::string name;
    std::byte* data = nullptr;  // without the zones
    std::size_t bytes = 0;      // the same
    std::size_t zone_before = 0, zone_after = 0;
    std::vector<std::byte> before;  // the call, with the zones
    enum { kInput, kOutput, kMixed } kind = kInput;
    std::vector<std::uint8_t> is_output;  // kMixed: per byte
  };
  struct Tensor {
    reference::Shape shape;
    Strides in_strides, out_strides;
    std::size_t in = 0, out = 0;        // buffers; the same one in place
    std::size_t in_at = 0, out_at = 0;  // elements from the buffer's start
  };

  // Rows of a tensor that has no heads: [outer][inner][length].
  struct Rows {
    reference::Shape shape;   // one head
    Strides strides;          // elements
    std::int64_t length = 0;  // of a row
    std::size_t extent = 0;   // elements from the first to the last
  };

  // Without gaps where the call is dense.
  Rows lay_rows(std::int64_t outer, std::int64_t inner,
                std::int64_t length) const;
  // The angle tables and the amplitudes share their layout.
  Rows lay_tables();
  std::size_t add_buffer(const std::string& name, std::size_t bytes,
                         std::size_t width, std::byte fill);
  std::size_t add_input(const std::string& name, const cases::Bits& bits,
                        std::size_t width);
  // The gaps hold `gap`, or finite numbers that are small.
  std::size_t add_rows(const std::string& name, const Rows& rows,
                       const cases::Bits& bits, std::size_t width,
                       std::optional<std::uint64_t> gap = std::nullopt);
  std::size_t add_output(const std::string& name, std::size_t count,
                         std::size_t width);
  std::size_t add_output_rows(const std::string& name, const Rows& rows,
                              std::size_t width);
  Tensor add_tensor(const std::string& name, const cases::Bits& bits,
                    std::int64_t heads);
  void add_fused();
  void fill_tensor(const Tensor& tensor, const cases::Bits& bits);
  void add_tables(std::uint32_t operation, reference::Format table);
  void add_angles();
  void add_scaling();
  const double* add_doubles(const std::string& name,
                            const std::vector<double>& values);
  void describe(const Tensor& tensor, ropeproof_tensor& target) const;
  cases::Bits read(const Tensor& tensor) const;
  cases::Bits read(std::size_t buffer, std::size_t count,
                   std::size_t width) const;
  cases::Bits read(std::size_t buffer, const Rows& rows,
                   std::size_t width) const;
  void snapshot();
  std::string find_stray(bool outputs_may_change) const;
  std::string name_fault(const plugin::Fault& fault) const;

  plugin::Kernel& kernel_;
  Placement placement_;
  std::size_t salt_ = 0;  // decides the edges where the placement does not
  const cases::RopeCase* case_ = nullptr;
  cases::Memory memory_ = cases::Memory::kDense;
  bool has_gaps_ = false;  // after the rows of positions and tables
  Rows table_rows_;
  std::size_t width_ = 4, table_width_ = 4;  // bytes per element
  ropeproof_problem problem_{};
  std::vector<Buffer> buffers_;
  std::optional<Tensor> q_, k_;
  std::optional<std::size_t> cos_, sin_, inv_freq_, permuted_;
  std::size_t output_count_ = 0;
};

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_CALL_H_
