#include "conformance/cases/family.h"

#include <cstdio>
#include <utility>

#include "conformance/cases/bug_class.h"
#include "conformance/cases/counter_generator.h"

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

void Family::add(RopeCase c, const std::vector<std::string>& targets,
                 const std::string& comment) {
  char number[8];
  const std::size_t count = group_.rope_cases.size() + 1;
  std::snprintf(number, sizeof number, "%03zu", count);
  c.id = group_.name + "-" + number;
  c.comment = comment;
  c.targets = targets;
  for (const std::string& key : targets) group_.targets[key] = bug_class(key);
  // Streams of different cases and tensors never meet.
  const std::uint64_t seed = random_bits(seed_of(group_.name), count);
  fill(c.q, c, c.q_heads, seed);
  fill(c.k, c, c.k_heads, ~seed);
  group_.rope_cases.push_back(std::move(c));
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

}  // namespace ropeproof::conformance::cases
