#include "tools/second_oracle/special.h"

namespace ropeproof::second_oracle {

bool is_copy(const Element& x, std::uint64_t golden) {
  const Element y = decode(golden, Format{});
  if (x.kind != y.kind) return false;
  if (x.kind == Element::Kind::kNan) return true;
  if (x.is_negative != y.is_negative) return false;
  return !x.is_finite() || x.value() == y.value();
}

}  // namespace ropeproof::second_oracle
