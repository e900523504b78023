#include "conformance/models/scalings.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <variant>

#include "conformance/text/word_tables.h"
#include "reference/golden.h"
#include "reference/refuse.h"

namespace ropeproof::conformance::models {
namespace {

using reference::shortest;

constexpr const char* kOriginal = "original_max_position_embeddings";
constexpr const char* kMax = "max_position_embeddings";
// Keys that every dictionary may have, and those of its type. "finetuned" tells
// of the training.
void allow(const ConfigObject& rope, const std::string& type,
           std::vector<std::string_view> keys) {
  keys.insert(keys.end(),
              {"rope_type", "type", "rope_theta", "partial_rotary_factor",
               "mrope_section", "xdrope_section", "mrope_interleaved",
               "interleaved", "finetuned"});
  rope.allow_only(keys, "a scaling of type " + type);
}

// Absent, it is max_position_embeddings; not so for llama3, which would divide
// by bands of a length that the model was not trained at.
std::int64_t original_length(const ConfigObject& rope,
                             const ScalingContext& context, bool or_longest) {
  const auto given =
      agreed(rope, context.model, kOriginal,
             rope.integer(kOriginal, 1, reference::kMaxPosition),
             context.model.integer(kOriginal, 1, reference::kMaxPosition));
  if (given) return *given;
  if (!or_longest) rope.missing(kOriginal, "an integer >= 1");
  if (context.max_position() > 0) return context.max_position();
  rope.missing(kOriginal,
               "an integer >= 1, here or as " + context.model.path(kMax));
}

}  // namespace

std::int64_t ScalingContext::max_position() const {
  return model.integer(kMax, 1, reference::kMaxPosition).value_or(0);
}

namespace {

// How many times longer than its original context a model may run.
double stretch(const ScalingContext& context, std::int64_t original_length) {
  return static_cast<double>(context.max_position()) /
         static_cast<double>(original_length);
}

// Python's `value or fallback`: 0 and absent are the same.
double number_or(const std::optional<double>& value, double fallback) {
  return value && *value != 0 ? *value : fallback;
}

// The functions below read a type, as RopeType::read does.
reference::Scaling& scaling_in(ModelRope& result) {
  return result.spec.frequencies.scaling;
}

void none(const ConfigObject& rope, const ScalingContext&, ModelRope&) {
  allow(rope, "default", {});
}

void linear(const ConfigObject& rope, const ScalingContext&,
            ModelRope& result) {
  allow(rope, "linear", {"factor"});
  scaling_in(result) =
      reference::Linear{rope.need_number("factor", kAtLeastOne)};
}

void proportional(const ConfigObject& rope, const ScalingContext&,
                  ModelRope& result) {
  allow(rope, "proportional", {"factor"});
  const auto factor = rope.number("factor", kAtLeastOne);
  if (factor && *factor != 1) scaling_in(result) = reference::Linear{*factor};
}

// Hunyuan's alpha, which its configurations keep beside keys that its code does
// not read, is static NTK.
std::optional<reference::Ntk> hunyuan_alpha(const ConfigObject& rope) {
  const double alpha = number_or(rope.number("alpha", kNotNegative), 0);
  if (alpha == 0) return {};
  if (alpha < 1) rope.refuse("alpha", kAtLeastOne.text);
  return reference::Ntk{alpha};
}

void xdrope(const ConfigObject& rope, const ScalingContext&,
            ModelRope& result) {
  allow(rope, "xdrope",
        {"alpha", "factor", "beta_fast", "beta_slow", "mscale",
         "mscale_all_dim"});
  if (const auto alpha = hunyuan_alpha(rope)) scaling_in(result) = *alpha;
}

void dynamic(const ConfigObject& rope, const ScalingContext& context,
             ModelRope& result) {
  allow(rope, "dynamic",
        {"factor", "alpha", kOriginal, "beta_fast", "beta_slow", "mscale",
         "mscale_all_dim"});
  if (const auto alpha = hunyuan_alpha(rope)) {
    scaling_in(result) = *alpha;
    return;
  }
  const double factor = rope.need_number("factor", kAtLeastOne);
  const std::int64_t max_position =
      context.model.need_integer(kMax, 1, reference::kMaxPosition);
  const std::int64_t seq_len =
      context.seq_len > 0 ? context.seq_len : max_position;
  scaling_in(result) = reference::DynamicNtk{factor, max_position, seq_len};
}

// g(top) / g(bottom) of (R11), for one of them 0, rounded once. The reference
// takes positive ones; the smallest changes no result but an exact tie, and
// logarithms have none.
double mscale_ratio(double factor, double top, double bottom) {
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  reference::Yarn yarn;
  yarn.factor = factor;
  yarn.original_length = 4096;
  yarn.mscale = std::max(top, kLeast);
  yarn.mscale_all_dim = std::max(bottom, kLeast);
  reference::Spec spec{reference::leading(64, 64, {}), {}};
  spec.frequencies.scaling = yarn;
  return golden_resolution(reference::Oracle::kBinFloat, spec).amplitude;
}

void read_mscale(const ConfigObject& rope, const ScalingContext& context,
                 reference::Yarn& yarn, ModelRope& result) {
  const auto mscale = rope.number("mscale", kNotNegative);
  const auto all_dim = rope.number("mscale_all_dim", kNotNegative);
  const double top = mscale.value_or(context.is_deepseek ? 1 : 0);
  const double bottom = all_dim.value_or(0);
  const bool has_both = mscale && *mscale != 0 && bottom != 0;
  if (has_both) {
    yarn.mscale = *mscale;
    yarn.mscale_all_dim = bottom;
  } else if (context.is_deepseek && !yarn.attention_factor &&
             mscale_ratio(yarn.factor, top, bottom) !=
                 mscale_ratio(yarn.factor, 1, 0)) {
    rope.missing(mscale ? "mscale_all_dim" : "mscale",
                 "both, or attention_factor: DeepSeek's code and transformers "
                 "read one alone in two ways");
  }
  if (context.is_deepseek && bottom != 0) {
    const double g = mscale_ratio(yarn.factor, bottom, 0);
    result.score_scale = g * g;
  }
}

void yarn(const ConfigObject& rope, const ScalingContext& context,
          ModelRope& result) {
  allow(rope, "yarn",
        {"factor", kOriginal, "attention_factor", "beta_fast", "beta_slow",
         "mscale", "mscale_all_dim", "truncate", "llama_4_scaling_beta", kMax});
  reference::Yarn yarn;
  yarn.original_length = original_length(rope, context, true);
  if (const auto factor = rope.number("factor", kAtLeastOne)) {
    yarn.factor = *factor;
  } else if (stretch(context, yarn.original_length) >= 1) {
    yarn.factor = stretch(context, yarn.original_length);
  } else {
    rope.missing("factor", kAtLeastOne.text);
  }
  yarn.beta_fast =
      number_or(rope.number("beta_fast", kNotNegative), yarn.beta_fast);
  yarn.beta_slow =
      number_or(rope.number("beta_slow", kNotNegative), yarn.beta_slow);
  if (yarn.beta_fast < yarn.beta_slow) {
    rope.fail(rope.path("beta_fast") + " is " + shortest(yarn.beta_fast) +
              "; expected at least beta_slow, " + shortest(yarn.beta_slow));
  }
  // A null is false where transformers looks: in the dictionary of all layers.
  const auto has_it = [&](const char* key) {
    const auto* all = context.model.find_own(key);
    return all != nullptr && all->contains("truncate");
  };
  const bool is_null = has_it("rope_parameters") || has_it("rope_scaling");
  yarn.truncate = rope.boolean("truncate").value_or(yarn.truncate && !is_null);
  yarn.attention_factor = rope.number("attention_factor", kPositive);
  read_mscale(rope, context, yarn, result);
  result.query_beta =
      rope.number("llama_4_scaling_beta", kNotNegative).value_or(0);
  scaling_in(result) = yarn;
}

std::vector<double> factor_list(const ConfigObject& rope,
                                const std::string& key,
                                const ScalingContext& context,
                                ModelRope& result) {
  if (auto list = rope.positive_list(key, context.pairs)) return *list;
  if (!context.allow_missing_lists) {
    rope.missing(key, "a list of " + std::to_string(context.pairs) +
                          " finite numbers > 0");
  }
  result.has_frequencies = false;
  return std::vector<double>(static_cast<std::size_t>(context.pairs), 1.0);
}

// Phi-3-small has an amplitude for each of the two lists.
void read_list_amplitudes(const ConfigObject& rope,
                          reference::LongRope& scaling) {
  const auto of_short = rope.number("short_mscale", kPositive);
  const auto of_long = rope.number("long_mscale", kPositive);
  if (!of_short && !of_long) return;
  if (!of_short) rope.missing("short_mscale", "a number, as long_mscale has");
  if (!of_long) rope.missing("long_mscale", "a number, as short_mscale has");
  if (scaling.attention_factor) {
    rope.refuse("attention_factor", "none beside short_mscale, long_mscale");
  }
  scaling.attention_factor =
      scaling.seq_len > scaling.original_length ? of_long : of_short;
}

void long_rope(const ConfigObject& rope, const ScalingContext& context,
               ModelRope& result) {
  allow(rope, "longrope",
        {"short_factor", "long_factor", "factor", "attention_factor",
         "short_mscale", "long_mscale", kOriginal});
  reference::LongRope scaling;
  scaling.short_factor = factor_list(rope, "short_factor", context, result);
  scaling.long_factor = factor_list(rope, "long_factor", context, result);
  scaling.original_length = original_length(rope, context, true);
  scaling.seq_len =
      context.seq_len > 0 ? context.seq_len : context.max_position();
  if (scaling.seq_len == 0) {
    context.model.missing(kMax, "an integer >= 1, or a length to show");
  }
  scaling.attention_factor = rope.number("attention_factor", kPositive);
  const auto factor = rope.number("factor", kAtLeastOne);
  const double implied = stretch(context, scaling.original_length);
  // A model no longer than its original context has the amplitude 1.
  scaling.factor = std::max(1.0, factor.value_or(implied));
  read_list_amplitudes(rope, scaling);
  scaling_in(result) = std::move(scaling);
}

void llama3(const ConfigObject& rope, const ScalingContext& context,
            ModelRope& result) {
  allow(rope, "llama3",
        {"factor", "low_freq_factor", "high_freq_factor", kOriginal});
  reference::Llama3 scaling;
  scaling.factor = rope.need_number("factor", kAtLeastOne);
  scaling.low_freq_factor = rope.need_number("low_freq_factor", kPositive);
  scaling.high_freq_factor = rope.need_number("high_freq_factor", kPositive);
  if (scaling.high_freq_factor < scaling.low_freq_factor) {
    rope.refuse("high_freq_factor", "at least low_freq_factor, " +
                                        shortest(scaling.low_freq_factor));
  }
  scaling.original_length = original_length(rope, context, false);
  scaling_in(result) = scaling;
}

constexpr RopeType kTypes[] = {
    {"default", none},
    {"linear", linear},
    {"dynamic", dynamic},
    {"yarn", yarn},
    {"longrope", long_rope},
    {"su", long_rope},
    {"llama3", llama3},
    {.name = "proportional", .read = proportional, .is_proportional = true},
    {.name = "axial", .read = none, .is_axial = true},
    {"mrope", none},
    {.name = "xdrope", .read = xdrope, .is_xdrope = true}};

std::string count_of(const std::vector<reference::Band>& bands,
                     reference::Band band) {
  return std::to_string(std::ranges::count(bands, band));
}

// In the order of the variant.
constexpr std::string_view kScalingNames[] = {
    "default", "linear",   "ntk",    "dynamic",
    "yarn",    "longrope", "llama3", "frequency_factors"};
static_assert(std::size(kScalingNames) ==
              std::variant_size_v<reference::Scaling>);

struct Facts {
  const ModelRope& rope;
  const Figures& figures;
  std::vector<std::string> lines{};

