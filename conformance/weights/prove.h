// prove.h -- scores of attention under two pairings, on the weights themselves.
//
// q and k of a layer are formed of inputs of our own and rotated, each
// checkpoint by its pairing, and q.k is compared at all pairs of positions:
//
//     |s_A - s_B| <= E_A + E_B,
//     E = sum_c ( e_q |k| + |q| e_k + e_q e_k ) + gamma_n sum_c (|q| + e_q)
//         (|k| + e_k)
//
// over the n channels c of a head, after the rotation, gamma_n = n u / (1 -
// n u), u = 2^-53: both are so near what the same weights give in real numbers.
// e has the roundings of binary64 on the way and, where the two have unlike
// types, what rounding the weights to each may have cost. Norms are taken as
// root mean squares.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "conformance/weights/projection.h"
#include "reference/spec.h"

namespace ropeproof::conformance::weights {

struct Proof {
  std::size_t scores = 0;
  std::uint64_t heads = 0, kv_heads = 0;
  double largest = 0;         // of |s_A|
  double off = 0, bound = 0;  // where |s_A - s_B| / bound is largest
  double over = 0;            // that quotient
  std::uint64_t head = 0;
  double position_q = 0, position_k = 0;
  // That quotient with B rotated by the other pairing: at most 1 where the
  // bound is too wide to tell one from the other.
  double over_other = 0;

  bool tells() const { return over > 1 || over_other > 1; }
};

// One checkpoint, and the pairing by which it is run.
struct ProofSide {
  const LayerReader* reader = nullptr;
  reference::Pairing pairing = {};
};

// `spec` has frequencies and window. Cost: a table of positions times pairs, 10
// us each; then scores. Throws CheckpointError.
Proof prove(const ProofSide& a, const ProofSide& b, const reference::Spec& spec,
            std::span<const double> positions);

// What frequencies leave in trained weights: the two channels of a pair, and
// those of near frequencies, come to have about the same energy, head by head.
// So channels half a window apart have alike energies where a model was trained
// half-split, and unlike ones where interleaved; neighbours in both.
struct Imprint {
  double neighbours = 0, halves = 0;  // correlations of log energies of rows
  std::size_t heads = 0;
  // Standard deviations, for as many independent heads, from the middle between
  // both: positive for half_split.
  double strength = 0;
};

// `energies` are those of heads in a row, of q.
Imprint imprint_of(std::span<const double> energies,
                   const reference::Layout& layout);

// Returns what a reader may take from it, and what not.
std::string words_of(const Imprint& imprint);

}  // namespace ropeproof::conformance::weights
