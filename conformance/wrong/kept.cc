#include "conformance/wrong/kept.h"

#include <memory>
#include <type_traits>
#include <variant>

#include "conformance/plugin/abi_words.h"
#include "conformance/plugin/scalings.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::wrong {
namespace {

using Lack = KeyedField::Lack;

template <class T>
std::string bytes_of(const T* values, std::int64_t count) {
  const auto* bytes = reinterpret_cast<const char*>(values);
  return values == nullptr
             ? "none"
             : std::string(bytes, bytes + count * std::int64_t{sizeof(T)});
}

// The arrays that follow from a scaling, as a cache keeps them.
struct Angles {
  std::string hi, lo, pair_amplitude;
  double amplitude;
  bool has_pairs;  // else pair_amplitude is "none"

  explicit Angles(const ropeproof_problem& p)
      : hi(bytes_of(p.inv_freq, p.rotary_dim / 2)),
        lo(bytes_of(p.inv_freq_lo, p.rotary_dim / 2)),
        pair_amplitude(
            bytes_of(p.pair_amplitude, p.batch * p.seq * p.rotary_dim / 2)),
        amplitude(p.amplitude),
        has_pairs(p.pair_amplitude != nullptr) {}

  void recall(ropeproof_problem& p) const {
    p.inv_freq = reinterpret_cast<const double*>(hi.data());
    p.inv_freq_lo = reinterpret_cast<const double*>(lo.data());
    p.amplitude = amplitude;
    if (p.pair_amplitude != nullptr) {
      p.pair_amplitude =
          has_pairs ? reinterpret_cast<const double*>(pair_amplitude.data())
                    : nullptr;
    }
  }
};

// The first and the last item of a list, one behind the other.
std::string ends_of(const std::string& list) {
  constexpr std::size_t kOne = sizeof(std::int64_t);
  return list.size() < kOne
             ? list
             : list.substr(0, kOne) + list.substr(list.size() - kOne);
}

// Calls visit(kind, "yarn beta_fast", member of ropeproof_scaling) for each
// field of each scaling.
template <class Visit>
void for_each_scaling_field(const Visit& visit) {
  for (const auto& [kind, word] : plugin::kScalingWords) {
    const std::string of = std::string(word) + " ";
    const auto visit_field = [&, kind = kind](const char* name, const auto&,
                                              const auto& field) {
      visit(kind, of + name, field.member);
    };
    std::visit([&](const auto& s) { plugin::for_each_field(s, visit_field); },
               plugin::scaling_of(kind));
  }
}

}  // namespace

std::vector<Keeper::Part> Keeper::parts_of(const ropeproof_problem& p) {
  std::vector<Part> parts;
  const auto add = [&](const std::string& name,
                       auto ropeproof_problem::*field) {
    const auto value = p.*field;
    parts.push_back({name, bytes_of(&value, 1),
                     [=](ropeproof_problem& q) { q.*field = value; }});
  };
  using P = ropeproof_problem;
  add("dtype", &P::dtype);
  add("pairing", &P::pairing);
  add("direction", &P::direction);
  add("batch", &P::batch);
  add("seq", &P::seq);
  add("head_dim", &P::head_dim);
  add("rotary_offset", &P::rotary_offset);
  add("pairing_blocks", &P::pairing_blocks);
  add("pair_distance", &P::pair_distance);
  const auto angles = std::make_shared<const Angles>(p);
  const auto add_angles = [&](const std::string& name,
                              const std::string& bytes) {
    parts.push_back(
        {name, bytes, [=](ropeproof_problem& q) { angles->recall(q); }});
  };
  const std::int64_t pairs = p.rotary_dim / 2;
  add_angles("rotary_dim", bytes_of(&p.rotary_dim, 1));
  add_angles("base", bytes_of(&p.base, 1));
  if (p.scaling != nullptr) {
    for_each_scaling_field(
        [&](std::uint32_t kind, const std::string& name, auto field) {
          const auto& value = p.scaling->*field;
          if (p.scaling->kind != kind) return;
          if constexpr (std::is_same_v<decltype(value), const double* const&>) {
            add_angles(name, bytes_of(value, pairs));
          } else {
            add_angles(name, bytes_of(&value, 1));
          }
        });
  } else {
    add_angles("amplitude", bytes_of(&p.amplitude, 1));
    const bool is_given = p.base == 0 && p.pair_bases == nullptr;
    add_angles("inv_freq", is_given ? bytes_of(p.inv_freq, pairs) : "");
  }
  add_angles("xPos", bytes_of(p.pair_amplitude, p.batch * p.seq * pairs));
  parts.back().is_contents = true;
  add_angles("exponents", bytes_of(p.exponent_numerators, pairs));
  add_angles("pair_bases", bytes_of(p.pair_bases, pairs));
  const auto add_list = [&](const std::string& name, auto P::*field,
                            std::int64_t count) {
    using Item = std::remove_const_t<
        std::remove_pointer_t<std::remove_reference_t<decltype(p.*field)>>>;
    const auto kept =
        std::make_shared<const std::string>(bytes_of(p.*field, count));
    parts.push_back({name, *kept, [=](ropeproof_problem& q) {
                       if (q.*field == nullptr) return;
                       q.*field = reinterpret_cast<const Item*>(kept->data());
                     }});
  };
  add_list("the axis of one pair", &P::axis_of_pair, pairs);
  add_list("axis_weights", &P::axis_weights, p.position_axes * pairs);
  add_list("position", &P::positions,
           (p.position_axes - 1) * p.position_axis_stride + p.batch * p.seq);
  parts.back().is_contents = true;
  add_list("real position", &P::real_positions, p.batch * p.seq);
  parts.back().is_contents = true;
  for (const bool is_key : {false, true}) {
    const ropeproof_tensor& t = is_key ? p.k : p.q;
    const std::int64_t size = p.dtype == ROPEPROOF_F32 ? 4 : 2;
    const auto kept = std::make_shared<const std::string>(
        bytes_of(static_cast<const char*>(t.in),
                 p.batch * p.seq * t.heads * p.head_dim * size));
    const std::string name = is_key ? "k" : "q";
    parts.push_back(
        {"contents of " + name, *kept,
         [=](ropeproof_problem& q) { (is_key ? q.k : q.q).in = kept->data(); },
         true});
    parts.push_back({name + ".heads", bytes_of(&t.heads, 1),
                     [=, heads = t.heads](ropeproof_problem& q) {
                       (is_key ? q.k : q.q).heads = heads;
                     }});
  }
  return parts;
}

