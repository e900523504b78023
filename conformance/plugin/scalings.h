// scalings.h -- the scalings of the ABI, a row each: bit, word, parameters and
// the fields that hold them. Vectors, the C ABI, the protocol and the columns
// of a pack follow from what is said here.
#pragma once

#include <ropeproof_kernel.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/text/word_tables.h"
#include "reference/spec.h"

namespace ropeproof::conformance::plugin {

// The fields of ropeproof_scaling, by the names that the protocol uses.
template <class Member>
struct AbiField {
  const char* name;
  Member ropeproof_scaling::*member;
};

struct AbiFields {
  using S = ropeproof_scaling;
  AbiField<double> factor{"factor", &S::factor};
  AbiField<double> original_length{"original_length", &S::original_length};
  AbiField<double> seq_len{"seq_len", &S::seq_len};
  AbiField<double> beta_fast{"beta_fast", &S::beta_fast};
  AbiField<double> beta_slow{"beta_slow", &S::beta_slow};
  AbiField<double> low_freq_factor{"low_freq_factor", &S::low_freq_factor};
  AbiField<double> high_freq_factor{"high_freq_factor", &S::high_freq_factor};
  AbiField<std::int32_t> truncate{"truncate", &S::truncate};
  AbiField<const double*> short_factor{"short_factor", &S::short_factor};
  AbiField<const double*> long_factor{"long_factor", &S::long_factor};
  AbiField<double> attention_factor{"attention_factor", &S::attention_factor};
  AbiField<double> mscale{"mscale", &S::mscale};
  AbiField<double> mscale_all_dim{"mscale_all_dim", &S::mscale_all_dim};
};
inline constexpr AbiFields kAbi;

// Calls visit(name, value), in the order of the packs' columns.
template <class Visit>
void for_each_field(const ropeproof_scaling& s, const Visit& visit) {
  const auto fields = [&](const auto&... field) {
    (visit(field.name, s.*field.member), ...);
  };
  fields(kAbi.factor, kAbi.original_length, kAbi.seq_len, kAbi.beta_fast,
         kAbi.beta_slow, kAbi.low_freq_factor, kAbi.high_freq_factor,
         kAbi.truncate, kAbi.attention_factor, kAbi.mscale, kAbi.mscale_all_dim,
         kAbi.short_factor, kAbi.long_factor);
}

// The bit and the word of a scaling, and visit(name, member, field of kAbi) for
// each of its parameters, const or not, by the names and in the order of the
// vectors.
template <class S>
struct ScalingRow;

using ScalingWord = std::pair<std::uint32_t, std::string_view>;

template <>
struct ScalingRow<reference::Linear> {
  static constexpr ScalingWord kWord{ROPEPROOF_LINEAR, "linear"};
  static void parameters(auto& s, const auto& visit) {
    visit("factor", s.factor, kAbi.factor);
  }
};

template <>
struct ScalingRow<reference::Ntk> {
  static constexpr ScalingWord kWord{ROPEPROOF_NTK, "ntk"};
  static void parameters(auto& s, const auto& visit) {
    visit("alpha", s.alpha, kAbi.factor);
  }
};

template <>
struct ScalingRow<reference::DynamicNtk> {
  static constexpr ScalingWord kWord{ROPEPROOF_DYNAMIC_NTK, "dynamic_ntk"};
  static void parameters(auto& s, const auto& visit) {
    visit("factor", s.factor, kAbi.factor);
    visit("max_position", s.max_position, kAbi.original_length);
    visit("seq_len", s.seq_len, kAbi.seq_len);
  }
};

template <>
struct ScalingRow<reference::Yarn> {
  static constexpr ScalingWord kWord{ROPEPROOF_YARN, "yarn"};
  static void parameters(auto& s, const auto& visit) {
    visit("factor", s.factor, kAbi.factor);
    visit("original_length", s.original_length, kAbi.original_length);
    visit("beta_fast", s.beta_fast, kAbi.beta_fast);
    visit("beta_slow", s.beta_slow, kAbi.beta_slow);
    visit("truncate", s.truncate, kAbi.truncate);
    visit("attention_factor", s.attention_factor, kAbi.attention_factor);
    visit("mscale", s.mscale, kAbi.mscale);
    visit("mscale_all_dim", s.mscale_all_dim, kAbi.mscale_all_dim);
  }
};

template <>
struct ScalingRow<reference::LongRope> {
  static constexpr ScalingWord kWord{ROPEPROOF_LONG_ROPE, "long_rope"};
  static void parameters(auto& s, const auto& visit) {
    visit("short_factor", s.short_factor, kAbi.short_factor);
    visit("long_factor", s.long_factor, kAbi.long_factor);
    visit("original_length", s.original_length, kAbi.original_length);
    visit("seq_len", s.seq_len, kAbi.seq_len);
    visit("factor", s.factor, kAbi.factor);
    visit("attention_factor", s.attention_factor, kAbi.attention_factor);
  }
};

template <>
struct ScalingRow<reference::Llama3> {
  static constexpr ScalingWord kWord{ROPEPROOF_LLAMA3, "llama3"};
  static void parameters(auto& s, const auto& visit) {
    visit("factor", s.factor, kAbi.factor);
    visit("low_freq_factor", s.low_freq_factor, kAbi.low_freq_factor);
    visit("high_freq_factor", s.high_freq_factor, kAbi.high_freq_factor);
    visit("original_length", s.original_length, kAbi.original_length);
  }
};

template <>
struct ScalingRow<reference::FrequencyFactors> {
  static constexpr ScalingWord kWord{ROPEPROOF_FREQUENCY_FACTORS,
                                     "frequency_factors"};
  static void parameters(auto& s, const auto& visit) {
    visit("factors", s.factors, kAbi.short_factor);
  }
};

// The words of all, in the order of the variant after Default.
inline constexpr auto kScalingWords =
    []<class... S>(const std::variant<reference::Default, S...>*) {
      return text::Words<std::uint32_t, sizeof...(S)>{
          {ScalingRow<S>::kWord...}};
    }(static_cast<const reference::Scaling*>(nullptr));

template <class S, class Visit>
void for_each_field(S& s, const Visit& visit) {
  using Scaling = std::remove_const_t<S>;
  if constexpr (!std::is_same_v<Scaling, reference::Default>) {
    ScalingRow<Scaling>::parameters(s, visit);
  }
}

// The bit and the word of a scaling; 0 and "" for none.
inline std::uint32_t scaling_bit(const reference::Scaling& scaling) {
  const std::size_t index = scaling.index();
  return index == 0 ? 0 : kScalingWords[index - 1].first;
}
inline std::string scaling_word(const reference::Scaling& scaling) {
  const std::size_t index = scaling.index();
  return index == 0 ? "" : std::string(kScalingWords[index - 1].second);
}

// Returns the scaling of this bit, no field of it given; Default for none.
inline reference::Scaling scaling_of(std::uint32_t bit) {
  return [&]<class... S>(const std::variant<reference::Default, S...>*) {
    reference::Scaling found;
    ((ScalingRow<S>::kWord.first == bit ? void(found = S{}) : void()), ...);
    return found;
  }(static_cast<const reference::Scaling*>(nullptr));
}

// The fields of ropeproof_scaling that must be given, in the order of their
// parameters: those that reference/scaling.h starts as 0 or empty. The
// factor of long_rope may be left out beside an attention_factor.
inline std::vector<std::string> needed_fields(const reference::Scaling& begun) {
  std::vector<std::string> needed;
  const auto add = [&](const char*, const auto& value, const auto& field) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::vector<double>>) {
      if (value.empty()) needed.emplace_back(field.name);
    } else if constexpr (std::is_same_v<Value, double> ||
                         std::is_same_v<Value, std::int64_t>) {
      if (value == 0) needed.emplace_back(field.name);
    }
  };
  std::visit([&](const auto& s) { for_each_field(s, add); }, begun);
  return needed;
}

// Whether a length of the sequence decides the frequencies of this scaling.
inline bool follows_length(const reference::Scaling& scaling) {
  return std::visit(
      [](const auto& s) {
        return requires { s.seq_len; };
      },
      scaling);
}

}  // namespace ropeproof::conformance::plugin
