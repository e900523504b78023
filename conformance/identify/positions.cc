#include "conformance/identify/positions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "conformance/explain/rotations.h"
#include "conformance/identify/frequency_words.h"
#include "conformance/plugin/problem.h"
#include "conformance/text/format.h"
#include "conformance/wrong/mutation.h"
#include "reference/rope.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;

struct Used {
  double given = 0;
  std::optional<double> by;  // none: its rotations are no position's
  std::int64_t batch = 0, token = 0, head = 0;
};

// The position that all pairs agree on.
std::optional<double> solved(const std::vector<explain::Multiple>& multiples,
                             double given, Format format) {
  const double limit = std::max(4 * std::abs(given), 0x1p17);
  const auto found =
      explain::solve(multiples, limit, explain::rotation_noise(format), given);
  constexpr double kWithin = 0.25;
  if (!found || found->error > kWithin) return std::nullopt;
  const double whole = std::round(found->x);
  if (std::abs(found->x - whole) > std::max(2 * found->error, 1e-3)) {
    return found->x;
  }
  return whole;
}

struct Rule {
  std::string words;
  std::function<double(const Used&)> by;
};

// The first that says all of them.
std::optional<std::string> rule_of(const std::vector<Rule>& rules,
                                   const std::vector<Used>& all) {
  for (const Rule& rule : rules) {
    if (std::ranges::all_of(all, [&](const Used& used) {
          return used.by && *used.by == rule.by(used);
        })) {
      return rule.words;
    }
  }
  return std::nullopt;
}

// What positions are that known bugs take in a problem, by their names.
class KnownBugs {
 public:
  // The problem outlives it; each token's position is on one axis.
  explicit KnownBugs(const cases::Problem& asked)
      : problem_(plugin::problem_of(ROPEPROOF_ROPE, asked.spec, asked.dtype,
                                    asked.batch, asked.seq)) {
    for (const double p : asked.positions) {
      positions_.push_back(static_cast<std::int64_t>(p));
    }
    problem_.positions = positions_.data();
    problem_.position_axes = 1;
    problem_.position_batch_stride = asked.seq;
    problem_.position_axis_stride = asked.tokens();
    problem_.q.heads = asked.q_heads;
  }

  std::vector<Rule> rules() const {
    std::vector<Rule> rules;
    for (const wrong::Mutation& bug : wrong::mutations()) {
      wrong::Pipeline pipeline = wrong::exact_pipeline();
      bug.change(pipeline);
      rules.push_back({bug.name, [this, pipeline](const Used& used) {
                         return position(pipeline, used);
                       }});
    }
    return rules;
  }

 private:
  double position(const wrong::Pipeline& pipeline, const Used& used) const {
    ropeproof_problem p = problem_;
    const auto given = static_cast<std::int64_t>(used.given);
    if (positions_.size() == 1)
      p.positions = &given;  // each in a call of its own
    wrong::HeadIndex at{used.batch, used.token, used.head};
    if (pipeline.taken_for) at = pipeline.taken_for(p, at);
    return pipeline.position(p, at, 0);
  }

  ropeproof_problem problem_;
  std::vector<std::int64_t> positions_;
};

// What was measured, as a rule; then the known bugs.
std::vector<Rule> rules_for(const std::vector<Used>& all,
                            const KnownBugs& known) {
  const double first = all.front().by.value_or(0) - all.front().given;
  const std::string shift = number_words(std::abs(first));
  std::vector<Rule> rules = {
      {"position always " + number_words(all.front().by.value_or(0)),
       [=, x = all.front().by.value_or(0)](const Used&) { return x; }},
      {std::string("position ") + (first < 0 ? "- " : "+ ") + shift,
       [=](const Used& u) { return u.given + first; }},
      {"rows but the first not rotated",
       [](const Used& u) { return u.batch == 0 ? u.given : 0; }},
      {"heads but the first not rotated",
       [](const Used& u) { return u.head == 0 ? u.given : 0; }}};
  std::ranges::move(known.rules(), std::back_inserter(rules));
  // Tables that end: clamped, or begun again.
  double most = 0, beyond = 0;
  for (const Used& u : all) most = std::max(most, u.by.value_or(0));
  for (const Used& u : all) {
    if (u.by && *u.by < u.given && (beyond == 0 || u.given < beyond)) {
      beyond = u.given;
    }
  }
  rules.push_back({"clamped at " + number_words(most),
                   [=](const Used& u) { return std::min(u.given, most); }});
  for (const Used& u : all) {
    if (!u.by || *u.by >= u.given || u.given != beyond) continue;
    const double period = u.given - *u.by;
    rules.push_back(
        {"positions modulo " + number_words(period),
         [=](const Used& x) { return std::fmod(x.given, period); }});
  }
  return rules;
}

std::string examples_of(const std::vector<Used>& all) {
  std::string text;
  int shown = 0;
  for (const Used& u : all) {
    if (u.by == u.given || shown == 4) continue;
    text += (shown++ > 0 ? ", " : "") + number_words(u.given) + " -> " +
            (u.by ? number_words(*u.by) : "no position");
  }
  return text;
}

