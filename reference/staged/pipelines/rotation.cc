// The rotation, which every engine shares but for its type: two products and a
// sum, of which a compiler may fuse the sum with one product.
#include <array>
#include <stdexcept>

#include "reference/staged/pipelines/pipeline.h"

namespace ropeproof::reference::staged {
namespace {

using enum StepFormat;
using enum Op;

// y_u = x_u c - x_v s
constexpr std::array kYuNone{Step{"a", kW, kMultiply, {"x_u", "c"}},
                             Step{"b", kW, kMultiply, {"x_v", "s"}},
                             Step{"y", kW, kSubtract, {"a", "b"}}};
constexpr std::array kYuFusedXu{Step{"b", kW, kMultiply, {"x_v", "s"}},
                                Step{"-b", kW, kNegate, {"b"}},
                                Step{"y", kW, kFma, {"x_u", "c", "-b"}}};
constexpr std::array kYuFusedXv{Step{"a", kW, kMultiply, {"x_u", "c"}},
                                Step{"-x_v", kW, kNegate, {"x_v"}},
                                Step{"y", kW, kFma, {"-x_v", "s", "a"}}};

// y_v = x_u s + x_v c
constexpr std::array kYvNone{Step{"a", kW, kMultiply, {"x_u", "s"}},
                             Step{"b", kW, kMultiply, {"x_v", "c"}},
                             Step{"y", kW, kAdd, {"a", "b"}}};
constexpr std::array kYvFusedXu{Step{"b", kW, kMultiply, {"x_v", "c"}},
                                Step{"y", kW, kFma, {"x_u", "s", "b"}}};
constexpr std::array kYvFusedXv{Step{"a", kW, kMultiply, {"x_u", "s"}},
                                Step{"y", kW, kFma, {"x_v", "c", "a"}}};

}  // namespace

Stage rotation_steps(Output output, Fused fused) {
  const bool u = output == Output::kYu;
  switch (fused) {
    case Fused::kNone:
      return u ? kYuNone : kYvNone;
    case Fused::kXu:
      return u ? Stage(kYuFusedXu) : kYvFusedXu;
    case Fused::kXv:
      return u ? Stage(kYuFusedXv) : kYvFusedXv;
  }
  throw std::logic_error("not a form of the rotation");
}

}  // namespace ropeproof::reference::staged
