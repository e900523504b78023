// The classes of scalings.
#include "conformance/plugin/scalings.h"

#include <algorithm>
#include <iterator>

#include "conformance/cases/families/family.h"
#include "conformance/cover/dimension.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/problem.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Draw;
using reference::Frequencies;

constexpr std::int64_t kLengths[] = {128, 2048, 4096, 8192, 32768, 262144};

// Draws the parameters of a scaling.
struct ScalingDraw {
  Draw& draw;
  std::int64_t pairs;
  std::int64_t length;  // the largest position + 1
  bool has_xpos;
  // Drawn for every class: what is drawn afterwards depends on it.
  reference::Yarn yarn = draw_yarn();

  std::vector<double> list(double first, double step) {
    std::vector<double> list;
    for (std::int64_t j = 0; j < pairs; ++j) {
      list.push_back(first +
                     step * (static_cast<double>(j) + draw.real(0, 0.5)));
    }
    return list;
  }

  // One time in eight 1, which scales nothing.
  double factor(double most) { return draw.one_in(8) ? 1 : draw.real(1, most); }

  // YaRN's ramp runs forward for every number of channels d if L / (2 pi
  // beta_slow) > 1 and L / (2 pi beta_fast) < b^(2(d-1)/d), which is b or more:
  // so L > 2 pi 4, and b > 262144 / (2 pi 16) = 2607.
  reference::Yarn draw_yarn() {
    reference::Yarn s;
    s.factor = factor(48);
    s.original_length = draw.from(kLengths);
    s.beta_fast = draw.real(16, 40);
    s.beta_slow = draw.real(1, 4);
    return s;
  }

  reference::DynamicNtk dynamic(std::int64_t trained) {
    return {factor(8), std::max<std::int64_t>(trained, 1), length};
  }

  reference::LongRope long_rope(std::int64_t trained) {
    reference::LongRope s;
    s.short_factor = list(1, 0.125);
    s.long_factor = list(1.5, 3.25);
    s.factor = factor(32);
    s.seq_len = length;
    s.original_length = std::max<std::int64_t>(trained, 2);
    return s;
  }
};

// The exponents begin anew with each axis; of frequencies alone nothing says
// how many axes.
bool is_grid(const ropeproof_problem& p) {
  if (p.exponent_numerators == nullptr) return false;
  for (const std::int64_t axes : {2, 3}) {
    const std::int64_t pairs = p.rotary_dim / 2;
    if (pairs % axes == 0 && p.exponent_numerators[pairs / axes] == 0) {
      return true;
    }
  }
  return false;
}

using AnyCall = const ropeproof_problem&;
using Parameters = const ropeproof_scaling&;  // of kind 0 without any

// A class of scalings: its word in a model, the kind of its calls, which calls
// of that kind are of it (null: all), and how its frequencies are drawn. A kind
// has several where lengths or parameters take other paths.
struct ScalingClass {
  std::string_view word;
  std::uint32_t kind;  // 0: none
  bool (*has)(AnyCall, Parameters);
  void (*draw)(ScalingDraw&, Frequencies&);
};

