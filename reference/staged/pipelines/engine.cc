#include "reference/staged/pipelines/engine.h"

#include <array>
#include <stdexcept>
#include <string>

namespace ropeproof::reference::staged {
double Values::get(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return value;
  }
  throw std::logic_error("no step gives " + std::string(name));
}

void Values::set(std::string_view name, double value) {
  for (auto& [key, old] : values_) {
    if (key == name) {
      old = value;
      return;
    }
  }
  values_.emplace_back(name, value);
}

Engine::Engine(const Pipeline& pipeline, Format t, const Parameters& parameters)
    : pipeline_(pipeline), t_(t) {
  const auto r = static_cast<double>(parameters.rotary_dim);
  Values given;
  given.set("base", parameters.base);
  given.set("m", parameters.amplitude);
  given.set("r", r);
  given.set("P", r / 2);
  given.set("-2", -2);
  given.set("-1", -1);
  given.set("1", 1);
  given.set("2", 2);
  for (std::int64_t j = 0; j < parameters.rotary_dim / 2; ++j) {
    Values values = given;
    values.set("j", static_cast<double>(j));
    values.set("2j", static_cast<double>(2 * j));
    run(pipeline.frequency, values);
    frequencies_.push_back(std::move(values));
  }
}

void Engine::run(Stage stage, Values& values) const {
  for (const Step& step : stage) {
    std::array<double, 3> in{};
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!step.in[i].empty()) in[i] = values.get(step.in[i]);
    }
    values.set(step.out, apply(step.op, resolve(step.format, pipeline_, t_),
                               in[0], in[1], in[2]));
  }
}

Values Engine::angle_values(std::int64_t position, std::int64_t j) const {
  Values values = frequencies_.at(static_cast<std::size_t>(j));
  values.set("p", static_cast<double>(position));
  run(pipeline_.angle, values);
  return values;
}

double Engine::angle(std::int64_t position, std::int64_t j) const {
  return angle_values(position, j).get("angle");
}

CosSin Engine::cos_sin(std::int64_t position, std::int64_t j) const {
  Values values = angle_values(position, j);
  run(pipeline_.trig, values);
  run(pipeline_.storage, values);
  return {values.get("c"), values.get("s")};
}

double Engine::rotate(Output output, Fused fused, const CosSin& cos_sin,
                      double x_u, double x_v) const {
  Values values;
  values.set("x_u", x_u);
  values.set("x_v", x_v);
  values.set("c", cos_sin.c);
  values.set("s", cos_sin.s);
  run(rotation_steps(output, fused), values);
  return apply(pipeline_.conversion, t_, values.get("y"));
}

}  // namespace ropeproof::reference::staged
