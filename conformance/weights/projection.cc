#include "conformance/weights/projection.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "conformance/judge/codec.h"
#include "conformance/weights/rows.h"

namespace ropeproof::conformance::weights {
namespace {

using reference::Format;

constexpr std::uint64_t kReadAtOnce = std::uint64_t{4} << 20;  // bytes
constexpr double kHalf16 = 0x1p-11;  // what a scale in f16 is off, relatively
constexpr double kNormEpsilon = 1e-6;

// Blocks of 32 elements: a scale, a minimum where there is one, small integers.
// ggml takes x = scale * integer + minimum, rounded to nearest; with Q4_0 the
// largest element may be one step off.
struct Quantised {
  std::string_view name;
  unsigned integers_at, bits;
  int zero;      // the integer of 0, where there is no minimum
  double steps;  // that the integer may be off
  int largest;
};
constexpr Quantised kQuantised[] = {{"Q8_0", 2, 8, 0, 0.5, 127},
                                    {"Q4_0", 2, 4, 8, 1, 8},
                                    {"Q4_1", 4, 4, 0, 0.5, 15}};

double half_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes.data() + at, 2);
  return judge::fast_decode<Format::kF16>(bits);
}

Rounded decode_block(const Quantised& type, std::span<const std::byte> block,
                     std::size_t i) {
  const double scale = half_at(block, 0);
  const double minimum = type.integers_at == 4 ? half_at(block, 2) : 0;
  int integer = 0;
  if (type.bits == 8) {
    integer = static_cast<std::int8_t>(block[type.integers_at + i]);
  } else {
    const auto both =
        std::to_integer<unsigned>(block[type.integers_at + i % 16]);
    integer = static_cast<int>(i < 16 ? both & 15u : both >> 4) - type.zero;
  }
  return {scale * integer + minimum,
          std::abs(scale) * (type.steps + type.largest * kHalf16) +
              std::abs(minimum) * kHalf16};
}

Rounded decode(const ElementType& type, std::span<const std::byte> row,
               std::uint64_t column) {
  if (!type.format) {
    const auto* const known =
        std::ranges::find(kQuantised, type.name, &Quantised::name);
    return decode_block(
        *known, row.subspan(column / type.block_elems * type.block_bytes),
        column % type.block_elems);
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, row.data() + column * type.block_bytes, type.block_bytes);
  const double value = judge::fast_decode(*type.format, bits);
  const reference::FormatTraits traits = reference::traits(*type.format);
  return {value, std::abs(value) * traits.unit_roundoff +
                     std::ldexp(traits.unit_roundoff, traits.min_exponent)};
}

// Input i of a token: which channel, and its value there.
struct Input {
  std::uint64_t channel = 0;
  double value = 0;
};

Input input_of(std::size_t token, std::size_t i, std::uint64_t channels) {
  // The steps of Vigna's splitmix64: any spread would do.
  std::uint64_t x = (token * kChannelsOfToken + i + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  const double size = 1 + static_cast<double>(i) / kChannelsOfToken;
  return {(x >> 1) % channels, (x & 1) != 0 ? size : -size};
}

}  // namespace

LayerReader::LayerReader(const Checkpoint& checkpoint, const RoleTable& table,
                         const Attention& attention, std::int64_t layer,
                         const Moves* moves)
    : checkpoint_(checkpoint), attention_(attention), moves_(moves) {
  for (const Tensor& tensor : checkpoint.tensors) {
    const auto role = table.find(tensor.name);
    if (!role || role->layer != layer) continue;
    tensors_[{role->part, role->kind}] = {&tensor, *role};
  }
}

bool LayerReader::has(Part part, Kind kind) const {
  return tensors_.contains({part, kind}) ||
         (part != Part::kLatent && tensors_.contains({Part::kQkv, kind}));
}

const LayerReader::Named& LayerReader::named(Part part, Kind kind) const {
  const auto own = tensors_.find({part, kind});
  if (own != tensors_.end()) return own->second;
  const auto fused = tensors_.find({Part::kQkv, kind});
  if (part != Part::kLatent && fused != tensors_.end()) return fused->second;
  throw CheckpointError(checkpoint_.path.string() + ": the layer has no " +
                        words_of(part, kind) + " that its name tells");
}