constexpr ScalingClass kScalings[] = {
    {"none", 0, [](AnyCall p, Parameters) { return p.base != 0 || is_grid(p); },
     [](ScalingDraw&, Frequencies&) {}},
    {"linear", ROPEPROOF_LINEAR, nullptr,
     [](ScalingDraw& d, Frequencies& f) {
       f.scaling = reference::Linear{d.draw.real(1, 16)};
     }},
    {"ntk", ROPEPROOF_NTK, nullptr,
     [](ScalingDraw& d, Frequencies& f) {
       f.scaling = reference::Ntk{d.draw.real(1, 16)};
     }},
    {"dynamic_ntk", ROPEPROOF_DYNAMIC_NTK,
     [](AnyCall, Parameters s) { return s.seq_len > s.original_length; },
     [](ScalingDraw& d, Frequencies& f) {
       f.scaling = d.dynamic(d.length / d.draw.between(2, 5));
     }},
    {"dynamic_ntk_short", ROPEPROOF_DYNAMIC_NTK,
     [](AnyCall, Parameters s) { return s.seq_len < s.original_length; },
     [](ScalingDraw& d, Frequencies& f) {
       f.scaling = d.dynamic(d.length + d.draw.between(1, d.length));
     }},
    {"dynamic_ntk_trained", ROPEPROOF_DYNAMIC_NTK,
     [](AnyCall, Parameters s) { return s.seq_len == s.original_length; },
     [](ScalingDraw& d, Frequencies& f) { f.scaling = d.dynamic(d.length); }},
    {"yarn", ROPEPROOF_YARN,
     [](AnyCall, Parameters s) {
       return s.attention_factor == 0 && s.mscale == 0 && s.truncate != 0;
     },
     [](ScalingDraw& d, Frequencies& f) { f.scaling = d.yarn; }},
    {"yarn_untruncated", ROPEPROOF_YARN,
     [](AnyCall, Parameters s) {
       return s.attention_factor == 0 && s.mscale == 0 && s.truncate == 0;
     },
     [](ScalingDraw& d, Frequencies& f) {
       d.yarn.truncate = false;
       f.scaling = d.yarn;
     }},
    {"yarn_mscale", ROPEPROOF_YARN,
     [](AnyCall, Parameters s) {
       return s.attention_factor == 0 && s.mscale != 0;
     },
     [](ScalingDraw& d, Frequencies& f) {
       d.yarn.mscale = d.draw.real(0.5, 1.5);
       d.yarn.mscale_all_dim = d.draw.real(0.5, 1.5);
       f.scaling = d.yarn;
     }},
    {"yarn_attention", ROPEPROOF_YARN,  // the amplitude is given
     [](AnyCall, Parameters s) { return s.attention_factor != 0; },
     [](ScalingDraw& d, Frequencies& f) {
       d.yarn.attention_factor = d.draw.one_in(4) ? 1 : d.draw.real(0.75, 1.5);
       f.scaling = d.yarn;
     }},
    {"long_rope", ROPEPROOF_LONG_ROPE,
     [](AnyCall, Parameters s) { return s.seq_len > s.original_length; },
     [](ScalingDraw& d, Frequencies& f) {
       f.scaling = d.long_rope(d.length / d.draw.between(2, 5));
     }},
    {"long_rope_short", ROPEPROOF_LONG_ROPE,
     [](AnyCall, Parameters s) { return s.seq_len <= s.original_length; },
     [](ScalingDraw& d, Frequencies& f) {
       f.scaling = d.long_rope(d.draw.one_in(2)
                                   ? d.length
                                   : d.length + d.draw.between(1, d.length));
     }},
    {"llama3", ROPEPROOF_LLAMA3, nullptr,
     [](ScalingDraw& d, Frequencies& f) {
       // Where both factors are equal the band between them is empty.
       const double low = d.draw.real(0.5, 2);
       f.scaling = reference::Llama3{d.factor(40), low,
                                     d.draw.one_in(4) ? low : d.draw.real(2, 8),
                                     d.draw.from(kLengths)};
     }},
    {"frequency_factors", ROPEPROOF_FREQUENCY_FACTORS, nullptr,
     [](ScalingDraw& d, Frequencies& f) {
       f.scaling = reference::FrequencyFactors{d.list(1, d.draw.real(0, 2))};
     }},
    {"inv_freq", 0,  // a list of frequencies
     [](AnyCall p, Parameters) { return p.exponent_numerators == nullptr; },
     [](ScalingDraw& d, Frequencies& f) {
       f.inv_freq = d.list(d.draw.real(0, 0.0625), 0x1p-8);
       // One that does not rotate, beside others that do.
       if (d.pairs > 1 && d.draw.one_in(2)) {
         f.inv_freq[d.draw.one_in(2) ? 0 : f.inv_freq.size() / 3] = 0;
       }
     }},
    {"exponents", 0, nullptr,  // of each pair, counted against more channels
     [](ScalingDraw& d, Frequencies& f) {
       for (std::int64_t j = 0; j < d.pairs; ++j) {
         f.exponents.push_back({2 * j, 2 * d.pairs + 6});
       }
       // Some models leave the last pairs where they are; not with xPos.
       if (d.pairs > 3 && !d.has_xpos && d.draw.one_in(2)) {
         f.exponents.back() = {0, 0};
       }
     }}};

constexpr Classes kScaling{
    kScalingDimension, [] {
      text::Words<const ScalingClass*, std::size(kScalings)> words;
      for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = {&kScalings[i], kScalings[i].word};
      }
      return words;
    }()};

const Frequencies& example_of(const ScalingClass* c) {
  return scaling_examples()[static_cast<std::size_t>(c - kScalings)];
}

std::optional<const ScalingClass*> read_scaling(const ropeproof_problem& p) {
  const ropeproof_scaling scaling =
      p.scaling == nullptr ? ropeproof_scaling{} : *p.scaling;
  for (const ScalingClass& c : kScalings) {
    if (c.kind == scaling.kind && (c.has == nullptr || c.has(p, scaling))) {
      return &c;
    }
  }
  return std::nullopt;
}

void draw_scaling(Drawing& d, const ScalingClass* c) {
  const bool has_xpos =
      d.recipe.class_of(kAmplitude) == AmplitudeClass::kPerPair;
  ScalingDraw draw{
      d.draw, d.problem.pairs(),
      std::max<std::int64_t>(cases::length_of(d.problem.positions), 1),
      has_xpos};
  c->draw(draw, d.problem.spec.frequencies);
}

}  // namespace

const std::vector<Frequencies>& scaling_examples() {
  static const std::vector<Frequencies> kExamples = [] {
    std::vector<Frequencies> examples;
    for (const ScalingClass& c : kScalings) {
      Draw draw(0);
      ScalingDraw scaling{draw, 2, 4096, false};
      c.draw(scaling, examples.emplace_back());
    }
    return examples;
  }();
  return kExamples;
}

const Frequencies& scaling_example(const Recipe& recipe) {
  return example_of(recipe.class_of(kScaling));
}

// Frequencies that are given say what any scaling decides, but for its
// amplitude.
bool offers_scaling(const Offer& offer, const Frequencies& example) {
  const std::uint32_t scaling = plugin::scaling_bit(example.scaling);
  return offer.takes(
      {.scaling = scaling,
       .has_exponents = plugin::follows_exponents(example),
       .has_inv_freq = !example.inv_freq.empty(),
       .has_amplitude = reference::decides_amplitude(example.scaling) &&
                        (offer.kernel.scalings & scaling) == 0});
}

Dimension scaling_dimension() {
  Dimension row = dimension(
      kScaling, plugin::kAngles | ROPEPROOF_FREQUENCIES, By::kModel,
      [](const Offer& offer, const ScalingClass* c) {
        return offers_scaling(offer, example_of(c));
      },
      read_scaling, draw_scaling);
  // Frequencies are not given where they are asked for.
  row.without.emplace_back(ROPEPROOF_FREQUENCIES, "inv_freq");
  return row;
}

}  // namespace ropeproof::conformance::cover
