#include "conformance/check/varied.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "conformance/cases/draw.h"
#include "conformance/cases/smaller.h"
#include "conformance/check/attempt.h"
#include "conformance/check/choices.h"
#include "conformance/check/facts.h"
#include "conformance/check/formed.h"
#include "conformance/check/offered.h"
#include "conformance/cover/offer.h"
#include "conformance/cover/recipes.h"

namespace ropeproof::conformance::check {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 12;
// Elements of a call with another size, and of all with this one another.
constexpr std::int64_t kMostOfCall = std::int64_t{1} << 17;
constexpr std::int64_t kMostOfSize = std::int64_t{1} << 18;
constexpr std::int64_t kSmallSize = 128;  // asked anyway
constexpr std::int64_t kSizes[] = {
    1,  2,  3,  4,  5,  7,  8,   9,   12,  15,   16,   17,   24,   31,
    32, 33, 48, 63, 64, 65, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

// batch, seq, heads of q, heads of k
using Sizes = std::array<std::int64_t, 4>;

struct OwnFacts {
  std::shared_ptr<const cases::Case> asked;
  Facts facts;
};

// The case with these sizes, made of its tokens and heads over and over.
cases::Case resized(const cases::Case& c, const Sizes& sizes) {
  const cases::Problem& p = c.problem;
  const auto [batch, seq, q_heads, k_heads] = sizes;
  cases::Indices tokens;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t s = 0; s < seq; ++s) {
      tokens.push_back(b % p.batch * p.seq + s % p.seq);
    }
  }
  const auto heads = [](std::int64_t count, std::int64_t of) {
    cases::Indices some;
    for (std::int64_t h = 0; h < count && of > 0; ++h) some.push_back(h % of);
    return some;
  };
  return cases::pick_heads(cases::pick_tokens(c, tokens, batch, seq),
                           heads(q_heads, p.q_heads),
                           heads(k_heads, p.k_heads));
}

// Asks a kernel cases that are like the one of an answer, under its operation.
class Asker {
 public:
  Asker(plugin::Kernel& kernel, const explain::Answer& like)
      : kernel_(kernel), like_(like) {}

  // Makes the call again and again.
  std::vector<explain::Answer> repeat() {
    constexpr std::int64_t kLeast = 6, kMost = 24;
    const std::int64_t fitting =
        2 * kMostOfSize /
        std::max<std::int64_t>(like_.asked->problem.elements(), 1);
    for (std::int64_t i = 0; i < std::clamp(fitting, kLeast, kMost); ++i) {
      ask(like_.asked, {{"number of the call", i}});
    }
    return std::move(all_);
  }

  // Other sizes.
  std::vector<explain::Answer> vary() {
    const cases::Problem& p = like_.asked->problem;
    const Sizes own = {p.batch, p.seq, p.q_heads, p.k_heads};
    for (std::size_t which = 0; which < own.size(); ++which) {
      if (own[which] > 0) vary(own, which);
    }
    return std::move(all_);
  }

