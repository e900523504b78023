#include "conformance/cases/families/family.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "conformance/cases/bug_class.h"
#include "conformance/cases/counter_generator.h"
#include "conformance/text/format.h"
#include "reference/permutation.h"

namespace ropeproof::conformance::cases {
namespace {

std::uint64_t seed_of(const std::string& name) {
  std::uint64_t seed = 0;
  for (const char c : name) {
    seed = random_bits(seed, static_cast<unsigned char>(c));
  }
  return seed;
}

void fill(Bits& x, const RopeCase& c, std::int64_t heads, std::uint64_t seed) {
  if (!x.empty()) return;
  const auto size =
      static_cast<std::size_t>(c.tokens() * heads * c.spec.layout.head_dim);
  for (std::size_t i = 0; i < size; ++i) {
    x.push_back(random_number(c.dtype, seed, i));
  }
}

}  // namespace

Family::Family(const std::string& tier, const std::string& name,
               const std::string& description) {
  group_.tier = tier;
  group_.name = name;
  group_.description = description;
}

template <class Case>
void Family::add(Case c, const Targets& targets, const std::string& comment) {
  if constexpr (std::is_same_v<Case, RopeCase>) {
    // Streams of different cases and tensors never meet.
    const std::uint64_t seed = random_bits(seed_of(group_.name), number_);
    fill(c.q, c, c.q_heads, seed);
    fill(c.k, c, c.k_heads, ~seed);
  }
  c.id = group_.name + text::format("-%03zu", number_++);
  c.comment = comment;
  c.targets = targets;
  for (const std::string& key : targets) group_.targets[key] = bug_class(key);
  for_each_type(group_,
                [&]<class Known>(const char*, std::vector<Known>& list) {
                  if constexpr (std::is_same_v<Case, Known>) {
                    list.push_back(std::move(c));
                  }
                });
}
template void Family::add(RopeCase, const Targets&, const std::string&);
template void Family::add(PermuteCase, const Targets&, const std::string&);
template void Family::add(RejectCase, const Targets&, const std::string&);
template void Family::add(SequenceCase, const Targets&, const std::string&);

RopeCase make_case(reference::Format dtype, const reference::Layout& layout,
                   double base, std::int64_t batch, std::int64_t seq,
                   std::int64_t q_heads, std::int64_t k_heads,
                   std::vector<double> positions) {
  RopeCase c;
  c.dtype = dtype;
  c.spec.layout = layout;
  c.spec.frequencies.base = base;
  c.batch = batch;
  c.seq = seq;
  c.q_heads = q_heads;
  c.k_heads = k_heads;
  c.positions = std::move(positions);
  return c;
}

RopeCase adjoint(RopeCase c) {
  c.spec.direction = reference::Direction::kAdjoint;
  return c;
}

RopeCase in_storage(const Storage& storage, RopeCase c) {
  c.storage = storage;
  return c;
}

RopeCase with_amplitude(double amplitude, RopeCase c) {
  c.spec.frequencies.amplitude = amplitude;
  return c;
}

RopeCase with_frequencies(const reference::Frequencies& frequencies,
                          RopeCase c) {
  c.spec.frequencies = frequencies;
  return c;
}

RopeCase with_scaling(const reference::Scaling& scaling, RopeCase c) {
  c.spec.frequencies.scaling = scaling;
  return c;
}

std::int64_t length_of(const std::vector<double>& positions) {
  return static_cast<std::int64_t>(std::floor(std::ranges::max(positions))) + 1;
}

RopeCase with_length(RopeCase c) {
  const std::int64_t length = length_of(c.positions);
  std::visit(
      [&](auto& scaling) {
        if constexpr (requires { scaling.seq_len; }) scaling.seq_len = length;
      },
      c.spec.frequencies.scaling);
  return c;
}

RopeCase with_scheme(const reference::Scheme& scheme, RopeCase c) {
  c.spec.axes = scheme.axes;
  c.spec.frequencies.exponents = scheme.exponents;
  return c;
}

PermuteCase permutation(reference::Format dtype,
                        const reference::Layout& layout, std::int64_t heads,
                        std::int64_t columns, Bits in) {
  PermuteCase c;
  c.dtype = dtype;
  c.layout = layout;
  c.heads = heads;
  c.columns = columns;
  c.in = std::move(in);
  c.out = reference::permute_rows<std::uint64_t>(
      layout, static_cast<std::size_t>(heads),
      static_cast<std::size_t>(columns), c.in);
  return c;
}

PermuteCase make_permutation(reference::Format dtype,
                             const reference::Layout& layout,
                             std::int64_t heads, std::int64_t columns,
                             std::uint64_t seed) {
  Bits in(static_cast<std::size_t>(heads * layout.head_dim * columns));
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = random_number(dtype, seed, i);
  }
  return permutation(dtype, layout, heads, columns, std::move(in));
}

}  // namespace ropeproof::conformance::cases
