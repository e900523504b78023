#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/cases/bug_class.h"
#include "conformance/explain/equation.h"
#include "conformance/explain/test_answers.h"
#include "conformance/explain/where.h"
#include "conformance/text/file.h"
#include "conformance/wrong/mutation.h"

namespace ropeproof::conformance::explain {
namespace {

constexpr std::uint32_t kOperations[] = {ROPEPROOF_ROPE, ROPEPROOF_LOOKUP,
                                         ROPEPROOF_ROTATE, ROPEPROOF_TABLE};

bool are_equal(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return x == y || (std::isnan(x) && std::isnan(y)) ||
           std::abs(x - y) <= 0x1p-30 * std::abs(x);
  });
}

// What hypotheses predict for a case, beside what is due.
class Predictions {
 public:
  Predictions(const Case& c, std::uint32_t operation)
      : base_(base_of(wrong::exact_pipeline(), ROPEPROOF_A0, c.problem.dtype)),
        output_(answer(base_, c, operation, nothing)),
        trial_(trial_of(base_, c, operation, output_)),
        due_(trial_.predict(nothing)) {}

  const std::vector<double>& due() const { return due_; }
  std::vector<double> of(const wrong::Mutation& h) const {
    return trial_.predict(h.change);
  }
  bool is_changed_by(const wrong::Mutation& h) const {
    return !are_equal(of(h), due_);
  }

 private:
  Base base_;
  judge::Output output_;
  Trial trial_;
  std::vector<double> due_;
};

// Made once for each case and operation.
const Predictions& predictions(const Case& c, std::uint32_t operation) {
  static std::map<std::pair<const Case*, std::uint32_t>,
                  std::unique_ptr<Predictions>>
      all;
  auto& made = all[{&c, operation}];
  if (made == nullptr) made = std::make_unique<Predictions>(c, operation);
  return *made;
}

// Case and operation at which it shows.
using CaseAndOperation = std::pair<const Case*, std::uint32_t>;

// A bug that leaves its memory wherever it shows: no answer is wrong.
constexpr const char* kCrashing = "a batch stride of 0 taken for a dense one";

bool is_of_weights(const wrong::Mutation& h) {
  return h.bug == cases::Bug("weights/permuted-wrongly") ||
         h.name == "NaNs of the weight made quiet";
}

constexpr std::size_t kPlaces = 2;

// Up to kPlaces cases of a dtype with an answer that it makes wrong.
const std::vector<CaseAndOperation>& revealing(const wrong::Mutation& h,
                                               Format dtype) {
  static std::map<std::pair<const wrong::Mutation*, Format>,
                  std::vector<CaseAndOperation>>
      all;
  const auto [known, is_new] = all.try_emplace({&h, dtype});
  std::vector<CaseAndOperation>& places = known->second;
  if (!is_new) return places;
  for (const Case& c : tried()) {
    if (c.problem.dtype != dtype) continue;
    for (const std::uint32_t operation :
         {ROPEPROOF_ROPE, ROPEPROOF_LOOKUP, ROPEPROOF_ROTATE}) {
      if (!predictions(c, operation).is_changed_by(h)) continue;
      const Base base = base_of(wrong::exact_pipeline(), ROPEPROOF_A0, dtype);
      const judge::Output output = answer(base, c, operation, h.change);
      if (is_empty(output) ||
          trial_of(base, c, operation, output).fit(nothing, false).wrong == 0) {
        continue;
      }
      places.emplace_back(&c, operation);
      break;
    }
    if (places.size() == kPlaces) break;
  }
  return places;
}

TEST_CASE("hypotheses have names of their own, known classes and equations",
          "[conformance][diagnosis]") {
  std::set<std::string> names;
  for (const wrong::Mutation& h : wrong::mutations()) {
    CAPTURE(h.name);
    CHECK(names.insert(h.name).second);
    CHECK(h.bug != cases::Bug());
    CHECK_NOTHROW(explain::equation(h.equation));
    CHECK(std::string_view(h.advice).size() > 0);
  }
  CHECK(names.size() >= 60);
}

