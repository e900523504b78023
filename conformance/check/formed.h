// formed.h -- the cases that are formed for one kernel.
#ifndef ROPEPROOF_CONFORMANCE_CHECK_FORMED_H_
#define ROPEPROOF_CONFORMANCE_CHECK_FORMED_H_

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "conformance/check/runner.h"
#include "conformance/cover/formed.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// What the selected tier or profile, or a selected id, asks of the kernel;
// nothing in smoke and without arrays. In a profile dtype and specification are
// the model's. Fresh cases come in an order drawn from the seed.
std::vector<cover::FormedCase> formed_cases(plugin::Kernel& kernel,
                                            const Selection& selection);

// In place of the goldens that a kernel is given, for calls that nobody judges: zeros,
// but cosines that, as in a cache, are the same for tokens of equal positions only.
void fill_stand_ins(cases::RopeCase& c);

// By how the id, or a pattern of ids, begins.
bool is_formed(const std::string& id);

// Whether a pattern may match none of `ids`: it names formed cases of a kind that
// is not among them. Tier and seed say which kinds there are.
bool may_be_idle(const std::string& pattern,
                 const std::vector<std::string>& ids);

struct FormedQuestion {
  cases::RopeCase rope;
  // Of the same sizes, for kernels that permute: heads and columns are the query
  // heads and the tokens of a batch row.
  std::optional<cases::PermuteCase> permute;
};

// Without id: weights of the sizes of a case, for one of the two pairings that they
// are trained for.
cases::PermuteCase permute_of(const cases::RopeCase& c, std::uint64_t seed);

// The kernel's description, with the positions of a profile at the most.
plugin::Description asked_description(const plugin::Kernel& kernel,
                                      const Selection& selection);

// Forms cases on threads of its own, some ahead of who takes them: a kernel is asked
// one while the next are formed.
class Forming {
 public:
  // The cases stay where they are; `description` is the one above, with no operation
  // that is not asked: for permutations alone no golden is proved.
  Forming(std::vector<const cover::FormedCase*> formed,
          const plugin::Description& description);
  ~Forming();
  Forming(const Forming&) = delete;
  Forming& operator=(const Forming&) = delete;

  // In their order, each once. Throws what forming it threw.
  FormedQuestion next();

 private:
  struct Formed {
    std::optional<FormedQuestion> question;
    std::exception_ptr failure;
    bool is_done() const { return question || failure; }
  };
  // Cases formed ahead, and elements of q and k up to which another is begun: a
  // prompt's case takes half a GiB.
  static constexpr std::size_t kAhead = 24;
  static constexpr std::int64_t kElementsAhead = std::int64_t{1} << 23;

  bool may_begin() const {
    return begun_ == taken_ ||
           (begun_ < taken_ + kAhead && elements_ < kElementsAhead);
  }
  void form_some();
  FormedQuestion form(const cover::FormedCase& one) const;

  const std::vector<const cover::FormedCase*> cases_;
  const std::int64_t max_position_;
  const bool rotates_, permutes_;
  std::mutex mutex_;  // of what follows
  std::condition_variable is_done_, is_taken_;
  std::vector<Formed> formed_;
  std::size_t begun_ = 0, taken_ = 0;
  std::int64_t elements_ = 0;  // formed and not taken
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ropeproof::conformance::check

#endif  // ROPEPROOF_CONFORMANCE_CHECK_FORMED_H_
