// ropeproof weights prove: scores of a layer under two pairings.
#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <vector>

#include "conformance/models/config.h"
#include "conformance/text/format.h"
#include "conformance/text/one_line.h"
#include "conformance/text/strict_json.h"
#include "conformance/weights/prove.h"
#include "tools/profile_flags.h"
#include "tools/weights_flags.h"

namespace ropeproof::tools {
namespace {

namespace fs = std::filesystem;
using reference::Pairing;
using weights::Attention;
using weights::Checkpoint;

constexpr Pairing other_of(Pairing pairing) {
  return pairing == Pairing::kHalfSplit ? Pairing::kInterleaved
                                        : Pairing::kHalfSplit;
}

// The pairing of a checkpoint: as a flag says, else as it says itself.
Pairing pairing_for_proof(const char* flag, const std::string& given,
                          std::optional<Pairing> own, const Checkpoint& of) {
  if (!given.empty()) return parse_word(flag, kToWords, given);
  if (own) return *own;
  throw std::invalid_argument(of.path.string() +
                              ": its pairing is not known; name it by " + flag);
}

// The RoPE of a configuration: of its first kind of layers.
reference::Spec rope_of(const std::string& config, const fs::path& models) {
  models::ConfigOptions options;
  options.types = models::load_types(models);
  const auto ropes = models::ropes_of_config(
      text::parse_json(text::read_file(config), config), config, options);
  if (ropes.ropes.empty()) {
    throw std::invalid_argument(config + ": has no RoPE to prove by");
  }
  return ropes.ropes.front().spec;
}

// What the q of at most 16 layers, from the first to the last, show.
std::string imprint(const Checkpoint& checkpoint,
                    const weights::RoleTable& table, const Attention& attention,
                    const reference::Layout& layout) {
  constexpr std::size_t kMost = 16;
  std::set<std::int64_t> found;
  for (const weights::Tensor& tensor : checkpoint.tensors) {
    const auto role = table.find(tensor.name);
    if (role && role->kind == weights::Kind::kWeight &&
        (role->part == weights::Part::kQ ||
         role->part == weights::Part::kQkv)) {
      found.insert(role->layer);
    }
  }
  const std::vector<std::int64_t> layers(found.begin(), found.end());
  std::vector<double> energies;
  const std::size_t count = std::min(kMost, layers.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto more =
        weights::LayerReader(checkpoint, table, attention,
                             layers[i * layers.size() / count], nullptr)
            .energies_of_q();
    energies.insert(energies.end(), more.begin(), more.end());
  }
  return words_of(weights::imprint_of(energies, layout));
}

void print_scores(const weights::Proof& proof, const WeightsOptions& options,
                  const std::string& a, const std::string& b, Pairing from,
                  Pairing to) {
  std::cout << text::printable(
      "  A        " + a + ", " + text::word(from) + "\n  B        " + b + ", " +
      text::word(to) +
      text::format("\n  scores   %zu of layer %lld, %llu heads of q, %llu of "
                   "k, %zu positions; the largest %.3g\n",
                   proof.scores, static_cast<long long>(options.layer),
                   static_cast<unsigned long long>(proof.heads),
                   static_cast<unsigned long long>(proof.kv_heads),
                   options.positions.size(), proof.largest) +
      text::format("  worst    %.3g of the bound: off by %.3g, at most %.3g; "
                   "head %llu, positions %g and %g\n",
                   proof.over, proof.off, proof.bound,
                   static_cast<unsigned long long>(proof.head),
                   proof.position_q, proof.position_k) +
      text::format("  B as %s: %.3g of the bound\n",
                   text::word(other_of(to)).c_str(), proof.over_other));
}

// Says what is proved of B, which has this pairing; the exit status.
int conclude(const weights::Proof& proof, Pairing to) {
  if (!proof.tells()) {
    std::cout << "\nNOT JUDGED  the bound does not tell one pairing from the "
                 "other\n";
    return 2;
  }
  if (proof.over <= 1) {
    std::cout << "\nPROVED  the scores of both are the same\n";
    return 0;
  }
  std::cout << "\nWRONG  the scores of both differ"
            << (proof.over_other <= 1 ? "; they are the same with B as " +
                                            text::word(other_of(to))
                                      : "")
            << "\n  try `ropeproof weights compare`, which says how\n";
  return 1;
}

}  // namespace

int prove_weights(const WeightsOptions& options) {
  const fs::path models = options.vectors / "models";
  const weights::RoleTable table(models);
  const reference::Spec spec = rope_of(options.flags.config, models);
  const Checkpoint a = weights::open_checkpoint(options.a);
  const Attention attention = weights::read_attention(a, options.flags, models);
  const Pairing from = pairing_for_proof(
      "--from", options.from, weights::pairing_of(a, table, attention), a);
  const weights::LayerReader of_a(a, table, attention, options.layer, nullptr);
  std::optional<Checkpoint> b;
  weights::Moves moves;
  Pairing to = other_of(from);
  if (options.b.empty()) {
    moves = weights::plan(a, table, attention, weights::direction_to(to));
  } else {
    b = weights::open_checkpoint(options.b);
    to = pairing_for_proof("--to", options.to,
                           weights::pairing_of(*b, table, attention), *b);
  }
  const weights::LayerReader of_b(b ? *b : a, table, attention, options.layer,
                                  b ? nullptr : &moves);
  const weights::Proof proof =
      weights::prove({&of_a, from}, {&of_b, to}, spec, options.positions);
  if (attention.heads != 0 && proof.heads != attention.heads) {
    throw std::invalid_argument(
        options.flags.config + ": says " + std::to_string(attention.heads) +
        " heads of q, and the rows are " + std::to_string(proof.heads) +
        " of its head_dim; is it of this model, or does q hold gates?");
  }
  print_scores(proof, options, a.path.string(),
               b ? b->path.string() : "A, permuted in memory", from, to);
  std::cout << "  imprint  A: " << imprint(a, table, attention, spec.layout)
            << "\n";
  if (b) {
    std::cout << "  imprint  B: " << imprint(*b, table, attention, spec.layout)
              << "\n";
  }
  return conclude(proof, to);
}

}  // namespace ropeproof::tools
