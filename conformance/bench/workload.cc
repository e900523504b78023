#include "conformance/bench/workload.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>

#include "conformance/cases/counter_generator.h"
#include "conformance/cases/prove.h"
#include "conformance/judge/codec.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/problem.h"

namespace ropeproof::conformance::bench {
namespace {

using reference::Format;

constexpr std::size_t kHugePage = std::size_t{2} << 20;
// A prime, so that no two tokens or heads hold the same numbers.
constexpr std::size_t kPatternElements = 65521;
constexpr std::int64_t kChosen = 16;
constexpr std::byte kOnes{0xff};  // a NaN in every format

// The first token, the last, and one of each stretch between them.
std::vector<std::int64_t> choose(std::int64_t tokens) {
  const std::int64_t count = std::min(tokens, kChosen);
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = i * tokens / count;
    const std::int64_t length = (i + 1) * tokens / count - begin;
    const auto at = static_cast<std::int64_t>(
        cases::random_bits(0, static_cast<std::uint64_t>(i)) %
        static_cast<std::uint64_t>(length));
    chosen.push_back(begin + at);
  }
  chosen.front() = 0;
  chosen.back() = tokens - 1;
  return chosen;
}

// Of q and k together.
std::size_t tensor_bytes(const Row& row) {
  return row.is_table()
             ? 0
             : static_cast<std::size_t>(row.tokens * (kQHeads + kKHeads) *
                                        row.layout.head_dim) *
                   plugin::bytes_of(row.dtype);
}

std::size_t table_bytes(const Row& row, Format format) {
  return static_cast<std::size_t>(row.tokens * row.pairs()) *
         plugin::bytes_of(format);
}

}  // namespace

Memory::Memory(std::size_t bytes)
    : bytes_(bytes),
      data_(static_cast<std::byte*>(
          std::aligned_alloc(kHugePage, (bytes / kHugePage + 1) * kHugePage))) {
  if (data_ == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  madvise(data_.get(), bytes, MADV_HUGEPAGE);
#endif
  std::memset(data_.get(), 0, bytes);
}

Workload::Workload(const Row& row)
    : row_(row),
      case_(row.case_at(choose(row.tokens))),
      chosen_(choose(row.tokens)),
      pattern_(kPatternElements * plugin::bytes_of(row.dtype)),
      in_(tensor_bytes(row)),
      out_(row.is_table() ? 2 * table_bytes(row, row.dtype)
                          : tensor_bytes(row)) {
  const std::size_t width = plugin::bytes_of(row.dtype);
  for (std::size_t i = 0; i < kPatternElements; ++i) {
    const std::uint64_t bits = cases::random_number(row.dtype, 1, i);
    std::memcpy(pattern_.data() + i * width, &bits, width);
  }
  for (std::int64_t token = 0; token < row.tokens; ++token) {
    positions_.push_back(row.first_position() + token);
  }
  refresh();
  if (!row.is_table()) {
    const ropeproof_tensor q = tensor(false, true), k = tensor(true, true);
    case_.problem.q = gather(q.in, q);
    case_.problem.k = gather(k.in, k);
  }
  cases::Group group;
  group.rope_cases.push_back(std::move(case_));
  cases::prove(reference::best_oracle(), group);
  case_ = std::move(group.rope_cases.front());
  for (const std::uint64_t bits : case_.golden.inv_freq_hi) {
    inv_freq_.push_back(std::bit_cast<double>(bits));
  }
  for (const std::uint64_t bits : case_.golden.inv_freq_lo) {
    inv_freq_lo_.push_back(std::bit_cast<double>(bits));
  }
}

// The chosen tokens, [tokens, heads, width].
cases::Bits Workload::gather(const void* from, std::int64_t heads,
                             std::int64_t width, std::int64_t token_stride,
                             std::int64_t head_stride) const {
  const std::size_t bytes = plugin::bytes_of(row_.dtype);
  cases::Bits bits;
  for (const std::int64_t token : chosen_) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t first = token * token_stride + head * head_stride;
      for (std::int64_t i = first; i < first + width; ++i) {
        bits.push_back(0);
        std::memcpy(&bits.back(),
                    static_cast<const std::byte*>(from) +
                        static_cast<std::size_t>(i) * bytes,
                    bytes);
      }
    }
  }
  return bits;
}

cases::Bits Workload::gather(const void* from,
                             const ropeproof_tensor& tensor) const {
  return gather(from, tensor.heads, row_.layout.head_dim,
                tensor.in_token_stride, tensor.in_head_stride);
}

void Workload::refresh() {
  for (std::size_t done = 0; done < in_.size(); done += pattern_.size()) {
    std::memcpy(in_.data() + done, pattern_.data(),
                std::min(pattern_.size(), in_.size() - done));
  }
  std::memset(out_.data(), static_cast<int>(kOnes), out_.size());
}

