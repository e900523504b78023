// The interpreter: forms of the rotation, the interval of allowed results, and
// that every step matters.
#include "reference/staged/engine.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/staged/test_grid.h"

namespace ropeproof::reference::staged {
namespace {

using X = std::array<double, 2>;

// Heads of one token, as pairs.
std::vector<X> random_pairs(Format t, std::size_t count, std::uint64_t seed) {
  const std::vector<double> x = random_numbers(t, 2 * count, seed);
  std::vector<X> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.push_back({x[2 * i], x[2 * i + 1]});
  }
  return pairs;
}

bool same_bits(double a, double b) {
  return a == b && std::signbit(a) == std::signbit(b);
}

// --- the rotation ---

TEST_CASE("f32 rotations are the machine's, in every form",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  const Engine engine(find_pipeline("meta_complex64"), Format::kF32,
                      {1e4, 128});
  int different = 0, fused_differs = 0, outputs = 0;
  for (std::int64_t j = 0; j < 64; ++j) {
    const Turn turn = engine.turn(4095, j);
    const auto c = static_cast<float>(turn.c), s = static_cast<float>(turn.s);
    for (const X& x :
         random_pairs(Format::kF32, 40, 1 + static_cast<std::uint64_t>(j))) {
      const auto u = static_cast<float>(x[0]), v = static_cast<float>(x[1]);
      const auto differs = [&](Output output, Fused fused, float want) {
        return !same_bits(engine.rotate(output, fused, turn, u, v), want);
      };
      using enum Fused;
      different += differs(Output::kYu, kNone, u * c - v * s);
      different += differs(Output::kYu, kXu, std::fma(u, c, -(v * s)));
      different += differs(Output::kYu, kXv, std::fma(-v, s, u * c));
      different += differs(Output::kYv, kNone, u * s + v * c);
      different += differs(Output::kYv, kXu, std::fma(u, s, v * c));
      different += differs(Output::kYv, kXv, std::fma(v, c, u * s));
      fused_differs += differs(Output::kYu, kXu, u * c - v * s);
      ++outputs;
    }
  }
  CHECK(different == 0);
  // Measured elsewhere: contraction changes 25 % of the outputs.
  CHECK(fused_differs > outputs / 5);
  CHECK(fused_differs < outputs * 3 / 10);
}

TEST_CASE("16-bit rotations round where the pipeline says",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  for (const Format t : {Format::kF16, Format::kBF16}) {
    const Engine hf(find_pipeline("hf_eager"), t, {1e4, 128});
    const Engine vllm(find_pipeline("vllm_cache"), t, {1e4, 128});
    const Engine meta(find_pipeline("meta_complex64"), t, {1e4, 128});
    const auto in_t = [&](float x) {
      return static_cast<float>(round_to(t, x));
    };
    int different = 0;
    for (std::int64_t j = 0; j < 64; ++j) {
      const Turn wide = meta.turn(1001, j), narrow = hf.turn(1001, j);
      const auto c32 = static_cast<float>(wide.c);
      const auto s32 = static_cast<float>(wide.s);
      const float c = in_t(c32), s = in_t(s32);
      different += narrow.c != c || narrow.s != s;
      for (const X& x : random_pairs(t, 20, 7)) {
        const auto u = static_cast<float>(x[0]), v = static_cast<float>(x[1]);
        const auto y_u = [&](const Engine& engine) {
          return engine.rotate(Output::kYu, Fused::kNone, engine.turn(1001, j),
                               u, v);
        };
        different += y_u(hf) != in_t(in_t(u * c) - in_t(v * s));
        different += y_u(vllm) != in_t(u * c - v * s);
        different += y_u(meta) != in_t(u * c32 - v * s32);
      }
    }
    CHECK(different == 0);
  }
}

TEST_CASE("position 0 changes nothing, whatever the libm",
          "[reference][staged][exact][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  for (const Pipeline& pipeline : pipelines()) {
    for (const Format t : pipeline.types) {
      const Engine engine(pipeline, t, {5e5, 80});
      const auto x = random_pairs(t, 4, 3);
      CAPTURE(std::string(pipeline.name));
      for (const std::int64_t j : {0, 17, 39}) {
        const auto y = engine.elements(0, j, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
          for (const std::size_t o : {0u, 1u}) {
            CHECK(y[i][o].value == x[i][o]);
            CHECK(y[i][o].any_form[1].low == x[i][o]);
            CHECK(y[i][o].any_form[1].high == x[i][o]);
          }
        }
      }
    }
  }
}

