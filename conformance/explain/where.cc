#include "conformance/explain/where.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "conformance/judge/codec.h"
#include "conformance/judge/output_layout.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::explain {
namespace {

// Elements of one answer that are looked at, of each kind.
constexpr std::size_t kMostOfAnswer = 10;
constexpr std::size_t kMostBorders = 6;  // beside one of the other kind
// From the channel that is looked at in a row to that in the next: a prime.
constexpr std::size_t kStep = 7919, kMostOdds = 64;

// Evenly over all.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& all,
                                 std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < most; ++i) {
    some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  }
  return some;
}

// The larger size of the two elements that a pair is rotated from.
double largest_input(const cases::Problem& p, const judge::Channels& channels,
                     bool is_key, std::int64_t head, std::int64_t pair) {
  const reference::Pair of = reference::at(channels.from, pair);
  const cases::Bits& x = is_key ? p.k : p.q;
  const auto size = [&](std::int64_t channel) {
    return std::abs(judge::fast_decode(
        p.dtype, reference::at(x, head * p.spec.layout.head_dim + channel)));
  };
  return std::max(size(of.u), size(of.v));
}

// What a head adds to the facts of an element of it. `row`: of the whole call;
// `own_row`: of the answer, which may be a part.
void add_head_facts(const Answer& answer, const judge::Element& e,
                    std::int64_t row, std::int64_t own_row, Facts& facts) {
  const cases::Problem& problem = answer.asked->problem;
  const std::int64_t head_dim = problem.spec.layout.head_dim;
  const bool is_key = e.tensor == judge::Tensor::kK;
  const std::int64_t heads = is_key ? problem.k_heads : problem.q_heads,
                     rows = problem.tokens() * heads;
  facts["heads"] = heads;
  facts["seq x heads"] = problem.seq * heads;
  facts["heads x head_dim"] = heads * head_dim;
  facts["batch x seq x heads"] = rows;
  facts["batch x seq x heads x head_dim"] = rows * head_dim;
  facts["rows before it"] = row;
  facts["rows x heads before it"] = row * heads + e.head;
  if (e.pair < 0) return;
  const judge::Channels channels(problem.spec);
  facts["largest input"] = largest_input(problem, channels, is_key,
                                         own_row * heads + e.head, e.pair);
  const bool is_first = reference::at(channels.to, e.pair).u == e.channel;
  facts["channel of its pair"] =
      std::string(is_first ? "the first" : "the second");
}

// `is_alone`: counts from the end say nothing that indices do not.
Facts facts_at(const Answer& answer, const judge::Element& e, bool is_alone) {
  const cases::Problem& problem = answer.asked->problem;
  const reference::Layout& layout = problem.spec.layout;
  const bool permutes = problem.task == cases::Task::kPermute;
  const bool is_key = e.tensor == judge::Tensor::kK,
             is_head = is_key || e.tensor == judge::Tensor::kQ;
  Facts facts = *answer.facts;
  facts["operation"] = text::word(plugin::kOperationWords, answer.operation);
  facts["tensor"] = text::word(e.tensor);
  const bool is_in_place = is_head && problem.storage.is_in_place(is_key);
  facts["output"] = std::string(is_in_place ? "in place" : "out of place");
  facts.erase("memory");  // says less than this, order and spacing
  facts.erase("place");
  const bool is_part = !answer.tokens.empty();
  const std::int64_t of_part = e.batch * problem.seq + e.token,
                     row = is_part ? reference::at(answer.tokens, of_part)
                                   : of_part,
                     token = is_part ? row % answer.seq : e.token,
                     batch_row = is_part ? row / answer.seq : e.batch;
  const auto add = [&](const char* name, std::int64_t index,
                       std::int64_t count) {
    facts[std::string("index of the ") + name] = index;
    if (!is_alone) {
      facts[std::string(name) + "s behind it"] = count - 1 - index;
    }
  };
  add("head", e.head,
      is_key                ? problem.k_heads
      : is_head || permutes ? problem.q_heads
                            : 1);
  if (!permutes && answer.operation != ROPEPROOF_FREQUENCIES) {
    facts["batch x seq"] = problem.tokens();
  }
  if (is_head) add_head_facts(answer, e, row, of_part, facts);
  const bool has_position = !permutes && e.pair >= 0 &&
                            (answer.operation == ROPEPROOF_ROPE ||
                             answer.operation == ROPEPROOF_TABLE);
  if (has_position && e.position == std::floor(e.position)) {
    facts["position"] = static_cast<std::int64_t>(e.position);
  }
  add("token", token, permutes ? 0 : problem.seq);
  add("batch row", batch_row, permutes ? 0 : problem.batch);
  if (permutes || e.pair >= 0) {
    add("pair", permutes ? e.channel : e.pair, layout.rotary_dim / 2);
    // Where one channel of a pair is right.
    if (is_alone && is_head) facts["number of the channel"] = e.channel;
  } else {
    facts["channel"] =
        std::string(e.channel >= layout.rotary_offset ? "behind the window"
                                                      : "before the window");
  }
  return facts;
}

}  // namespace