template <class Each>
void LayerReader::for_rows(const Tensor& tensor, Kind kind,
                           const Each& each) const {
  const InputFile& file = checkpoint_.files[tensor.file];
  const ElementType& type = tensor.type;
  if (!type.format &&
      !std::ranges::count(kQuantised, type.name, &Quantised::name)) {
    file.fail("\"" + tensor.name + "\" has type " + std::string(type.name) +
              ", whose rounding has no bound here; prove one in floats, Q8_0, "
              "Q4_0 or Q4_1");
  }
  const auto rows = weights::rows_of(tensor, kind);
  if (!rows) file.fail("\"" + tensor.name + "\" has no whole rows");
  const std::uint64_t at_once =
      std::max<std::uint64_t>(1, kReadAtOnce / rows->bytes);
  std::vector<std::byte> bytes;
  for (std::uint64_t row = 0; row < rows->count; row += at_once) {
    bytes.resize(std::min(at_once, rows->count - row) * rows->bytes);
    checkpoint_.read(tensor, row * rows->bytes, bytes);
    for (std::size_t i = 0; i < bytes.size() / rows->bytes; ++i) {
      each(row + i, std::span(bytes).subspan(i * rows->bytes, rows->bytes));
    }
  }
}

// Which rows of its tensor the part is, once they are moved.
std::vector<std::uint32_t> LayerReader::rows_of(Part part, const Named& named,
                                                Kind kind,
                                                std::size_t rows) const {
  RowMap map;
  if (named.role.part == Part::kQkv) {
    map = rows_of_part(
        part, named.role.order.value_or(FusedOrder::kBlocks), rows,
        attention_.heads,
        attention_.kv_heads == 0 ? attention_.heads : attention_.kv_heads);
    if (map.empty()) {
      checkpoint_.files[named.tensor->file].fail(
          "\"" + named.tensor->name + "\" has rows of not so many heads");
    }
  } else {
    for (std::uint32_t row = 0; row < rows; ++row) map.push_back(row);
  }
  if (moves_ == nullptr || kind == Kind::kLoraA) return map;
  const auto move = moves_->find(named.tensor->name);
  if (move == moves_->end()) return map;
  const RowMap& moved = move->second.map;
  for (std::uint32_t& row : map) {
    const auto size = static_cast<std::uint32_t>(moved.size());
    row = row / size * size + moved[row % size];
  }
  return map;
}

bool LayerReader::is_exact(Part part, Kind kind,
                           const LayerReader& other) const {
  return other.has(part, kind) && named(part, kind).tensor->type.name ==
                                      other.named(part, kind).tensor->type.name;
}

std::vector<Rounded> LayerReader::elements(Part part, Kind kind,
                                           const LayerReader& other) const {
  const Named& found = named(part, kind);
  const double off = is_exact(part, kind, other) ? 0 : 1;
  std::vector<Rounded> all;
  for_rows(*found.tensor, kind,
           [&](std::uint64_t, std::span<const std::byte> row) {
             all.push_back(decode(found.tensor->type, row, 0));
             all.back().error *= off;
           });
  std::vector<Rounded> result;
  for (const std::uint32_t row : rows_of(part, found, kind, all.size())) {
    result.push_back(all[row]);
  }
  return result;
}

