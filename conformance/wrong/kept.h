// kept.h -- what a kernel keeps from one call to the next.
#ifndef ROPEPROOF_CONFORMANCE_WRONG_KEPT_H_
#define ROPEPROOF_CONFORMANCE_WRONG_KEPT_H_

#include <ropeproof_kernel.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ropeproof::conformance::wrong {

// Nothing, unless it says so.
struct Kept {
  // The one of keyed_fields() that the key of a cache lacks: what was formed
  // for a problem is used again for those that differ in it alone. With a field
  // that there is not, a cache is right; for a size, it is a plan of loops,
  // under a key without contents. Empty: no cache.
  std::string key_lacks = {};
  // Calls after which nothing is rotated any more; 0: no end.
  int last_call = 0;
  // Counts the calls of each shape of more than 4,096 elements, not all.
  bool counts_shapes = false;
  // A thread reads the table that another one has just formed, and the
  // positions, too, unless these are 0: in problems of more than so many
  // tokens.
  std::optional<std::int64_t> shared_beyond = {};
};

// The fields of a problem, and of each scaling, as check::Change names them;
// the positions are one field, and all but the first and the last another.
const std::vector<std::string>& keyed_fields();

// Every field of a problem with dense tensors, in parts that a key may lack.
class Keeper {
 public:
  explicit Keeper(Kept kept) : kept_(std::move(kept)) {}

  // Takes the problem for what an earlier call has left of it; false: the
  // kernel does nothing.
  bool recall(ropeproof_problem& problem);
  // Problems that are solved at once, as their threads take them.
  std::vector<ropeproof_problem> mixed(
      std::vector<ropeproof_problem> problems) const;

 private:
  // One field of a problem, and how a cache answers with an earlier one.
  struct Part {
    std::string name, bytes;
    std::function<void(ropeproof_problem&)> recall;
  };
  static std::vector<Part> parts_of(const ropeproof_problem& p);
  bool is_over(const ropeproof_problem& p);

  Kept kept_;
  std::map<std::string, Part> known_;                 // by key
  std::map<std::array<std::int64_t, 3>, int> calls_;  // by shape, or of all
};

}  // namespace ropeproof::conformance::wrong

#endif  // ROPEPROOF_CONFORMANCE_WRONG_KEPT_H_