void Where::add(const Answer& answer, const Trial& trial,
                const std::vector<Mark>& marks) {
  if (answer.facts == nullptr) return;
  for (const Mark mark : {Mark::kExplained, Mark::kBroken}) {
    auto& list = mark == Mark::kExplained ? seen_.struck : seen_.spared;
    std::vector<std::size_t> all, borders;
    Mark before = Mark::kUnmoved;  // of those that say something
    std::size_t last = 0;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (marks[i] != Mark::kExplained && marks[i] != Mark::kBroken) continue;
      if (before != Mark::kUnmoved && marks[i] != before) {
        borders.push_back(marks[i] == mark ? i : last);
      }
      before = marks[i];
      last = i;
      if (marks[i] == mark) all.push_back(i);
    }
    std::vector<std::size_t> some =
        some_of(all, is_alone_ ? kMostPlaces / 2 : kMostOfAnswer);
    std::ranges::copy(some_of(borders, kMostBorders), std::back_inserter(some));
    // Right elements of wrong answers fill at most half of the list; right
    // answers need the rest.
    const bool is_part = mark == Mark::kBroken && answer.is_failure();
    const std::size_t most = is_part ? kMostPlaces / 2 : kMostPlaces;
    for (const std::size_t i : some) {
      if (list.size() < most) {
        // Of an answer that is alone each element counts.
        list.push_back({facts_at(answer, trial.element(i), is_alone_),
                        is_alone_ ? i : answers_});
      }
    }
  }
  ++answers_;
}

std::vector<bool> rows_at_odds(const Rule& rule, const Answer& answer,
                               const Trial& trial) {
  const auto width =
      static_cast<std::size_t>(answer.asked->problem.spec.layout.head_dim);
  const std::size_t rows = static_cast<std::size_t>(trial.elements()) / width;
  std::vector<bool> found;
  std::size_t count = 0;
  for (std::size_t row = 0; row < rows && count < kMostOdds; ++row) {
    bool is_wrong = false;
    for (std::size_t c = 0; c < width; ++c) {
      is_wrong = is_wrong || trial.is_wrong(row * width + c);
    }
    const judge::Element e = trial.element(row * width + row * kStep % width);
    if (rule.holds(facts_at(answer, e, true)) == is_wrong) continue;
    found.resize(rows);
    found[row] = true, ++count;
  }
  return found;
}

bool is_by_place(const Rule& where) {
  return std::ranges::any_of(where.terms, [](const Term& term) {
    return std::ranges::count(term.facts, Owner::kElement, &FactKind::owner) >
           0;
  });
}

cases::Bug bug_at(const wrong::Mutation& mutation, const Rule& where) {
  const cases::Bug bug = mutation.bug;
  const auto is_about = [&](FactKind kind) {
    return std::ranges::any_of(where.terms, [&](const Term& term) {
      return std::ranges::find(term.facts, kind) != term.facts.end();
    });
  };
  constexpr cases::Bug kStridesIgnored = "memory/strides-ignored";
  if (bug == kStridesIgnored && is_about({Owner::kCase, Subject::kOrder})) {
    return "shape/axes-confused";
  }
  if (!mutation.ends_early) return bug;
  constexpr FactKind kTokens{Owner::kProblem, Subject::kTokens};
  if (std::ranges::any_of(where.terms, [&](const Term& term) {
        return term.facts == std::vector{kTokens} &&
               term.is == Fact(std::int64_t{1});
      })) {
    return "position/single-token-path";
  }
  // The index says more than a size.
  constexpr cases::Bug kTail = "shape/simd-tail",
                       kOverflow = "shape/32-bit-overflow",
                       kHeads = "shape/heads-miscounted";
  constexpr std::pair<FactKind, cases::Bug> kLoops[] = {
      {{Owner::kElement, Subject::kPairs}, kTail},
      {{Owner::kElement, Subject::kTokens}, kOverflow},
      {{Owner::kElement, Subject::kBatchRows}, kOverflow},
      {{Owner::kElement, Subject::kHeads}, kHeads},
      {{Owner::kProblem, Subject::kHeads}, kHeads},
      {{Owner::kProblem, Subject::kBatchRows}, kOverflow},
      {{Owner::kProblem, Subject::kTokens}, kOverflow},
      {{Owner::kProblem, Subject::kPairs}, kTail}};
  for (const auto& [kind, of_loop] : kLoops) {
    if (is_about(kind)) return of_loop;
  }
  return bug;
}

}  // namespace ropeproof::conformance::explain
