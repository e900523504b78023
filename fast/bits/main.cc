// fast_bits -- whether all SIMD targets give the same bits:
//
//   fast_bits           compares the targets of this machine; prints digests
//   fast_bits DIGESTS   and compares them with those another machine printed
//
// Targets with FMA must agree in everything, those without in everything, and
// all in tables. Exit status: 1 for a difference, 2 if DIGESTS cannot be read or
// has nothing to compare.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "fast/bits/digests.h"
#include "fast/testing.h"

namespace ropeproof::fast {
namespace {

struct Seen {
  std::string by;  // a target, or a file
  std::uint64_t value;
};

// Digests by "fma rotate f32 ...": all that bear one name must be one number.
class Comparison {
 public:
  void add(const std::string& name, const std::string& by,
           std::uint64_t value) {
    const auto [at, is_new] = seen_.try_emplace(name, Seen{by, value});
    if (is_new) return;
    ++compared_;
    if (at->second.value == value) return;
    ++differing_;
    std::fprintf(
        stderr, "fast_bits: %s: %s has %016" PRIx64 ", %s has %016" PRIx64 "\n",
        name.c_str(), at->second.by.c_str(), at->second.value, by.c_str(),
        value);
  }
  bool has(const std::string& name) const { return seen_.contains(name); }
  int compared() const { return compared_; }
  int differing() const { return differing_; }
  void print() const {
    for (const auto& [name, seen] : seen_) {
      std::printf("%016" PRIx64 " %s\n", seen.value, name.c_str());
    }
  }

 private:
  std::map<std::string, Seen> seen_;
  int compared_ = 0, differing_ = 0;
};

void compare_targets(Comparison& comparison) {
  on_every_target([&](const std::string& target) {
    const char* kind = has_fma(target) ? "fma " : "no-fma ";
    for (const Digest& digest : digests()) {
      comparison.add((digest.needs_fma ? kind : "any ") + digest.name, target,
                     digest.value);
    }
    std::fprintf(stderr, "fast_bits: %s, %s\n", target.c_str(),
                 has_fma(target) ? "with FMA" : "without FMA");
  });
}

// Adds the digests of `path` that this machine has, too. Returns how many.
int compare_file(const char* path, Comparison& comparison) {
  std::ifstream file(path);
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::uint64_t value = 0;
    std::string name;
    words >> std::hex >> value >> std::ws;
    if (!std::getline(words, name) || !comparison.has(name)) continue;
    comparison.add(name, path, value);
    ++count;
  }
  return count;
}

int run(const char* path) {
  Comparison comparison;
  compare_targets(comparison);
  comparison.print();
  if (path != nullptr && compare_file(path, comparison) == 0) {
    std::fprintf(stderr,
                 "fast_bits: %s: no digest to compare with; make it by running "
                 "fast_bits on a machine with FMA\n",
                 path);
    return 2;
  }
  std::fprintf(stderr, "fast_bits: %d of %d comparisons differ\n",
               comparison.differing(), comparison.compared());
  return comparison.differing() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ropeproof::fast

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fprintf(stderr, "fast_bits: usage: fast_bits [DIGESTS]\n");
    return 2;
  }
  return ropeproof::fast::run(argc == 2 ? argv[1] : nullptr);
}
