// prober.h -- calls a kernel with problems made to be read off, and notes what
// goes wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "conformance/cases/case.h"
#include "conformance/check/change_finder.h"
#include "conformance/judge/output.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::identify {

class Prober {
 public:
  explicit Prober(plugin::Kernel& kernel) : kernel_(kernel) {}

  plugin::Kernel& kernel() { return kernel_; }
  const plugin::Description& description() const {
    return kernel_.description();
  }

  bool takes(std::uint32_t operation, const check::Question& asked) {
    return check::takes(kernel_, operation, asked);
  }
  // The type of tables in a problem of this operation and case.
  reference::Format table_of(std::uint32_t operation,
                             const cases::Case& c) const;

  // The answer, asked for twice; nothing where there is none, or where the
  // kernel has ended its process too often to be called again.
  std::optional<judge::Output> ask(std::uint32_t operation,
                                   const cases::Case& c);

  std::int64_t calls() const { return calls_; }
  // The first of what went wrong with a call, in words; empty if nothing did.
  const std::string& trouble() const { return trouble_; }
  bool has_given_up() const { return has_given_up_; }

  // The answer, asked for once, to problems that a kernel may know from before.
  std::optional<judge::Output> ask_once(std::uint32_t operation,
                                        const cases::Case& c);

 private:
  plugin::Kernel& kernel_;
  std::int64_t calls_ = 0;
  int ends_ = 0;
  bool has_given_up_ = false;
  std::string trouble_;
};

// Fills in goldens and, with an element for each channel of each row, q and k.
using Element = std::function<double(std::int64_t token, std::int64_t head,
                                     std::int64_t channel)>;
void form(cases::Case& c, const Element& element);
// Forms the goldens of the q and k that are there.
void form_again(cases::Case& c);
// Fills in elements alone, with goldens left as they are.
void set_elements(cases::Case& c, const Element& element);

}  // namespace ropeproof::conformance::identify
