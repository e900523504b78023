// engine.h -- staged truth: what a pipeline gives, bit for bit.
//
// A staged result is not the exact one: it is what a model was trained with.
// Needs MPFR (elementary.h: available()); without it a step throws
// std::invalid_argument.
#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/staged/pipelines/pipeline.h"

namespace ropeproof::reference::staged {

// Numbers by name. A pipeline that names one without a value throws
// std::out_of_range.
using Values = boost::container::flat_map<std::string_view, double>;

// A pair's table entries as the engine stores them, forward.
struct CosSin {
  double c = 0, s = 0;
};

// What a pipeline reads of a RoPE. Which channels make a pair is not its
// business: the layouts are permutations of one another (permutation.h).
struct Parameters {
  double base = 10000;          // 1 .. 2^64, keeps every frequency in range
  std::int64_t rotary_dim = 0;  // even, at least 2
  double amplitude = 1;  // m; 1 where the pipeline's storage does not read it
};

// One pipeline, for one format and one RoPE. Holds a reference to the pipeline.
class Engine {
 public:
  // `t` is one of the pipeline's formats, `parameters` within their ranges.
  Engine(const Pipeline& pipeline, Format t, const Parameters& parameters);

  // The angle of pair j, radians; |position| <= 2^53. Here and below throws
  // std::out_of_range for j beyond the last pair.
  double angle(std::int64_t position, std::int64_t j) const;

  // cos and sin correctly rounded. Cost: about 20 us.
  CosSin cos_sin(std::int64_t position, std::int64_t j) const;

  // One output of a pair. x_u and x_v are numbers of T, at most a quarter of
  // the largest one, divided by |m| if that is more than 1: no sum overflows.
  double rotate(Output output, Fused fused, const CosSin& cos_sin, double x_u,
                double x_v) const;

 private:
  void run(Stage stage, Values& values) const;
  Values angle_values(std::int64_t position, std::int64_t j) const;

  const Pipeline& pipeline_;
  Format t_;
  std::vector<Values> frequencies_;  // of each pair
};

}  // namespace ropeproof::reference::staged
