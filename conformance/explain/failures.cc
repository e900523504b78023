#include "conformance/explain/failures.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "reference/parallel_for.h"

namespace ropeproof::conformance::explain {
namespace {

// How many wrong answers are tried, more than a few only while they have no
// more elements than these; and how many with every hypothesis.
constexpr std::size_t kMostTried = 400, kFewTried = 8;
constexpr std::int64_t kMostOfTried = std::int64_t{1} << 18;
constexpr std::size_t kMostScans = 12, kFewScans = 4;
// Elements of answers that are tried so, the first whatever its size.
constexpr std::int64_t kMostScanned = std::int64_t{1} << 16;
// Of hypotheses that are tried on all.
constexpr std::size_t kMostLeads = 12;

// The small ones, evenly where there are too many.
std::vector<const Answer*> chosen(const std::vector<Answer>& answers) {
  std::vector<const Answer*> all;
  for (const Answer& answer : answers) {
    if (!answer.asked->problem.is_special) all.push_back(&answer);
  }
  std::ranges::stable_sort(
      all, {}, [](const Answer* one) { return one->judged->all.elements; });
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    elements += all[i]->judged->all.elements;
    if (i >= kFewTried && elements > kMostOfTried) all.resize(i);
  }
  if (all.size() <= kMostTried) return all;
  std::vector<const Answer*> some;
  for (std::size_t i = 0; i < kMostTried; ++i) {
    some.push_back(all[i * all.size() / kMostTried]);
  }
  return some;
}

// Whether a kernel with this change, between guard pages, touches one.
bool leaves_memory(const Predictor& bugs, const wrong::Change& change) {
  return bugs([&](wrong::Pipeline& pipeline) {
           change(pipeline);
           pipeline.is_guarded = true;
         })
      .empty();
}

}  // namespace

Failures::Failures(const Evidence& evidence,
                   const std::vector<wrong::Mutation>& hypotheses)
    : evidence_(evidence), hypotheses_(hypotheses) {
  for (const Answer* answer : chosen(evidence.wrong)) {
    failures_.push_back(
        {answer, std::make_unique<Trial>(*answer, evidence.kernel), {}});
  }
  // Half of all buffers hold a number before a call: of so many none is left by
  // chance.
  constexpr std::ptrdiff_t kFewest = 8;
  const auto may_be_nan = [](const Failure& one) {
    return one.trial->may_be_nan();
  };
  const bool has_unwritten =
      std::ranges::any_of(failures_, [&](const Failure& one) {
        return one.trial->is_unwritten() && !may_be_nan(one);
      });
  if (has_unwritten || std::ranges::count_if(failures_, may_be_nan) < kFewest) {
    return;
  }
  for (const Failure& one : failures_) {
    if (may_be_nan(one)) one.trial->take_for_nan();
  }
}

const Fit& Failures::fit(std::size_t failure, std::size_t hypothesis) {
  Failure& one = failures_[failure];
  const auto found = one.fits.find(hypothesis);
  if (found != one.fits.end() && !found->second.is_partial) {
    return found->second;
  }
  const wrong::Mutation& h = hypotheses_[hypothesis];
  return one.fits[hypothesis] = one.trial->fit(h.change, h.rounds);
}

void Failures::scan(std::size_t failure, std::size_t first) {
  std::vector<Fit> fits(hypotheses_.size() - first);
  const Trial& whole = *failures_[failure].trial;
  const std::optional<Trial> few = whole.few_wrong_heads();
  reference::parallel_for(
      std::ssize(fits),
      [&](std::int64_t h) {
        const wrong::Mutation& one =
            hypotheses_[first + static_cast<std::size_t>(h)];
        Fit& fit = reference::at(fits, h);
        if (few) fit = few->glance(one.change, one.rounds);
        fit.is_partial |= !fit.rounds && fit.explained < fit.wrong;
        if (!fit.is_partial) fit = whole.glance(one.change, one.rounds);
      },
      1);
  for (std::size_t h = 0; h < fits.size(); ++h) {
    failures_[failure].fits.emplace(first + h, fits[h]);
  }
}

bool Failures::are_sure(const std::vector<std::size_t>& some,
                        std::size_t hypothesis) {
  // Chosen, not derived: a handful of elements may agree by chance.
  constexpr std::int64_t kFewest = 24;
  std::int64_t sharp = 0;
  for (const std::size_t i : some) {
    const Fit& one = fit(i, hypothesis);
    if (one.rounds && !one.explains_all()) return false;
    sharp += one.sharp;
  }
  return sharp >= kFewest;
}

