#include "conformance/call/call.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <variant>

#include "conformance/call/cache.h"
#include "conformance/call/rows_of_storage.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/problem.h"
#include "conformance/plugin/scalings.h"
#include "reference/rope.h"

namespace ropeproof::conformance::call {
namespace {

using reference::Format;
using Fill = CallMemory::Fill;

// Decides what a problem leaves open; the same on every machine.
std::size_t salt_of(const std::string& id, std::size_t operation) {
  std::size_t salt = operation;
  for (const char letter : id) {
    salt = (salt ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return salt >> 7;
}

// One of several bits, another one for another case.
std::uint32_t one_of(std::uint32_t bits, std::size_t salt) {
  std::size_t skip = salt % static_cast<std::size_t>(std::popcount(bits));
  while (skip-- > 0) bits &= bits - 1;
  return bits & -bits;
}

TensorRows rows_of(const cases::Storage& storage, const cases::Problem& p,
                   std::int64_t heads, bool is_key) {
  return rows_of_tensor(storage, {p.batch, p.seq, heads},
                        p.spec.layout.head_dim, is_key);
}

}  // namespace

bool Call::is_shared(std::initializer_list<const cases::Bits*> lists,
                     std::int64_t blocks) const {
  return storage_.rows == cases::RowSpacing::kShared &&
         std::ranges::all_of(lists, [&](const cases::Bits* list) {
           return repeats(*list, blocks, asked_.batch);
         });
}

Rows Call::table_rows(std::initializer_list<const cases::Bits*> inputs) {
  Rows rows =
      rows_of_table(storage_.rows, asked_.batch, asked_.seq, asked_.pairs());
  // The batch rows of an output are never one.
  if (problem_.operation != ROPEPROOF_TABLE && is_shared(inputs)) {
    rows.strides.batch = 0;
  }
  problem_.table_token_stride = rows.strides.token;
  problem_.table_batch_stride = rows.strides.batch;
  return rows;
}

std::byte* Call::add_output(Member member, const std::string& name,
                            const Rows& rows, std::size_t width) {
  const Array array = memory_.add_output(name, rows, width);
  outputs_.emplace_back(member, array);
  return array.data;
}

ropeproof_tensor Call::rotated(Member member, const Array& in, const Array& out,
                               const cases::Bits& bits) {
  memory_.fill_in(in, bits);
  memory_.mark_output(out);
  outputs_.emplace_back(member, out);
  const Strides &from = in.rows.strides, &to = out.rows.strides;
  return {in.data,    out.data,   in.rows.shape.heads,
          from.batch, from.token, from.head,
          to.batch,   to.token,   to.head};
}

ropeproof_tensor Call::add_tensor(Member member, const std::string& name,
                                  const cases::Bits& bits, std::int64_t heads) {
  const bool is_key = member == &judge::Output::k;
  const TensorRows rows = rows_of(storage_, asked_, heads, is_key);
  const Array in = memory_.add(name, rows.in, width_, Fill::kFinite);
  const Array out =
      storage_.is_in_place(is_key)
          ? in
          : memory_.add(name + ".out", rows.out, width_, Fill::kOutput);
  return rotated(member, in, out, bits);
}

// What one matrix product leaves: q, k and v of a token in one row. Outputs
// have the same form, unless they are to lie otherwise than inputs, or one of
// them alone is apart: k in a cache.
void Call::add_packed() {
  const std::int64_t v_heads = std::max(asked_.k_heads, std::int64_t{1});
  const auto all_heads = asked_.q_heads + asked_.k_heads + v_heads;
  const TensorRows all = rows_of(storage_, asked_, all_heads, false);
  const Array in = memory_.add("q, k and v", all.in, width_, Fill::kFinite);
  const bool is_apart = storage_.spacing == cases::Spacing::kOutputsApart ||
                        storage_.any_in_place(asked_.k_heads);
  std::optional<Array> out;
  if (!is_apart) {
    out = memory_.add("q, k and v.out", all.out, width_, Fill::kOutput);
  }
  const auto part = [&](Array array, std::int64_t first, std::int64_t heads) {
    array.rows.shape.heads = heads;
    array.data +=
        static_cast<std::size_t>(first * array.rows.strides.head) * width_;
    return array;
  };
  const auto add = [&](Member member, const std::string& name,
                       const cases::Bits& bits, std::int64_t first,
                       std::int64_t heads) {
    const bool is_key = member == &judge::Output::k;
    const Array from = part(in, first, heads);
    const Rows apart = rows_of(storage_, asked_, heads, is_key).out;
    const Array to = storage_.is_in_place(is_key) ? from
                     : out                        ? part(*out, first, heads)
                           : memory_.add(name, apart, width_, Fill::kOutput);
    return rotated(member, from, to, bits);
  };
  q_ = add(&judge::Output::q, "q.out", asked_.q, 0, asked_.q_heads);
  if (asked_.k_heads > 0) {
    k_ = add(&judge::Output::k, "k.out", asked_.k, asked_.q_heads,
             asked_.k_heads);
  }
}

// Given tables are the goldens, each rounded once to the table's dtype.
void Call::add_tables(std::uint32_t operation, const cases::Golden& golden,
                      Format table) {
  const std::size_t width = plugin::bytes_of(table);
  problem_.table_dtype = plugin::abi_dtype(table);
  const Rows rows = table_rows({&golden.cos, &golden.sin});
  const auto add = [&](Member member, const char* name,
                       const cases::Bits& goldens) {
    if (operation == ROPEPROOF_TABLE) {
      return add_output(member, name, rows, width);
    }
    return memory_
        .add_input(name, rows, width, cases::rounded_to(table, goldens))
        .data;
  };
  problem_.cos = add(&judge::Output::cos, "cos", golden.cos);
  problem_.sin = add(&judge::Output::sin, "sin", golden.sin);
}

void Call::add_cache(const cases::Golden& golden, Format table) {
  const std::uint32_t layout = one_of(kernel_.description().caches, salt_);
  const Cache cache = cache_of(asked_, golden, table, layout, salt_ >> 8);
  problem_.cache = layout;
  problem_.cache_rows = cache.rows;
  problem_.table_dtype = plugin::abi_dtype(table);
  const Rows rows =
      rows_of_table(storage_.rows, 1, cache.rows, cache.row_length);
  problem_.table_token_stride = rows.strides.token;
  const std::size_t width = plugin::bytes_of(table);
  problem_.cos = memory_.add_input("cos", rows, width, cache.cos).data;
  if (!cache.sin.empty()) {
    problem_.sin = memory_.add_input("sin", rows, width, cache.sin).data;
  }
  Rows id_rows = rows_of_table(storage_.rows, 1, asked_.batch, asked_.seq);
  if (is_shared({&cache.ids})) id_rows.strides.token = 0;
  problem_.position_batch_stride = id_rows.strides.token;
  problem_.ids = reinterpret_cast<const std::int64_t*>(
      memory_.add_input("ids", id_rows, 8, cache.ids, cache.unused_id).data);
}

// Frequencies that follow from bases and exponents of their own.
void Call::add_exponents() {
  if (!plugin::follows_exponents(asked_.spec.frequencies)) return;
  cases::Bits numerators, denominators;
  std::vector<double> bases;
  for (std::int64_t j = 0; j < asked_.pairs(); ++j) {
    const reference::Exponent e = exponent_of(asked_.spec, j);
    numerators.push_back(static_cast<std::uint64_t>(e.numerator));
    denominators.push_back(static_cast<std::uint64_t>(e.denominator));
    bases.push_back(base_of(asked_.spec, j));
  }
  problem_.pair_bases = memory_.add_doubles("pair_bases", bases);
  problem_.exponent_numerators =
      memory_.add_list<std::int64_t>("exponent_numerators", numerators);
  problem_.exponent_denominators =
      memory_.add_list<std::int64_t>("exponent_denominators", denominators);
}

void Call::add_angles(const cases::Golden& golden) {
  const reference::Axes& axes = asked_.spec.axes;
  const bool is_real = asked_.has_real_positions();
  const auto bits_of = [&](double p) {
    return is_real ? std::bit_cast<std::uint64_t>(p)
                   : static_cast<std::uint64_t>(static_cast<std::int64_t>(p));
  };
  cases::Bits positions;
  for (const double p : asked_.positions) positions.push_back(bits_of(p));
  const double greatest =
      asked_.positions.empty()
          ? 0
          : std::max(0.0, std::ranges::max(asked_.positions));
  const bool is_inside = storage_.are_axes_inside;
  if (is_inside)
    positions = axes_inside(positions, axes.count, asked_.batch, asked_.seq);
  Rows rows =
      rows_of_table(storage_.rows, is_inside ? asked_.batch : axes.count,
                    is_inside ? axes.count : asked_.batch, asked_.seq);
  auto& [outer, inner, none] = rows.strides;
  if (is_shared({&positions}, axes.count)) inner = 0;
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
  problem_.position_axis_stride = is_inside ? inner : outer;
  problem_.position_batch_stride = is_inside ? outer : inner;
  if (!axes.axis_of_pair.empty()) {
    problem_.axis_of_pair = memory_.add_list<std::int32_t>(
        "axis_of_pair", {axes.axis_of_pair.begin(), axes.axis_of_pair.end()});
  }
  if (!axes.weights.empty()) {
    problem_.axis_weights = memory_.add_doubles("axis_weights", axes.weights);
  }
  add_exponents();
  problem_.inv_freq = memory_.add_list<double>("inv_freq", golden.inv_freq_hi);
  problem_.inv_freq_lo =
      memory_.add_list<double>("inv_freq_lo", golden.inv_freq_lo);
  if (!golden.pair_amplitude.empty()) {
    const Array amplitudes = memory_.add_input(
        "pair_amplitude", table_rows({&golden.pair_amplitude}), 8,
        golden.pair_amplitude);
    problem_.pair_amplitude = reinterpret_cast<const double*>(amplitudes.data);
  }
}

// The parameters of the scaling, beside what they come to.
void Call::add_scaling() {
  const reference::Scaling given =
      plugin::told_scaling(asked_.spec.frequencies);
  ropeproof_scaling scaling = plugin::abi_scaling(given);
  if (scaling.kind == 0) return;
  const auto add_list = [&](const char*, const auto& value, const auto& field) {
    if constexpr (requires { value.data(); }) {
      scaling.*field.member = memory_.add_doubles(field.name, value);
    }
  };
  std::visit([&](const auto& s) { plugin::for_each_field(s, add_list); },
             given);
  std::byte* const data =
      memory_.add("scaling", list_of(sizeof scaling / 8), 8, Fill::kFinite)
          .data;
  std::memcpy(data, &scaling, sizeof scaling);
  problem_.scaling = reinterpret_cast<const ropeproof_scaling*>(data);
}

Call::Call(plugin::Kernel& kernel, std::uint32_t operation,
           const cases::Case& c, Format table,
           const std::optional<cases::Storage>& storage, Contents contents)
    : Call(kernel, operation, c.problem, c.golden, c.id, table, storage,
           contents) {}

Call::Call(plugin::Kernel& kernel, std::uint32_t operation,
           const cases::Problem& problem, const std::string& id, Format table,
           Contents contents)
    : Call(kernel, operation, problem, numbered_tables(problem), id, table, {},
           contents) {}

Call::Call(plugin::Kernel& kernel, std::uint32_t operation,
           const cases::Problem& problem, const cases::Golden& golden,
           const std::string& id, Format table,
           const std::optional<cases::Storage>& storage, Contents contents)
    : kernel_(kernel),
      asked_(problem),
      salt_(salt_of(id, operation)),
      storage_(storage_of_call(kernel, problem, storage)),
      memory_(kernel, salt_, storage_.edge, contents),
      width_(plugin::bytes_of(problem.dtype)) {
  if (operation == ROPEPROOF_PERMUTE) {
    add_permutation();
    return;
  }
  problem_ = plugin::problem_of(operation, asked_.spec, asked_.dtype,
                                asked_.batch, asked_.seq);
  problem_.amplitude = golden.amplitude;
  add_scaling();

  if (operation == ROPEPROOF_FREQUENCIES) {
    add_exponents();
    problem_.table_dtype = plugin::abi_dtype(table);
    problem_.inv_freq_out =
        add_output(&judge::Output::inv_freq, "inv_freq_out",
                   list_of(static_cast<std::size_t>(asked_.pairs())),
                   plugin::bytes_of(table));
    return;
  }
  if (operation == ROPEPROOF_TABLE || operation == ROPEPROOF_ROTATE) {
    add_tables(operation, golden, table);
  } else if (operation == ROPEPROOF_LOOKUP) {
    add_cache(golden, table);
  }
  if (operation == ROPEPROOF_TABLE || operation == ROPEPROOF_ROPE) {
    add_angles(golden);
  }
  if (operation == ROPEPROOF_TABLE) return;
  if (storage_.order == cases::DimensionOrder::kPacked) {
    add_packed();
    return;
  }
  q_ = add_tensor(&judge::Output::q, "q", asked_.q, asked_.q_heads);
  if (asked_.k_heads > 0) {
    k_ = add_tensor(&judge::Output::k, "k", asked_.k, asked_.k_heads);
  }
}

void Call::add_permutation() {
  reference::Spec spec;
  spec.layout = asked_.spec.layout;
  problem_ = plugin::problem_of(ROPEPROOF_PERMUTE, spec, asked_.dtype, 0, 0);
  problem_.permute_heads = asked_.q_heads;
  problem_.permute_columns = asked_.seq;
  const Rows rows = list_of(asked_.q.size());
  problem_.permute_in =
      memory_.add_input("permute_in", rows, width_, asked_.q).data;
  problem_.permute_out =
      add_output(&judge::Output::q, "permute_out", rows, width_);
}

ropeproof_problem Call::begin() {
  memory_.snapshot();
  problem_.q = q_;
  if ((kernel_.description().features & ROPEPROOF_KEYS) != 0) problem_.k = k_;
  return problem_;
}

std::vector<ropeproof_problem> Call::questions() const {
  ropeproof_problem problem = problem_;
  const bool takes_both =
      (kernel_.description().features & ROPEPROOF_KEYS) != 0;
  problem.q = q_;
  if (takes_both) problem.k = k_;
  std::vector<ropeproof_problem> questions = {problem};
  if (!takes_both && k_.heads > 0) {
    problem.q = k_;
    questions.push_back(problem);
  }
  return questions;
}

plugin::Answer Call::run(judge::Output& output, int rounds) {
  begin();
  plugin::Answer answer = run_problem(rounds);
  if (answer.outcome == plugin::Outcome::kOk && k_.heads != problem_.k.heads) {
    problem_.q = k_;
    answer = run_problem(rounds);
  }
  return finish(std::move(answer), output);
}

plugin::Answer Call::run_problem(int rounds) {
  const auto solve = [&] {
    return rounds == 1 ? kernel_.run(problem_)
                       : kernel_.run_together({&problem_, 1}, rounds)[0];
  };
  if (!kernel_.has_supports()) return solve();
  plugin::Answer choice = kernel_.supports(problem_);
  if (choice.outcome == plugin::Outcome::kOk) return solve();
  if (choice.outcome != plugin::Outcome::kDeclined) {
    choice.detail = "asked whether it takes the problem: " + choice.detail;
  }
  return choice;
}

plugin::Answer Call::finish(plugin::Answer answer, judge::Output& output) {
  if (answer.fault) {
    Stray where = memory_.name_fault(*answer.fault);
    answer.place = std::move(where.text);
    answer.trespass = where.kind;
  }
  if (answer.outcome != plugin::Outcome::kOk) return answer;
  Stray stray = memory_.find_stray();
  answer.trespass = stray.kind;
  output.stray = std::move(stray.text);
  for (const auto& [member, array] : outputs_) output.*member = read(array);
  return answer;
}

}  // namespace ropeproof::conformance::call