TEST_CASE("each hypothesis has a source or none, and README.md counts them",
          "[conformance][diagnosis]") {
  std::size_t derived = 0, without = 0;  // or the same slip as one without
  for (const wrong::Mutation& h : wrong::mutations()) {
    CAPTURE(h.name);
    const wrong::Mutation* first = &h;
    for (int steps = 0; first->source.starts_with("of: "); ++steps) {
      REQUIRE(steps < 10);  // no circle
      first = &wrong::known(first->source.substr(4));
    }
    const bool is_met = !first->source.empty();
    if (is_met && first != &h) ++derived;
    if (!is_met) ++without;
  }
  const std::size_t all = wrong::mutations().size();
  const std::string readme =
      text::read_file(ROPEPROOF_SOURCE_DIR "/conformance/README.md");
  const auto says = [&](std::size_t count, const char* what) {
    return readme.find(" " + std::to_string(count) + what) != readme.npos;
  };
  CAPTURE(all, derived, without);
  CHECK(says(all, " bugs, each"));
  CHECK(says(all - derived - without, " with a source of their own"));
  CHECK(says(derived, " that are the same slip elsewhere"));
  CHECK(says(without, " that nobody has met"));
}

// What a hypothesis makes of the answers of a kernel with that very bug.
struct OnCases {
  int wrong = 0, allowed = 0, explained = 0;
};

void try_at(const wrong::Mutation& h, const Case& c, std::uint32_t operation,
            const Base& base, OnCases& seen) {
  const judge::Output output = answer(base, c, operation, h.change);
  if (is_empty(output)) return;
  const Trial trial = trial_of(base, c, operation, output);
  const Fit fit = trial.fit(h.change, h.rounds);
  if (fit.wrong == 0) return;
  ++seen.wrong;
  if (fit.allows()) ++seen.allowed;
  if (fit.explains_all()) ++seen.explained;
}

TEST_CASE("each hypothesis explains a kernel with that bug, f32 angle or exact",
          "[conformance][diagnosis]") {
  std::size_t unseen_in_bf16 = 0;
  for (const wrong::Mutation& h : wrong::mutations()) {
    if (is_of_weights(h) || h.name == kCrashing) continue;
    CAPTURE(h.name);
    OnCases seen;
    for (const Format dtype : {Format::kF32, Format::kBF16, Format::kF64}) {
      const std::vector<CaseAndOperation> places = revealing(h, dtype);
      if (places.empty() && dtype == Format::kBF16) ++unseen_in_bf16;
      for (const CaseAndOperation& place : places) {
        for (const std::uint32_t operation : kOperations) {
          try_at(h, *place.first, operation,
                 base_of(wrong::exact_pipeline(), ROPEPROOF_A0, dtype), seen);
          if (dtype == Format::kF64) continue;
          try_at(h, *place.first, operation,
                 base_of(wrong::f32_pipeline(), ROPEPROOF_A1, dtype), seen);
        }
      }
    }
    CAPTURE(seen.wrong, seen.allowed, seen.explained);
    CHECK(seen.wrong > 0);
    CHECK(seen.explained > 0);
    CHECK(4 * seen.allowed >= 3 * seen.wrong);
  }
  // What needs f64 tensors, a table in f16, more bits than bf16 has.
  CHECK(unseen_in_bf16 <= 20);
}

// One head of four or eight channels at these positions, in so many rows.
Case at_positions(Format dtype, double base, std::int64_t head_dim,
                  std::int64_t batch, const std::vector<double>& positions) {
  cases::Family family(cases::Tier::kCore, "at", "A head at some positions.");
  family.add(cases::make_problem(
                 dtype,
                 reference::leading(head_dim, head_dim,
                                    reference::Pairing::kHalfSplit),
                 base, batch, std::ssize(positions) / batch, 1, 0, positions),
             {}, "");
  cases::Group group = family.take();
  prove(reference::Oracle::kBinFloat, group);
  return group.rope_cases[0];
}

