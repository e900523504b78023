#include "conformance/cover/suite_model.h"

#include <variant>

#include "conformance/cover/dimension.h"
#include "conformance/plugin/scalings.h"

namespace ropeproof::conformance::cover {
namespace {

// In the order of a row, not that in which they are drawn; a new one goes last,
// since seeds of rows count on it.
constexpr const char* kOrder[] = {
    "dtype",  "pairing", "direction", "scaling",   "amplitude", "base",
    "axes",   "numbers", "sign",      "magnitude", "order",     "pairs",
    "window", "batch",   "seq",       "q_heads",   "k_heads",   "values",
    "layout", "strides", "rows",      "place",     "edge"};

std::vector<Dimension> dimensions() {
  std::vector<Dimension> all;
  for (const char* name : kOrder) all.push_back(*find_dimension(name));
  return all;
}

// All classes but one.
Choice but(const char* dimension, const char* word) {
  Choice choice{dimension, find_dimension(dimension)->classes};
  std::erase(choice.classes, word);
  return choice;
}

// The classes of scaling that `is` holds for.
Choice scalings(bool (*is)(const reference::Scaling&)) {
  const std::vector<std::string>& words = find_dimension("scaling")->classes;
  Choice choice{"scaling", {}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is(scaling_examples()[i].scaling)) choice.classes.push_back(words[i]);
  }
  return choice;
}

bool has_no_amplitude(const reference::Scaling& scaling) {
  return !reference::decides_amplitude(scaling);
}

bool is_ntk(const reference::Scaling& scaling) {
  return reference::ntk_alpha<double>(scaling).has_value();
}

bool is_yarn(const reference::Scaling& scaling) {
  return std::holds_alternative<reference::Yarn>(scaling);
}

std::vector<Rules::Of> never() {
  return {
      {{{"amplitude", {"of_scaling"}}, scalings(has_no_amplitude)},
       "these scalings have no amplitude"},
      {{but("amplitude", "of_scaling"), scalings(reference::decides_amplitude)},
       "the scaling decides the amplitude"},
      {{scalings(is_ntk), {"pairs", {"1"}}},
       "the exponent d/(d-2) has no value for two channels"},
      {{scalings(is_yarn), {"base", {"small"}}},
       "the ramp runs backwards for a base below 2608"},
      {{{"axes", {"grid", "grid_3"}}, but("scaling", "none")},
       "a grid has frequencies of its own, and no base for a scaling"},
      {{{"amplitude", {"per_pair"}}, {"scaling", {"inv_freq"}}},
       "xPos follows the exponents, and given frequencies have none"},
      {{{"amplitude", {"per_pair"}}, but("axes", "one")},
       "xPos is of one position"},
      {{{"axes",
         {"sections_2", "sections_3", "sections_4", "sections_many",
          "sections_inside", "interleaved", "grid", "grid_3", "any"}},
        {"pairs", {"1"}}},
       "one pair is on one axis"},
      {{{"axes",
         {"sections_3", "sections_4", "sections_many", "sections_inside",
          "interleaved", "grid_3", "any"}},
        {"pairs", {"2"}}},
       "a pair on each of three axes"},
      {{{"axes", {"sections_4", "sections_many", "interleaved", "grid"}},
        {"pairs", {"3"}}},
       "a pair on each of four axes; interleaved differs from sections from "
       "the fourth pair on; a grid divides the pairs"},
      {{{"axes", {"sections_many"}}, {"pairs", {"4-7"}}},
       "a pair on each of more axes than four"},
      {{{"axes", {"grid_3"}}, {"pairs", {"32"}}}, "a grid divides the pairs"},
      {{{"axes", {"sections_inside"}}, {"batch", {"1"}}},
       "with one batch row it is the same as sections_3"},
      {{{"axes", {"sections_inside"}}, {"rows", {"shared"}}},
       "what all batch rows share lies in none of them"},
      {{{"pairing", {"nested_blocks"}}, {"pairs", {"1"}}},
       "a block has a pair at least"},
      {{{"pairing", {"half_split_apart"}}, {"window", {"full"}}},
       "channels between the two halves are outside the window"},
      {{but("order", "ascending"), {"seq", {"1"}}}, "one token has no order"},
      {{{"sign", {"mixed"}},
        {"batch", {"1"}},
        {"seq", {"1"}},
        scalings(plugin::follows_length)},
       "a length follows from a position that is not negative"},
      {{{"sign", {"mixed"}},
        {"rows", {"shared"}},
        {"seq", {"1"}},
        scalings(plugin::follows_length)},
       "a length follows from a position that is not negative"},
      {{{"scaling", {"inv_freq"}}, {"base", {"other", "fractional", "small"}}},
       "given frequencies have no base"},
      {{{"magnitude", {"2^8"}}, {"order", {"ascending"}}, {"seq", {"256-320"}}},
       "more tokens than positions"},
      {{{"strides", {"q_apart", "k_apart", "k_cache", "k_broadcast"}},
        {"k_heads", {"0"}}},
       "there is no k"},
      {{{"place", {"q_in", "k_in"}}, {"k_heads", {"0"}}}, "there is no k"},
      {{{"strides", {"q_apart", "k_apart", "k_cache", "k_broadcast"}},
        {"layout", {"packed"}}},
       "k lies in the rows of q"},
      {{{"strides", {"outputs_apart", "broadcast"}},
        {"place", {"in", "q_in", "k_in"}}},
       "in place the strides are the same, and no two rows overlap"},
      {{{"strides", {"k_cache"}}, {"place", {"in", "k_in"}}},
       "in place the strides are the same"},
      {{{"strides", {"k_broadcast"}}, {"place", {"in", "k_in"}}},
       "in place no two rows overlap"},
      {{{"strides", {"broadcast", "k_broadcast"}}, {"batch", {"1"}}},
       "nothing to share"},
      {{{"rows", {"shared"}}, {"batch", {"1"}}}, "nothing to share"},
      {{{"strides", {"gaps", "q_apart"}},
        {"batch", {"1"}},
        {"seq", {"1"}},
        {"q_heads", {"1"}}},
       "a single row has no gap"},
      {{{"layout", {"bhsd", "sbhd"}}, {"seq", {"1"}}},
       "with one token it is the same as bshd"},
      {{{"layout", {"bhsd"}}, {"q_heads", {"1"}}},
       "with one head it is the same as bshd"},
      {{{"layout", {"sbhd"}}, {"batch", {"1"}}},
       "with one batch row it is the same as bshd"},
      {{{"layout", {"sbhd"}}, {"strides", {"broadcast"}}},
       "a batch row that is shared has no place in the order"},
      {{{"layout", {"packed"}},
        {"strides", {"wide", "far"}},
        {"batch", {"1"}},
        {"seq", {"1"}}},
       "heads that lie side by side have no stride of their own"},
      {{{"layout", {"packed"}}, {"k_heads", {"0"}}}, "without k it is a gap"},
      {{{"strides", {"wide", "far"}},
        {"batch", {"1"}},
        {"seq", {"1"}},
        {"q_heads", {"1"}}},
       "a single row has no stride"},
      {{{"rows", {"wide", "far"}}, {"batch", {"1"}}},
       "a single row has no stride"}};
}

std::vector<Rules::Of> masking() {
  return {
      {{{"amplitude", {"zero"}}}, "zeros show no rotation"},
      {{{"values", {"special"}}}, "what comes out of a NaN shows no rotation"},
      {{{"magnitude", {"2^24", "2^31", "2^52"}}},
       "where angles are formed in f32, the bound of a fast pair accepts any "
       "rotation"}};
}

std::vector<Rules::AtMost> at_most() {
  const char* because = "larger calls are asked in the shapes of real models";
  return {{{"batch", "seq", "q_heads", "pairs"}, 65536, because},
          {{"batch", "seq", "k_heads", "pairs"}, 65536, because}};
}

const Rules& rules() {
  static const Rules kRules{never(), masking(), at_most()};
  return kRules;
}

// As [a, b], each as `text` has it.
std::string list(const auto& items, const auto& text) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : ", ") + text(item);
  return "[" + all + "]";
}

