// former.h -- what differs from a case in one field and is the kernel's to
// solve.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_FORMER_H_
#define ROPEPROOF_CONFORMANCE_CHECK_FORMER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/check/variations.h"

namespace ropeproof::conformance::check {

using Edit = std::function<void(cases::Problem&)>;

// Whether the kernel offers all that a case needs and does not decline it.
bool takes(plugin::Kernel& kernel, std::uint32_t operation,
           const cases::Case& c);

// Other values for a number, the likeliest to be taken first.
std::vector<double> others(double x);

// Forms one Variation. `known` are the fields of those before, which are left
// out.
class Former {
 public:
  // Its cases have the id `id`.
  Former(plugin::Kernel& kernel, std::uint32_t operation, const std::string& id,
         std::set<std::string>& known)
      : kernel_(kernel), operation_(operation), id_(id), known_(known) {}

  // Whether the kernel takes it as what others differ from.
  bool begin(const cases::Problem& base);
  const cases::Problem& base() const { return variation_.base.problem; }
  Variation take() { return std::move(variation_); }

  // The first of these edits that gives a valid problem of the kernel's; of
  // angles, one that shows.
  void add(const std::string& field, bool is_of_angles,
           const std::vector<Edit>& edits);

  template <class Set>
  void add_number(const std::string& field, bool is_of_angles, double value,
                  const Set& set) {
    std::vector<Edit> edits;
    for (const double other : others(value)) {
      edits.push_back([=](cases::Problem& c) { set(c, other); });
    }
    add(field, is_of_angles, edits);
  }

 private:
  // The case of a problem that the kernel takes.
  std::optional<cases::Case> taken(const cases::Problem& p) const;

  plugin::Kernel& kernel_;
  std::uint32_t operation_;
  std::string id_;
  std::set<std::string>& known_;
  Variation variation_;
};

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_FORMER_H_
