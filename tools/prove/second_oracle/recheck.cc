#include "tools/prove/second_oracle/recheck.h"

#include <exception>

#include "tools/prove/second_oracle/layout.h"

namespace ropeproof::second_oracle {
namespace {

// Rows are copied, bit for bit.
void recheck_permutation(const Case& c, Result& result) {
  const Patterns& in = c.tensors.at("in");
  const Patterns& out = c.expected.at("out");
  const auto columns = static_cast<std::size_t>(c.columns);
  const auto rows = static_cast<std::size_t>(c.heads * c.head_dim);
  if (in.size() != rows * columns || out.size() != in.size()) {
    result.disagree(c.id + ": in or expected has the wrong size");
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t row =
        permuted_row(c, static_cast<std::int64_t>(i / columns));
    const std::size_t from =
        static_cast<std::size_t>(row) * columns + i % columns;
    ++result.values;
    if (out[i] != in[from]) {
      result.disagree(c.id + " expected[" + std::to_string(i) + "] is not in[" +
                      std::to_string(from) + "]");
    }
  }
}

}  // namespace

void Result::disagree(const std::string& line) {
  constexpr std::size_t kLines = 3;
  ++disagreements;
  if (lines.size() < kLines) lines.push_back(line);
}

Result recheck(const Group& group) {
  Result result;
  for (const Case& c : group.cases) {
    try {
      if (group.type == "rope") recheck_rope(c, result);
      if (group.type == "permute") recheck_permutation(c, result);
    } catch (const std::exception& error) {
      result.disagree(c.id + ": " + error.what());
    }
  }
  return result;
}

}  // namespace ropeproof::second_oracle
