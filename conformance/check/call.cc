#include "conformance/check/call.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <variant>

#include "conformance/check/cache.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/problem.h"
#include "conformance/plugin/words.h"

namespace ropeproof::conformance::check {
namespace {

using reference::Format;

// Gaps of a strided layout after each head, token and batch row, in elements:
// odd, so that no row stays aligned, and others for outputs than for inputs.
constexpr Strides kInputGaps{7, 5, 3}, kOutputGaps{13, 11, 9};
// Of positions, amplitudes and tables, which have no heads.
constexpr Strides kRowGaps{5, 3, 0};

// Of no meaning; the same on every machine.
template <class Case>
std::size_t salt_of(const Case& c, std::size_t operation) {
  std::size_t salt = operation;
  for (const char letter : c.id) {
    salt = (salt ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return salt >> 7;
}

// One of the layouts that a kernel declares, another one for another case.
std::uint32_t cache_layout(std::uint32_t layouts, std::size_t salt) {
  std::size_t skip = salt % static_cast<std::size_t>(std::popcount(layouts));
  while (skip-- > 0) layouts &= layouts - 1;
  return layouts & -layouts;
}

Rows list_of(std::size_t count) {
  return {{1, 1, 1}, static_cast<std::int64_t>(count), {}};
}

}  // namespace

Rows Call::rows_of(std::int64_t outer, std::int64_t inner,
                   std::int64_t length) const {
  return with_gaps({outer, inner, 1}, length, has_gaps_ ? kRowGaps : Strides{});
}

Rows Call::table_rows() {
  const Rows rows = rows_of(case_->batch, case_->seq, case_->pairs());
  problem_.table_token_stride = rows.strides.token;
  problem_.table_batch_stride = rows.strides.batch;
  return rows;
}

template <class T>
const T* Call::add_list(const std::string& name, const cases::Bits& bits) {
  return reinterpret_cast<const T*>(
      memory_.add_input(name, list_of(bits.size()), sizeof(T), bits).data);
}

const double* Call::add_doubles(const std::string& name,
                                const std::vector<double>& values) {
  cases::Bits bits;
  for (const double value : values) {
    bits.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return add_list<double>(name, bits);
}

std::byte* Call::add_output(Member member, const std::string& name,
                            const Rows& rows, std::size_t width) {
  const Array array = memory_.add_output(name, rows, width);
  outputs_.emplace_back(member, array);
  return array.data;
}

ropeproof_tensor Call::rotated(Member member, const Array& in, const Array& out,
                               const cases::Bits& bits) {
  write(in, bits);
  memory_.mark_output(out);
  outputs_.emplace_back(member, out);
  const Strides &from = in.rows.strides, &to = out.rows.strides;
  return {in.data,    out.data,   in.rows.shape.heads,
          from.batch, from.token, from.head,
          to.batch,   to.token,   to.head};
}

ropeproof_tensor Call::add_tensor(Member member, const std::string& name,
                                  const cases::Bits& bits, std::int64_t heads) {
  const auto add = [&](const std::string& array, const Strides& gaps,
                       CallMemory::Fill fill) {
    const Rows rows =
        with_gaps({case_->batch, case_->seq, heads},
                  case_->spec.layout.head_dim, is_strided_ ? gaps : Strides{});
    const auto count =
        static_cast<std::size_t>(case_->batch * rows.strides.batch);
    return memory_.add(array, rows, width_, count * width_, fill);
  };
  const Array in = add(name, kInputGaps, CallMemory::Fill::kFinite);
  const Array out =
      is_in_place_ ? in
                   : add(name + ".out", kOutputGaps, CallMemory::Fill::kOnes);
  return rotated(member, in, out, bits);
}

// What one matrix product leaves: q, k and v of a token in one row. A kernel
// without calls in place gets outputs of the same form.
void Call::add_fused() {
  const std::int64_t d = case_->spec.layout.head_dim;
  const std::int64_t v_heads = std::max(case_->k_heads, std::int64_t{1});
  const std::int64_t heads = case_->q_heads + case_->k_heads + v_heads;
  const Rows rows = with_gaps({case_->batch, case_->seq, heads}, d, {});
  const auto bytes =
      static_cast<std::size_t>(case_->batch * rows.strides.batch) * width_;
  const Array in =
      memory_.add("q, k and v", rows, width_, bytes, CallMemory::Fill::kFinite);
  const Array out = is_in_place_ ? in
                                 : memory_.add("q, k and v.out", rows, width_,
                                               bytes, CallMemory::Fill::kOnes);
  const auto part = [&](Array array, std::int64_t first, std::int64_t count) {
    array.rows.shape.heads = count;
    array.data += static_cast<std::size_t>(first * d) * width_;
    return array;
  };
  const auto add = [&](Member member, const cases::Bits& bits,
                       std::int64_t first, std::int64_t count) {
    return rotated(member, part(in, first, count), part(out, first, count),
                   bits);
  };
  q_ = add(&judge::Output::q, case_->q, 0, case_->q_heads);
  if (case_->k_heads > 0) {
    k_ = add(&judge::Output::k, case_->k, case_->q_heads, case_->k_heads);
  }
}

// Given tables are the goldens, each rounded once to the table's dtype.
void Call::add_tables(std::uint32_t operation, Format table) {
  const std::size_t width = plugin::bytes_of(table);
  problem_.table_dtype = plugin::abi_dtype(table);
  const Rows rows = table_rows();
  const auto add = [&](Member member, const char* name,
                       const cases::Bits& goldens) {
    if (operation == ROPEPROOF_TABLE) {
      return add_output(member, name, rows, width);
    }
    cases::Bits bits;
    for (const std::uint64_t golden : goldens) {
      bits.push_back(encode(table, decode(Format::kF64, golden)));
    }
    return memory_.add_input(name, rows, width, bits).data;
  };
  problem_.cos = add(&judge::Output::cos, "cos", case_->cos);
  problem_.sin = add(&judge::Output::sin, "sin", case_->sin);
}

void Call::add_cache(Format table) {
  const std::uint32_t layout = cache_layout(kernel_.description().caches,
                                            salt_of(*case_, ROPEPROOF_LOOKUP));
  const Cache cache = cache_of(*case_, table, layout);
  problem_.cache = layout;
  problem_.cache_rows = cache.rows;
  problem_.table_dtype = plugin::abi_dtype(table);
  const Rows rows = rows_of(1, cache.rows, cache.row_length);
  problem_.table_token_stride = rows.strides.token;
  const std::size_t width = plugin::bytes_of(table);
  problem_.cos = memory_.add_input("cos", rows, width, cache.cos).data;
  if (!cache.sin.empty()) {
    problem_.sin = memory_.add_input("sin", rows, width, cache.sin).data;
  }
  const Rows id_rows = rows_of(1, case_->batch, case_->seq);
  problem_.position_batch_stride = id_rows.strides.token;
  problem_.ids = reinterpret_cast<const std::int64_t*>(
      memory_.add_input("ids", id_rows, 8, cache.ids, cache.unused_id).data);
}

// Frequencies that follow from bases and exponents of their own.
void Call::add_exponents() {
  const reference::Frequencies& f = case_->spec.frequencies;
  if (!plugin::follows_exponents(f)) return;
  const auto pairs = static_cast<std::size_t>(case_->pairs());
  cases::Bits numerators, denominators;
  for (std::int64_t j = 0; j < case_->pairs(); ++j) {
    const reference::Exponent e =
        f.exponents.empty()
            ? reference::Exponent{2 * j, case_->spec.layout.rotary_dim}
            : reference::at(f.exponents, j);
    numerators.push_back(static_cast<std::uint64_t>(e.numerator));
    denominators.push_back(static_cast<std::uint64_t>(e.denominator));
  }
  problem_.pair_bases = add_doubles(
      "pair_bases",
      f.bases.empty() ? std::vector<double>(pairs, f.base) : f.bases);
  problem_.exponent_numerators =
      add_list<std::int64_t>("exponent_numerators", numerators);
  problem_.exponent_denominators =
      add_list<std::int64_t>("exponent_denominators", denominators);
}

// Positions, axes and frequencies.
void Call::add_angles() {
  const cases::RopeCase& c = *case_;
  const reference::Axes& axes = c.spec.axes;
  const Rows rows = rows_of(axes.count, c.batch, c.seq);
  const bool is_real = c.has_real_positions();
  const auto bits_of = [&](double p) {
    return is_real ? std::bit_cast<std::uint64_t>(p)
                   : static_cast<std::uint64_t>(static_cast<std::int64_t>(p));
  };
  cases::Bits positions;
  double greatest = 0;
  for (const double p : c.positions) {
    positions.push_back(bits_of(p));
    greatest = std::max(greatest, p);
  }
  // A gap holds a position that no token of the case has.
  const std::byte* const data =
      memory_
          .add_input(is_real ? "real_positions" : "positions", rows, 8,
                     positions, bits_of(greatest + 1))
          .data;
  if (is_real) {
    problem_.real_positions = reinterpret_cast<const double*>(data);
  } else {
    problem_.positions = reinterpret_cast<const std::int64_t*>(data);
  }
  problem_.position_axis_stride = rows.strides.batch;
  problem_.position_batch_stride = rows.strides.token;
  if (!axes.axis_of_pair.empty()) {
    problem_.axis_of_pair = add_list<std::int32_t>(
        "axis_of_pair", {axes.axis_of_pair.begin(), axes.axis_of_pair.end()});
  }
  if (!axes.weights.empty()) {
    problem_.axis_weights = add_doubles("axis_weights", axes.weights);
  }
  add_exponents();
  problem_.inv_freq = add_list<double>("inv_freq", c.inv_freq_hi);
  problem_.inv_freq_lo = add_list<double>("inv_freq_lo", c.inv_freq_lo);
  if (!c.pair_amplitude.empty()) {
    const Array amplitudes =
        memory_.add_input("pair_amplitude", table_rows(), 8, c.pair_amplitude);
    problem_.pair_amplitude = reinterpret_cast<const double*>(amplitudes.data);
  }
}

// The parameters of the scaling, beside what they come to.
void Call::add_scaling() {
  const reference::Scaling& given = case_->spec.frequencies.scaling;
  ropeproof_scaling scaling = plugin::scaling_of(given);
  if (scaling.kind == 0) return;
  const auto add_list = [&](const char*, const auto& value, const auto& field) {
    if constexpr (requires { value.data(); }) {
      scaling.*field.member = add_doubles(field.name, value);
    }
  };
  std::visit([&](const auto& s) { plugin::for_each_field(s, add_list); },
             given);
  std::byte* const data = memory_
                              .add("scaling", {}, alignof(ropeproof_scaling),
                                   sizeof scaling, CallMemory::Fill::kFinite)
                              .data;
  std::memcpy(data, &scaling, sizeof scaling);
  problem_.scaling = reinterpret_cast<const ropeproof_scaling*>(data);
}

Call::Call(plugin::Kernel& kernel, std::uint32_t operation,
           const cases::RopeCase& c, Format table, const Placement& placement)
    : kernel_(kernel),
      memory_(kernel, salt_of(c, operation), placement.edge,
              placement.is_unaligned),
      case_(&c),
      width_(plugin::bytes_of(c.dtype)) {
  const std::uint32_t features = kernel.description().features;
  const cases::Memory memory = kernel.shares_memory()
                                   ? placement.memory.value_or(c.memory)
                                   : cases::Memory::kDense;
  is_strided_ = memory == cases::Memory::kStrided ||
                memory == cases::Memory::kStridedInPlace;
  is_in_place_ = memory == cases::Memory::kInPlace ||
                 memory == cases::Memory::kStridedInPlace ||
                 (features & ROPEPROOF_OUT_OF_PLACE) == 0;
  // A table has no tensors, so it is asked of kernels without strides too: they
  // get it dense.
  has_gaps_ = is_strided_ && (features & ROPEPROOF_STRIDED) != 0;

  problem_ = plugin::problem_of(operation, c.spec, c.dtype, c.batch, c.seq);
  problem_.amplitude = c.amplitude;
  add_scaling();

  if (operation == ROPEPROOF_FREQUENCIES) {
    add_exponents();
    problem_.table_dtype = plugin::abi_dtype(table);
    problem_.inv_freq_out = add_output(
        &judge::Output::inv_freq, "inv_freq_out",
        list_of(static_cast<std::size_t>(c.pairs())), plugin::bytes_of(table));
    return;
  }
  if (operation == ROPEPROOF_TABLE || operation == ROPEPROOF_ROTATE) {
    add_tables(operation, table);
  } else if (operation == ROPEPROOF_LOOKUP) {
    add_cache(table);
  }
  if (operation == ROPEPROOF_TABLE || operation == ROPEPROOF_ROPE) add_angles();
  if (operation == ROPEPROOF_TABLE) return;
  if (placement.is_fused) {
    add_fused();
    return;
  }
  q_ = add_tensor(&judge::Output::q, "q", c.q, c.q_heads);
  if (c.k_heads > 0) {
    k_ = add_tensor(&judge::Output::k, "k", c.k, c.k_heads);
  }
}

Call::Call(plugin::Kernel& kernel, const cases::PermuteCase& c)
    : kernel_(kernel), memory_(kernel, salt_of(c, 0)) {
  reference::Spec spec;
  spec.layout = c.layout;
  problem_ = plugin::problem_of(ROPEPROOF_PERMUTE, spec, c.dtype, 0, 0);
  problem_.permute_heads = c.heads;
  problem_.permute_columns = c.columns;
  const Rows rows = list_of(c.in.size());
  const std::size_t width = plugin::bytes_of(c.dtype);
  problem_.permute_in = memory_.add_input("permute_in", rows, width, c.in).data;
  problem_.permute_out =
      add_output(&judge::Output::permuted, "permute_out", rows, width);
}

ropeproof_problem Call::begin() {
  memory_.snapshot();
  problem_.q = q_;
  if ((kernel_.description().features & ROPEPROOF_KEYS) != 0) problem_.k = k_;
  return problem_;
}

std::vector<plugin::Question> Call::questions() const {
  ropeproof_problem problem = problem_;
  const bool takes_both =
      (kernel_.description().features & ROPEPROOF_KEYS) != 0;
  problem.q = q_;
  if (takes_both) problem.k = k_;
  std::vector<plugin::Question> questions = {plugin::Question(problem)};
  if (!takes_both && k_.heads > 0) {
    problem.q = k_;
    questions.emplace_back(problem);
  }
  return questions;
}

plugin::Answer Call::run(judge::Output& output) {
  begin();
  plugin::Answer answer = run_problem();
  if (answer.outcome == plugin::Outcome::kOk && k_.heads != problem_.k.heads) {
    problem_.q = k_;
    answer = run_problem();
  }
  return finish(std::move(answer), output);
}

plugin::Answer Call::run_problem() {
  if (!kernel_.has_supports()) return kernel_.run(problem_);
  plugin::Answer choice = kernel_.supports(plugin::Question(problem_));
  if (choice.outcome == plugin::Outcome::kOk) return kernel_.run(problem_);
  if (choice.outcome != plugin::Outcome::kDeclined) {
    choice.detail = "asked whether it takes the problem: " + choice.detail;
  }
  return choice;
}

plugin::Answer Call::finish(plugin::Answer answer, judge::Output& output) {
  if (answer.fault) {
    const std::string where = memory_.name_fault(*answer.fault);
    if (!where.empty()) answer.detail += ": " + where;
  }
  if (answer.outcome != plugin::Outcome::kOk) return answer;
  output.stray = memory_.find_stray(true);
  for (const auto& [member, array] : outputs_) output.*member = read(array);
  return answer;
}

}  // namespace ropeproof::conformance::check