// Given cosines and sines: of angles in long double, rounded once.
const std::pair<Memory, Memory>& Workload::tables(Format format) {
  const auto known = tables_.find(format);
  if (known != tables_.end()) return known->second;
  const std::size_t bytes = table_bytes(row_, format),
                    width = plugin::bytes_of(format);
  Memory cos(bytes), sin(bytes);
  std::size_t at = 0;
  for (const std::int64_t position : positions_) {
    for (std::size_t j = 0; j < inv_freq_.size(); ++j, at += width) {
      const long double phi = static_cast<long double>(position) *
                              (static_cast<long double>(inv_freq_[j]) +
                               static_cast<long double>(inv_freq_lo_[j]));
      const auto store = [&](const Memory& to, long double value) {
        const std::uint64_t bits =
            reference::encode(format, static_cast<double>(value));
        std::memcpy(to.data() + at, &bits, width);
      };
      store(cos, std::cos(phi));
      store(sin, std::sin(phi));
    }
  }
  return tables_.emplace(format, std::pair(std::move(cos), std::move(sin)))
      .first->second;
}

ropeproof_tensor Workload::tensor(bool is_key, bool in_place) const {
  const std::int64_t d = row_.layout.head_dim,
                     heads = is_key ? kKHeads : kQHeads,
                     token = row_.is_head_major ? d : heads * d,
                     head = row_.is_head_major ? row_.tokens * d : d,
                     batch = row_.tokens * heads * d;
  const std::size_t first =
      is_key ? static_cast<std::size_t>(row_.tokens * kQHeads * d) *
                   plugin::bytes_of(row_.dtype)
             : 0;
  std::byte* const in = in_.data() + first;
  std::byte* const out = in_place ? in : out_.data() + first;
  return {in, out, heads, batch, token, head, batch, token, head};
}

std::vector<ropeproof_problem> Workload::problems(
    const plugin::Description& description) {
  ropeproof_problem p = plugin::problem_of(row_.operation, case_.problem.spec,
                                           row_.dtype, 1, row_.tokens);
  if (row_.operation != ROPEPROOF_ROTATE) {
    p.positions = positions_.data();
    p.position_axes = 1;
    p.position_axis_stride = p.position_batch_stride = row_.tokens;
    p.inv_freq = inv_freq_.data();
    p.inv_freq_lo = inv_freq_lo_.data();
  }
  p.table_token_stride = row_.pairs();
  p.table_batch_stride = row_.tokens * row_.pairs();
  if (row_.is_table()) {
    p.table_dtype = plugin::abi_dtype(row_.dtype);
    p.cos = out_.data();
    p.sin = out_.data() + table_bytes(row_, row_.dtype);
    return {p};
  }
  if (row_.operation == ROPEPROOF_ROTATE) {
    const Format format = judge::claim_of(description, row_.dtype).table;
    const auto& [cos, sin] = tables(format);
    p.table_dtype = plugin::abi_dtype(format);
    p.cos = cos.data();
    p.sin = sin.data();
  }
  const bool in_place = (description.features & ROPEPROOF_IN_PLACE) != 0;
  p.q = tensor(false, in_place);
  const ropeproof_tensor k = tensor(true, in_place);
  if ((description.features & ROPEPROOF_KEYS) != 0) {
    p.k = k;
    return {p};
  }
  ropeproof_problem second = p;
  second.q = k;
  return {p, second};
}

judge::Measurement Workload::judge(
    const plugin::Description& description) const {
  judge::Claim claim = judge::claim_of(description, row_.dtype);
  judge::Output output;
  if (row_.is_table()) {
    claim.table = row_.dtype;
    const std::int64_t pairs = row_.pairs();
    output.cos = gather(out_.data(), 1, pairs, pairs, 0);
    output.sin =
        gather(out_.data() + table_bytes(row_, row_.dtype), 1, pairs, pairs, 0);
  } else {
    const bool in_place = (description.features & ROPEPROOF_IN_PLACE) != 0;
    const ropeproof_tensor q = tensor(false, in_place),
                           k = tensor(true, in_place);
    output.q = gather(q.out, q);
    output.k = gather(k.out, k);
  }
  return judge::judge(case_.problem, case_.golden, row_.operation, claim,
                      output);
}

Bytes Workload::rotated() const {
  if (row_.is_table()) return {out_.data(), 1, out_.size(), out_.size()};
  const std::size_t width = plugin::bytes_of(row_.dtype);
  const auto rotary = static_cast<std::size_t>(row_.layout.rotary_dim) * width;
  const auto head = static_cast<std::size_t>(row_.layout.head_dim) * width;
  if (rotary == head) return {in_.data(), 1, in_.size(), in_.size()};
  return {in_.data(), in_.size() / head, rotary, head};
}

}  // namespace ropeproof::conformance::bench
