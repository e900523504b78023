// kept.h -- what a kernel keeps from one call to the next.
#pragma once

#include <ropeproof_kernel.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ropeproof::conformance::wrong {

// A field of a problem, or of its scaling, that the key of a cache may lack.
struct KeyedField {
  std::string name;  // as check::Change names it
  enum class Lack {
    kField,  // what was formed is used again for another value of the field
    kSize,   // the field is a size: a plan of loops, whose key has no contents
    kInner,  // of a list, the key has the first and the last item alone
  } lack = Lack::kField;
};

// What a kernel keeps: nothing, unless a member says so.
struct Kept {
  // The field of keyed_fields() that the key of the cache lacks. Nothing: the
  // kernel has no cache. A name that is no field: its cache is right.
  std::optional<KeyedField> key_lacks = {};
  // Calls after which nothing is rotated any more; 0: no end.
  int last_call = 0;
  // Counts the calls of each shape of more than 4,096 elements, not all.
  bool counts_shapes = false;
  // A thread reads the table that another one has just formed, and the
  // positions, too, unless these are 0: in problems of more than so many
  // tokens.
  std::optional<std::int64_t> shared_beyond = {};
};

// Every field that a key may lack.
const std::vector<KeyedField>& keyed_fields();

// Every field of a problem with dense tensors, in parts that a key may lack.
class Keeper {
 public:
  explicit Keeper(Kept kept) : kept_(std::move(kept)) {}

  // Replaces fields of the problem by those that an earlier call has cached.
  // Returns false where the kernel no longer does anything.
  bool recall(ropeproof_problem& problem);
  // Problems that are solved at once, as their threads take them.
  std::vector<ropeproof_problem> mixed(
      std::vector<ropeproof_problem> problems) const;

 private:
  // One field of a problem, and how a cache answers with an earlier one.
  struct Part {
    std::string name, bytes;
    std::function<void(ropeproof_problem&)> recall;
    bool is_contents = false;  // no size: a plan of loops is not kept under it
  };
  static std::vector<Part> parts_of(const ropeproof_problem& p);
  bool is_over(const ropeproof_problem& p);

  Kept kept_;
  std::map<std::string, Part> known_;                 // by key
  std::map<std::array<std::int64_t, 3>, int> calls_;  // by shape, or of all
};

}  // namespace ropeproof::conformance::wrong
