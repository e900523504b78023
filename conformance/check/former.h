// former.h -- what differs from a case in one field and is the kernel's to solve.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_FORMER_H_
#define ROPEPROOF_CONFORMANCE_CHECK_FORMER_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/check/variations.h"

namespace ropeproof::conformance::check {

using Edit = std::function<void(cases::RopeCase&)>;

// Whether the kernel offers all that a case needs and does not decline it.
bool takes(plugin::Kernel& kernel, std::uint32_t operation,
           const cases::RopeCase& c);

// Other values for a number, the likeliest to be taken first.
std::vector<double> others(double x);

// Forms one Variation. `known` are the fields of those before, which are left out.
class Former {
 public:
  Former(plugin::Kernel& kernel, std::uint32_t operation,
         std::set<std::string>& known)
      : kernel_(kernel), operation_(operation), known_(known) {}

  // Whether the kernel takes it as what others differ from; proves it.
  bool begin(cases::RopeCase base);
  const cases::RopeCase& base() const { return variation_.base; }
  Variation take() { return std::move(variation_); }

  // The first of these edits that gives a valid problem of the kernel's; of angles,
  // one that shows.
  void add(const std::string& field, bool is_of_angles,
           const std::vector<Edit>& edits);

  template <class Set>
  void add_number(const std::string& field, bool is_of_angles, double value,
                  const Set& set) {
    std::vector<Edit> edits;
    for (const double other : others(value)) {
      edits.push_back([=](cases::RopeCase& c) { set(c, other); });
    }
    add(field, is_of_angles, edits);
  }

 private:
  // Proves what the kernel takes.
  bool takes(cases::RopeCase& c) const;

  plugin::Kernel& kernel_;
  std::uint32_t operation_;
  std::set<std::string>& known_;
  Variation variation_;
};

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_FORMER_H_