TEST_CASE("a rounding is no reason for what it does not move",
          "[conformance][diagnosis]") {
  // Batch row 1 begins at a small position; else angles of A1 say little.
  std::vector<double> positions;
  for (int i = 0; i < 48; ++i) positions.push_back(0x1p31 - 977 * i);
  positions[24] = 1;
  const Case c = at_positions(Format::kF32, 1e11, 8, 2, positions);
  const Base base =
      base_of(wrong::exact_pipeline(), ROPEPROOF_A1, Format::kF32);
  const Change shared = wrong::known("positions of batch row 0 for all").change;
  const Trial trial = trial_of(base, c, ROPEPROOF_ROPE,
                               answer(base, c, ROPEPROOF_ROPE, shared));
  CHECK(trial.fit(shared, false).explains_all());
  CHECK_FALSE(trial.fit(wrong::known("frequencies rounded to f32").change, true)
                  .explains_wrong());
}

TEST_CASE("what nobody wrote is no NaN that a bug computes",
          "[conformance][diagnosis]") {
  // In f16 position 2^17 is infinite, and its cosine a NaN.
  const Case c = at_positions(Format::kF16, 1e4, 4, 1, {1, 131072});
  const Change rounded = wrong::known("positions rounded to f16").change;
  const Change leaves = wrong::known("only the first token written").change;
  const Base base =
      base_of(wrong::exact_pipeline(), ROPEPROOF_A0, Format::kF16);
  const auto trial_with = [&](const Change& change) {
    return trial_of(base, c, ROPEPROOF_ROPE,
                    answer(base, c, ROPEPROOF_ROPE, change));
  };
  const Trial unwritten = trial_with(leaves);
  CHECK(unwritten.is_unwritten());
  CHECK(unwritten.fit(leaves, false).explains_wrong());
  CHECK_FALSE(unwritten.fit(rounded, false).explains_wrong());
  const Trial nan = trial_with(rounded);
  CHECK_FALSE(nan.is_unwritten());
  CHECK(nan.fit(rounded, false).explains_wrong());
}

TEST_CASE("each hypothesis of weights explains a kernel with that bug",
          "[conformance][diagnosis]") {
  constexpr std::uint64_t kSignallingNan = 0x7f800001;
  for (const wrong::Mutation& h : wrong::mutations()) {
    if (!is_of_weights(h)) continue;
    CAPTURE(h.name);
    OnCases seen;
    for (const cases::Group& group : cases::committed().groups) {
      for (cases::Case c : group.permute_cases) {
        if (h.bug == cases::Bug("value/special-mishandled")) {
          if (c.problem.dtype != Format::kF32) continue;
          std::ranges::fill(c.problem.q, kSignallingNan);
          std::ranges::fill(c.golden.q, kSignallingNan);
        }
        try_at(h, c, ROPEPROOF_PERMUTE,
               base_of(wrong::exact_pipeline(), ROPEPROOF_A0, c.problem.dtype),
               seen);
      }
    }
    CHECK(seen.wrong > 0);
    CHECK(seen.explained == seen.wrong);
  }
}

// Hypotheses that predict the same for every case: no output parts them.
using Groups = std::set<std::set<std::string>>;
Groups aliases(const std::set<std::uint32_t>& operations) {
  std::set<CaseAndOperation> places;
  for (const Case& c : tried()) {
    const bool is_long = std::ranges::any_of(
        c.problem.positions, [](double p) { return p > 0x1p32; });
    const bool has_shared_rows =
        c.problem.storage.rows == cases::RowSpacing::kShared;
    if (is_long || has_shared_rows) places.emplace(&c, ROPEPROOF_ROPE);
  }
  std::vector<const wrong::Mutation*> all;
  for (const wrong::Mutation& h : wrong::mutations()) {
    if (is_of_weights(h)) continue;
    all.push_back(&h);
    for (const Format dtype : {Format::kF32, Format::kBF16, Format::kF64}) {
      for (const CaseAndOperation& place : revealing(h, dtype))
        places.insert(place);
    }
  }
  std::vector<std::vector<std::size_t>> classes(all.size());
  for (const CaseAndOperation& place : places) {
    for (const std::uint32_t operation : operations) {
      const Predictions& predicted = predictions(*place.first, operation);
      std::vector<std::vector<double>> kinds = {predicted.due()};
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<double> is = predicted.of(*all[i]);
        const auto known = std::ranges::find_if(
            kinds, [&](const auto& kind) { return are_equal(kind, is); });
        classes[i].push_back(static_cast<std::size_t>(known - kinds.begin()));
        if (known == kinds.end()) kinds.push_back(std::move(is));
      }
    }
  }
  std::map<std::vector<std::size_t>, std::set<std::string>> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool changes_any =
        std::ranges::any_of(classes[i], [](std::size_t k) { return k != 0; });
    if (changes_any) groups[classes[i]].insert(all[i]->name);
  }
  Groups several;
  for (const auto& [key, names] : groups) {
    if (names.size() > 1) several.insert(names);
  }
  return several;
}

