// engine.h -- staged truth: what a pipeline gives, bit for bit.
//
// A staged result is not the exact one: it is what a model was trained with.
// Every function here needs MPFR (elementary.h: available()) and throws
// std::invalid_argument without it.
#ifndef ROPEPROOF_REFERENCE_STAGED_PIPELINES_ENGINE_H_
#define ROPEPROOF_REFERENCE_STAGED_PIPELINES_ENGINE_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/spec.h"
#include "reference/staged/pipelines/pipeline.h"

namespace ropeproof::reference::staged {

// Numbers by name. Throws std::logic_error for a name that has no value.
class Values {
 public:
  double get(std::string_view name) const;
  void set(std::string_view name, double value);

 private:
  std::vector<std::pair<std::string_view, double>> values_;
};

// A pair's table entries as the engine stores them, forward.
struct CosSin {
  double c = 0, s = 0;
};

// What a pipeline reads of a RoPE. Which channels make a pair is not its
// business: the layouts are permutations of one another (permutation.h).
struct Parameters {
  double base = 10000;          // 1 .. 2^64, keeps every frequency in range
  std::int64_t rotary_dim = 0;  // even, at least 2
  double amplitude = 1;         // m; not every pipeline knows it
  Direction direction = Direction::kForward;
};

// One pipeline, for one format and one RoPE. Holds a reference to the pipeline.
class Engine {
 public:
  // Throws std::invalid_argument for parameters outside their range, a
  // format or an amplitude that the pipeline does not have.
  Engine(const Pipeline& pipeline, Format t, const Parameters& parameters);

  // The angle of pair j, radians. Here and below throws std::invalid_argument
  // for |position| > 2^53 and std::out_of_range for j beyond the last pair.
  double angle(std::int64_t position, std::int64_t j) const;

  // cos and sin correctly rounded. Cost: about 20 us.
  CosSin cos_sin(std::int64_t position, std::int64_t j) const;

  // One output of a pair. x_u and x_v are numbers of T, at most a quarter of the
  // largest one, divided by |m| if that is more than 1: no sum overflows.
  double rotate(Output output, Fused fused, const CosSin& cos_sin, double x_u,
                double x_v) const;

 private:
  void run(Stage stage, Values& values) const;
  Values angle_values(std::int64_t position, std::int64_t j) const;

  const Pipeline& pipeline_;
  Format t_;
  Parameters parameters_;
  std::vector<Values> frequencies_;  // of each pair
};

}  // namespace ropeproof::reference::staged

#endif  // ROPEPROOF_REFERENCE_STAGED_PIPELINES_ENGINE_H_
