#include "conformance/search/claim.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "conformance/call/call.h"
#include "conformance/check/filter.h"
#include "conformance/check/formed.h"
#include "conformance/check/offered.h"
#include "conformance/check/runner.h"
#include "conformance/cover/recipe.h"
#include "conformance/judge/judge.h"
#include "conformance/judge/tolerance.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/description_json.h"
#include "conformance/report/headline.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::search {
namespace {

constexpr std::uint32_t kWithTables = ROPEPROOF_TABLE | plugin::kGivenTable;

struct Result {
  const cases::Case* c;
  std::uint32_t operation;
  judge::Output output;
};

// Calls the kernel as a run of this selection does, but for the contract.
class Asker {
 public:
  Asker(plugin::Kernel& kernel, const cases::Corpus& corpus,
        const check::Selection& selection, FoundClaims& found)
      : kernel_(kernel),
        corpus_(corpus),
        recipes_(check::recipes_of(kernel, corpus, selection)),
        description_(check::asked_description(kernel, selection)),
        filter_(check::all_cases(corpus_, recipes_), selection),
        picker_(selection.shard),
        found_(found) {}

  // By dtype, of those of which more than small calls were asked. The cases
  // stay as long as this object.
  std::map<std::uint32_t, std::vector<Result>>& ask() {
    for (const cases::Group& group : corpus_.groups) {
      cases::for_each_case(group, [&](const auto& c) {
        const bool is_taken =
            takes(group.tier, c.id);  // others count in shards
        if constexpr (requires { c.problem; }) {
          if (is_taken) ask(c);
        }
      });
    }
    std::vector<const cover::Recipe*> taken;
    for (const cover::Recipe& c : recipes_) {
      if (takes(c.tier, c.id)) taken.push_back(&c);
    }
    check::FormedCases formed(taken, description_);
    while (formed_cases_.size() < taken.size()) {
      is_telling_ = taken[formed_cases_.size()]->source != kSmall;
      formed_cases_.push_back(formed.next());
      for (const cases::Case& c : *formed_cases_.back()) ask(c);
    }
    std::erase_if(results_,
                  [&](const auto& r) { return !told_.contains(r.first); });
    return results_;
  }

 private:
  // The small calls that smoke forms of a class. Alone, three of them hold to
  // claims that no larger position would.
  static constexpr cover::Source kSmall = cover::Source::kSingles;

  bool takes(cases::Tier tier, const std::string& id) {
    return filter_.takes(tier, id) && picker_.takes(id);
  }

  void ask(const cases::Case& c) {
    if (c.problem.task == cases::Task::kPermute || filter_.declines(c.id)) {
      return;
    }
    for (const std::uint32_t operation : check::offered_operations(
             kernel_.description(), c.problem, kernel_.shares_memory())) {
      if (filter_.takes(operation)) ask(c, operation);
    }
  }

  void ask(const cases::Case& c, std::uint32_t operation) {
    const judge::Claim claim =
        judge::claim_of(kernel_.description(), c.problem.dtype, operation);
    Result result{&c, operation, {}};
    const plugin::Answer answer =
        call::Call(kernel_, operation, c, claim.table).run(result.output);
    if (answer.outcome == plugin::Outcome::kDeclined) return;
    if (answer.outcome == plugin::Outcome::kOk && result.output.stray.empty()) {
      const std::uint32_t dtype = plugin::abi_dtype(c.problem.dtype);
      if (is_telling_) told_.insert(dtype);
      results_[dtype].push_back(std::move(result));
      return;
    }
    if (++found_.spoiled > 1) return;
    found_.first_spoiled = c.id + " " +
                           text::word(plugin::kOperationWords, operation) +
                           ": " + answer.detail + result.output.stray;
  }