  // Cases that are formed.
  std::vector<explain::Answer> ask_formed(
      const std::vector<cover::Recipe>& recipes,
      plugin::Description formed_for) {
    std::vector<const cover::Recipe*> list;
    for (const cover::Recipe& recipe : recipes) list.push_back(&recipe);
    formed_for.operations = like_.operation;
    FormedCases formed(list, formed_for);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const FormedList cases = formed.next();
      const cases::Case& c = cases->front();
      const bool is_asked =
          !c.problem.is_special && c.problem.elements() <= 8 * kMostElements &&
          missing_feature(kernel_.description(), like_.operation, c.problem,
                          kernel_.shares_memory())
              .empty() &&
          !declines(kernel_, like_.operation, c);
      if (is_asked) ask({cases, &c});
    }
    return std::move(all_);
  }

 private:
  void vary(Sizes sizes, std::size_t which) {
    const std::int64_t own = sizes[which];
    std::map<std::int64_t, bool> is_wrong = {{own, true}};
    const auto ask_at = [&](std::int64_t size) {
      sizes[which] = size;
      if (is_wrong.contains(size)) return false;
      const std::optional<bool> wrong = ask(sizes);
      if (wrong) is_wrong.emplace(size, *wrong);
      return wrong.has_value();
    };
    const auto is_shown = [&] {
      return std::ranges::any_of(is_wrong,
                                 [](const auto& one) { return !one.second; });
    };
    left_ = kMostOfSize;
    for (const std::int64_t size : kSizes) {
      if (size <= kSmallSize || size < own || !is_shown()) ask_at(size);
    }
    left_ = kMostOfSize;
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (auto i = is_wrong.begin(); std::next(i) != is_wrong.end(); ++i) {
        const auto next = std::next(i);
        if (i->second == next->second || next->first == i->first + 1) continue;
        is_new = ask_at((i->first + next->first) / 2);
        break;
      }
    }
    // A product of sizes has its threshold elsewhere where others are larger.
    for (auto i = is_wrong.begin(); std::next(i) != is_wrong.end(); ++i) {
      if (i->second == std::next(i)->second) continue;
      sizes[which] = i->second ? std::next(i)->first : i->first;
      for (std::size_t other = 0; other < sizes.size(); ++other) {
        if (other == which || sizes[other] == 0) continue;
        Sizes larger = sizes;
        for (int times = 0; times < 3; ++times) {
          larger[other] *= 2;
          ask(larger);
        }
      }
      break;
    }
  }

  // Whether the answer is wrong; nothing where there is none.
  std::optional<bool> ask(const Sizes& sizes) {
    const auto [batch, seq, q_heads, k_heads] = sizes;
    const cases::Problem& p = like_.asked->problem;
    const std::int64_t elements =
        batch * seq * (q_heads + k_heads) * p.spec.layout.head_dim;
    if (elements > std::min(left_, kMostOfCall)) return std::nullopt;
    left_ -= elements;
    return ask(shared(resized(*like_.asked, sizes)));
  }

  std::optional<bool> ask(std::shared_ptr<const cases::Case> c,
                          const Facts& more = {}) {
    if (!kernel_.is_live()) return std::nullopt;
    auto own = std::make_shared<OwnFacts>();
    own->asked = std::move(c);
    judge::Output output;
    const Subject subject{*own->asked, like_.operation};
    const plugin::Answer answered = call_of(kernel_, subject).run(output);
    if (!answered.was_made) return std::nullopt;
    const bool is_answered = answered.outcome == plugin::Outcome::kOk;
    own->facts = facts_of(own->asked->problem);
    own->facts.insert(more.begin(), more.end());
    explain::Answer& answer = all_.emplace_back();
    answer.asked = {own, own->asked.get()};
    if (is_answered) {
      answer = explain::answer_of(
          answer.asked, like_.operation,
          judge::claim_of(kernel_.description(), own->asked->problem.dtype,
                          like_.operation),
          std::move(output));
    }
    answer.id = like_.id;
    answer.facts = &own->facts;
    if (!is_answered) return std::nullopt;
    return answer.is_failure();
  }

  plugin::Kernel& kernel_;
  const explain::Answer& like_;
  std::int64_t left_ = 0;  // elements
  std::vector<explain::Answer> all_;
};

// Problems that differ from one in a class of one dimension; each third one in
// any.
std::vector<cover::Recipe> recipes_near(plugin::Kernel& kernel,
                                        const cover::Model& model,
                                        const explain::Answer& like,
                                        std::uint64_t seed) {
  constexpr std::uint64_t kCount = 60;
  const cover::Masks masks =
      cover::offered(model, kernel.description(), kernel.shares_memory());
  const call::Call call(kernel, like.operation, like.asked->problem, like.id,
                        reference::Format::kF32, call::Contents::kLaidOut);
  const cover::Row own = cover::classes_of(model, call.questions().front());
  std::vector<cover::Recipe> recipes;
  cases::Draw draw(seed);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    cover::Recipe recipe = cover::drawn_recipe(model, masks, seed, i);
    cover::Row row = own;
    const auto d = static_cast<std::size_t>(
        draw.between(0, static_cast<std::int64_t>(row.size()) - 1));
    row[d] = recipe.row[d];
    if (const auto whole = model.complete(row, masks); whole && i % 3 != 0) {
      recipe.row = *whole;
    }
    recipe.elements = kMostElements;
    recipes.push_back(std::move(recipe));
  }
  return recipes;
}

}  // namespace

std::vector<explain::Answer> answers_again(plugin::Kernel& kernel,
                                           const Run& run,
                                           const explain::Answer& like,
                                           explain::Again again, int round) {
  const cases::Problem& p = like.asked->problem;
  const bool rotates = like.operation == ROPEPROOF_ROPE ||
                       like.operation == ROPEPROOF_ROTATE ||
                       like.operation == ROPEPROOF_LOOKUP;
  if (!rotates || !kernel.is_live()) return {};
  Asker asker(kernel, like);
  if (again == explain::Again::kSame) return asker.repeat();
  if (again == explain::Again::kNear) {
    if (run.arrays == nullptr) return {};
    const auto seed = static_cast<std::uint64_t>(1 + round);
    return asker.ask_formed(recipes_near(kernel, run.arrays->model, like, seed),
                            run.formed_for);
  }
  const bool is_plain = p.storage.spacing == cases::Spacing::kDense &&
                        p.storage.rows == cases::RowSpacing::kDense;
  return is_plain ? asker.vary() : std::vector<explain::Answer>();
}

}  // namespace ropeproof::conformance::check
