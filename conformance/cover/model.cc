#include "conformance/cover/model.h"

#include <algorithm>
#include <bit>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "conformance/text/file.h"

namespace ropeproof::conformance::cover {

std::uint8_t Dimension::find(std::string_view word) const {
  const auto found = std::ranges::find(classes, word);
  return found == classes.end()
             ? kOpen
             : static_cast<std::uint8_t>(found - classes.begin());
}

std::uint8_t Dimension::find(std::int64_t size) const {
  std::uint8_t found = kOpen;
  for (std::size_t c = 0; c < ranges.size(); ++c) {
    if (size >= ranges[c].low &&
        (found == kOpen || ranges[c].low > ranges[found].low)) {
      found = static_cast<std::uint8_t>(c);
    }
  }
  return found;
}

std::vector<std::uint8_t> classes_in(std::uint64_t mask) {
  std::vector<std::uint8_t> classes;
  for (; mask != 0; mask &= mask - 1) {
    classes.push_back(static_cast<std::uint8_t>(std::countr_zero(mask)));
  }
  return classes;
}

Model::Never Model::read(const Rules::Of& rule) const {
  Never never{{}, {}, rule.because};
  for (const Choice& choice : rule.of) {
    never.dimensions.push_back(known(choice.dimension));
    std::uint64_t& mask = never.masks.emplace_back(0);
    for (const std::string& word : choice.classes) {
      const std::uint8_t c = at(never.dimensions.back(), word);
      if (c == kOpen) {
        throw std::invalid_argument("coverage model: \"" + word +
                                    "\" is no class of " + choice.dimension);
      }
      mask |= std::uint64_t{1} << c;
    }
  }
  return never;
}

Model::Model(std::vector<Dimension> dimensions, const Rules& rules)
    : dimensions_(std::move(dimensions)), masking_(dimensions_.size()) {
  for (const Rules::Of& rule : rules.never) never_.push_back(read(rule));
  for (const Rules::Of& rule : rules.masking) {
    const Never masks = read(rule);
    for (std::size_t i = 0; i < masks.dimensions.size(); ++i) {
      if ((masks.masks[i] & 1) != 0) {
        throw std::invalid_argument(
            "coverage model: a plain class hides nothing");
      }
      masking_[masks.dimensions[i]] |= masks.masks[i];
    }
  }
  for (const Rules::AtMost& rule : rules.at_most) {
    AtMost& product = at_most_.emplace_back();
    product.is = rule.is;
    product.because = rule.because;
    for (const std::string& name : rule.product) {
      product.product.push_back(known(name));
      if (dimensions_[product.product.back()].ranges.empty()) {
        throw std::invalid_argument("coverage model: " + name +
                                    " has no sizes");
      }
    }
  }
  never_of_.resize(size());
  for (std::size_t i = 0; i < never_.size(); ++i) {
    for (const std::size_t d : never_[i].dimensions) never_of_[d].push_back(i);
  }
  at_most_of_.resize(size());
  for (std::size_t i = 0; i < at_most_.size(); ++i) {
    for (const std::size_t d : at_most_[i].product) at_most_of_[d].push_back(i);
  }
  for (std::size_t d = 0; d < size(); ++d) {
    for (std::size_t c = 0; c < dimensions_[d].classes.size(); ++c) {
      Row row(size(), kOpen);
      row[d] = static_cast<std::uint8_t>(c);
      if (complete(row, everything())) continue;
      throw std::invalid_argument(
          "coverage model: no row can have " + dimensions_[d].name + " " +
          dimensions_[d].classes[c] + ": the rules exclude all of them");
    }
  }
}

std::size_t Model::at(std::string_view dimension) const {
  return static_cast<std::size_t>(
      std::ranges::find(dimensions_, dimension, &Dimension::name) -
      dimensions_.begin());
}

std::size_t Model::known(std::string_view dimension) const {
  const std::size_t d = at(dimension);
  if (d < size()) return d;
  throw std::invalid_argument("coverage model: \"" + std::string(dimension) +
                              "\" is no dimension");
}

std::uint8_t Model::at(std::size_t dimension,
                       std::string_view class_name) const {
  return dimensions_[dimension].find(class_name);
}

const std::string& Model::word(const Row& row,
                               std::string_view dimension) const {
  const std::size_t d = at(dimension);
  return dimensions_[d].classes[row[d]];
}

const Range& Model::range(const Row& row, std::string_view dimension) const {
  const std::size_t d = at(dimension);
  return dimensions_[d].ranges[row[d]];
}

bool Model::breaks(const Never& rule, const Row& row) const {
  for (std::size_t i = 0; i < rule.dimensions.size(); ++i) {
    const std::uint8_t c = row[rule.dimensions[i]];
    if (c == kOpen || (rule.masks[i] >> c & 1) == 0) return false;
  }
  return true;
}

bool Model::breaks(const AtMost& rule, const Row& row) const {
  std::int64_t product = 1;
  for (const std::size_t d : rule.product) {
    if (row[d] == kOpen) continue;
    product *= std::max<std::int64_t>(dimensions_[d].ranges[row[d]].low, 1);
    if (product > rule.is) return true;
  }
  return false;
}

const std::string* Model::contradiction(const Row& row) const {
  for (const Never& rule : never_) {
    if (breaks(rule, row)) return &rule.because;
  }
  for (const AtMost& rule : at_most_) {
    if (breaks(rule, row)) return &rule.because;
  }
  return nullptr;
}

bool Model::contradicts(const Row& row, std::size_t dimension) const {
  return std::ranges::any_of(
             never_of_[dimension],
             [&](std::size_t i) { return breaks(never_[i], row); }) ||
         std::ranges::any_of(at_most_of_[dimension], [&](std::size_t i) {
           return breaks(at_most_[i], row);
         });
}

std::uint64_t Model::masking(const Row& row) const {
  std::uint64_t mask = 0;
  for (std::size_t d = 0; d < size(); ++d) {
    if (row[d] != kOpen && (masking_[d] >> row[d] & 1) != 0) {
      mask |= std::uint64_t{1} << d;
    }
  }
  return mask;
}

// Without it a conflict between two late dimensions would be met once for every
// choice in the earlier ones.
bool Model::has_choices(Row& row, const Masks& offered) const {
  for (std::size_t d = 0; d < size(); ++d) {
    if (row[d] != kOpen) continue;
    bool has_one = false;
    for (std::uint64_t left = offered[d] & ~masking_[d]; left != 0 && !has_one;
         left &= left - 1) {
      row[d] = static_cast<std::uint8_t>(std::countr_zero(left));
      has_one = !contradicts(row, d);
    }
    row[d] = kOpen;
    if (!has_one) return false;
  }
  return true;
}

bool Model::fill(Row& row, std::size_t from, const Masks& offered) const {
  while (from < size() && row[from] != kOpen) ++from;
  if (from == size()) return true;
  if (!has_choices(row, offered)) return false;
  for (std::uint64_t left = offered[from] & ~masking_[from]; left != 0;
       left &= left - 1) {
    row[from] = static_cast<std::uint8_t>(std::countr_zero(left));
    if (!contradicts(row, from) && fill(row, from + 1, offered)) return true;
  }
  row[from] = kOpen;
  return false;
}

std::optional<Row> Model::complete(const Row& row, const Masks& offered) const {
  Row whole = row;
  if (contradiction(whole) != nullptr || !fill(whole, 0, offered)) {
    return std::nullopt;
  }
  return whole;
}

Masks Model::everything() const {
  Masks masks;
  for (const Dimension& d : dimensions_) {
    masks.push_back((std::uint64_t{1} << d.classes.size()) - 1);
  }
  return masks;
}

std::string Model::words(const Row& row) const {
  std::string text;
  for (std::size_t d = 0; d < size(); ++d) {
    if (row[d] == kOpen) continue;
    text += (text.empty() ? "" : ", ") + dimensions_[d].name + " " +
            dimensions_[d].classes[row[d]];
  }
  return text;
}

std::string Model::text(const Row& row) const {
  Row other = row;
  for (std::uint8_t& c : other) c = c == 0 ? kOpen : c;
  const std::string text = words(other);
  return text.empty() ? "the plain call" : text;
}

std::vector<Row> read_rows(const Model& model, const std::string& text,
                           const std::string& file) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::string where = file + ":" + std::to_string(number) + ": ";
    Row row;
    bool are_classes = line.size() == model.size();
    for (std::size_t d = 0; are_classes && d < line.size(); ++d) {
      const char c = line[d];
      row.push_back(static_cast<std::uint8_t>(c >= '0' && c <= '9' ? c - '0'
                                              : c >= 'a' && c <= 'z'
                                                  ? c - 'a' + 10
                                                  : kOpen));
      are_classes = row[d] < model.dimensions()[d].classes.size();
    }
    if (!are_classes) {
      throw text::FileError(where + "not a class of each of " +
                            std::to_string(model.size()) + " dimensions");
    }
    if (const std::string* because = model.contradiction(row)) {
      throw text::FileError(where + "contradicts itself: " + *because);
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw text::FileError(file + ": no row");
  return rows;
}

}  // namespace ropeproof::conformance::cover
