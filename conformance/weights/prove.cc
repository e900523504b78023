#include "conformance/weights/prove.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "reference/golden.h"
#include "reference/rope.h"

namespace ropeproof::conformance::weights {
namespace {

using reference::Layout;
using reference::Pairing;

struct Turn {
  double c = 1, s = 0;
};

// m cos and m sin of each position and pair, correct to the last bit but one.
std::vector<Turn> turns_of(const reference::Spec& spec,
                           std::span<const double> positions) {
  std::vector<double> on_axes;
  for (std::int64_t axis = 0; axis < spec.axes.count; ++axis) {
    on_axes.insert(on_axes.end(), positions.begin(), positions.end());
  }
  const reference::Goldens goldens(reference::best_oracle(), spec, on_axes);
  std::vector<Turn> turns;
  for (const reference::GoldenCosSin& entry : goldens.table()) {
    turns.push_back({std::bit_cast<double>(entry.cos.bits),
                     std::bit_cast<double>(entry.sin.bits)});
  }
  return turns;
}

// One part of one checkpoint, rotated: [positions, heads, kTokens, channels].
// Channels that the pairing does not concern stay; of latent attention they are
// left out, since k has none of them there.
class Rotated {
 public:
  Rotated(Projected projected, std::uint64_t width, Layout layout,
          Pairing pairing, bool is_window_alone, const std::vector<Turn>& turns)
      : heads_(projected.rows() / width),
        channels_(static_cast<std::size_t>(is_window_alone ? layout.rotary_dim
                                                           : layout.head_dim)) {
    layout.pairing = pairing;
    const std::size_t first =
        is_window_alone ? static_cast<std::size_t>(layout.rotary_offset) : 0;
    const auto pairs = static_cast<std::size_t>(layout.rotary_dim / 2);
    for (std::size_t p = 0; p < turns.size() / pairs; ++p) {
      for (std::size_t h = 0; h < heads_; ++h) {
        for (std::size_t t = 0; t < kTokens; ++t) {
          const std::size_t at = values_.size();
          for (std::size_t c = 0; c < channels_; ++c) {
            values_.push_back(projected.at(h * width + first + c, t));
          }
          for (std::size_t j = 0; j < pairs; ++j) {
            const auto pair =
                reference::pair_of(layout, static_cast<std::int64_t>(j));
            rotate(values_[at + static_cast<std::size_t>(pair.u) - first],
                   values_[at + static_cast<std::size_t>(pair.v) - first],
                   turns[p * pairs + j]);
          }
        }
      }
    }
  }

  std::size_t heads() const { return heads_; }
  std::span<const Rounded> head(std::size_t position, std::size_t head,
                                std::size_t token) const {
    return std::span(values_).subspan(
        ((position * heads_ + head) * kTokens + token) * channels_, channels_);
  }

 private:
  // Cosine, sine, two products and a sum round.
  static void rotate(Rounded& u, Rounded& v, const Turn& turn) {
    const double c = std::abs(turn.c), s = std::abs(turn.s);
    const Rounded x = u, y = v;
    const double a = x.error + gamma(4) * std::abs(x.value),
                 b = y.error + gamma(4) * std::abs(y.value);
    u = {turn.c * x.value - turn.s * y.value, c * a + s * b};
    v = {turn.s * x.value + turn.c * y.value, s * a + c * b};
  }

  std::size_t heads_, channels_;
  std::vector<Rounded> values_;
};

struct Score {
  double value = 0, error = 0;
};

Score score(std::span<const Rounded> q, std::span<const Rounded> k) {
  Score sum;
  double size = 0;
  for (std::size_t c = 0; c < q.size(); ++c) {
    const double a = std::abs(q[c].value), b = std::abs(k[c].value);
    sum.value += q[c].value * k[c].value;
    sum.error += q[c].error * b + a * k[c].error + q[c].error * k[c].error;
    size += (a + q[c].error) * (b + k[c].error);
  }
  sum.error += gamma(q.size() + 1) * size;
  return sum;
}

// What does not depend on a pairing.
struct Model {
  const reference::Spec& spec;
  std::span<const double> positions;
  std::vector<Turn> turns;
};

// q and k of one checkpoint, rotated.
class RotatedSide {
 public:
  RotatedSide(const LayerReader& reader, const LayerReader& other,
              Pairing pairing, const Model& model)
      : is_latent_(!reader.has(Part::kK, Kind::kWeight) &&
                   reader.has(Part::kLatent, Kind::kWeight)),
        q_(rotated(reader, other, Part::kQ, pairing, model)),
        k_(rotated(reader, other, is_latent_ ? Part::kLatent : Part::kK,
                   pairing, model)) {
    if (k_.heads() == 0 || q_.heads() % k_.heads() != 0) {
      throw CheckpointError(std::to_string(q_.heads()) + " heads of q for " +
                            std::to_string(k_.heads()) +
                            " of k; name --config of this model");
    }
  }

  const Rotated& q() const { return q_; }
  const Rotated& k() const { return k_; }
  Score score_of(std::size_t head, std::size_t at_q, std::size_t at_k,
                 std::size_t tokens) const {
    const std::size_t group = q_.heads() / k_.heads();
    return score(q_.head(at_q, head, tokens / kTokens),
                 k_.head(at_k, head / group, tokens % kTokens));
  }

