#include "conformance/assertion/part.h"

#include <algorithm>

#include "conformance/cases/smaller.h"

namespace ropeproof::conformance::assertion {

Part part_around(const cases::Case& asked, const judge::Output& output,
                 const judge::Element& wrong, std::int64_t elements) {
  const cases::Problem& p = asked.problem;
  const std::int64_t width = p.spec.layout.head_dim;
  const std::int64_t row = (p.q_heads + p.k_heads) * width;
  cases::Indices rows = {wrong.batch};
  if (p.batch > 1) rows = {0, std::max<std::int64_t>(wrong.batch, 1)};
  const auto batch = static_cast<std::int64_t>(rows.size());
  const std::int64_t seq =
      std::clamp<std::int64_t>(elements / (batch * row), 1, p.seq);
  const std::int64_t first =
      wrong.token < seq ? 0 : std::min(wrong.token - seq / 4, p.seq - seq);
  cases::Indices tokens;
  for (const std::int64_t b : rows) {
    for (std::int64_t t = first; t < first + seq; ++t) {
      tokens.push_back(b * p.seq + t);
    }
  }
  Part part{cases::pick_tokens(asked, tokens, batch, seq), {}, tokens, ""};
  part.output.q = cases::pick_rows(output.q, tokens, p.q_heads * width);
  part.output.k = cases::pick_rows(output.k, tokens, p.k_heads * width);
  part.text = "tokens " + std::to_string(first) + " to " +
              std::to_string(first + seq - 1);
  if (p.batch > 1) {
    part.text += " of batch rows 0 and " + std::to_string(rows[1]);
  }
  return part;
}

}  // namespace ropeproof::conformance::assertion
