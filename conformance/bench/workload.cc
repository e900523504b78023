#include "conformance/bench/workload.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <new>
#include <random>

#include "conformance/cases/form_golden.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/problem.h"
#include "reference/rope.h"

namespace ropeproof::conformance::bench {
namespace {

using reference::Format;

constexpr std::size_t kHugePage = std::size_t{2} << 20;
// A prime, so that no two tokens or heads hold the same numbers.
constexpr std::size_t kPatternElements = 65521;
constexpr int kOnes = 0xff;  // bytes of a NaN in every format
constexpr int kShifts = 64;  // of positions, from call to call

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

bool is_in_place(const plugin::Description& description) {
  return (description.features & ROPEPROOF_IN_PLACE) != 0;
}

}  // namespace

Memory::Memory(std::size_t bytes, const Allocate& allocate)
    : size(bytes),
      data(allocate ? allocate(bytes)
                    : static_cast<std::byte*>(std::aligned_alloc(
                          kHugePage, (bytes / kHugePage + 1) * kHugePage)),
           Free{!allocate}) {
  if (data == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  madvise(data.get(), bytes, MADV_HUGEPAGE);
#endif
  std::memset(data.get(), 0, bytes);
}

Workload::Workload(const Row& row, Allocate allocate)
    : row_(row),
      allocate_(std::move(allocate)),
      draws_((std::uint64_t{std::random_device()()} << 32) +
             std::random_device()()),
      chosen_(choose(row.problem.seq)),
      numbers_((row.problem.positions.size() +
                2 * static_cast<std::size_t>(row.problem.pairs())) *
                   sizeof(double),
               allocate_),
      positions_(reinterpret_cast<std::int64_t*>(numbers_.data.get())),
      inv_freq_(
          reinterpret_cast<double*>(positions_ + row.problem.positions.size())),
      inv_freq_lo_(inv_freq_ + row.problem.pairs()),
      table_elements_(
          static_cast<std::size_t>(row.problem.seq * row.problem.pairs())),
      pattern_(kPatternElements * row.element_bytes()),
      in_(static_cast<std::size_t>(row.problem.elements()) *
              row.element_bytes(),
          allocate_),
      out_(
          row.is_table() ? 2 * table_elements_ * row.element_bytes() : in_.size,
          allocate_) {
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
  std::ranges::transform(case_.golden.inv_freq_hi, inv_freq_, cases::value_of);
  std::ranges::transform(case_.golden.inv_freq_lo, inv_freq_lo_,
                         cases::value_of);
}

// What is written at the chosen tokens, [tokens, heads, width].
cases::Bits Workload::gather(const ropeproof_tensor& tensor,
                             std::int64_t width) const {
  cases::Bits bits;
  for (const std::int64_t token : chosen_) {
    for (std::int64_t head = 0; head < tensor.heads; ++head) {
      const auto first = static_cast<std::size_t>(
          token * tensor.out_token_stride + head * tensor.out_head_stride);
      std::ranges::copy(read(static_cast<const std::byte*>(tensor.out) +
                                 first * row_.element_bytes(),
                             static_cast<std::size_t>(width)),
                        std::back_inserter(bits));
    }
  }
  return bits;
}

void Workload::refresh() {
  shift_ = 0;
  std::ranges::copy(row_.problem.positions, positions_);
  for (std::size_t done = 0; done < in_.size; done += pattern_.size) {
    std::memcpy(in_.data.get() + done, pattern_.data.get(),
                std::min(pattern_.size, in_.size - done));
  }
  std::memset(out_.data.get(), kOnes, out_.size);
}

// Given cosines, then sines, of positions as far as they are shifted: of angles
// in long double, rounded once.
const Memory& Workload::table(Format format) {
  const auto known = tables_.find(format);
  if (known != tables_.end()) return known->second;
  const std::size_t width = plugin::bytes_of(format);
  const std::int64_t pairs = row_.problem.pairs(),
                     count = (row_.problem.seq + kShifts - 1) * pairs;
  Memory memory(static_cast<std::size_t>(2 * count) * width, allocate_);
  const auto store = [&](std::int64_t i, long double value) {
    const std::uint64_t bits =
        reference::encode(format, static_cast<double>(value));
    std::memcpy(memory.data.get() + static_cast<std::size_t>(i) * width, &bits,
                width);
  };
  const double first = row_.problem.positions[0];
  for (std::int64_t i = 0; i < count; ++i) {
    const long double phi =
        angle(first + static_cast<double>(i / pairs), i % pairs);
    store(i, std::cos(phi));
    store(count + i, std::sin(phi));
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
    p.positions = positions_;
    p.position_axes = 1;
    p.position_axis_stride = p.position_batch_stride = row.seq;
    p.inv_freq = inv_freq_;
    p.inv_freq_lo = inv_freq_lo_;
  }
  p.table_token_stride = row.pairs();
  p.table_batch_stride = row.seq * row.pairs();
  if (row_.operation != ROPEPROOF_ROPE) {
    const Format format = claim(description).table;
    const Memory& cosines = row_.is_table() ? out_ : table(format);
    p.table_dtype = plugin::abi_dtype(format);
    std::byte* first = cosines.data.get();
    if (!row_.is_table()) {
      first += static_cast<std::size_t>(shift_ * row.pairs()) *
               plugin::bytes_of(format);
    }
    p.cos = first;
    p.sin = first + cosines.size / 2;
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

// Tables are written in the row's type, whatever a kernel takes.
judge::Claim Workload::claim(const plugin::Description& description) const {
  judge::Claim claim = judge::claim_of(description, row_.problem.dtype);
  if (row_.is_table()) claim.table = row_.problem.dtype;
  return claim;
}

judge::Measurement Workload::judge(
    const plugin::Description& description) const {
  const std::int64_t pairs = case_.problem.pairs();
  judge::Output output;
  if (row_.is_table()) {
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
  judge::Measurement measurement = judge::judge(
      case_.problem, case_.golden, row_.operation, claim(description), output);
  if (auto& wrong = measurement.first_wrong) {
    wrong->token = chosen_[static_cast<std::size_t>(wrong->token)];
  }
  return measurement;
}

long double Workload::angle(double position, std::int64_t j) const {
  return static_cast<long double>(position) *
         (static_cast<long double>(inv_freq_[j]) +
          static_cast<long double>(inv_freq_lo_[j]));
}

// The first element of what change() has drawn.
std::byte* Workload::drawn(const ropeproof_tensor& tensor, bool is_out) const {
  const std::int64_t first = changed_.token * tensor.out_token_stride +
                             changed_.head * tensor.out_head_stride;
  return static_cast<std::byte*>(is_out ? tensor.out
                                        : const_cast<void*>(tensor.in)) +
         static_cast<std::size_t>(first) * row_.element_bytes();
}

void Workload::change(const plugin::Description& description) {
  const cases::Problem& p = row_.problem;
  const std::size_t width = row_.element_bytes();
  const std::uint64_t at_token = cases::random_bits(draws_, drawn_++),
                      at_head = cases::random_bits(draws_, drawn_++),
                      others = cases::random_bits(~draws_, drawn_);
  changed_.token =
      static_cast<std::int64_t>(at_token % static_cast<std::uint64_t>(p.seq));
  // Positions take the same steps from another one or, where there is no room,
  // from another token: so all outputs change.
  shift_ = static_cast<std::int64_t>(others % kShifts);
  const auto most = static_cast<double>(description.max_position);
  const bool has_room = row_.operation == ROPEPROOF_ROTATE || most == 0 ||
                        p.positions.back() + kShifts <= most;
  for (std::int64_t i = 0; i < p.seq; ++i) {
    positions_[i] = static_cast<std::int64_t>(
        p.position(0, has_room ? i : (i + shift_) % p.seq));
    if (has_room) positions_[i] += shift_;
  }
  // Half of the time nothing tells the place. Else outputs get numbers like the
  // others: it must not be found by them.
  const bool is_told = (others & kShifts) != 0;
  if (row_.is_table()) {
    const auto row = static_cast<std::size_t>(p.pairs()) * width,
               token = static_cast<std::size_t>(changed_.token),
               other = token == 0 ? 1 : others % token;
    for (std::byte* half : {out_.data.get(), out_.data.get() + out_.size / 2}) {
      if (is_told) std::memcpy(half + token * row, half + other * row, row);
    }
    return;
  }
  const auto heads = static_cast<std::uint64_t>(p.q_heads + p.k_heads);
  changed_.head = static_cast<std::int64_t>(at_head % heads);
  changed_.is_key = changed_.head >= p.q_heads;
  if (changed_.is_key) changed_.head -= p.q_heads;
  const auto one = tensor(changed_.is_key, is_in_place(description));
  const auto channels = static_cast<std::size_t>(p.spec.layout.head_dim);
  const std::byte* const from =
      pattern_.data.get() +
      (others >> 8) % (kPatternElements - 2 * channels) * width;
  if (is_told) {
    std::memcpy(drawn(one, true), from + channels * width, channels * width);
    std::memcpy(drawn(one, false), from, channels * width);
  }
  changed_.x = read(drawn(one, false), channels);
}

cases::Bits Workload::read(const std::byte* from, std::size_t count) const {
  cases::Bits bits(count);
  for (std::uint64_t& one : bits) {
    std::memcpy(&one, from, row_.element_bytes());
    from += row_.element_bytes();
  }
  return bits;
}

std::optional<judge::Element> Workload::judge_changed(
    const plugin::Description& description) {
  const cases::Problem& row = row_.problem;
  const auto pairs = static_cast<std::size_t>(row.pairs());
  judge::Output output;
  if (row_.is_table()) {
    const std::byte* const at =
        out_.data.get() +
        static_cast<std::size_t>(changed_.token) * pairs * row_.element_bytes();
    output.cos = read(at, pairs);
    output.sin = read(at + out_.size / 2, pairs);
  } else {
    output.q =
        read(drawn(tensor(changed_.is_key, is_in_place(description)), true),
             changed_.x.size());
  }
  cases::Problem problem = row;
  problem.seq = 1;
  problem.q_heads = row_.is_table() ? 0 : 1;
  problem.k_heads = 0;
  problem.storage = cases::kDense;
  problem.q = changed_.x;
  problem.positions = {static_cast<double>(positions_[changed_.token])};
  cases::Golden golden;
  golden.inv_freq_hi = case_.golden.inv_freq_hi;
  golden.inv_freq_lo = case_.golden.inv_freq_lo;
  for (const std::uint64_t bits : changed_.x) {
    golden.q.push_back(
        std::bit_cast<std::uint64_t>(reference::decode(row.dtype, bits)));
  }
  for (std::int64_t j = 0; j < row.pairs(); ++j) {
    const long double phi = angle(problem.positions[0], j);
    const long double c = std::cos(phi), s = std::sin(phi);
    const auto bits = [](long double x) {
      return std::bit_cast<std::uint64_t>(static_cast<double>(x));
    };
    golden.cos.push_back(bits(c));
    golden.sin.push_back(bits(s));
    if (row_.is_table()) continue;
    const reference::Pair pair = reference::pair_of(row.spec.layout, j);
    std::uint64_t &u = reference::at(golden.q, pair.u),
                  &v = reference::at(golden.q, pair.v);
    const double a = cases::value_of(u), b = cases::value_of(v);
    u = bits(a * c - b * s);
    v = bits(a * s + b * c);
  }
  const judge::Measurement measured =
      judge::judge(problem, golden, row_.operation, claim(description), output);
  if (measured.pass()) return std::nullopt;
  judge::Element first = *measured.first_wrong;
  first.token = changed_.token;
  first.head = changed_.head;
  if (changed_.is_key) first.tensor = judge::Tensor::kK;
  return first;
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