  plugin::Kernel& kernel_;
  const cases::Corpus& corpus_;
  const std::vector<cover::Recipe> recipes_;
  const plugin::Description description_;
  const check::Filter filter_;
  check::ShardPicker picker_;
  FoundClaims& found_;
  bool is_telling_ = true;        // of the case that is asked
  std::set<std::uint32_t> told_;  // dtypes of which a telling call was asked
  std::vector<check::FormedList> formed_cases_;
  std::map<std::uint32_t, std::vector<Result>> results_;
};

// The largest error that a claim allows, relative to the length of a pair, up
// to a position: of the 64 pairs of a head of 128 channels with base 10000, and
// of the result itself.
double allowed_error(const ropeproof_claim& claim, std::uint32_t dtype,
                     double position) {
  namespace bound = reference::bound;
  constexpr std::int64_t kChannels = 128;
  constexpr double kRatio = 0x1.bb5fad00ab22cp-1;  // 10000^(-2/128)
  const judge::Claim c = judge::claim_of(claim, 0, plugin::format_of(dtype));
  const bound::LocalError local = output_error(c, false, false);
  double worst = 0, frequency = 1;
  for (std::int64_t j = 0; j < kChannels / 2; ++j, frequency *= kRatio) {
    const bound::PairAngle pair{j, kChannels, frequency, position};
    worst = std::max(worst, local.with_angle(angle_error(c, pair)));
  }
  return worst + local.result;
}

using report::precision_of;

// The types that a kernel may claim to hold cos and sin in, the finest first;
// 0 is the tensors' own.
std::vector<std::uint32_t> claimable_tables(const plugin::Description& kernel,
                                            std::uint32_t dtype,
                                            bool has_coarse) {
  if ((kernel.operations & kWithTables) != 0) {
    return {kernel.claim(dtype).table_dtype};
  }
  std::vector<std::uint32_t> tables;
  const bool is_16_bit = (dtype & plugin::k16BitDtypes) != 0;
  if (is_16_bit) tables.push_back(ROPEPROOF_F32);
  for (const std::uint32_t table :
       {0u, std::uint32_t{ROPEPROOF_F32}, std::uint32_t{ROPEPROOF_F16},
        std::uint32_t{ROPEPROOF_BF16}}) {
    if (table == dtype || (is_16_bit && table == ROPEPROOF_F32)) continue;
    if (table == 0 || has_coarse ||
        precision_of(table) >= precision_of(dtype)) {
      tables.push_back(table);
    }
  }
  return tables;
}

// What a kernel may claim, by the error that it allows up to a position, from
// strict to loose; where that is about equal the better angles first. Unless
// `has_coarse`, angles are as good as f32, and cos and sin are held in no
// narrower type than the tensors' or f32.
std::vector<ropeproof_claim> candidates(const plugin::Description& kernel,
                                        std::uint32_t dtype, double position,
                                        bool has_coarse) {
  struct Angle {
    std::uint32_t angle_class, dtype, power;
  };
  std::vector<Angle> angles = {{ROPEPROOF_A0, 0, ROPEPROOF_POW},
                               {ROPEPROOF_A1, ROPEPROOF_F64, ROPEPROOF_POW},
                               {ROPEPROOF_A1, 0, ROPEPROOF_POW},
                               {ROPEPROOF_A1, 0, ROPEPROOF_EXP2},
                               {ROPEPROOF_A2, 0, ROPEPROOF_POW}};
  if (has_coarse) {
    angles.push_back({ROPEPROOF_A3, ROPEPROOF_F16, ROPEPROOF_POW});
    angles.push_back({ROPEPROOF_A3, ROPEPROOF_BF16, ROPEPROOF_POW});
  }
  const std::vector<std::uint32_t> tables =
      claimable_tables(kernel, dtype, has_coarse);
  std::vector<std::uint32_t> roundings = {ROPEPROOF_ROUND_ONCE};
  if ((dtype & plugin::k16BitDtypes) != 0) {
    roundings.push_back(ROPEPROOF_TRUNCATE);
    roundings.push_back(ROPEPROOF_ROUND_EACH);
  }
  // By steps of a factor of 2^(1/2): what is closer decides nothing.
  const auto step_of = [&](const ropeproof_claim& claim) {
    return std::ceil(2 * std::log2(allowed_error(claim, dtype, position)));
  };
  std::vector<std::pair<double, ropeproof_claim>> claims;
  for (const Angle& angle : angles) {
    for (const std::uint32_t table : tables) {
      for (const std::uint32_t rounding : roundings) {
        for (std::uint32_t ulp = 1; ulp <= plugin::kMaxUlp; ++ulp) {
          const std::uint32_t power_ulp =
              angle.angle_class == ROPEPROOF_A0 ? 1 : ulp;
          const ropeproof_claim claim{0,           angle.angle_class,
                                      angle.dtype, angle.power,
                                      power_ulp,   ulp,
                                      table,       rounding};
          claims.emplace_back(step_of(claim), claim);
        }
      }
    }
  }
  std::ranges::stable_sort(claims, {}, [](const auto& c) { return c.first; });
  const auto sorted = claims | std::views::values;
  return {sorted.begin(), sorted.end()};
}

judge::Measurement measured(const plugin::Description& kernel,
                            const ropeproof_claim& claim, const Result& r) {
  const cases::Problem& p = r.c->problem;
  return judge::judge(
      p, r.c->golden, r.operation,
      judge::claim_of(claim, kernel.features, p.dtype, r.operation), r.output);
}

// The largest error over its bound, above 1 where the claim does not hold.
double worst_ratio(const plugin::Description& kernel,
                   const ropeproof_claim& claim,
                   const std::vector<Result>& results) {
  double worst = 0;
  for (const Result& r : results) {
    const judge::Measurement m = measured(kernel, claim, r);
    if (!m.pass()) return std::numeric_limits<double>::infinity();
    if (m.worst) worst = std::max(worst, m.worst->ratio());
  }
  return worst;
}

std::optional<ropeproof_claim> strictest(const plugin::Description& kernel,
                                         std::uint32_t dtype, bool has_coarse,
                                         std::vector<Result>& results) {
  // Beyond the context of most models the bounds of f32 angles soon accept any
  // rotation, and all claims would be alike.
  constexpr double kFarthest = 131071;
  double position = 0;
  for (const Result& r : results) {
    for (const double p : r.c->problem.positions) {
      position = std::max(position, std::min(std::abs(p), kFarthest));
    }
  }
  for (const ropeproof_claim& claim :
       candidates(kernel, dtype, position, has_coarse)) {
    const auto fails = std::ranges::find_if(results, [&](const Result& r) {
      return !measured(kernel, claim, r).pass();
    });
    if (fails != results.end()) {
      // The result that fails this claim is the likeliest to fail the next one.
      std::rotate(results.begin(), fails, fails + 1);
      continue;
    }
    // Neither of these roundings is stricter everywhere: the one that leaves
    // less.
    ropeproof_claim each = claim;
    each.rounding = ROPEPROOF_ROUND_EACH;
    if (claim.rounding != ROPEPROOF_TRUNCATE) return claim;
    const double ratio = worst_ratio(kernel, each, results);
    const bool is_tighter =
        ratio <= 1 && ratio > worst_ratio(kernel, claim, results);
    return is_tighter ? each : claim;
  }
  return std::nullopt;
}

std::string c_constant(const std::string& word) {
  if (word == "each") return "ROPEPROOF_ROUND_EACH";
  std::string constant = "ROPEPROOF_";
  for (const char letter : word) {
    constant += letter >= 'a' && letter <= 'z'
                    ? static_cast<char>(letter - 'a' + 'A')
                    : letter;
  }
  return constant;
}

std::vector<std::string> dtypes_of(std::uint32_t bits) {
  return text::words_of(plugin::kDtypeWords, bits);
}

std::string in_c(const ropeproof_claim& claim, std::size_t number) {
  std::string text =
      "  d->claims[" + std::to_string(number) + "] = (ropeproof_claim){";
  text += ".dtypes = " + text::joined(dtypes_of(claim.dtypes) |
                                          std::views::transform(c_constant),
                                      " | ");
  const plugin::Json members = plugin::claim_members(claim);
  for (const auto& [name, value] : members.items()) {
    text += ", ." + name + " = " +
            (value.is_number() ? value.dump() : c_constant(value));
  }
  return text + "};\n";
}

std::string in_python(const ropeproof_claim& claim) {
  const auto quoted = [](const std::string& word) {
    return "\"" + word + "\"";
  };
  std::string text =
      "dict(dtypes=[" +
      text::joined(dtypes_of(claim.dtypes) | std::views::transform(quoted),
                   ", ") +
      "]";
  const plugin::Json members = plugin::claim_members(claim);
  for (const auto& [name, value] : members.items()) {
    text += ", " + name + "=" + value.dump();
  }
  return text + ")";
}

}  // namespace