 private:
  Rotated rotated(const LayerReader& reader, const LayerReader& other,
                  Part part, Pairing pairing, const Model& model) const {
    Projected projected = reader.project(part, other);
    Layout layout = model.spec.layout;
    std::uint64_t width = static_cast<std::uint64_t>(layout.head_dim);
    if (part == Part::kLatent) {
      width = projected.rows();
      layout.rotary_offset =
          static_cast<std::int64_t>(width) - layout.rotary_dim;
    }
    if (width == 0 || projected.rows() % width != 0 ||
        layout.rotary_offset < 0) {
      throw CheckpointError("rows of " + words_of(part, Kind::kWeight) +
                            " are not of heads of " + std::to_string(width) +
                            "; name --config of this model");
    }
    return {std::move(projected), width,      layout, pairing,
            is_latent_,           model.turns};
  }

  bool is_latent_;
  Rotated q_, k_;
};

// The largest |s_A - s_B| over its bound, with where it is.
void hold(const RotatedSide& a, const RotatedSide& b, const Model& model,
          Proof& proof) {
  const std::size_t n = model.positions.size();
  for (std::size_t h = 0; h < a.q().heads(); ++h) {
    for (std::size_t at = 0; at < n * n; ++at) {
      for (std::size_t tokens = 0; tokens < kTokens * kTokens; ++tokens) {
        const Score x = a.score_of(h, at / n, at % n, tokens);
        const Score y = b.score_of(h, at / n, at % n, tokens);
        const double off = std::abs(x.value - y.value);
        const double bound = x.error + y.error;
        ++proof.scores;
        proof.largest = std::max(proof.largest, std::abs(x.value));
        if (proof.scores > 1 && off <= proof.over * bound) continue;
        proof.over = off == 0 ? 0 : off / bound;
        proof.off = off;
        proof.bound = bound;
        proof.head = h;
        proof.position_q = model.positions[at / n];
        proof.position_k = model.positions[at % n];
      }
    }
  }
}

Pairing other(Pairing pairing) {
  return pairing == Pairing::kHalfSplit ? Pairing::kInterleaved
                                        : Pairing::kHalfSplit;
}

double correlation(std::span<const double> x, std::span<const double> y) {
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += x[i] * x[i];
    yy += y[i] * y[i];
    xy += x[i] * y[i];
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

void centre(std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  for (double& value : x) value -= sum / static_cast<double>(x.size());
}

}  // namespace

Proof prove(const ProofSide& a, const ProofSide& b, const reference::Spec& spec,
            std::span<const double> positions) {
  const Model model{spec, positions, turns_of(spec, positions)};
  const RotatedSide of_a(*a.reader, *b.reader, a.pairing, model);
  const RotatedSide of_b(*b.reader, *a.reader, b.pairing, model);
  if (of_a.q().heads() != of_b.q().heads() ||
      of_a.k().heads() != of_b.k().heads()) {
    throw CheckpointError("A has " + std::to_string(of_a.q().heads()) +
                          " heads of q, " + std::to_string(of_a.k().heads()) +
                          " of k, B " + std::to_string(of_b.q().heads()) +
                          ", " + std::to_string(of_b.k().heads()) +
                          "; they are not of one model");
  }
  Proof proof, of_other;
  proof.heads = of_a.q().heads();
  proof.kv_heads = of_a.k().heads();
  hold(of_a, of_b, model, proof);
  hold(of_a, {*b.reader, *a.reader, other(b.pairing), model}, model, of_other);
  proof.over_other = of_other.over;
  return proof;
}

Imprint imprint_of(std::span<const double> energies, const Layout& layout) {
  const auto width = static_cast<std::size_t>(layout.head_dim),
             first = static_cast<std::size_t>(layout.rotary_offset),
             r = static_cast<std::size_t>(layout.rotary_dim);
  std::vector<double> even, odd, low, high;
  Imprint imprint;
  for (std::size_t h = 0; h + width <= energies.size(); h += width) {
    std::vector<double> logs;
    for (std::size_t c = 0; c < r; ++c) {
      logs.push_back(std::log(std::max(energies[h + first + c], 1e-300)));
    }
    centre(logs);
    ++imprint.heads;
    for (std::size_t j = 0; j < r / 2; ++j) {
      even.push_back(logs[2 * j]);
      odd.push_back(logs[2 * j + 1]);
      low.push_back(logs[j]);
      high.push_back(logs[j + r / 2]);
    }
  }
  if (imprint.heads < 4 || r < 8) return imprint;
  for (auto* list : {&even, &odd, &low, &high}) centre(*list);
  imprint.neighbours = correlation(even, odd);
  imprint.halves = correlation(low, high);
  // Fisher's z: about normal, with a variance of 1 / (n - 3).
  const auto z = [](double x) {
    return std::atanh(std::clamp(x, -0.999, 0.999));
  };
  const double deviation = std::sqrt(static_cast<double>(imprint.heads - 3));
  const double near = z(imprint.neighbours);
  if (near * deviation < 2) return imprint;
  imprint.strength = (z(imprint.halves) - near / 2) * deviation;
  return imprint;
}

std::string words_of(const Imprint& imprint) {
  const double size = std::abs(imprint.strength);
  std::string text = "nothing that tells a pairing";
  if (size >= 2) {
    text = text::format("%s evidence of %s, %.1f standard deviations; no proof",
                        size >= 4 ? "strong" : "weak",
                        text::word(imprint.strength > 0 ? Pairing::kHalfSplit
                                                        : Pairing::kInterleaved)
                            .c_str(),
                        size);
  }
  return text + text::format(
                    " (energies of q: neighbours correlate by %.2f, channels "
                    "half a window apart by %.2f, %zu heads)",
                    imprint.neighbours, imprint.halves, imprint.heads);
}

}  // namespace ropeproof::conformance::weights
