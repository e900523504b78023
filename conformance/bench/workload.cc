#include "conformance/bench/workload.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "conformance/cases/counter_generator.h"
#include "conformance/cases/form_golden.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/problem.h"

namespace ropeproof::conformance::bench {
namespace {

using reference::Format;

constexpr std::size_t kHugePage = std::size_t{2} << 20;
// A prime, so that no two tokens or heads hold the same numbers.
constexpr std::size_t kPatternElements = 65521;
constexpr int kOnes = 0xff;  // bytes of a NaN in every format

// The first token, the last, and one of each stretch between them.
std::vector<std::int64_t> choose(std::int64_t tokens) {
  const std::int64_t count = std::min<std::int64_t>(tokens, 16);
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = i * tokens / count;
    const std::int64_t length = (i + 1) * tokens / count - begin;
    const std::uint64_t bits =
        cases::random_bits(0, static_cast<std::uint64_t>(i));
    chosen.push_back(begin + static_cast<std::int64_t>(
                                 bits % static_cast<std::uint64_t>(length)));
  }
  chosen.front() = 0;
  chosen.back() = tokens - 1;
  return chosen;
}

cases::Problem at_tokens(cases::Problem problem,
                         const std::vector<std::int64_t>& chosen) {
  std::vector<double> positions;
  for (const std::int64_t token : chosen) {
    positions.push_back(problem.position(0, token));
  }
  problem.positions = std::move(positions);
  problem.seq = static_cast<std::int64_t>(chosen.size());
  return problem;
}

std::vector<double> values_of(const cases::Bits& goldens) {
  std::vector<double> values;
  for (const std::uint64_t bits : goldens) {
    values.push_back(cases::value_of(bits));
  }
  return values;
}

bool is_in_place(const plugin::Description& description) {
  return (description.features & ROPEPROOF_IN_PLACE) != 0;
}

}  // namespace

