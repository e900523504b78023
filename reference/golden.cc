#include "reference/golden.h"

#include <iterator>

#include "reference/arguments.h"
#include "reference/oracle.h"

namespace ropeproof::reference {
namespace {

MakeProver* find(Oracle oracle) {
  return oracle == Oracle::kMpfi ? mpfi_oracle() : bin_float_oracle();
}

}  // namespace

MakeProver& find_prover(Oracle oracle) {
  MakeProver* make = find(oracle);
  if (make == nullptr) {
    throw std::invalid_argument(
        "the MPFI oracle is not built in: configure with ROPEPROOF_MPFI=ON");
  }
  return *make;
}

bool available(Oracle oracle) { return find(oracle) != nullptr; }

Oracle best_oracle() {
  return available(Oracle::kMpfi) ? Oracle::kMpfi : Oracle::kBinFloat;
}

Goldens::Goldens(Oracle oracle, const Spec& spec,
                 std::span<const double> positions) {
  validate(spec);
  validate_positions(spec, positions);
  tokens_ = std::ssize(positions) / spec.axes.count;
  head_dim_ = spec.layout.head_dim;
  prover_ = find_prover(oracle)(spec, positions);
}

Goldens::~Goldens() = default;
Goldens::Goldens(Goldens&&) noexcept = default;
Goldens& Goldens::operator=(Goldens&&) noexcept = default;

const Resolution& Goldens::resolution() const { return prover_->resolution(); }

std::vector<WideGolden> Goldens::frequencies() const {
  return prover_->frequencies();
}

std::vector<GoldenCosSin> Goldens::table() const { return prover_->table(); }

std::vector<WideCosSin> Goldens::wide_table() const {
  return prover_->wide_table();
}

void Goldens::validate_x(std::int64_t heads, std::span<const double> x) const {
  reference::validate_x(tokens_, heads, head_dim_, x);
}

std::vector<Golden> Goldens::rope(std::int64_t heads,
                                  std::span<const double> x) const {
  validate_x(heads, x);
  return prover_->rope(heads, x);
}

std::vector<WideGolden> Goldens::wide_rope(std::int64_t heads,
                                           std::span<const double> x) const {
  validate_x(heads, x);
  return prover_->wide_rope(heads, x);
}

Resolution golden_resolution(Oracle oracle, const Spec& spec) {
  return Goldens(oracle, spec, {}).resolution();
}

std::vector<WideGolden> golden_frequencies(Oracle oracle, const Spec& spec) {
  return Goldens(oracle, spec, {}).frequencies();
}

}  // namespace ropeproof::reference
