// workload.h -- the memory of a row of the speed table, shared by all kernels,
// and what must come out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/bench/limits.h"
#include "conformance/bench/rows.h"
#include "conformance/cases/counter_generator.h"
#include "conformance/judge/judge.h"

namespace ropeproof::conformance::bench {

// Gives memory that is aligned to huge pages and outlives the workload; throws
// std::bad_alloc.
using Allocate = std::function<std::byte*(std::size_t)>;

// A buffer on huge pages where there are any, every byte of it touched: of its
// own, or what `allocate` gives.
struct Memory {
  struct Free {
    bool is_own = true;
    void operator()(std::byte* bytes) const {
      if (is_own) std::free(bytes);
    }
  };
  // Throws std::bad_alloc.
  explicit Memory(std::size_t bytes, const Allocate& allocate = {});

  std::size_t size;
  std::unique_ptr<std::byte, Free> data;
};

// q [tokens, 32, head_dim] with k [tokens, 8, head_dim] behind it, or both
// head-major, without gaps: kernels rotate them in place, or write to as much
// memory beside them. Also positions, frequencies, and tables that are given or
// written. Kernels get pointers into it, so it stays where it is.
class Workload {
 public:
  // All that kernels see is from `allocate`, where there is one. Throws
  // std::bad_alloc, and what reference/golden.h throws.
  explicit Workload(const Row& row, Allocate allocate = {});
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  // What a kernel is asked: one problem, or two where it takes q and k apart.
  // In place if the kernel can. Valid until the next change or refresh.
  std::vector<ropeproof_problem> problems(
      const plugin::Description& description);

  // Repeated rotation in place wears numbers out, above all by a table in 16
  // bits: 512 rotations keep lengths within a factor of e.
  static constexpr int kMostRotations = 256;

  // q and k as at first, and nothing in any output.
  void refresh();

  // The next call's position, where the row's changes.
  void move() {
    if (row_.positions == Row::kStays) return;
    const std::uint64_t by = row_.positions == Row::kGoesOn
                                 ? ++moves_
                                 : cases::random_bits(1, ++moves_);
    positions_[0] = 4096 + static_cast<std::int64_t>(by % 8192);
  }

  // What the kernel's problems, solved once after refresh(), have left, beside
  // certified values: all channels of all heads, at up to 16 tokens from the
  // first to the last. The first wrong element has the row's token.
  judge::Measurement judge(const plugin::Description& description) const;

  // Moves the positions, or the rows of a table that is given, and draws a
  // token and a head (of a table: a token and its position); half of the time
  // it writes other numbers there and into its output. After the problems are
  // solved judge_changed() returns what is wrong there, if anything. Of
  // frequent calls no part can be left out that is not drawn sooner or later,
  // and none be kept from an earlier call. Cost: microseconds.
  void change(const plugin::Description& description);
  std::optional<judge::Element> judge_changed(
      const plugin::Description& description);

  // What is to be rotated; of a table, what is to be written.
  Bytes rotated() const;

 private:
  const Memory& table(reference::Format format);
  ropeproof_tensor tensor(bool is_key, bool in_place) const;
  cases::Bits gather(const ropeproof_tensor& tensor, std::int64_t width) const;

  judge::Claim claim(const plugin::Description& description) const;

  // The part that change() has drawn.
  struct Changed {
    std::int64_t token = 0, head = 0;
    bool is_key = false;
    cases::Bits x;
  };
  long double angle(double position, std::int64_t j) const;
  std::byte* drawn(const ropeproof_tensor& tensor, bool is_out) const;
  cases::Bits read(const std::byte* from, std::size_t count) const;

  Row row_;
  Allocate allocate_;
  Changed changed_;
  std::uint64_t draws_, drawn_ = 0;   // of change(): seed and number
  std::uint64_t moves_ = 0;           // of the position
  std::int64_t shift_ = 0;            // of positions and rows of a table
  std::vector<std::int64_t> chosen_;  // tokens
  cases::Case case_;                  // at the chosen tokens, proved
  Memory numbers_;  // positions, frequencies and their rest, for kernels
  std::int64_t* positions_;
  double *inv_freq_, *inv_freq_lo_;
  std::size_t table_elements_;  // of cosines
  Memory pattern_;              // what q and k hold, again and again
  Memory in_, out_;             // out: cosines and sines, for table
  std::map<reference::Format, Memory> tables_;  // that are given
};

}  // namespace ropeproof::conformance::bench