bool Keeper::is_over(const ropeproof_problem& p) {
  if (kept_.last_call == 0) return false;
  const bool is_large = p.batch * p.seq * p.q.heads * p.head_dim > 4096;
  if (kept_.counts_shapes && !is_large) return false;
  using Shape = std::array<std::int64_t, 3>;
  int& calls =
      calls_[kept_.counts_shapes ? Shape{p.batch, p.seq, p.q.heads} : Shape{}];
  return calls++ >= kept_.last_call;
}

bool Keeper::recall(ropeproof_problem& problem) {
  if (is_over(problem)) problem.rotary_dim = 0;
  const bool is_dense =
      problem.q.in != problem.q.out &&
      problem.q.in_token_stride == problem.q.heads * problem.head_dim;
  if (!is_dense || !kept_.key_lacks) return true;
  const auto& [lacking, lack] = *kept_.key_lacks;
  const bool is_plan = lack == Lack::kSize;
  std::string key;
  Part own;
  for (Part& part : parts_of(problem)) {
    if (part.name == lacking) {
      if (lack == Lack::kInner) key += ends_of(part.bytes);
      own = std::move(part);
    } else if (!is_plan || !part.is_contents) {
      key += part.name + "=" + part.bytes + ";";
    }
  }
  const auto [known, is_new] = known_.try_emplace(key, own);
  if (is_new) return true;
  // A plan that does not fit would leave the buffers.
  if (is_plan) return known->second.bytes == own.bytes;
  if (known->second.recall) known->second.recall(problem);
  return true;
}

std::vector<ropeproof_problem> Keeper::mixed(
    std::vector<ropeproof_problem> problems) const {
  if (!kept_.shared_beyond) return problems;
  const std::vector<ropeproof_problem> own = problems;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const ropeproof_problem& other = own[(i + 1) % own.size()];
    ropeproof_problem& p = problems[i];
    if (p.inv_freq == nullptr || other.inv_freq == nullptr ||
        p.rotary_dim > other.rotary_dim ||
        p.batch * p.seq <= *kept_.shared_beyond) {
      continue;
    }
    p.inv_freq = other.inv_freq;
    if (*kept_.shared_beyond > 0) p.positions = other.positions;
  }
  return problems;
}

const std::vector<KeyedField>& keyed_fields() {
  static const std::vector<KeyedField> kFields = [] {
    std::vector<KeyedField> all = {{"base"},      {"amplitude"},  {"inv_freq"},
                                   {"exponents"}, {"pair_bases"}, {"xPos"}};
    for_each_scaling_field(
        [&](auto, const std::string& name, auto) { all.push_back({name}); });
    for (const char* name :
         {"the axis of one pair", "axis_weights", "position", "real position",
          "contents of q", "contents of k"}) {
      all.push_back({name});
    }
    all.insert(all.end(), {{"dtype", Lack::kSize}, {"pairing"}, {"direction"}});
    for (const char* name :
         {"batch", "seq", "q.heads", "k.heads", "head_dim", "rotary_dim",
          "rotary_offset", "pairing_blocks", "pair_distance"}) {
      all.push_back({name, Lack::kSize});
    }
    all.push_back({"position", Lack::kInner});
    return all;
  }();
  return kFields;
}

}  // namespace ropeproof::conformance::wrong
