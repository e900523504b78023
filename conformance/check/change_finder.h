// change_finder.h -- finds problems that differ from another one in one field
// and that a kernel takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/check/choices.h"
#include "conformance/check/variations.h"

namespace ropeproof::conformance::check {

using Edit = std::function<void(cases::Problem&)>;

// Whether the kernel offers all that this needs and does not decline it.
bool takes(plugin::Kernel& kernel, std::uint32_t operation,
           const Question& asked);

// Finds the changes of one Variation. `known` are the fields of those before,
// which are left out.
class ChangeFinder {
 public:
  // The cases have the id `id`.
  ChangeFinder(plugin::Kernel& kernel, std::uint32_t operation,
               const std::string& id, std::set<std::string>& known)
      : kernel_(kernel), operation_(operation), id_(id), known_(known) {}

  // Whether the kernel takes it as what others differ from.
  bool begin(const cases::Problem& base);
  const cases::Problem& base() const { return variation_.base.problem; }
  Variation take() { return std::move(variation_); }

  // Adds the first of these edits that gives a valid problem which the kernel
  // takes and, where it changes angles, whose result is another.
  void add(const std::string& field, ChangeOf of,
           const std::vector<Edit>& edits);

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
