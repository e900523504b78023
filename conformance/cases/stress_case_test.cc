#include "conformance/cases/stress_case.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <set>

#include "conformance/cases/coverage.h"
#include "conformance/cases/prove.h"
#include "conformance/check/runner.h"
#include "conformance/diagnosis/knob_kernel.h"
#include "conformance/report/report.h"
#include "reference/spec.h"

namespace ropeproof::conformance::cases {
namespace {

constexpr std::uint64_t kSeed = 20240229;

TEST_CASE("a stress case is a function of seed and index alone",
          "[conformance][stress]") {
  const RopeCase a = stress_case(kSeed, 7), b = stress_case(kSeed, 7);
  CHECK(a.id == "stress-20240229-007");
  CHECK(stress_case(kSeed, 12345678).id == "stress-20240229-12345678");
  CHECK(a.q == b.q);
  CHECK(a.positions == b.positions);
  CHECK(stress_case(kSeed, 8).q != a.q);
  CHECK(stress_case(kSeed + 1, 7).q != a.q);
}

TEST_CASE("who wants every case gets the stream that everybody gets",
          "[conformance][stress]") {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const RopeCase a = stress_case(kSeed, i),
                   b = stress_case(kSeed, i, [](const auto&) { return true; });
    CHECK(a.q == b.q);
    CHECK(a.positions == b.positions);
  }
}

TEST_CASE("who wants few cases gets valid ones of them, of every size",
          "[conformance][stress]") {
  const auto is_wanted = [](const RopeCase& c) {
    return c.dtype == reference::Format::kF16 &&
           c.spec.layout.pairing == reference::Pairing::kInterleavedToHalf &&
           c.spec.layout.rotary_dim == c.spec.layout.head_dim &&
           c.spec.frequencies.scaling.index() == 0 && c.spec.axes.count == 1 &&
           c.storage.is_dense() &&
           std::ranges::all_of(c.positions, [](double p) {
             return 0 <= p && p <= 4096 && p == std::floor(p);
           });
  };
  constexpr int kCases = 500;
  int wanted = 0;
  std::set<std::int64_t> pairs;
  for (std::uint64_t i = 0; i < kCases; ++i) {
    const RopeCase c = stress_case(kSeed, i, is_wanted);
    CAPTURE(c.id);
    CHECK_NOTHROW(reference::validate(c.spec));
    CHECK(c.positions.size() ==
          static_cast<std::size_t>(c.spec.axes.count * c.tokens()));
    CHECK(c.q == stress_case(kSeed, i, is_wanted).q);
    wanted += is_wanted(c) ? 1 : 0;
    pairs.insert(c.pairs());
  }
  CHECK(wanted > kCases * 95 / 100);
  CHECK(pairs.size() > 20);
}

TEST_CASE("every stress case is valid and within its size",
          "[conformance][stress]") {
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const RopeCase c = stress_case(kSeed, i);
    CAPTURE(c.id);
    CHECK_NOTHROW(reference::validate(c.spec));
    CHECK_NOTHROW(
        reference::validate(reference::Shape{c.batch, c.seq, c.q_heads}));
    for (const double p : c.positions) {
      CHECK_NOTHROW(reference::validate_position(p));
      CHECK_NOTHROW(reference::validate_position(c.spec, p));
      CHECK(std::abs(p) <= 0x1p31);
    }
    CHECK(c.positions.size() ==
          static_cast<std::size_t>(c.spec.axes.count * c.tokens()));
    CHECK(c.q.size() + c.k.size() <= kMaxStressElements);
    CHECK_FALSE(c.is_special);
  }
}

TEST_CASE("a length is at least that of the positions, on both sides of L",
          "[conformance][stress]") {
  int derived = 0, longer = 0, at_or_below = 0, beyond = 0;
  const auto count = [&](const RopeCase& c, std::int64_t length,
                         std::int64_t trained) {
    double least = 1;
    for (const double p : c.positions) {
      least = std::max(least, std::floor(p) + 1);
    }
    CHECK(static_cast<double>(length) >= least);
    ++(static_cast<double>(length) > least ? longer : derived);
    ++(length <= trained ? at_or_below : beyond);
  };
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const RopeCase c = stress_case(kSeed, i);
    const reference::Scaling& scaling = c.spec.frequencies.scaling;
    if (const auto* s = std::get_if<reference::DynamicNtk>(&scaling)) {
      count(c, s->seq_len, s->max_position);
    } else if (const auto* l = std::get_if<reference::LongRope>(&scaling)) {
      count(c, l->seq_len, l->original_length);
    }
  }
  CHECK(derived > 2 * longer);
  CHECK(longer > 50);
  CHECK(at_or_below > 50);
  CHECK(beyond > 50);
}

TEST_CASE("an oracle proves what is drawn, and honest kernels pass it",
          "[conformance][stress][controls]") {
  Corpus corpus;
  corpus.groups.emplace_back().tier = "core";
  Group& group = corpus.groups[0];
  for (std::uint64_t i = 0; i < 400; ++i) {
    group.rope_cases.push_back(stress_case(kSeed, i));
  }
  prove(reference::Oracle::kBinFloat, group);
  const auto judged = [&](std::uint32_t angle_class,
                          const diagnosis::Knobs& knobs) {
    diagnosis::KnobKernel kernel(diagnosis::full_description(angle_class),
                                 knobs);
    const report::Report report = check::run_suite(kernel, corpus, {});
    INFO(report::text_report(report, 1));
    CHECK(report::exit_status(report::total(report)) == 0);
  };
  judged(ROPEPROOF_A0, diagnosis::exact_knobs());
  judged(ROPEPROOF_A1, diagnosis::f32_knobs());
  judged(ROPEPROOF_A2, diagnosis::iterated_knobs());
}

TEST_CASE("drawing meets every dtype, pairing, scaling, memory and scheme",
          "[conformance][stress]") {
  constexpr int kCases = 2000;
  std::vector<Group> groups(1);
  int plain = 0;
  for (std::uint64_t i = 0; i < kCases; ++i) {
    const RopeCase c = stress_case(kSeed, i);
    groups[0].rope_cases.push_back(c);
    const reference::Frequencies& f = c.spec.frequencies;
    const bool is_plain =
        f.scaling.index() == 0 && f.amplitude == 1 && !f.xpos &&
        f.inv_freq.empty() && f.exponents.empty() &&
        c.spec.direction == reference::Direction::kForward &&
        c.spec.axes.count == 1 && c.spec.layout.blocks == 1 &&
        c.spec.layout.pair_distance == 0 && !c.has_real_positions() &&
        std::ranges::all_of(c.positions, [](double p) { return p >= 0; });
    plain += is_plain ? 1 : 0;
  }
  CHECK(plain > kCases / 5);
  const Coverage coverage = coverage_of(groups);
  const auto kinds = [&](const std::string& prefix) {
    return static_cast<std::size_t>(std::ranges::count_if(
        coverage.cases,
        [&](const auto& entry) { return entry.first.starts_with(prefix); }));
  };
  CAPTURE(coverage_text(coverage));
  CHECK(kinds("dtype and pairing: ") == 4 * 4);
  // Besides: xPos, given frequencies.
  CHECK(kinds("scaling: ") == 2 + std::variant_size_v<reference::Scaling>);
  CHECK(kinds("memory: ") == 4);
  for (const char* kind :
       {"axes: 1", "axes: 2", "axes: 3", "axes: 4", "axes: weights",
        "positions: real", "direction: adjoint", "sizes: empty"}) {
    CHECK(kinds(kind) == 1);
  }
}

}  // namespace
}  // namespace ropeproof::conformance::cases
