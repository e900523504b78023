#include "reference/staged/pipelines/engine.h"

#include <array>
#include <utility>

namespace ropeproof::reference::staged {
Engine::Engine(const Pipeline& pipeline, Format t, const Parameters& parameters)
    : pipeline_(pipeline), t_(t) {
  const auto r = static_cast<double>(parameters.rotary_dim);
  const Values given = {{"base", parameters.base},
                        {"m", parameters.amplitude},
                        {"r", r},
                        {"P", r / 2},
                        {"-2", -2},
                        {"-1", -1},
                        {"1", 1},
                        {"2", 2}};
  for (std::int64_t j = 0; j < parameters.rotary_dim / 2; ++j) {
    Values values = given;
    values["j"] = static_cast<double>(j);
    values["2j"] = static_cast<double>(2 * j);
    run(pipeline.frequency, values);
    frequencies_.push_back(std::move(values));
  }
}

void Engine::run(Stage stage, Values& values) const {
  for (const Step& step : stage) {
    std::array<double, 3> in{};
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!step.in[i].empty()) in[i] = values.at(step.in[i]);
    }
    values[step.out] = apply(step.op, resolve(step.format, pipeline_, t_),
                             in[0], in[1], in[2]);
  }
}

Values Engine::angle_values(std::int64_t position, std::int64_t j) const {
  Values values = frequencies_.at(static_cast<std::size_t>(j));
  values["p"] = static_cast<double>(position);
  run(pipeline_.angle, values);
  return values;
}

double Engine::angle(std::int64_t position, std::int64_t j) const {
  return angle_values(position, j).at("angle");
}

CosSin Engine::cos_sin(std::int64_t position, std::int64_t j) const {
  Values values = angle_values(position, j);
  run(pipeline_.trig, values);
  run(pipeline_.storage, values);
  return {values.at("c"), values.at("s")};
}

double Engine::rotate(Output output, Fused fused, const CosSin& cos_sin,
                      double x_u, double x_v) const {
  Values values = {
      {"x_u", x_u}, {"x_v", x_v}, {"c", cos_sin.c}, {"s", cos_sin.s}};
  run(rotation_steps(output, fused), values);
  return apply(pipeline_.conversion, t_, values.at("y"));
}

}  // namespace ropeproof::reference::staged
