// workload.h -- the memory of a row of the speed table, shared by all kernels,
// and what must come out of it.
#ifndef ROPEPROOF_CONFORMANCE_BENCH_WORKLOAD_H_
#define ROPEPROOF_CONFORMANCE_BENCH_WORKLOAD_H_

#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "conformance/bench/limits.h"
#include "conformance/bench/rows.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::bench {

// On huge pages where there are any, every byte of it touched.
class Memory {
 public:
  explicit Memory(std::size_t bytes);  // throws std::bad_alloc
  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* data) const { std::free(data); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> data_;
};

// q [tokens, 32, head_dim] with k [tokens, 8, head_dim] behind it, or both
// head-major, without gaps: kernels rotate them in place, or write to as much
// memory beside them. Also positions, frequencies, and tables that are given or
// written. Kernels get pointers into it, so it stays where it is.
class Workload {
 public:
  // Throws std::bad_alloc, and what reference/golden.h throws.
  explicit Workload(const Row& row);
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  // What a kernel is asked: one problem, or two where it takes q and k apart.
  // In place if the kernel can. Valid as long as the workload.
  std::vector<ropeproof_problem> problems(
      const plugin::Description& description);

  // Repeated rotation in place wears numbers out, above all by a table in 16
  // bits: 512 rotations keep lengths within a factor of e.
  static constexpr int kMostRotations = 256;

  // q and k as at first, and nothing in any output.
  void refresh();

  // What the kernel's problems, solved once after refresh(), have left, beside
  // certified values: all channels of all heads, at up to 16 tokens from the
  // first to the last.
  judge::Measurement judge(const plugin::Description& description) const;
  // The row's token that is judged as `chosen`.
  std::int64_t token(std::int64_t chosen) const {
    return chosen_[static_cast<std::size_t>(chosen)];
  }

  // What is to be rotated; of a table, what is to be written.
  Bytes rotated() const;

 private:
  const std::pair<Memory, Memory>& tables(reference::Format format);
  ropeproof_tensor tensor(bool is_key, bool in_place) const;
  cases::Bits gather(const void* from, std::int64_t heads, std::int64_t width,
                     std::int64_t token_stride, std::int64_t head_stride) const;
  cases::Bits gather(const void* from, const ropeproof_tensor& tensor) const;

  Row row_;
  cases::Case case_;                  // at the chosen tokens, proved
  std::vector<std::int64_t> chosen_;  // tokens
  std::vector<std::int64_t> positions_;
  std::vector<double> inv_freq_, inv_freq_lo_;
  Memory pattern_;  // what q and k hold, again and again
  Memory in_, out_;
  std::map<reference::Format, std::pair<Memory, Memory>> tables_;
};

}  // namespace ropeproof::conformance::bench

#endif  // ROPEPROOF_CONFORMANCE_BENCH_WORKLOAD_H_
