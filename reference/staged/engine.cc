#include "reference/staged/engine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ropeproof::reference::staged {
namespace {

// theta_j >= 2^-64 and |p| <= 2^53 are far inside the range of f32 and bf16.
constexpr double kMaxBase = 0x1p64;

bool reads(std::span<const Step> steps, std::string_view name) {
  return std::ranges::any_of(steps, [&](const Step& step) {
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
  require(std::ranges::find(pipeline.types, t) != pipeline.types.end(),
          name + " does not rotate tensors of this type");
  require(rope.base >= 1 && rope.base <= kMaxBase,
          "base is " + std::to_string(rope.base) + "; expected 1 .. 2^64");
  require(rope.rotary_dim >= 2 && rope.rotary_dim % 2 == 0,
          "rotary_dim is " + std::to_string(rope.rotary_dim) +
              "; expected an even number of at least 2");
  require(std::isfinite(rope.amplitude), "amplitude is not finite");
  require(rope.amplitude == 1 || reads(pipeline.storage.steps, "m"),
          name + " has no amplitude");
}

double largest(Format format) {
  const FormatTraits f = traits(format);
  return std::ldexp(2 - 2 * f.unit_roundoff, f.max_exponent);
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
    run(pipeline.frequency.steps, values);
    frequencies_.push_back(std::move(values));
  }
}

void Engine::run(std::span<const Step> steps, Values& values) const {
  for (const Step& step : steps) {
    std::array<double, 3> in{};
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!step.in[i].empty()) in[i] = values.get(step.in[i]);
    }
    values.set(step.out, apply(step.op, resolve(step.type, pipeline_, t_),
                               in[0], in[1], in[2]));
  }
}

Values Engine::angle_values(std::int64_t position, std::int64_t j) const {
  if (position < -kMaxPosition || position > kMaxPosition) {
    throw std::invalid_argument("position is beyond 2^53");
  }
  Values values = frequencies_.at(static_cast<std::size_t>(j));
  values.set("p", static_cast<double>(position));
  run(pipeline_.angle.steps, values);
  return values;
}

double Engine::angle(std::int64_t position, std::int64_t j) const {
  return angle_values(position, j).get("angle");
}

Turn Engine::stored(Values values, double cos, double sin) const {
  values.set("cos", cos);
  values.set("sin", sin);
  run(pipeline_.storage.steps, values);
  return {values.get("c"), values.get("s")};
}

Turn Engine::turn(std::int64_t position, std::int64_t j) const {
  return turns_within(0, position, j)[0];
}

std::array<Turn, 2> Engine::turns_within(int ulps, std::int64_t position,
                                         std::int64_t j) const {
  Values values = angle_values(position, j);
  run(pipeline_.trig.steps, values);
  const Format format =
      resolve(pipeline_.trig.steps.front().type, pipeline_, t_);
  const bool exact = values.get("angle") == 0;
  const auto moved = [&](std::string_view name, int by) {
    const double x = values.get(name);
    if (exact || by == 0) return x;
    const double y = round_to(format, x + by * ulp(format, x));
    return std::clamp(y, -1.0, 1.0);
  };
  return {stored(values, moved("cos", -ulps), moved("sin", -ulps)),
          stored(values, moved("cos", ulps), moved("sin", ulps))};
}

double Engine::rotate(Output output, Fused fused, const Turn& turn, double x_u,
                      double x_v) const {
  Values values;
  values.set("x_u", x_u);
  values.set("x_v", x_v);
  values.set("c", turn.c);
  values.set("s",
             parameters_.direction == Direction::kForward ? turn.s : -turn.s);
  run(rotation_steps(output, fused), values);
  return values.get("y");
}

Interval Engine::rotate_within(Output output, std::span<const Fused> forms,
                               const std::array<Turn, 2>& turns, double x_u,
                               double x_v) const {
  std::vector<double> ends;
  for (const Fused fused : forms) {
    for (const double c : {turns[0].c, turns[1].c}) {
      for (const double s : {turns[0].s, turns[1].s}) {
        ends.push_back(rotate(output, fused, {c, s}, x_u, x_v));
      }
    }
  }
  const auto [low, high] = std::ranges::minmax(ends);
  return {low, high};
}

std::vector<std::array<Element, 2>> Engine::elements(
    std::int64_t position, std::int64_t j,
    std::span<const std::array<double, 2>> x) const {
  const double limit =
      largest(t_) / 4 / std::max(1.0, std::abs(parameters_.amplitude));
  const Turn exact = turn(position, j);
  const std::array<std::array<Turn, 2>, 2> within{turns_within(1, position, j),
                                                  turns_within(2, position, j)};
  std::vector<std::array<Element, 2>> y;
  for (const std::array<double, 2>& pair : x) {
    const double x_u = pair[0], x_v = pair[1];
    for (const double value : pair) {
      if (!is_number_of(t_, value) || !(std::abs(value) <= limit)) {
        throw std::invalid_argument("x holds " + std::to_string(value) +
                                    "; expected a number of its type that "
                                    "cannot overflow");
      }
    }
    y.emplace_back();
    for (const Output output : {Output::kYu, Output::kYv}) {
      const auto all = [&](std::span<const Fused> forms) {
        return std::array{rotate_within(output, forms, within[0], x_u, x_v),
                          rotate_within(output, forms, within[1], x_u, x_v)};
      };
      y.back()[output == Output::kYv] = {
          rotate(output, Fused::kNone, exact, x_u, x_v), all(kUnfused),
          all(kAnyForm)};
    }
  }
  return y;
}

}  // namespace ropeproof::reference::staged
