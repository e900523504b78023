#include "fast/bits/digests.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>

#include "fast/bits/formats.h"

namespace ropeproof::fast {
namespace {

constexpr std::int64_t kDims[] = {2,  6,  10,  24,  72,  80,
                                  92, 96, 112, 120, 128, 256};
constexpr std::int64_t kHeads = 3;

// FNV-1a over elements. All NaNs count as one: IEEE 754 leaves their signs and
// payloads open, and x86 and Arm differ in both (a NaN made from none is
// negative on x86, positive on Arm; of two, each keeps another). Their places
// count, and every bit of all other elements, the sign of zero included.
class Hash {
 public:
  void add(const Format& format, const Array& array) {
    const std::uint64_t sign = std::uint64_t{1} << (format.bits - 1);
    for (std::size_t i = 0; i < array.size(); ++i) {
      const std::uint64_t bits = array.bits(i);
      const bool is_nan = (bits & ~sign) > format.infinity();
      add(is_nan ? ~std::uint64_t{0} : bits);
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  void add(std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) {
      value_ = (value_ ^ (word >> shift & 0xff)) * 0x100000001b3;
    }
  }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// One for each of kDims; every third has an amplitude.
std::vector<Plan> plans_of(double base) {
  std::vector<Plan> plans;
  for (const std::int64_t r : kDims) {
    plans.push_back(
        plan_of(base, r, plans.size() % 3 == 2 ? 1.3465735902799727 : 1));
  }
  return plans;
}

// Consecutive ones, around zero and elsewhere, and single ones up to 2^53.
std::vector<std::int64_t> some_positions() {
  std::vector<std::int64_t> all;
  for (const std::int64_t first :
       {std::int64_t{-20}, std::int64_t{131050}, (std::int64_t{1} << 31) - 33,
        (std::int64_t{1} << 52)}) {
    for (std::int64_t p = first; p < first + 33; ++p) all.push_back(p);
  }
  for (int exponent = 1; exponent <= 53; exponent += 4) {
    all.push_back(-(std::int64_t{1} << exponent) + 1);
    all.push_back((std::int64_t{1} << exponent) - 3);
  }
  return all;
}

// f64's cosines and sines come from exact_cos_sin.cc, no SIMD target's business,
// and cost a hundred times more under an emulator: one position in `n` will do.
void thin_out(const Format& format, std::size_t n,
              std::vector<std::int64_t>& positions) {
  if (format.type != Type::kF64) return;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    positions.erase(positions.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                    positions.begin() + static_cast<std::ptrdiff_t>(
                                            std::min(i + n, positions.size())));
  }
}

Digest table_digest(const Format& format, std::span<const Plan> plans) {
  std::vector<std::int64_t> positions = some_positions();
  thin_out(format, 16, positions);
  const auto tokens = static_cast<std::int64_t>(positions.size());
  Hash hash;
  for (const Plan& plan : plans) {
    const auto pairs = static_cast<std::int64_t>(plan.pairs());
    Array cos(format.type, positions.size() * plan.pairs()), sin = cos;
    table(plan, {1, tokens}, row_of(positions),
          {cos.data(), sin.data(), 0, pairs, format.type});
    hash.add(format, cos);
    hash.add(format, sin);
  }
  return {std::string("table ") + format.name, false, hash.value()};
}

struct NamedPairing {
  Pairing pairing;
  const char* name;
};
constexpr NamedPairing kNamedPairings[] = {
    {Pairing::kInterleaved, "interleaved"},
    {Pairing::kHalfSplit, "half-split"},
    {Pairing::kInterleavedToHalf, "interleaved-to-half"},
    {Pairing::kNestedHalfSplit, "nested"}};

// The whole head, and windows of it.
std::vector<Layout> layouts(std::int64_t r, Pairing pairing) {
  const std::int64_t blocks = pairing != Pairing::kNestedHalfSplit ? 1
                              : r % 4 == 0                         ? 2
                                                                   : r / 2;
  std::vector<Layout> all = {{r, r, 0, pairing, 0, blocks},
                             {r + 3, r, 1, pairing, 0, blocks}};
  if (pairing == Pairing::kHalfSplit) {
    all.push_back({2 * r + 1, r, 1, pairing, r});
  }
  return all;
}

// One call: rotate(tensor), or rope, over `tokens` tokens.
template <class Run>
void add_result(const Format& format, const Layout& layout, Fill fill,
                std::int64_t tokens, std::mt19937_64& random, Hash& hash,
                const Run& run) {
  const std::int64_t d = layout.head_dim;
  Array in = drawn(format, fill, static_cast<std::size_t>(tokens * kHeads * d),
                   random);
  Array out(format.type, in.size());
  Tensor tensor = dense(in.data(), format.type, kHeads, d);
  tensor.out = out.data();
  run(tensor);
  hash.add(format, out);
}

const char* name_of(Direction direction) {
  return direction == Direction::kForward ? "forward" : "adjoint";
}

Digest rotate_digest(const Format& format, const NamedPairing& p,
                     Direction direction) {
  std::mt19937_64 random(1);
  Hash hash;
  for (const std::int64_t r : kDims) {
    for (const Layout& layout : layouts(r, p.pairing)) {
      for (const Fill fill : kFills) {
        for (const Format& given : kFormats) {
          const auto n = static_cast<std::size_t>(r / 2);
          Array cos = drawn_cos_sin(given, fill, format, n, random);
          Array sin = drawn_cos_sin(given, fill, format, n, random);
          add_result(
              format, layout, fill, 1, random, hash, [&](const Tensor& x) {
                rotate(layout, direction, {1, 1},
                       {cos.data(), sin.data(), 0, 0, given.type}, {&x, 1});
              });
        }
      }
    }
  }
  return {std::string("rotate ") + format.name + " " + p.name + " " +
              name_of(direction),
          true, hash.value()};
}

Digest rope_digest(const Format& format, std::span<const Plan> plans,
                   const NamedPairing& p, Direction direction) {
  std::vector<std::int64_t> positions = {
      131068, 131069, 131070, 131071,
      131072, 0,      -7,     (std::int64_t{1} << 31) - 1};
  thin_out(format, 5, positions);
  const auto tokens = static_cast<std::int64_t>(positions.size());
  std::mt19937_64 random(2);
  Hash hash;
  for (const Plan& plan : plans) {
    const auto r = static_cast<std::int64_t>(2 * plan.pairs());
    for (const Layout& layout : layouts(r, p.pairing)) {
      add_result(format, layout, Fill::kPlain, tokens, random, hash,
                 [&](const Tensor& x) {
                   rope(plan, layout, direction, {1, tokens}, row_of(positions),
                        {&x, 1});
                 });
    }
  }
  return {std::string("rope ") + format.name + " " + p.name + " " +
              name_of(direction),
          true, hash.value()};
}

}  // namespace

std::vector<Digest> digests() {
  const std::vector<Plan> plans = plans_of(10000);
  std::vector<Digest> all;
  for (const Format& format : kFormats) {
    all.push_back(table_digest(format, plans));
    for (const NamedPairing& pairing : kNamedPairings) {
      for (const auto direction : {Direction::kForward, Direction::kAdjoint}) {
        all.push_back(rotate_digest(format, pairing, direction));
        all.push_back(rope_digest(format, plans, pairing, direction));
      }
    }
  }
  return all;
}

}  // namespace ropeproof::fast
