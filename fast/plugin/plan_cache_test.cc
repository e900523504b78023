#include "fast/plugin/plan_cache.h"

#include <catch2/catch_test_macros.hpp>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fast/plugin/own_problem.h"

namespace {

thread_local int allocations = 0;

}  // namespace

// This program's allocations, counted. Inlined, new and free() would not match.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace ropeproof::fast {
namespace {

// Inputs with memory of their own.
struct OwnInputs {
  std::vector<double> theta = {1, 0.5}, theta_lo = {0, 0x1p-60};
  double amplitude = 1;
  std::vector<std::int32_t> axis_of_pair = {};
  std::vector<double> axis_weights = {};
  std::int64_t axes = 0;

  PlanInputs view() const {
    return {theta, theta_lo, amplitude, axis_of_pair, axis_weights, axes};
  }
};

const Plan& keep(PlanCache& cache, const OwnInputs& inputs) {
  return cache.keep(inputs.view(),
                    std::make_unique<const Plan>(inputs.view().make()));
}

OwnInputs with_first(double theta) { return {.theta = {theta, 0.5}}; }

TEST_CASE("a plan is found by the bits of all its inputs and by no others",
          "[fast][abi]") {
  OwnInputs good;
  good.theta_lo = {0, 0};
  PlanCache cache;
  CHECK(cache.find(good.view()) == nullptr);
  const Plan* const plan = &keep(cache, good);
  const OwnInputs copy = good;
  CHECK(cache.find(copy.view()) == plan);

  const std::pair<std::string, std::function<void(OwnInputs&)>> changes[] = {
      {"a frequency", [](auto& x) { x.theta[1] = 0.25; }},
      {"its low part", [](auto& x) { x.theta_lo[1] = 0x1p-60; }},
      {"the sign of zero", [](auto& x) { x.theta_lo[0] = -0.0; }},
      {"the amplitude", [](auto& x) { x.amplitude = 2; }},
      {"axes of pairs", [](auto& x) { x.axis_of_pair.assign(2, 0); }},
      {"weights", [](auto& x) { x.axis_weights.assign(2, 1); }},
      {"fewer pairs",
       [](auto& x) {
         x.theta.pop_back();
         x.theta_lo.pop_back();
       }},
  };
  for (const auto& [what, change] : changes) {
    OwnInputs other = good;
    change(other);
    CAPTURE(what);
    CHECK(cache.find(other.view()) == nullptr);
  }

  OwnInputs axes{.axis_of_pair = {0, 1}, .axes = 2};
  keep(cache, axes);
  CHECK(cache.find(axes.view()) != nullptr);
  axes.axes = 1;  // out of range now
  CHECK(cache.find(axes.view()) == nullptr);
  axes = {.axis_of_pair = {1, 0}, .axes = 2};
  CHECK(cache.find(axes.view()) == nullptr);
}

TEST_CASE("the plan that was not used for longest makes room", "[fast][abi]") {
  PlanCache cache;
  for (std::size_t i = 0; i < PlanCache::kKept; ++i) {
    keep(cache, with_first(1 + static_cast<double>(i)));
  }
  CHECK(cache.find(with_first(1).view()) != nullptr);  // used again
  keep(cache, with_first(100));
  CHECK(cache.find(with_first(2).view()) == nullptr);
  CHECK(cache.find(with_first(1).view()) != nullptr);
  CHECK(cache.find(with_first(100).view()) != nullptr);
}

TEST_CASE("every thread has plans of its own", "[fast][abi]") {
  const PlanCache* const mine = PlanCache::mine();
  const PlanCache* other = mine;
  std::thread([&] { other = PlanCache::mine(); }).join();
  CHECK(other != mine);
  CHECK(PlanCache::mine() == mine);
}

TEST_CASE("a thread on its way out has no plans any more", "[fast][abi]") {
  PlanCache* last = PlanCache::mine();
  std::thread([&] {
    struct Late {
      PlanCache** seen;
      ~Late() { *seen = PlanCache::mine(); }
    };
    // Made before the plans, hence destroyed after them.
    static thread_local Late late{&last};
    REQUIRE(late.seen == &last);
    REQUIRE(PlanCache::mine() != nullptr);
  }).join();
  CHECK(last == nullptr);
}

TEST_CASE("what would take much memory is not kept", "[fast][abi]") {
  OwnInputs inputs;
  inputs.theta.assign(PlanCache::kMaxInputs / 2, 1);
  inputs.theta_lo = inputs.theta;
  CHECK(PlanCache::can_keep(inputs.view()));
  inputs.theta.push_back(1);
  inputs.theta_lo.push_back(0);
  CHECK_FALSE(PlanCache::can_keep(inputs.view()));
  inputs = {.axis_weights = std::vector<double>(PlanCache::kMaxInputs + 2)};
  CHECK_FALSE(PlanCache::can_keep(inputs.view()));
}

// The frequencies of `base` in `own`, which lie where they lay before.
void set_base(OwnProblem& own, double base) {
  frequencies(base, own.theta, own.theta_lo);
  own.problem.base = base;
}

TEST_CASE("a call allocates nothing once its plan is made", "[fast][abi]") {
  OwnProblem own(ROPEPROOF_ROPE);
  set_base(own, 12345);
  const int before = allocations;
  REQUIRE(ropeproof_run(&own.problem) == ROPEPROOF_OK);
  const int first = allocations;
  CHECK(ropeproof_run(&own.problem) == ROPEPROOF_OK);
  const int second = allocations;
  CHECK(first > before);
  CHECK(second == first);
}

TEST_CASE("a plan larger than those that are kept serves its call",
          "[fast][abi]") {
  const std::size_t pairs = PlanCache::kMaxInputs;
  const std::vector<double> theta(pairs, 0.5), zero(pairs, 0);
  std::vector<float> cos(pairs), sin(pairs);
  OwnProblem own(ROPEPROOF_TABLE);
  own.problem.batch = own.problem.seq = 1;
  own.problem.rotary_dim = 2 * static_cast<std::int64_t>(pairs);
  own.problem.inv_freq = theta.data();
  own.problem.inv_freq_lo = zero.data();
  own.problem.amplitude = 1;
  own.problem.cos = cos.data();
  own.problem.sin = sin.data();
  CHECK(ropeproof_run(&own.problem) == ROPEPROOF_OK);
  CHECK(cos == std::vector<float>(pairs, 0.877582562f));  // cos(0.5)
}

TEST_CASE("a bad problem is refused although a good one like it was solved",
          "[fast][abi]") {
  OwnProblem own(ROPEPROOF_ROPE);
  REQUIRE(ropeproof_run(&own.problem) == ROPEPROOF_OK);
  const auto before = own.memory();
  const double theta = own.theta[1];
  own.theta[1] = std::numeric_limits<double>::infinity();
  CHECK(ropeproof_run(&own.problem) == ROPEPROOF_INVALID);
  own.theta[1] = theta;
  own.positions[1] = std::int64_t{1} << 54;
  CHECK(ropeproof_run(&own.problem) == ROPEPROOF_INVALID);
  own.problem.amplitude = std::numeric_limits<double>::quiet_NaN();
  own.positions[1] = 0;
  CHECK(ropeproof_run(&own.problem) == ROPEPROOF_INVALID);
  CHECK(same_bits(own.memory(), before));
}

}  // namespace
}  // namespace ropeproof::fast