FoundClaims find_claims(plugin::Kernel& kernel, const cases::Corpus& corpus,
                        const check::Selection& selection, bool has_coarse) {
  const plugin::Description& description = kernel.description();
  FoundClaims found;
  Asker asker(kernel, corpus, selection, found);
  auto& results = asker.ask();
  for (const auto& [dtype, word] : plugin::kDtypeWords) {
    if ((description.dtypes & dtype) == 0) continue;
    found.calls += std::ssize(results[dtype]);
    if (results[dtype].empty()) {
      found.unasked |= dtype;
      continue;
    }
    const auto claim =
        strictest(description, dtype, has_coarse, results[dtype]);
    if (!claim) {
      found.none |= dtype;
      continue;
    }
    const auto same = std::ranges::find(
        found.claims, plugin::claim_members(*claim), plugin::claim_members);
    if (same == found.claims.end()) {
      found.claims.push_back(*claim);
      found.claims.back().dtypes = dtype;
    } else {
      same->dtypes |= dtype;
    }
  }
  return found;
}

std::string claims_json(const FoundClaims& found) {
  plugin::Json json;
  json["claims"] = plugin::Json::array();
  for (const ropeproof_claim& claim : found.claims) {
    json["claims"].push_back(plugin::claim_json(claim));
  }
  json["none"] = dtypes_of(found.none);
  json["unasked"] = dtypes_of(found.unasked);
  json["calls"] = found.calls;
  json["spoiled"] = found.spoiled;
  json["first_spoiled"] = found.first_spoiled;
  return json.dump(1, ' ', false, plugin::Json::error_handler_t::replace) +
         "\n";
}

std::string claims_text(const FoundClaims& found) {
  std::string text = "the strictest claims that hold, of " +
                     std::to_string(found.calls) + " calls:\n";
  for (const auto& [dtypes, what] :
       {std::pair{found.none, "no claim holds for "},
        std::pair{found.unasked, "nothing was judged in "}}) {
    if (dtypes != 0)
      text += "  " + (what + text::joined(dtypes_of(dtypes), ", ")) + "\n";
  }
  if (found.spoiled > 0) {
    text += "  " + std::to_string(found.spoiled) +
            " calls left nothing to judge; the first: " + found.first_spoiled +
            "\n";
  }
  if (found.claims.empty()) return text;
  text += "\nC:\n";
  for (std::size_t i = 0; i < found.claims.size(); ++i) {
    text += in_c(found.claims[i], i);
  }
  text += "\nPython:\n  claims=[";
  for (std::size_t i = 0; i < found.claims.size(); ++i) {
    text += (i == 0 ? "" : ",\n          ") + in_python(found.claims[i]);
  }
  return text + "]\n";
}

}  // namespace ropeproof::conformance::search
