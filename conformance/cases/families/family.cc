#include "conformance/cases/families/family.h"

#include <algorithm>
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

template <class Case>
void Family::append(std::vector<Case>& cases, Case c, const Targets& targets,
                    const std::string& comment) {
  c.id = group_.name + text::format("-%03zu", number_++);
  c.comment = comment;
  c.targets = targets;
  for (const std::string& key : targets) group_.targets[key] = bug_class(key);
  cases.push_back(std::move(c));
}

Family::Family(const std::string& tier, const std::string& name,
               const std::string& description) {
  group_.tier = tier;
  group_.name = name;
  group_.description = description;
}

void Family::add(RopeCase c, const Targets& targets,
                 const std::string& comment) {
  // Streams of different cases and tensors never meet.
  const std::uint64_t seed = random_bits(seed_of(group_.name), number_);
  fill(c.q, c, c.q_heads, seed);
  fill(c.k, c, c.k_heads, ~seed);
  append(group_.rope_cases, std::move(c), targets, comment);
}

void Family::add(PermuteCase c, const Targets& targets,
                 const std::string& comment) {
  append(group_.permute_cases, std::move(c), targets, comment);
}

void Family::add(RejectCase c, const Targets& targets,
                 const std::string& comment) {
  append(group_.reject_cases, std::move(c), targets, comment);
}

void Family::add(SequenceCase c, const Targets& targets,
                 const std::string& comment) {
  append(group_.sequence_cases, std::move(c), targets, comment);
}

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

RopeCase with_length(RopeCase c) {
  const auto length =
      static_cast<std::int64_t>(std::ranges::max(c.positions)) + 1;
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

PermuteCase make_permutation(reference::Format dtype,
                             const reference::Layout& layout,
                             std::int64_t heads, std::int64_t columns,
                             std::uint64_t seed) {
  PermuteCase c;
  c.dtype = dtype;
  c.layout = layout;
  c.heads = heads;
  c.columns = columns;
  const auto size = static_cast<std::size_t>(heads * layout.head_dim * columns);
  for (std::size_t i = 0; i < size; ++i) {
    c.in.push_back(random_number(dtype, seed, i));
  }
  c.out = reference::permute_rows<std::uint64_t>(
      layout, static_cast<std::size_t>(heads),
      static_cast<std::size_t>(columns), c.in);
  return c;
}

}  // namespace ropeproof::conformance::cases