TEST_CASE("the adjoint turns the other way", "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  const Pipeline& ggml = find_pipeline("ggml_cpu");
  const Parameters forward{1e4, 64, 1.25};
  Parameters adjoint = forward;
  adjoint.direction = Direction::kAdjoint;
  const Engine there(ggml, Format::kF32, forward);
  const Engine back(ggml, Format::kF32, adjoint);
  for (const X& x : random_pairs(Format::kF32, 20, 11)) {
    const auto a = there.elements(-1000, 3, {{x}})[0];
    const auto b = back.elements(1000, 3, {{x}})[0];
    for (const std::size_t o : {0u, 1u}) {
      CHECK(same_bits(a[o].value, b[o].value));
      CHECK(a[o].any_form[0].low == b[o].any_form[0].low);
      CHECK(a[o].any_form[0].high == b[o].any_form[0].high);
    }
  }
}

// --- the interval ---

// Every number of f32 within n ulp of x and at most 1 in magnitude.
std::vector<double> neighbours(double x, int n) {
  const double reach = n * ulp(Format::kF32, x);
  std::vector<double> found;
  float y = static_cast<float>(x);
  while (y - x >= -reach) y = std::nextafter(y, -2.0f);
  for (y = std::nextafter(y, 2.0f); y - x <= reach;
       y = std::nextafter(y, 2.0f)) {
    if (std::abs(y) <= 1) found.push_back(y);
  }
  return found;
}

TEST_CASE("the interval is exactly what n-ulp cosines and fused sums can give",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  const auto* name = GENERATE("hf_eager", "meta_complex64", "vllm_cache");
  const auto t = GENERATE(Format::kF32, Format::kF16, Format::kBF16);
  const Engine engine(find_pipeline(name), t, {1e4, 128});
  const auto stored = [&](double entry) {
    return std::string(name) == "meta_complex64" ? entry : round_to(t, entry);
  };
  const Engine f32(find_pipeline("meta_complex64"), Format::kF32, {1e4, 128});
  std::size_t outside = 0, not_attained = 0, outputs = 0, not_nested = 0;
  // At position 1 the last cosines are 1, which a libm does not exceed.
  for (const auto& [p, j] : std::initializer_list<std::array<std::int64_t, 2>>{
           {1001, 0}, {1001, 1}, {1001, 5}, {1001, 40}, {1, 62}, {1, 63}}) {
    const Turn exact = f32.turn(p, j);  // cos and sin, correctly rounded
    for (const X& x : random_pairs(t, 4, 99)) {
      const auto elements = engine.elements(p, j, {{x}})[0];
      for (const Output output : {Output::kYu, Output::kYv}) {
        const Element& element = elements[output == Output::kYv];
        for (const std::size_t n : {0u, 1u}) {
          const Interval& unfused = element.unfused[n];
          const Interval& any_form = element.any_form[n];
          Interval plain, all;
          plain.low = all.low = std::numeric_limits<double>::infinity();
          plain.high = all.high = -all.low;
          for (const double c : neighbours(exact.c, static_cast<int>(n) + 1)) {
            for (const double s :
                 neighbours(exact.s, static_cast<int>(n) + 1)) {
              for (const Contraction& form : kContractions) {
                const Fused fused = output == Output::kYu ? form.y_u : form.y_v;
                const double y = engine.rotate(
                    output, fused, {stored(c), stored(s)}, x[0], x[1]);
                outside += !any_form.contains(y);
                all = {std::min(all.low, y), std::max(all.high, y)};
                if (fused != Fused::kNone) continue;
                outside += !unfused.contains(y);
                plain = {std::min(plain.low, y), std::max(plain.high, y)};
              }
            }
          }
          not_attained += all.low != any_form.low;
          not_attained += all.high != any_form.high;
          not_attained += plain.low != unfused.low;
          not_attained += plain.high != unfused.high;
          not_nested += !any_form.contains(unfused.low);
          not_nested += !any_form.contains(unfused.high);
          not_nested += !unfused.contains(element.value);
          ++outputs;
        }
        not_nested += !element.any_form[1].contains(element.any_form[0].low);
        not_nested += !element.any_form[1].contains(element.any_form[0].high);
      }
    }
  }
  CHECK(outputs == 96);
  CHECK(outside == 0);
  CHECK(not_attained == 0);
  CHECK(not_nested == 0);
}