Projected LayerReader::project(Part part, const LayerReader& other) const {
  const Named& found = named(part, Kind::kWeight);
  const Tensor& tensor = *found.tensor;
  const double off = is_exact(part, Kind::kWeight, other) ? 0 : 1;
  Projected all;
  for_rows(tensor, Kind::kWeight, [&](std::uint64_t row, const auto& bytes) {
    all.values.resize((row + 1) * kTokens);
    for (std::size_t token = 0; token < kTokens; ++token) {
      Rounded& sum = all.at(row, token);
      for (std::size_t i = 0; i < kChannelsOfToken; ++i) {
        const Input input = input_of(token, i, tensor.shape.back());
        const Rounded weight = decode(tensor.type, bytes, input.channel);
        const double product = weight.value * input.value;
        sum.value += product;
        sum.error += off * weight.error * std::abs(input.value) +
                     gamma(kChannelsOfToken + 1) * std::abs(product);
      }
      if (std::isfinite(sum.value)) continue;
      checkpoint_.files[tensor.file].fail(
          "\"" + tensor.name + "\" has an infinity or a NaN in row " +
          std::to_string(row) + "; nothing can be proved of it");
    }
  });
  Projected result;
  for (const std::uint32_t row :
       rows_of(part, found, Kind::kWeight, all.rows())) {
    for (std::size_t token = 0; token < kTokens; ++token) {
      result.values.push_back(all.at(row, token));
    }
  }
  if (has(part, Kind::kBias)) {
    const auto bias = elements(part, Kind::kBias, other);
    for (std::size_t i = 0; i < result.values.size(); ++i) {
      const Rounded& more = bias.at(i / kTokens);
      result.values[i].value += more.value;
      result.values[i].error += more.error;
    }
  }
  if (has(part, Kind::kNorm)) normalise(result, part, other);
  return result;
}

// Divides by the root of the mean square, over a head, or over all rows where
// the norm has as many elements, and multiplies by the norm. That root changes
// by at most the length of the errors: a length is 1-Lipschitz.
void LayerReader::normalise(Projected& projected, Part part,
                            const LayerReader& other) const {
  const auto norm = elements(part, Kind::kNorm, other);
  const Heads heads =
      heads_of(attention_, part, Kind::kWeight, projected.rows());
  const std::size_t rows = projected.rows();
  const bool is_of_all = norm.size() == rows && heads.count != 0 &&
                         norm.size() != rows / heads.count;
  const std::size_t width = is_of_all ? rows : norm.size();
  if (width == 0 || rows % width != 0) {
    throw CheckpointError(checkpoint_.path.string() + ": the norm of " +
                          words_of(part, Kind::kWeight) + " has " +
                          std::to_string(width) + " elements for " +
                          std::to_string(rows) + " rows");
  }
  for (std::size_t token = 0; token < kTokens; ++token) {
    for (std::size_t first = 0; first < rows; first += width) {
      double square = kNormEpsilon * static_cast<double>(width), off = 0;
      for (std::size_t i = 0; i < width; ++i) {
        const Rounded& x = projected.at(first + i, token);
        square += x.value * x.value;
        off += x.error * x.error;
      }
      const double length = std::sqrt(square);
      const double factor = std::sqrt(static_cast<double>(width)) / length;
      const double relative =
          std::sqrt(off) / std::max(length - std::sqrt(off), 1e-300) +
          gamma(width + 8);
      for (std::size_t i = 0; i < width; ++i) {
        Rounded& x = projected.at(first + i, token);
        const Rounded& weight = norm[i];
        const double most = std::abs(weight.value) + weight.error;
        const double y = std::abs(x.value) + x.error;
        x = {weight.value * factor * x.value,
             factor * (most * (x.error + y * relative) +
                       weight.error * std::abs(x.value))};
      }
    }
  }
}

std::vector<double> LayerReader::energies_of_q() const {
  const Named& found = named(Part::kQ, Kind::kWeight);
  const ElementType& type = found.tensor->type;
  std::vector<double> all, result;
  for_rows(*found.tensor, Kind::kWeight,
           [&](std::uint64_t, std::span<const std::byte> row) {
             double sum = 0;
             for (std::uint64_t i = 0; i < found.tensor->shape.back(); ++i) {
               const double x = decode(type, row, i).value;
               sum += x * x;
             }
             all.push_back(sum);
           });
  for (const std::uint32_t row :
       rows_of(Part::kQ, found, Kind::kWeight, all.size())) {
    result.push_back(all[row]);
  }
  return result;
}

}  // namespace ropeproof::conformance::weights
