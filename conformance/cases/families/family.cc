#include "conformance/cases/families/family.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "conformance/cases/bug_class.h"
#include "conformance/cases/counter_generator.h"
#include "conformance/text/format.h"

namespace ropeproof::conformance::cases {
namespace {

std::uint64_t seed_of(const std::string& name) {
  std::uint64_t seed = 0;
  for (const char c : name) {
    seed = random_bits(seed, static_cast<unsigned char>(c));
  }
  return seed;
}

void fill(Bits& x, const Problem& problem, std::int64_t heads,
          std::uint64_t seed) {
  if (!x.empty()) return;
  const auto size = static_cast<std::size_t>(problem.tokens() * heads *
                                             problem.spec.layout.head_dim);
  for (std::size_t i = 0; i < size; ++i) {
    x.push_back(random_number(problem.dtype, seed, i));
  }
}

}  // namespace

Family::Family(Tier tier, const std::string& name,
               const std::string& description) {
  group_.tier = tier;
  group_.name = name;
  group_.description = description;
}

template <class AnyCase>
AnyCase& Family::append(std::vector<AnyCase>& list, AnyCase c,
                        const Targets& targets, const std::string& comment) {
  c.id = group_.name + text::format("-%03zu", number_++);
  c.comment = comment;
  c.targets = targets;
  for (const std::string& key : targets)
    group_.targets[key] = Bug::named(key).meaning();
  list.push_back(std::move(c));
  return list.back();
}

void Family::add(Problem problem, const Targets& targets,
                 const std::string& comment) {
  if (problem.task == Task::kRotate) {
    // Streams of different cases and tensors never meet.
    const std::uint64_t seed = random_bits(seed_of(group_.name), number_);
    fill(problem.q, problem, problem.q_heads, seed);
    fill(problem.k, problem, problem.k_heads, ~seed);
  }
  Case c;
  c.problem = std::move(problem);
  append(c.problem.task == Task::kRotate ? group_.rope_cases
                                         : group_.permute_cases,
         std::move(c), targets, comment);
}

template <class AnyCase>
void Family::add(AnyCase c, const Targets& targets,
                 const std::string& comment) {
  if constexpr (std::is_same_v<AnyCase, RejectCase>) {
    append(group_.reject_cases, std::move(c), targets, comment);
  } else {
    append(group_.sequence_cases, std::move(c), targets, comment);
  }
}
template void Family::add(RejectCase, const Targets&, const std::string&);
template void Family::add(SequenceCase, const Targets&, const std::string&);

Problem make_problem(reference::Format dtype, const reference::Layout& layout,
                     double base, std::int64_t batch, std::int64_t seq,
                     std::int64_t q_heads, std::int64_t k_heads,
                     std::vector<double> positions) {
  Problem problem;
  problem.dtype = dtype;
  problem.spec.layout = layout;
  problem.spec.frequencies.base = base;
  problem.batch = batch;
  problem.seq = seq;
  problem.q_heads = q_heads;
  problem.k_heads = k_heads;
  problem.positions = std::move(positions);
  return problem;
}

Problem adjoint(Problem problem) {
  problem.spec.direction = reference::Direction::kAdjoint;
  return problem;
}

Problem in_storage(const Storage& storage, Problem problem) {
  problem.storage = storage;
  return problem;
}

Problem with_amplitude(double amplitude, Problem problem) {
  problem.spec.frequencies.amplitude = amplitude;
  return problem;
}

Problem with_frequencies(const reference::Frequencies& frequencies,
                         Problem problem) {
  problem.spec.frequencies = frequencies;
  return problem;
}

Problem with_scaling(const reference::Scaling& scaling, Problem problem) {
  problem.spec.frequencies.scaling = scaling;
  return problem;
}

std::int64_t length_of(const std::vector<double>& positions) {
  return static_cast<std::int64_t>(std::floor(std::ranges::max(positions))) + 1;
}

Problem with_length(Problem problem) {
  const std::int64_t length = length_of(problem.positions);
  std::visit(
      [&](auto& scaling) {
        if constexpr (requires { scaling.seq_len; }) scaling.seq_len = length;
      },
      problem.spec.frequencies.scaling);
  return problem;
}

Problem with_scheme(const reference::Scheme& scheme, Problem problem) {
  problem.spec.axes = scheme.axes;
  problem.spec.frequencies.exponents = scheme.exponents;
  return problem;
}

Problem permutation(reference::Format dtype, const reference::Layout& layout,
                    std::int64_t heads, std::int64_t columns, Bits weights) {
  Problem p;
  p.task = Task::kPermute;
  p.dtype = dtype;
  p.spec.layout = layout;
  p.batch = 1;
  p.seq = columns;
  p.q_heads = heads;
  p.q = std::move(weights);
  return p;
}

Problem make_permutation(reference::Format dtype,
                         const reference::Layout& layout, std::int64_t heads,
                         std::int64_t columns, std::uint64_t seed) {
  Bits in(static_cast<std::size_t>(heads * layout.head_dim * columns));
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = random_number(dtype, seed, i);
  }
  return permutation(dtype, layout, heads, columns, std::move(in));
}

}  // namespace ropeproof::conformance::cases