std::string quoted(const std::string& word) { return "\"" + word + "\""; }

std::string json(const Dimension& d) {
  const auto of = [&](const char* key, std::int64_t Range::*end) {
    return quoted(key) + ": " + list(d.ranges, [&](const Range& range) {
             return std::to_string(range.*end);
           });
  };
  return "{\"name\": " + quoted(d.name) + ", " +
         (d.ranges.empty()
              ? "\"classes\": " + list(d.classes, quoted)
              : of("low", &Range::low) + ", " + of("high", &Range::high)) +
         "}";
}

std::string json(const Rules::Of& rule) {
  std::string of;
  std::size_t classes = 0;
  for (const Choice& choice : rule.of) {
    of += (of.empty() ? "" : ", ") + quoted(choice.dimension) + ": " +
          list(choice.classes, quoted);
    classes += choice.classes.size();
  }
  return "{\"of\": {" + of + "}," + (classes > 1 ? "\n     " : " ") +
         "\"because\": " + quoted(rule.because) + "}";
}

std::string json(const Rules::AtMost& rule) {
  return "{\"product\": " + list(rule.product, quoted) +
         ", \"is\": " + std::to_string(rule.is) +
         ",\n     \"because\": " + quoted(rule.because) + "}";
}

std::string lines(const char* key, const auto& items) {
  std::string text;
  for (const auto& item : items) {
    text += (text.empty() ? "\n    " : ",\n    ") + json(item);
  }
  return ",\n  " + quoted(key) + ": [" + text + "\n  ]";
}

}  // namespace

const Model& suite_model() {
  static const Model kModel(dimensions(), rules());
  return kModel;
}

std::string suite_model_json() {
  return "{\n  \"format\": \"ropeproof-coverage/1\"" +
         lines("dimensions", dimensions()) + lines("never", rules().never) +
         lines("masking", rules().masking) + lines("at_most", rules().at_most) +
         "\n}\n";
}

}  // namespace ropeproof::conformance::cover
