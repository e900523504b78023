// family.h -- the making of a family of cases: ids, inputs, targets.
#ifndef ROPEPROOF_CONFORMANCE_CASES_FAMILIES_FAMILY_H_
#define ROPEPROOF_CONFORMANCE_CASES_FAMILIES_FAMILY_H_

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
  Family(const std::string& tier, const std::string& name,
         const std::string& description);

  // Adds a case with the next id, of any type of case.h; fills q and k of a RopeCase
  // unless they are given.
  template <class Case>
  void add(Case c, const Targets& targets, const std::string& comment);

  // Leaves out the next `count` ids: their cases are retired (LEDGER.txt).
  void retire(std::size_t count) { number_ += count; }

  Group take() { return std::move(group_); }

 private:
  Group group_;
  std::size_t number_ = 1;  // of the next case
};

// A case with these sizes and positions, forward, dense, without inputs.
RopeCase make_case(reference::Format dtype, const reference::Layout& layout,
                   double base, std::int64_t batch, std::int64_t seq,
                   std::int64_t q_heads, std::int64_t k_heads,
                   std::vector<double> positions);

// The same case, but for one thing.
RopeCase adjoint(RopeCase c);
RopeCase in_storage(const Storage& storage, RopeCase c);
RopeCase with_amplitude(double amplitude, RopeCase c);
RopeCase with_frequencies(const reference::Frequencies& frequencies,
                          RopeCase c);
RopeCase with_scaling(const reference::Scaling& scaling, RopeCase c);
// The length of a sequence that ends at the largest of these positions: that + 1,
// rounded down.
std::int64_t length_of(const std::vector<double>& positions);
// Where the scaling depends on the length of the sequence: that of the case.
RopeCase with_length(RopeCase c);
RopeCase with_scheme(const reference::Scheme& scheme, RopeCase c);

// Rows of weights, [heads * head_dim, columns], and the same for the other pairing.
PermuteCase permutation(reference::Format dtype,
                        const reference::Layout& layout, std::int64_t heads,
                        std::int64_t columns, Bits in);

// The same of random rows.
PermuteCase make_permutation(reference::Format dtype,
                             const reference::Layout& layout,
                             std::int64_t heads, std::int64_t columns,
                             std::uint64_t seed);

}  // namespace ropeproof::conformance::cases

#endif  // ROPEPROOF_CONFORMANCE_CASES_FAMILIES_FAMILY_H_