Memory::Memory(std::size_t bytes)
    : size(bytes),
      data(static_cast<std::byte*>(
          std::aligned_alloc(kHugePage, (bytes / kHugePage + 1) * kHugePage))) {
  if (data == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  madvise(data.get(), bytes, MADV_HUGEPAGE);
#endif
  std::memset(data.get(), 0, bytes);
}

Workload::Workload(const Row& row)
    : row_(row),
      chosen_(choose(row.problem.seq)),
      positions_(row.problem.positions.begin(), row.problem.positions.end()),
      table_elements_(
          static_cast<std::size_t>(row.problem.seq * row.problem.pairs())),
      pattern_(kPatternElements * row.element_bytes()),
      in_(static_cast<std::size_t>(row.problem.elements()) *
          row.element_bytes()),
      out_(row.is_table() ? 2 * table_elements_ * row.element_bytes()
                          : in_.size) {
  const std::size_t width = row.element_bytes();
  for (std::size_t i = 0; i < kPatternElements; ++i) {
    const std::uint64_t bits = cases::random_number(row.problem.dtype, 1, i);
    std::memcpy(pattern_.data.get() + i * width, &bits, width);
  }
  refresh();
  case_.problem = at_tokens(row.problem, chosen_);
  if (!row.is_table()) {
    case_.problem.q =
        gather(tensor(false, true), row.problem.spec.layout.head_dim);
    case_.problem.k =
        gather(tensor(true, true), row.problem.spec.layout.head_dim);
  }
  case_.golden = cases::form_golden(case_.problem, reference::best_oracle());
  inv_freq_ = values_of(case_.golden.inv_freq_hi);
  inv_freq_lo_ = values_of(case_.golden.inv_freq_lo);
}

// What is written at the chosen tokens, [tokens, heads, width].
cases::Bits Workload::gather(const ropeproof_tensor& tensor,
                             std::int64_t width) const {
  const std::size_t bytes = row_.element_bytes();
  cases::Bits bits;
  for (const std::int64_t token : chosen_) {
    for (std::int64_t head = 0; head < tensor.heads; ++head) {
      const std::int64_t first =
          token * tensor.out_token_stride + head * tensor.out_head_stride;
      for (std::int64_t i = first; i < first + width; ++i) {
        bits.push_back(0);
        std::memcpy(&bits.back(),
                    static_cast<const std::byte*>(tensor.out) +
                        static_cast<std::size_t>(i) * bytes,
                    bytes);
      }
    }
  }
  return bits;
}

void Workload::refresh() {
  for (std::size_t done = 0; done < in_.size; done += pattern_.size) {
    std::memcpy(in_.data.get() + done, pattern_.data.get(),
                std::min(pattern_.size, in_.size - done));
  }
  std::memset(out_.data.get(), kOnes, out_.size);
}

// Given cosines, then sines: of angles in long double, rounded once.
const Memory& Workload::table(Format format) {
  const auto known = tables_.find(format);
  if (known != tables_.end()) return known->second;
  const std::size_t width = plugin::bytes_of(format);
  Memory memory(2 * table_elements_ * width);
  std::byte *cos = memory.data.get(), *sin = cos + table_elements_ * width;
  const auto store = [&](std::byte*& to, long double value) {
    const std::uint64_t bits =
        reference::encode(format, static_cast<double>(value));
    std::memcpy(to, &bits, width);
    to += width;
  };
  for (const std::int64_t position : positions_) {
    for (std::size_t j = 0; j < inv_freq_.size(); ++j) {
      const long double phi = static_cast<long double>(position) *
                              (static_cast<long double>(inv_freq_[j]) +
                               static_cast<long double>(inv_freq_lo_[j]));
      store(cos, std::cos(phi));
      store(sin, std::sin(phi));
    }
  }
  return tables_.emplace(format, std::move(memory)).first->second;
}

ropeproof_tensor Workload::tensor(bool is_key, bool in_place) const {
  const cases::Problem& p = row_.problem;
  const std::int64_t d = p.spec.layout.head_dim,
                     heads = is_key ? p.k_heads : p.q_heads,
                     token = row_.is_head_major() ? d : heads * d,
                     head = row_.is_head_major() ? p.seq * d : d,
                     batch = p.seq * heads * d;
  const std::size_t first =
      is_key ? static_cast<std::size_t>(p.seq * p.q_heads * d) *
                   row_.element_bytes()
             : 0;
  std::byte* const in = in_.data.get() + first;
  std::byte* const out = in_place ? in : out_.data.get() + first;
  return {in, out, heads, batch, token, head, batch, token, head};
}

std::vector<ropeproof_problem> Workload::problems(
    const plugin::Description& description) {
  const cases::Problem& row = row_.problem;
  ropeproof_problem p = plugin::problem_of(row_.operation, case_.problem.spec,
                                           row.dtype, 1, row.seq);
  if (row_.operation != ROPEPROOF_ROTATE) {
    p.positions = positions_.data();
    p.position_axes = 1;
    p.position_axis_stride = p.position_batch_stride = row.seq;
    p.inv_freq = inv_freq_.data();
    p.inv_freq_lo = inv_freq_lo_.data();
  }
  p.table_token_stride = row.pairs();
  p.table_batch_stride = row.seq * row.pairs();
  if (row_.operation != ROPEPROOF_ROPE) {
    const Format format = row_.is_table()
                              ? row.dtype
                              : judge::claim_of(description, row.dtype).table;
    const Memory& cosines = row_.is_table() ? out_ : table(format);
    p.table_dtype = plugin::abi_dtype(format);
    p.cos = cosines.data.get();
    p.sin = cosines.data.get() + cosines.size / 2;
  }
  if (row_.is_table()) return {p};
  p.q = tensor(false, is_in_place(description));
  const ropeproof_tensor k = tensor(true, is_in_place(description));
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
  const std::int64_t pairs = case_.problem.pairs();
  judge::Claim claim = judge::claim_of(description, case_.problem.dtype);
  judge::Output output;
  if (row_.is_table()) {
    claim.table = case_.problem.dtype;
    ropeproof_tensor cosines{};
    cosines.heads = 1;
    cosines.out_token_stride = pairs;
    cosines.out = out_.data.get();
    output.cos = gather(cosines, pairs);
    cosines.out = out_.data.get() + out_.size / 2;
    output.sin = gather(cosines, pairs);
  } else {
    const bool in_place = is_in_place(description);
    const std::int64_t width = case_.problem.spec.layout.head_dim;
    output.q = gather(tensor(false, in_place), width);
    output.k = gather(tensor(true, in_place), width);
  }
  judge::Measurement measurement =
      judge::judge(case_.problem, case_.golden, row_.operation, claim, output);
  if (auto& wrong = measurement.first_wrong) {
    wrong->token = chosen_[static_cast<std::size_t>(wrong->token)];
  }
  return measurement;
}

Bytes Workload::rotated() const {
  if (row_.is_table()) return {out_.data.get(), 1, out_.size, out_.size};
  const reference::Layout& layout = row_.problem.spec.layout;
  const auto bytes = [&](std::int64_t channels) {
    return static_cast<std::size_t>(channels) * row_.element_bytes();
  };
  const std::size_t rotary = bytes(layout.rotary_dim),
                    head = bytes(layout.head_dim);
  if (rotary == head) return {in_.data.get(), 1, in_.size, in_.size};
  return {in_.data.get(), in_.size / head, rotary, head};
}

}  // namespace ropeproof::conformance::bench