Finding finding_of(const char* subject, const std::vector<Used>& all,
                   const std::vector<Rule>& rules, const std::string& what) {
  const auto as_given =
      std::ranges::count_if(all, [](const Used& u) { return u.by == u.given; });
  const std::string evidence = text::part_of(as_given, all.size()) + " " + what;
  if (as_given == static_cast<std::int64_t>(all.size())) {
    return {Standing::kDeclared, subject, "as given", evidence};
  }
  const auto rule = rule_of(rules, all);
  if (rule) {
    return {Standing::kDiffers, subject, *rule,
            text::part_of(all.size(), all.size()) + " " + what + ": " +
                examples_of(all)};
  }
  const auto lost =
      std::ranges::count_if(all, [](const Used& u) { return !u.by; });
  // Rough angles: some are taken for other positions.
  if (lost + as_given == std::ssize(all) || 4 * lost >= std::ssize(all)) {
    return {Standing::kMeasured, subject,
            "rotations of " + std::to_string(lost) +
                " are no position's: angles are rough, or of another kind",
            evidence + " as given"};
  }
  return {Standing::kDiffers, subject,
          "by no rule known here: " + examples_of(all), evidence + " as given"};
}

std::vector<explain::Multiple> multiples_of(const Speeds& speeds) {
  std::vector<explain::Multiple> all;
  for (const PairFrequency& pair : speeds.pairs)
    all.push_back({pair.measured, 0});
  return all;
}

}  // namespace

Finding read_positions(RotationReader& reader, const Speeds& speeds,
                       double max_position) {
  std::vector<Used> all;
  std::vector<explain::Multiple> multiples = multiples_of(speeds);
  double furthest = 0;
  for (const double given :
       {0.0,     1.0,     2.0,     5.0,     16.0,    100.0,   257.0,
        513.0,   1023.0,  1025.0,  2047.0,  2049.0,  4095.0,  4096.0,
        4097.0,  5001.0,  8191.0,  8193.0,  16383.0, 16385.0, 32767.0,
        32769.0, 65535.0, 65537.0, 131071.0}) {
    if (given > max_position) break;
    const auto rotations = reader.at(given);
    if (!rotations) continue;
    for (std::size_t i = 0; i < multiples.size(); ++i) {
      const auto j = static_cast<std::size_t>(speeds.pairs[i].pair);
      multiples[i].angle = angle_of((*rotations)[j]);
    }
    all.push_back({given, solved(multiples, given, speeds.format)});
    furthest = given;
  }
  if (all.empty()) {
    return {Standing::kUnseen, "positions", "no call was answered", ""};
  }
  const KnownBugs known(reader.problem().problem);
  return finding_of("positions", all, rules_for(all, known),
                    "positions, 0 to " + number_words(furthest));
}

Finding read_rows(Prober& prober, cases::Case c, const ChannelMap& map,
                  const Speeds& speeds, double max_position) {
  const std::vector<double> wanted = {3, 0, 17, 259, 5, 9, 2, 1, 101, 31};
  const std::int64_t seq = c.problem.seq;
  c.problem.positions.clear();
  for (std::int64_t i = 0; i < c.problem.tokens(); ++i) {
    c.problem.positions.push_back(std::min(
        reference::at(wanted, i % static_cast<std::int64_t>(wanted.size())),
        max_position));
  }
  const char* const subject = "rows and heads";
  if (!prober.takes(ROPEPROOF_ROPE, c)) {
    return {Standing::kUnseen, subject, "the kernel takes one row alone", ""};
  }
  const auto in_order = pairs_in_order(map, c.problem.spec);
  std::vector<SeenPair> pairs;
  std::vector<explain::Multiple> multiples;
  for (const PairFrequency& pair : speeds.pairs) {
    const auto& seen = reference::at(in_order, pair.pair);
    if (!seen) continue;
    pairs.push_back(*seen);
    multiples.push_back({pair.measured, 0});
  }
  if (pairs.empty()) {
    return {Standing::kUnseen, subject, "no pair rotates", ""};
  }
  form(c, [&](std::int64_t, std::int64_t, std::int64_t t) {
    return std::ranges::any_of(pairs,
                               [=](const SeenPair& p) { return p.u == t; })
               ? 1.0
               : 0.0;
  });
  const auto output = prober.ask(ROPEPROOF_ROPE, c);
  if (!output) return {Standing::kUnseen, subject, "the call failed", ""};
  std::vector<Used> all;
  for (std::int64_t row = 0; row < c.problem.tokens() * c.problem.q_heads;
       ++row) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto value = [&](std::int64_t channel) {
        return decode(
            c.problem.dtype,
            reference::at(output->q,
                          row * c.problem.spec.layout.head_dim + channel));
      };
      multiples[i].angle =
          std::atan2(value(pairs[i].to_v), value(pairs[i].to_u));
    }
    const std::int64_t token = row / c.problem.q_heads;
    const double given = c.problem.position(0, token);
    all.push_back({given, solved(multiples, given, speeds.format), token / seq,
                   token % seq, row % c.problem.q_heads});
  }
  const KnownBugs known(c.problem);
  return finding_of(subject, all, rules_for(all, known),
                    "heads of " + std::to_string(c.problem.batch) + " rows x " +
                        std::to_string(seq) + " tokens x " +
                        std::to_string(c.problem.q_heads));
}

}  // namespace ropeproof::conformance::identify
