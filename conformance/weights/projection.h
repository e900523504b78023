// projection.h -- the q and k of a layer as numbers: weights, biases and norms,
// multiplied by inputs of our own.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/weights/attention.h"
#include "conformance/weights/checkpoint.h"
#include "conformance/weights/permute.h"
#include "conformance/weights/roles.h"

namespace ropeproof::conformance::weights {

// Inputs have few channels that are not 0: the error of a quantised weight is
// bounded by a sum over them, which many channels would leave without meaning.
inline constexpr std::size_t kTokens = 8, kChannelsOfToken = 8;

// What n roundings in binary64 cost at most, relatively.
constexpr double gamma(std::size_t n) {
  const double nu = static_cast<double>(n) * 0x1p-53;
  return nu / (1 - nu);
}

// A number, and by how much another rounding of the same weight may be off it.
struct Rounded {
  double value = 0, error = 0;
};

// [rows, kTokens] of q or k.
struct Projected {
  std::vector<Rounded> values;

  std::size_t rows() const { return values.size() / kTokens; }
  Rounded& at(std::size_t row, std::size_t token) {
    return values[row * kTokens + token];
  }
};

class LayerReader {
 public:
  // `moves`, unless null, are carried out on what is read.
  LayerReader(const Checkpoint& checkpoint, const RoleTable& table,
              const Attention& attention, std::int64_t layer,
              const Moves* moves);

  bool has(Part part, Kind kind) const;
  // Returns the rows of q, k or the latent part: weight, bias, norm. The error
  // covers rounding in binary64 and, where `other` has a tensor in another
  // type, what rounding to this one's may have cost: of floats, and of Q8_0,
  // Q4_0 and Q4_1 as ggml rounds without an importance matrix. Throws
  // CheckpointError where the layer lacks it, has another type or a NaN.
  Projected project(Part part, const LayerReader& other) const;
  // Returns the sum of squares of each row of q, from head to head.
  std::vector<double> energies_of_q() const;

 private:
  struct Named {
    const Tensor* tensor = nullptr;
    Role role;
  };

  const Named& named(Part part, Kind kind) const;
  // Calls each(row, bytes of it) for the rows of a tensor, in order.
  template <class Each>
  void for_rows(const Tensor& tensor, Kind kind, const Each& each) const;
  std::vector<std::uint32_t> rows_of(Part part, const Named& named, Kind kind,
                                     std::size_t rows) const;
  bool is_exact(Part part, Kind kind, const LayerReader& other) const;
  void normalise(Projected& projected, Part part,
                 const LayerReader& other) const;
  std::vector<Rounded> elements(Part part, Kind kind,
                                const LayerReader& other) const;

  const Checkpoint& checkpoint_;
  const Attention& attention_;
  const Moves* moves_;
  std::map<std::pair<Part, Kind>, Named> tensors_;
};

}  // namespace ropeproof::conformance::weights