TEST_CASE("hypotheses that are the same kernel are known",
          "[conformance][diagnosis]") {
  // Of few rows, one lies beyond what an integer holds as soon as a stride
  // does.
  Groups known = {
      {"offsets cut to signed 16 bits", "offsets cut to unsigned 16 bits",
       "strides cut to 16 bits"},
      {"offsets cut to signed 32 bits", "offsets cut to unsigned 32 bits",
       "strides cut to 32 bits"}};
  CHECK(aliases({ROPEPROOF_ROPE, ROPEPROOF_LOOKUP, ROPEPROOF_ROTATE}) == known);
  known.insert({"direction reversed", "position negated"});
  CHECK(aliases({ROPEPROOF_ROPE}) == known);
}

TEST_CASE("each fact of an element has a kind", "[conformance][diagnosis]") {
  const Case& c = tried().back();
  const Base base =
      base_of(wrong::exact_pipeline(), ROPEPROOF_A0, c.problem.dtype);
  const Facts of_problem;
  Answer all = answer_of({std::shared_ptr<void>{}, &c}, ROPEPROOF_ROPE, {},
                         answer(base, c, ROPEPROOF_ROPE, nothing));
  all.facts = &of_problem;
  for (const bool is_alone : {false, true}) {
    Where where(is_alone);
    where.add(all, Trial(all, base.description),
              std::vector<Mark>(all.judged->marks.size(), Mark::kExplained));
    REQUIRE(!where.seen().struck.empty());
    for (const auto& [name, fact] : where.seen().struck.front().facts) {
      CAPTURE(name);
      CHECK(kind_of(name) != FactKind{});
    }
  }
  CHECK(kind_of("beta_fast") == FactKind{Owner::kProblem, Subject::kScaling});
}

TEST_CASE("what stands in place was written, whatever it is",
          "[conformance][diagnosis]") {
  const auto is_it = [](const Case& c) {
    return c.problem.dtype == Format::kF32 && c.problem.k_heads > 0 &&
           c.problem.storage.in_place == cases::InPlace::kQueries;
  };
  const auto c = std::ranges::find_if(tried(), is_it);
  REQUIRE(c != tried().end());
  const Base base =
      base_of(wrong::exact_pipeline(), ROPEPROOF_A0, Format::kF32);
  const judge::Output right = answer(base, *c, ROPEPROOF_ROPE, nothing);
  const auto is_unwritten = [&](cases::Bits judge::Output::*tensor) {
    judge::Output output = right;
    std::ranges::fill(output.*tensor, 0xffffffff);
    return trial_of(base, *c, ROPEPROOF_ROPE, output).is_unwritten();
  };
  CHECK_FALSE(is_unwritten(&judge::Output::q));
  CHECK(is_unwritten(&judge::Output::k));
  for (const Case& one : tried()) {
    if (one.problem.dtype != Format::kF32 || one.problem.q.empty()) continue;
    judge::Output output = answer(base, one, ROPEPROOF_ROPE, nothing);
    output.q[0] = 0x7fc00000;  // a NaN that no buffer held
    CHECK_FALSE(trial_of(base, one, ROPEPROOF_ROPE, output)
                    .fit(wrong::known("not written").change, false)
                    .explains_wrong());
  }
}

}  // namespace
}  // namespace ropeproof::conformance::explain
