// model.h -- the questions that a kernel can be asked, as data.
//
// A model has the dimensions of a problem, the classes of each, and which
// combinations contradict themselves. A row is one class per dimension: a
// question without its numbers. pairs.txt and triples.txt of vectors/coverage/
// hold rows in which every pair, or triple, of classes occurs.
#pragma once

#include <ropeproof_kernel.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ropeproof::conformance::cover {

// Classes by their numbers, in the order of the model's dimensions.
using Row = std::vector<std::uint8_t>;
inline constexpr std::uint8_t kOpen = 0xff;  // a class not chosen, or not seen

// A set of classes of each dimension, one bit a class.
using Masks = std::vector<std::uint64_t>;

// The classes of one dimension's mask, in their order.
std::vector<std::uint8_t> classes_in(std::uint64_t mask);

struct Range {
  std::int64_t low = 0, high = 0;
};

struct Offer;    // dimension.h
struct Drawing;  // dimension.h

// Who decides a dimension: in a profile the model, or always the call.
enum class By { kModel, kCall };

struct Dimension {
  std::string name = {};
  // The plain one first; of ranges "4-7", and as many ranges, else none. No
  // other place in the list means anything: a new class goes last, though its
  // range lie between others, so that those keep their numbers.
  std::vector<std::string> classes = {};
  std::vector<Range> ranges = {};
  std::uint32_t operations = 0;  // whose problems say something of it
  By decided = By::kCall;
  // Whether a kernel offers a class.
  std::function<bool(const Offer&, const Dimension&, std::uint8_t)> is_offered =
      {};
  // kOpen where no class fits; null where no field of a call says the class.
  std::function<std::uint8_t(const ropeproof_problem&, const Dimension&)> read =
      {};
  // The dimensions before this one are drawn.
  std::function<void(Drawing&)> draw = {};
  // Classes that an operation does not have, though it has the dimension.
  std::vector<std::pair<std::uint32_t, std::string_view>> without = {};

  // The class of this word, or of a size: of the highest range that begins at
  // or below it. kOpen for none.
  std::uint8_t find(std::string_view word) const;
  std::uint8_t find(std::int64_t size) const;
};

// Some classes of a dimension.
struct Choice {
  std::string dimension;
  std::vector<std::string> classes;
};

struct Rules {
  struct Of {
    std::vector<Choice> of;
    std::string because;
  };
  struct AtMost {
    std::vector<std::string> product;  // of dimensions that have ranges
    std::int64_t is = 0;
    std::string because;
  };
  std::vector<Of> never = {};        // no row has a class of each choice
  std::vector<Of> masking = {};      // classes that hide what else is wrong
  std::vector<AtMost> at_most = {};  // a product of the classes' least sizes
};

class Model {
 public:
  // At most 36 classes a dimension: 0-9 and a-z. Throws std::invalid_argument,
  // one line: a dimension or class of a rule that is unknown, a class that no
  // row can have.
  Model(std::vector<Dimension> dimensions, const Rules& rules);

  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  std::size_t size() const { return dimensions_.size(); }
  // The number of a dimension, size() if it is not there; the number of a
  // class, which must be there.
  std::size_t at(std::string_view dimension) const;
  std::uint8_t at(std::size_t dimension, std::string_view class_name) const;

  const std::string& word(const Row& row, std::string_view dimension) const;
  const Range& range(const Row& row, std::string_view dimension) const;

  // Why the classes of a row, those that are chosen, contradict themselves;
  // null if they do not.
  const std::string* contradiction(const Row& row) const;

  // The dimensions in which a row has a class that hides what else is wrong,
  // one bit each: an amplitude of zero shows no rotation. Such a row stands for
  // the combinations that have all of these classes, and for no other.
  std::uint64_t masking(const Row& row) const;

  // The first whole row, in the order of the classes, that has the chosen
  // classes of `row` and otherwise classes of `offered`, none of these masking;
  // none if all contradict themselves.
  std::optional<Row> complete(const Row& row, const Masks& offered) const;

  // All classes.
  Masks everything() const;
  // "dtype bf16, pairing nested": all classes that are chosen; or the plain
  // ones left out, "the plain call" where nothing remains.
  std::string words(const Row& row) const;
  std::string text(const Row& row) const;

 private:
  struct Never {
    std::vector<std::size_t> dimensions;
    std::vector<std::uint64_t> masks;
    std::string because;
  };
  struct AtMost {
    std::vector<std::size_t> product;
    std::int64_t is = 0;
    std::string because;
  };

  // The number of a dimension; throws std::invalid_argument if it is not there.
  std::size_t known(std::string_view dimension) const;
  Never read(const Rules::Of& rule) const;
  bool breaks(const Never& rule, const Row& row) const;
  bool breaks(const AtMost& rule, const Row& row) const;
  // Whether a rule that names the dimension is broken.
  bool contradicts(const Row& row, std::size_t dimension) const;
  // Whether each open dimension has a class left that contradicts nothing.
  bool has_choices(Row& row, const Masks& offered) const;
  bool fill(Row& row, std::size_t from, const Masks& offered) const;

  std::vector<Dimension> dimensions_;
  Masks masking_;  // classes that hide what else is wrong
  std::vector<Never> never_;
  // The rules that name each dimension.
  std::vector<std::vector<std::size_t>> never_of_, at_most_of_;
  std::vector<AtMost> at_most_;
};

// The rows of pairs.txt or triples.txt. Throws FileError for what is no row, or
// contradicts itself.
std::vector<Row> read_rows(const Model& model, const std::string& text,
                           const std::string& file);

}  // namespace ropeproof::conformance::cover