  void add(const std::string& line) { lines.push_back(line); }

  void operator()(const reference::Default&) { add("none"); }
  void operator()(const reference::Linear& s) {
    add("factor " + shortest(s.factor) + " divides every frequency");
  }
  void operator()(const reference::Ntk& s) {
    add("alpha " + shortest(s.alpha) + ", base * alpha^(r/(r-2))");
  }
  void operator()(const reference::DynamicNtk& s) {
    add("factor " + shortest(s.factor) + ", max_position_embeddings " +
        std::to_string(s.max_position));
    add(s.seq_len > s.max_position
            ? "base of a sequence of length " + std::to_string(s.seq_len)
            : "unscaled: length " + std::to_string(s.seq_len) +
                  " is not longer");
  }
  void operator()(const reference::Yarn& s) {
    add("factor " + shortest(s.factor) + ", original length " +
        std::to_string(s.original_length) + ", beta " + shortest(s.beta_fast) +
        " .. " + shortest(s.beta_slow) + (s.truncate ? "" : ", not truncated"));
    std::vector<std::string> ranges;
    for (const auto& ramp : figures.resolution.ramps) {
      const std::string range =
          "[" + shortest(ramp.low) + ", " + shortest(ramp.high) + "]";
      if (std::ranges::find(ranges, range) == ranges.end()) {
        ranges.push_back(range);
      }
    }
    for (const std::string& range : ranges) {
      add("range " + range + ": kept up to its start, divided by " +
          shortest(s.factor) + " from its end");
    }
  }
  void operator()(const reference::LongRope& s) {
    add("original length " + std::to_string(s.original_length) +
        (s.attention_factor ? "" : ", factor " + shortest(s.factor)));
    add((s.seq_len > s.original_length ? "long_factor" : "short_factor") +
        std::string(" at length ") + std::to_string(s.seq_len));
  }
  void operator()(const reference::Llama3& s) {
    const auto& bands = figures.resolution.bands;
    add("factor " + shortest(s.factor) + ", full circles " +
        shortest(s.low_freq_factor) + " .. " + shortest(s.high_freq_factor) +
        ", original length " + std::to_string(s.original_length));
    add("pairs kept " + count_of(bands, reference::Band::kKeep) + ", blended " +
        count_of(bands, reference::Band::kBlend) + ", divided " +
        count_of(bands, reference::Band::kDivide));
  }
  void operator()(const reference::FrequencyFactors&) {
    add("a factor per pair");
  }
};

}  // namespace

const RopeType& rope_type_of(const ConfigObject& rope) {
  const auto type_of = [&](const char* key) -> const RopeType* {
    const auto name = rope.text(key);
    if (!name) return nullptr;
    const auto* const found = std::ranges::find(kTypes, *name, &RopeType::name);
    if (found != std::end(kTypes)) return found;
    std::vector<std::string> names;
    for (const RopeType& type : kTypes) names.emplace_back(type.name);
    rope.refuse(key, "one of " + text::joined(names, ", "));
  };
  const RopeType *const current = type_of("rope_type"), *const legacy =
                                                            type_of("type");
  if (current == nullptr) return legacy != nullptr ? *legacy : kTypes[0];
  if (legacy != nullptr && legacy->read != current->read) {
    rope.refuse("rope_type",
                "what type says, \"" + std::string(legacy->name) + "\"");
  }
  return *current;
}

std::string_view scaling_name(const reference::Scaling& scaling) {
  return kScalingNames[scaling.index()];
}

std::vector<std::string> scaling_facts(const ModelRope& rope,
                                       const Figures& figures) {
  Facts facts{rope, figures};
  std::visit(facts, rope.spec.frequencies.scaling);
  if (!rope.spec.frequencies.pair_factors.empty()) {
    facts.add("then a learned factor per pair");
  }
  return facts.lines;
}

}  // namespace ropeproof::conformance::models