TEST_CASE("an amplitude of either sign carries the interval along",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  for (const double m : {1.2079441541679836, -0.75}) {
    const Engine engine(find_pipeline("hf_eager"), Format::kF32, {1e4, 128, m});
    const Engine plain(find_pipeline("hf_eager"), Format::kF32, {1e4, 128});
    const Turn exact = plain.turn(1001, 5);
    const auto m32 = static_cast<float>(m);
    const auto times_m = [&](double x) {
      return static_cast<double>(static_cast<float>(x) * m32);
    };
    CHECK(engine.turn(1001, 5).c == times_m(exact.c));
    for (const X& x : random_pairs(Format::kF32, 10, 4)) {
      const auto y = engine.elements(1001, 5, {{x}})[0][0];
      for (const double c : neighbours(exact.c, 1)) {
        for (const double s : neighbours(exact.s, 1)) {
          CHECK(y.unfused[0].contains(engine.rotate(Output::kYu, Fused::kNone,
                                                    {times_m(c), times_m(s)},
                                                    x[0], x[1])));
        }
      }
    }
  }
}

// The share of single numbers, and the largest width in units of the last place
// of ||x||, of 24 pairs of x at every index.
struct Widths {
  double single = 0, largest = 0;
};

Widths widths(const char* name, Format t,
              std::array<Interval, 2> Element::*intervals) {
  const Engine engine(find_pipeline(name), t, {1e4, 128});
  const auto x = random_pairs(t, 24, 5);
  std::size_t outputs = 0, single = 0;
  Widths result;
  for (std::int64_t j = 0; j < 64; ++j) {
    const auto y = engine.elements(4095, j, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double unit = ulp(t, std::hypot(x[i][0], x[i][1]));
      for (const Element& element : y[i]) {
        const Interval& within = (element.*intervals)[0];
        const double width = within.high - within.low;
        result.largest = std::max(result.largest, width / unit);
        single += width == 0;
        ++outputs;
      }
    }
  }
  result.single = static_cast<double>(single) / static_cast<double>(outputs);
  return result;
}

TEST_CASE("the interval is narrow in f32 and nearly always one number in bf16",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  CHECK(widths("hf_eager", Format::kF32, &Element::unfused).largest <= 4);
  CHECK(widths("hf_eager", Format::kF32, &Element::any_form).largest <= 4);
  const auto eager = widths("hf_eager", Format::kBF16, &Element::unfused);
  const auto fused =
      widths("meta_complex64", Format::kBF16, &Element::any_form);
  const auto half = widths("meta_complex64", Format::kF16, &Element::any_form);
  CAPTURE(eager.single, fused.single, half.single);
  CHECK(eager.single > 0.999);
  CHECK(fused.single > 0.999);
  CHECK(half.single > 0.998);
  // bf16 arithmetic itself fused is another matter: it rounds less often.
  CHECK(widths("hf_eager", Format::kBF16, &Element::any_form).single < 0.9);
}

