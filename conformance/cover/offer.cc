#include "conformance/cover/offer.h"

#include "conformance/cover/dimension.h"
#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::cover {
namespace {

std::uint64_t bit_of(std::uint8_t c) { return std::uint64_t{1} << c; }

}  // namespace

Masks seen_by(const Model& model, std::uint32_t operation) {
  Masks masks = model.everything();
  for (std::size_t d = 0; d < model.size(); ++d) {
    const Dimension& known = model.dimensions()[d];
    if ((known.operations & operation) == 0) masks[d] = 0;
    for (const auto& [lacking, word] : known.without) {
      const std::uint8_t c = model.dimensions()[d].find(word);
      if (lacking == operation && c != kOpen) masks[d] &= ~bit_of(c);
    }
  }
  return masks;
}

Masks fixed(const Model& model, Masks masks, std::int64_t pairs) {
  for (std::size_t d = 0; d < model.size(); ++d) {
    const Dimension& dimension = model.dimensions()[d];
    if (dimension.decided != By::kModel) continue;
    masks[d] = dimension.ranges.empty() ? 1 : bit_of(dimension.find(pairs));
  }
  return masks;
}

Masks offered(const Model& model, const plugin::Description& description,
              bool shares_memory) {
  Masks seen(model.size(), 0);
  for (const auto& [operation, word] : plugin::kOperationWords) {
    if ((description.operations & operation) == 0) continue;
    const Masks one = seen_by(model, operation);
    for (std::size_t d = 0; d < model.size(); ++d) seen[d] |= one[d];
  }
  const Offer offer{description, shares_memory};
  Masks masks;
  for (std::size_t d = 0; d < model.size(); ++d) {
    const Dimension& dimension = model.dimensions()[d];
    std::uint64_t mask = 0;
    for (const std::uint8_t c : classes_in(seen[d])) {
      if (dimension.is_offered(offer, dimension, c)) mask |= bit_of(c);
    }
    masks.push_back(mask == 0 ? 1 : mask);
  }
  return masks;
}

Row classes_of(const Model& model, const ropeproof_problem& problem,
               const Row& row) {
  const Masks seen = seen_by(model, problem.operation);
  Row classes(model.size(), kOpen);
  for (std::size_t d = 0; d < model.size(); ++d) {
    const Dimension& dimension = model.dimensions()[d];
    if (seen[d] == 0) continue;
    if (dimension.read) {
      classes[d] = dimension.read(problem, dimension);
    } else if (!row.empty()) {
      classes[d] = row[d];
    }
  }
  return classes;
}

}  // namespace ropeproof::conformance::cover
