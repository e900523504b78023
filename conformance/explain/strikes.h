// strikes.h -- where a bug strikes, from the wrong answers that it explains and
// right ones that it would have spoilt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/explain/answer.h"
#include "conformance/explain/failures.h"
#include "conformance/explain/rule.h"
#include "conformance/explain/where.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {

class Strikes {
 public:
  // Both arguments outlive this.
  Strikes(const Evidence& evidence, const Failures& failures)
      : evidence_(evidence), failures_(failures) {}

  // Returns where the bug strikes that explains these failures. Where the
  // kernel can still be asked, fresh answers must confirm the place before it
  // is reported.
  Rule of_change(const wrong::Change& change, bool rounds,
                 const std::vector<std::size_t>& failures);
  // Returns where one bug strikes, and remembers it: steps ask for it again.
  const Rule& of_bug(const wrong::Mutation& bug,
                     const std::vector<std::size_t>& failures);
  // Where the elements of these failures are wrong, by whatever bug. A right
  // element says nothing where an error as these have would not be seen.
  Rule of_wrong(const std::vector<std::size_t>& failures);

  // Whether the bug would have spoilt something that is right: an element of
  // these failures, or an answer under their operations.
  bool spares(const wrong::Mutation& bug,
              const std::vector<std::size_t>& failures);

  // Right answers under at least these operations.
  const std::vector<Failure>& contrast(
      const std::set<std::uint32_t>& operations);

 private:
  bool is_alone();
  // `mark` says of each element of an answer whether it is struck or spared.
  Rule confirmed(
      const std::vector<std::size_t>& failures,
      const std::function<void(const Failure&, std::vector<Mark>&)>& mark);
  // Fresh answers like that of a failure, asked once while it is looked at.
  const std::vector<Failure>& again(std::size_t failure, Again how, int round);

  const Evidence& evidence_;
  const Failures& failures_;
  std::set<std::uint32_t> contrasted_;
  std::vector<Answer> right_;
  std::vector<Failure> contrast_;  // with these
  std::map<std::tuple<std::size_t, Again, int>,
           std::pair<std::vector<Answer>, std::vector<Failure>>>
      again_;
  std::int64_t kept_ = 0;  // elements that were asked
  // Rules, by the name of the bug and the failures.
  std::map<std::pair<std::string, std::vector<std::size_t>>, Rule> known_;
};

}  // namespace ropeproof::conformance::explain
