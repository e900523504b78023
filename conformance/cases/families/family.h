// family.h -- the making of a family of cases: ids, inputs, targets.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conformance/cases/case.h"
#include "reference/schemes.h"

namespace ropeproof::conformance::cases {

using Targets = std::vector<std::string>;  // keys of bug_class.h

// A group in the making, its cases all of one type, numbered from 1.
class Family {
 public:
  Family(Tier tier, const std::string& name, const std::string& description);

  // Adds a case with the next id. q and k of a rotation are filled with random
  // numbers unless they are given.
  void add(Problem problem, const Targets& targets, const std::string& comment);
  template <class AnyCase>  // RejectCase or SequenceCase
  void add(AnyCase c, const Targets& targets, const std::string& comment);

  // Leaves out the next `count` ids: their cases are retired (LEDGER.txt).
  void retire(std::size_t count) { number_ += count; }

  Group take() { return std::move(group_); }

 private:
  template <class AnyCase>
  AnyCase& append(std::vector<AnyCase>& list, AnyCase c, const Targets& targets,
                  const std::string& comment);

  Group group_;
  std::size_t number_ = 1;  // of the next case
};

// A problem of these sizes and positions, forward and dense, without q and k.
Problem make_problem(reference::Format dtype, const reference::Layout& layout,
                     double base, std::int64_t batch, std::int64_t seq,
                     std::int64_t q_heads, std::int64_t k_heads,
                     std::vector<double> positions);

Problem adjoint(Problem problem);
Problem in_storage(const Storage& storage, Problem problem);
Problem with_amplitude(double amplitude, Problem problem);
Problem with_frequencies(const reference::Frequencies& frequencies,
                         Problem problem);
Problem with_scaling(const reference::Scaling& scaling, Problem problem);
// The length of a sequence that ends at the largest of these positions: that +
// 1, rounded down.
std::int64_t length_of(const std::vector<double>& positions);
// Sets the scaling's length of the sequence to the problem's own, where the
// scaling depends on one.
Problem with_length(Problem problem);
Problem with_scheme(const reference::Scheme& scheme, Problem problem);

// Rows of weights, [heads * head_dim, columns], and the same for the other
// pairing.
Problem permutation(reference::Format dtype, const reference::Layout& layout,
                    std::int64_t heads, std::int64_t columns, Bits in);

Problem make_permutation(reference::Format dtype,
                         const reference::Layout& layout, std::int64_t heads,
                         std::int64_t columns, std::uint64_t seed);

}  // namespace ropeproof::conformance::cases