std::int64_t Failures::broken_by(std::size_t hypothesis,
                                 const std::vector<std::size_t>& some) {
  std::int64_t broken = 0;
  for (const std::size_t i : some) broken += fit(i, hypothesis).broken;
  return broken;
}

bool Failures::spares_pairs(std::size_t hypothesis,
                            const std::vector<std::size_t>& some) {
  const wrong::Mutation& h = hypotheses_[hypothesis];
  const bool is_position = h.bug.area() == cases::Area::kPosition;
  if (!is_position && !h.ends_early) return false;
  std::size_t divided = 0, all = 0;
  for (const std::size_t i : some) {
    const cases::Problem& p = answer(i).asked->problem;
    const Trial& trial = *at(i).trial;
    if (fit(i, hypothesis).broken == 0 ||
        (is_position ? p.spec.axes.count > 1 : trial.is_unwritten())) {
      continue;
    }
    std::vector<Mark> marks;
    trial.fit(h.change, h.rounds, &marks);
    const bool is_table = answer(i).operation == ROPEPROOF_TABLE;
    const auto width =
        static_cast<std::size_t>(is_table ? p.pairs() : p.spec.layout.head_dim);
    for (std::size_t row = 0; row < marks.size(); row += width) {
      std::set<std::int64_t> struck, spared;
      for (std::size_t e = row; e < row + width; ++e) {
        if (marks[e] == Mark::kExplained) struck.insert(trial.element(e).pair);
        if (marks[e] == Mark::kBroken) spared.insert(trial.element(e).pair);
      }
      if (struck.size() < (is_position ? 1 : 2)) continue;
      const bool is_first_alone = spared == std::set<std::int64_t>{0};
      ++all;
      if (is_position ? !spared.empty() : is_first_alone) ++divided;
    }
  }
  return 4 * divided > all;
}

bool Failures::are_unwritten(const std::vector<std::size_t>& some,
                             std::size_t hypothesis) const {
  wrong::Pipeline pipeline = wrong::exact_pipeline();
  hypotheses_[hypothesis].change(pipeline);
  return (pipeline.misread || pipeline.offset) &&
         std::ranges::all_of(
             some, [&](std::size_t i) { return at(i).trial->is_unwritten(); });
}

std::optional<std::size_t> Failures::whole_of(
    std::size_t part, const std::vector<std::size_t>& failures, bool has_rule) {
  constexpr std::int64_t kFarMore = 4;
  const auto is_whole = [&](std::size_t whole) {
    bool is_more = false;
    for (const std::size_t i : failures) {
      if (!fit(i, whole).explains_wrong()) return false;
      const Trial& trial = *failures_[i].trial;
      const auto right = trial.predict([](wrong::Pipeline&) {}),
                 less = trial.predict(hypotheses_[part].change),
                 more = trial.predict(hypotheses_[whole].change);
      if (less.size() != right.size() || more.size() != right.size()) {
        return false;
      }
      for (std::size_t e = 0; e < right.size(); ++e) {
        const bool is_like = distance(less[e], more[e]) == 0;
        if (!is_like && distance(less[e], right[e]) != 0) return false;
        is_more = is_more || !is_like;
      }
    }
    return is_more;
  };
  for (const std::size_t h : leads_) {
    const bool rounds = hypotheses_[h].rounds || hypotheses_[part].rounds;
    if (h == part || rounds || !is_whole(h)) continue;
    const bool is_far_more =
        kFarMore * broken_by(part, failures) < broken_by(h, failures);
    return has_rule || !is_far_more ? std::optional(h) : std::nullopt;
  }
  return std::nullopt;
}

void Failures::add_rivals(Diagnosis& d, std::size_t best,
                          const std::vector<std::size_t>& failures) {
  std::optional<std::pair<std::int64_t, double>> least;
  for (const std::size_t h : leads_) {
    if (h == best) continue;
    std::int64_t missed = 0;
    bool is_alias = true;
    double residual = 0;
    for (const std::size_t i : failures) {
      const Fit &one = fit(i, h), &of_best = fit(i, best);
      missed += one.explains_wrong() ? 0 : 1;
      is_alias = is_alias && one.explains_wrong() &&
                 (one.explains_all() ? of_best.explains_all()
                                     : one.broken == of_best.broken);
      residual = std::max(residual, one.residual);
    }
    if (is_alias) {
      d.aliases.push_back(hypotheses_[h].name);
    } else if (!least || std::pair(missed, residual) < *least) {
      least = {missed, residual};
      d.next = hypotheses_[h].name;
      d.next_residual = residual;
    }
  }
}

