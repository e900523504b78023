#include "reference/staged/pipelines/engine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ropeproof::reference::staged {
namespace {

// theta_j >= 2^-64 and |p| <= 2^53 are far inside the range of f32 and bf16.
constexpr double kMaxBase = 0x1p64;

bool reads(Stage stage, std::string_view name) {
  return std::ranges::any_of(stage, [&](const Step& step) {
    return std::ranges::find(step.in, name) != step.in.end();
  });
}

void validate(const Pipeline& pipeline, Format t, const Parameters& rope) {
  const std::string name(pipeline.name);
  const auto require = [](bool holds, const std::string& otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
  };
  require(available(),
          "staged goldens need MPFR: configure with ROPEPROOF_MPFI=ON");
  require(std::ranges::find(pipeline.formats, t) != pipeline.formats.end(),
          name + " does not rotate tensors of this format");
  require(rope.base >= 1 && rope.base <= kMaxBase,
          "base is " + std::to_string(rope.base) + "; expected 1 .. 2^64");
  require(rope.rotary_dim >= 2 && rope.rotary_dim % 2 == 0,
          "rotary_dim is " + std::to_string(rope.rotary_dim) +
              "; expected an even number of at least 2");
  require(std::isfinite(rope.amplitude), "amplitude is not finite");
  require(rope.amplitude == 1 || reads(pipeline.storage, "m"),
          name + " has no amplitude");
}

}  // namespace

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
    : pipeline_(pipeline), t_(t), parameters_(parameters) {
  validate(pipeline, t, parameters);
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
  if (position < -kMaxPosition || position > kMaxPosition) {
    throw std::invalid_argument("position is beyond 2^53");
  }
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
  values.set("s", parameters_.direction == Direction::kForward ? cos_sin.s
                                                               : -cos_sin.s);
  run(rotation_steps(output, fused), values);
  return apply(pipeline_.conversion, t_, values.get("y"));
}

}  // namespace ropeproof::reference::staged
