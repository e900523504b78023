// formed.h -- the cases that are formed for one kernel.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conformance/check/formed_store.h"
#include "conformance/check/runner.h"
#include "conformance/cover/recipe.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// What the selected tier or profile, or a selected id, asks of the kernel
// beside `corpus`; nothing without arrays. In smoke that is each dtype,
// pairing, direction, axis map and scaling that the kernel declares and the
// committed cases of smoke leave out. In a profile dtype and specification are
// the model's. Fresh cases come in an order drawn from the seed.
std::vector<cover::Recipe> recipes_of(plugin::Kernel& kernel,
                                      const cases::Corpus& corpus,
                                      const Selection& selection);

// Whether a pattern may match none of `ids`: it names formed cases of a kind
// that is not among them. Tier and seed say which kinds there are.
bool may_be_idle(const std::string& pattern,
                 const std::vector<std::string>& ids);

// Weights of the sizes of a problem, for one of the two pairings that they are
// trained for: heads and columns are its query heads and the tokens of a batch
// row.
cases::Problem permutation_like(const cases::Problem& p, std::uint64_t seed);

// The kernel's description, with the positions of a profile at the most.
plugin::Description asked_description(const plugin::Kernel& kernel,
                                      const Selection& selection);

// Forms cases on threads of its own, some ahead of who takes them: a kernel is
// asked one while the next are formed.
class FormedCases {
 public:
  // The recipes stay where they are; `description` is the one above, with no
  // operation that is not asked: for permutations alone no golden is proved.
  // What `store` has is not formed; it keeps the rest. Null: there is none.
  FormedCases(std::vector<const cover::Recipe*> recipes,
              const plugin::Description& description,
              FormedStore* store = nullptr);
  ~FormedCases();
  FormedCases(const FormedCases&) = delete;
  FormedCases& operator=(const FormedCases&) = delete;

  // The cases of the next recipe, in their order, each once: the rotation,
  // unless permutations alone are asked, and for kernels that permute a
  // permutation of the same sizes. Throws what forming them threw.
  FormedList next();

 private:
  struct Formed {
    FormedList cases;
    std::exception_ptr failure;
    bool is_done = false, is_kept = false;
    std::int64_t elements() const {
      if (is_kept || cases == nullptr || cases->empty()) return 0;
      return cases->front().problem.elements();
    }
  };
  // Cases formed ahead, and elements of q and k up to which another is begun: a
  // prompt's case takes half a GiB.
  static constexpr std::size_t kAhead = 24;
  static constexpr std::int64_t kElementsAhead = std::int64_t{1} << 21;

  bool may_begin() const {
    return begun_ <= taken_ ||
           (begun_ < taken_ + kAhead && elements_ < kElementsAhead);
  }
  FormedKey key_of(const cover::Recipe& recipe) const {
    return {recipe, max_position_, rotates_, permutes_};
  }
  void form_some();
  std::vector<cases::Case> form(const cover::Recipe& recipe) const;

  const std::vector<const cover::Recipe*> recipes_;
  const std::int64_t max_position_;
  const bool rotates_, permutes_;
  FormedStore* const store_;  // of the caller's thread
  std::mutex mutex_;          // of what follows
  std::condition_variable is_done_, is_taken_;
  std::vector<Formed> formed_;
  std::size_t begun_ = 0, taken_ = 0;
  std::int64_t elements_ = 0;  // formed and not taken
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ropeproof::conformance::check