std::vector<std::size_t> Failures::unlike(const Trial& trial) const {
  std::vector<std::size_t> some;
  std::set<std::vector<double>> known;
  known.insert(trial.predict([](wrong::Pipeline&) {}));
  for (std::size_t h = 0; h < wrong::mutations().size(); ++h) {
    if (hypotheses_[h].rounds) continue;
    std::vector<double> answer = trial.predict(hypotheses_[h].change);
    const bool is_plain =
        !answer.empty() &&
        !std::ranges::any_of(answer, [](double x) { return std::isnan(x); });
    if (is_plain && known.insert(std::move(answer)).second) some.push_back(h);
  }
  return some;
}

void Failures::try_from(std::size_t first,
                        const std::vector<std::size_t>& some) {
  std::vector<std::size_t> hits(hypotheses_.size()), leads;
  std::size_t scans = 0;
  std::int64_t scanned = 0;
  for (const std::size_t i : some) {
    // After a few scans one that explains part of an answer will do, too.
    const auto best = std::views::take(leads, kMostLeads);
    const bool is_explained = std::ranges::any_of(best, [&](std::size_t h) {
      const Fit& one = fit(i, h);
      return one.explains_all() || (scans >= kFewScans && one.explains_wrong());
    });
    const std::int64_t more = failures_[i].trial->elements();
    const bool is_large = scans > 0 && scanned + more > kMostScanned;
    if (is_explained || scans == kMostScans || is_large) continue;
    ++scans;
    scanned += more;
    scan(i, first);
    for (std::size_t h = first; h < hypotheses_.size(); ++h) {
      if (!failures_[i].fits.at(h).explains_wrong()) continue;
      if (hits[h]++ == 0) leads.push_back(h);
    }
    std::ranges::stable_sort(leads, std::greater{},
                             [&](std::size_t h) { return hits[h]; });
  }
  if (leads.size() > kMostLeads) leads.resize(kMostLeads);
  for (std::size_t i = 0; i < failures_.size(); ++i) {
    for (const std::size_t h : leads) fit(i, h);
  }
  leads_.insert(leads_.end(), leads.begin(), leads.end());
}

LostAnswers::LostAnswers(const Evidence& evidence) : evidence_(evidence) {
  for (std::size_t i = 0; i < evidence.lost.size(); ++i) {
    left_.push_back({i, Predictor(evidence.lost[i], evidence.kernel)});
  }
}

std::vector<std::size_t> LostAnswers::bugs_of_all(
    const std::vector<wrong::Mutation>& hypotheses,
    const std::vector<Failure>& right) const {
  std::vector<std::size_t> bugs;
  for (std::size_t h = 0; h < hypotheses.size() && !right.empty(); ++h) {
    const wrong::Change& change = hypotheses[h].change;
    // Few bugs leave their memory at all: right answers are asked of those.
    const bool leaves = std::ranges::all_of(left_, [&](const Call& call) {
      return leaves_memory(call.bugs, change);
    });
    if (leaves && std::ranges::none_of(right, [&](const Failure& one) {
          return one.trial->fit(change, false).broken > 0;
        })) {
      bugs.push_back(h);
    }
  }
  return bugs;
}

std::set<std::uint32_t> LostAnswers::operations() const {
  std::set<std::uint32_t> operations;
  for (const Call& call : left_) {
    operations.insert(evidence_.lost[call.number].operation);
  }
  return operations;
}

std::size_t LostAnswers::take(const wrong::Change& change) {
  const std::size_t before = taken_.size();
  std::erase_if(left_, [&](const Call& call) {
    if (!leaves_memory(call.bugs, change)) return false;
    taken_.insert(call.number);
    return true;
  });
  const bool is_last = left_.empty() && taken_.size() > before;
  return (is_last ? evidence_.crashes : taken_.size()) - before;
}

}  // namespace ropeproof::conformance::explain
