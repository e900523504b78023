// vectors.h -- the committed vectors as this program reads them, from the files
// and vectors/schema.json alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/prove/second_oracle/number.h"
#include "tools/prove/second_oracle/pattern.h"

namespace ropeproof::second_oracle {

using Patterns = std::vector<std::uint64_t>;

// The fields of `scaling`, by their names in the schema.
struct Scaling {
  std::string kind;
  std::map<std::string, Rational> numbers;
  std::map<std::string, std::vector<Rational>> lists;
  bool truncate = true;

  bool has(const std::string& name) const { return numbers.contains(name); }
  // Throws std::runtime_error if it is missing.
  const Rational& number(const std::string& name) const;
  const std::vector<Rational>& list(const std::string& name) const;
};

struct XPos {
  Rational scale_base, centre;
  bool is_key = false;
};

// A case of type rope or permute; the latter has no more than its shape, `in`
// and `expected`, both under their own names in `tensors`.
struct Case {
  std::string id;
  Format dtype;
  std::string pairing;
  bool is_adjoint = false, is_special = false;
  std::int64_t head_dim = 0, rotary_dim = 0, rotary_offset = 0;
  std::int64_t pair_distance = 0, blocks = 1;
  Rational base;
  std::vector<Rational> inv_freq, bases, pair_factors;
  std::vector<std::pair<std::int64_t, std::int64_t>> exponents;
  std::optional<Scaling> scaling;
  std::optional<XPos> xpos;
  std::int64_t axes = 1;
  std::vector<std::int64_t> axis_of_pair;
  std::vector<Rational> weights;  // [axes, pairs]
  Rational amplitude = 1;
  std::int64_t batch = 0, seq = 0, q_heads = 0, k_heads = 0;
  std::vector<Rational> positions;  // [axes, batch * seq]
  std::int64_t heads = 0, columns = 0;
  std::map<std::string, Patterns> tensors;   // q, k, in
  std::map<std::string, Patterns> expected;  // one per field of `expected`
  std::optional<std::uint64_t> expected_amplitude;

  std::int64_t pairs() const { return rotary_dim / 2; }
  std::int64_t tokens() const { return batch * seq; }
};

struct Group {
  std::string file;
  std::string type;  // rope, permute, or one without values
  std::vector<Case> cases;
};

// What MANIFEST.json lists: names and SHA-256 of groups and of other files.
struct Manifest {
  using Files = std::vector<std::pair<std::string, std::string>>;

  std::filesystem::path folder;
  Files groups, texts;
};

// The readers throw std::runtime_error naming the file and what is wrong.
Manifest read_manifest(const std::filesystem::path& folder);
// Checks the digest of every file, groups and others.
std::vector<Group> read_groups(const Manifest& manifest);

}  // namespace ropeproof::second_oracle