TEST_CASE("an n-ulp libm stays within the bound for n ulp",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  for (const char* name : {"hf_eager", "meta_complex64", "wan_f64"}) {
    const Pipeline& pipeline = find_pipeline(name);
    for (const Format t : pipeline.types) {
      const Grid grid(t, 96, 5e5, 2, {1, 1000, 32767});
      const Engine engine(pipeline, t, grid.parameters);
      double worst_1 = 0, worst_2 = 0;
      for (std::size_t token = 0; token < 3; ++token) {
        for (std::int64_t j = 0; j < grid.pairs(); ++j) {
          const std::size_t at = grid.at(token, 0, j);
          const std::int64_t p = grid.positions[token];
          const X x{grid.x[at], grid.x[at + 1]};
          const auto y = engine.elements(p, j, {{x}})[0];
          const auto limit = [&](int ulps) {
            return bound(pipeline, t, grid.parameters, p, j,
                         grid.theta[static_cast<std::size_t>(j)],
                         {.trig_ulp = ulps})
                .output(x[0], x[1]);
          };
          for (const std::size_t o : {0u, 1u}) {
            const auto error = [&](const Interval& within) {
              return std::max(std::abs(within.low - grid.y[at + o]),
                              std::abs(within.high - grid.y[at + o]));
            };
            worst_1 = std::max(worst_1, error(y[o].any_form[0]) / limit(1));
            worst_2 = std::max(worst_2, error(y[o].any_form[1]) / limit(2));
          }
        }
      }
      CAPTURE(name);
      CHECK(worst_1 <= 1);
      CHECK(worst_2 <= 1);
      CHECK(worst_1 > 0.25);
      CHECK(worst_2 > 0.25);
    }
  }
}

// glibc documents less than 1 ulp for sinf and cosf; 1.3 % of them are not
// correctly rounded.
TEST_CASE("the host's own sines and cosines stay inside the 1-ulp interval",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  const Engine engine(find_pipeline("meta_complex64"), Format::kF32,
                      {1e4, 128});
  const auto x = random_pairs(Format::kF32, 2, 21);
  std::size_t outside = 0, different = 0, outputs = 0;
  for (std::int64_t p = 5000; p < 5060; ++p) {
    for (std::int64_t j = 0; j < 64; ++j) {
      const auto angle = static_cast<float>(engine.angle(p, j));
      const float c = std::cos(angle), s = std::sin(angle);
      const auto y = engine.elements(p, j, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto u = static_cast<float>(x[i][0]);
        const auto v = static_cast<float>(x[i][1]);
        const float y_u = u * c - v * s, y_v = u * s + v * c;
        outside += !y[i][0].unfused[0].contains(y_u);
        outside += !y[i][1].unfused[0].contains(y_v);
        different += y[i][0].value != y_u;
        different += y[i][1].value != y_v;
        outputs += 2;
      }
    }
  }
  CHECK(outside == 0);
  CHECK(different < outputs / 20);
}

// --- refusals ---

TEST_CASE("what a pipeline does not have is refused in words",
          "[reference][staged][mpfi]") {
  if (!available()) SKIP("built without MPFI");
  using Catch::Matchers::ContainsSubstring;
  const auto make = [](const char* name, Format t, Parameters parameters) {
    return Engine(find_pipeline(name), t, parameters);
  };
  CHECK_THROWS_WITH(find_pipeline("hf"), "no pipeline is called hf");
  CHECK_THROWS_WITH(make("gemma_cpp", Format::kBF16, {1e4, 128}),
                    ContainsSubstring("does not rotate tensors of this type"));
  CHECK_THROWS_WITH(make("gemma_cpp", Format::kF32, {1e4, 128, 1.5}),
                    "gemma_cpp has no amplitude");
  CHECK_NOTHROW(make("ggml_cpu", Format::kF32, {1e4, 128, 1.5}));
  CHECK_THROWS_WITH(make("hf_eager", Format::kF32, {0.5, 128}),
                    ContainsSubstring("base is 0.5"));
  CHECK_THROWS_WITH(make("hf_eager", Format::kF32, {1e4, 127}),
                    ContainsSubstring("rotary_dim is 127"));
  const Engine f16 = make("hf_eager", Format::kF16, {1e4, 128});
  CHECK_THROWS_WITH(f16.elements(1, 0, {{X{0.1, 0}}}),
                    ContainsSubstring("a number of its type"));
  CHECK_THROWS_WITH(f16.elements(1, 0, {{X{0, 16384}}}),
                    ContainsSubstring("cannot overflow"));
  CHECK_NOTHROW(f16.elements(1, 0, {{X{0, 16368}}}));
  CHECK_THROWS_WITH(f16.elements(kMaxPosition + 1, 0, {{X{0, 1}}}),
                    ContainsSubstring("position"));
  CHECK_THROWS_AS(f16.angle(1, 64), std::out_of_range);
}

}  // namespace
}  // namespace ropeproof::reference::staged
