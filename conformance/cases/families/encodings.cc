// What RoPE is compared with: positions where one encoding is another, next to
// powers of two, and on both sides of every bound.
#include <map>
#include <numeric>

#include "conformance/cases/encoding_case.h"
#include "conformance/cases/families/choices.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::cases {
namespace {

namespace encodings = reference::encodings;
using Ints = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

// Numbered within an encoding, from 1.
class Cases {
 public:
  EncodingCase& add(const encodings::Encoding& encoding, const Ints& positions,
                    const std::string& comment) {
    std::string name(kEncodingNames[encoding.index()]);
    for (char& c : name) c = c == '_' ? '-' : c;
    const std::string number = std::to_string(++numbers_[name]);
    EncodingCase& c = cases_.emplace_back();
    c.id =
        "encoding-" + name + "-" + std::string(3 - number.size(), '0') + number;
    c.comment = comment;
    c.encoding = encoding;
    c.positions = positions;
    return c;
  }

  std::vector<EncodingCase> take() { return std::move(cases_); }

 private:
  std::map<std::string, int> numbers_;
  std::vector<EncodingCase> cases_;
};

Ints counting(std::int64_t first, std::int64_t count) {
  Ints result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), first);
  return result;
}

void add_absolute(Cases& cases) {
  const Ints far = {0, 1, 2, 3, 257, 65537, 1048575, -5};
  cases.add(encodings::Integer{3}, {1, 2, 3, 257, 16777217},
            "beyond 2^24, where binary32 has no odd numbers");
  cases.add(encodings::Normalised{2, 7}, counting(1, 7), "no seventh is exact");
  cases.add(encodings::Normalised{1, 65535}, {1, 2, 21845, 32768, 65534},
            "fractions next to powers of two");
  cases.add(encodings::Binary{3}, counting(0, 8), "all that three bits count");
  cases.add(encodings::Binary{16}, {1, 255, 256, 43690, 65534, 65535},
            "both ends of each byte");
  cases.add(encodings::Sine{6}, {0, 1, 2, 100, 4097}, "no cosine");
  cases.add(encodings::Sinusoidal{8}, far, "four frequencies, far out");
  cases.add(encodings::Sinusoidal{10, 500000}, {1, 3, 4097, 131071},
            "another base; five frequencies");
  cases.add(encodings::Sinusoidal{2}, {0, 3, 8191}, "one frequency, 1");
  cases.add(encodings::Shift{6}, {0, 1, 7, -7, 1001},
            "the linear shift; -7 is the transpose of 7");
  cases.add(encodings::Learned{4, distinct(20, -0.3, 0.1)}, {4, 0, 0, 2},
            "rows in another order, one twice");
  cases.add(encodings::Decay{128}, {0, 1, 2, 3, 10, 100, 1000, 10001},
            "the curve that tutorials draw");
  cases.add(encodings::Decay{2}, {3}, "cos 3: below a score of 1");
}

void add_relative(Cases& cases) {
  cases.add(encodings::Relative{1, distinct(8, -0.4, 0.1)}, counting(0, 4),
            "b(i - j); every row but the first");
  cases.add(encodings::Relative{3, distinct(18, 0.1, 0.3)}, {5, 7, 6},
            "R(i - j); the distances -2 .. 2");
  encodings::TransformerXl xl{4, 2};
  xl.x = distinct(12, -1.25, 0.375);
  xl.w_q = distinct(8, 0.5, -0.125);
  xl.w_ke = distinct(8, -0.75, 0.25);
  xl.w_kr = distinct(8, 1, -0.3125);
  xl.u = {0.5, -1.5};
  xl.v = {-0.25, 2};
  cases.add(xl, {2, 9, 4}, "four terms and their sum");
  const Ints around = {0,  7,  8,  11, 12, 15, 16, 22,  23,  31,
                       32, 45, 46, 63, 64, 90, 91, 127, 128, 1000};
  cases.add(encodings::T5{}, around,
            "32 buckets: both sides of every bound, 16, 32 and 64 exact ones");
  Ints back = {0};
  for (const std::int64_t r :
       {15, 16, 18, 19, 20, 21, 23, 24, 26, 27, 30, 31}) {
    back.push_back(-r);
  }
  for (const std::int64_t r : {34, 35, 39, 40, 45, 46, 51, 52, 58, 59}) {
    back.push_back(r);
  }
  encodings::T5 causal;
  causal.is_causal = true;
  cases.add(causal, back, "32 causal buckets, both sides of the bounds");
  encodings::T5 sevens{5, 686, true};
  cases.add(sevens, {0, 1, 2, 13, 14, 15, 98, 99, 112, 686, 700},
            "bounds 2, 14 and 98: logarithms in binary32 are a bucket off");
  encodings::T5 table{4, 3, false, 2, distinct(8, -0.7, 0.2)};
  cases.add(table, {0, 1, 4}, "a bias for each of two heads");
  cases.add(encodings::Alibi{8}, {0, 1, 5}, "slopes that are powers of two");
  cases.add(encodings::Alibi{12}, {0, 3}, "four slopes of sixteen heads");
  cases.add(encodings::Alibi{1}, {4, 4097}, "one head: 1/256");
}

// The table that a document prints, of 512 channels the first ones.
void add_printed(const std::string& source_text, const std::string& file,
                 Cases& cases) {
  const nlohmann::json document = text::parse_json(source_text, file);
  text::StrictObject object(document, file);
  EncodingCase::Printed printed;
  printed.source = object.text("what");
  printed.tolerance = object.text("tolerance");
  encodings::Sinusoidal e;
  e.dim = object.integer("dim", 2, reference::kMaxHeadDim);
  e.base = static_cast<double>(object.integer("base", 1, 1 << 30));
  e.channels = object.integer("channels", 1, e.dim);
  const Ints positions = object.integers("positions", 0, 1 << 20);
  printed.values = object.texts("values");
  object.finish();
  if (std::ssize(printed.values) != std::ssize(positions) * e.channels) {
    object.fail("values", "expected one for each position and channel");
  }
  cases
      .add(e, positions,
           "a document's table: " + std::to_string(e.channels) +
               " of 512 channels")
      .printed = printed;
}

}  // namespace

std::vector<EncodingCase> encoding_cases(const std::string& source_text,
                                         const std::string& file) {
  Cases cases;
  add_absolute(cases);
  add_relative(cases);
  add_printed(source_text, file, cases);
  return cases.take();
}

}  // namespace ropeproof::conformance::cases
