#include "conformance/contract/contract.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

#include "conformance/corpus/corpus.h"
#include "conformance/verdict/judge.h"
#include "conformance/verdict/test_kernel.h"
#include "conformance/verdict/tolerance.h"

namespace ropeproof::conformance {
namespace {

using Catch::Matchers::ContainsSubstring;
using reference::Format;

const RopeCase& case_named(const std::string& id) {
  static const Corpus corpus = load_corpus(ROPEPROOF_VECTORS_DIR);
  for (const Group& group : corpus.groups) {
    for (const RopeCase& c : group.rope_cases) {
      if (c.id == id) return c;
    }
  }
  throw std::logic_error(id);
}

// q and k, two batch rows of three tokens, a partial head, f32.
const RopeCase& sample() { return case_named("contract-005"); }

Subject subject(std::uint32_t operation = ROPEPROOF_ROPE) {
  return {sample(), operation, Format::kF32};
}

// A broken kernel writes beyond its buffers: there must be room.
class RoomyKernel : public TestKernel {
 public:
  using TestKernel::TestKernel;
  std::byte* allocate(std::size_t bytes) override {
    return TestKernel::allocate(bytes + 2 * kRoom) + kRoom;
  }

 private:
  static constexpr std::size_t kRoom = 4096;
};

Description promising(std::uint32_t features) {
  Description d = full_description(ROPEPROOF_A0);
  d.features |= features;
  return d;
}

Judgement judged_as(const Description& description) {
  return [description](const RopeCase& c, const Output& output) {
    const bool is_rotation = !output.q.empty();
    const Measurement m =
        judge(c, is_rotation ? ROPEPROOF_ROPE : ROPEPROOF_TABLE,
              claim_of(description, c.dtype), output);
    return m.pass() ? "" : std::to_string(m.wrong) + " elements are wrong";
  };
}

Judgement judged() { return judged_as(full_description(ROPEPROOF_A0)); }

std::string failures(const std::vector<ContractResult>& results) {
  std::string text;
  for (const ContractResult& result : results) {
    if (!result.pass) text += result.check + ": " + result.reason + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("an honest kernel keeps the memory contract in every operation",
          "[conformance][contract]") {
  TestKernel kernel(promising(0), exact_knobs());
  for (const std::uint32_t operation :
       {ROPEPROOF_ROPE, ROPEPROOF_ROTATE, ROPEPROOF_TABLE}) {
    const auto results = check_memory(kernel, subject(operation), judged());
    CHECK(failures(results) == "");
    CHECK(results.size() == (operation == ROPEPROOF_TABLE ? 5u : 11u));
  }
}

TEST_CASE("each way to break the memory contract is found",
          "[conformance][contract]") {
  Knobs knobs = exact_knobs();
  std::string broken;
  SECTION("strides ignored") {
    knobs.ignores_strides = true;
    broken = "strided";
  }
  SECTION("output strides ignored") {
    knobs.writes_with_input_strides = true;
    broken = "strided";
  }
  SECTION("in place, what is outside the window lost") {
    knobs.zeroes_outside_in_place = true;
    broken = "in place";
  }
  SECTION("writes past the end") {
    knobs.bytes_past_the_end = 4;
    broken = "guard page at the end";
  }
  SECTION("turns v as well as q and k") {
    knobs.turns_a_pair_too_many = true;
    broken = "fused q, k, v in place";
  }
  RoomyKernel kernel(promising(0), knobs);
  const auto results = check_memory(kernel, subject(), judged());
  const auto found =
      std::find_if(results.begin(), results.end(),
                   [&](const auto& result) { return result.check == broken; });
  REQUIRE(found != results.end());
  CHECK_FALSE(found->pass);
  CHECK(found->outcome == Outcome::kOk);
  CHECK_FALSE(found->reason.empty());
  CHECK(found->suffix == 'M');
}

TEST_CASE("what a kernel does not offer is unsupported and no pass",
          "[conformance][contract]") {
  Description d = promising(0);
  d.features &= ~std::uint32_t{ROPEPROOF_STRIDED | ROPEPROOF_IN_PLACE};
  TestKernel kernel(d, exact_knobs());
  for (const ContractResult& result :
       check_contract(kernel, subject(), judged())) {
    CAPTURE(result.check);
    const bool is_plain = result.check.starts_with("guard page") ||
                          result.check == "unaligned" ||
                          result.check.ends_with(" 0");
    CHECK(result.pass == is_plain);
    if (!is_plain) CHECK(result.outcome == Outcome::kUnsupported);
    if (!is_plain) CHECK_FALSE(result.reason.empty());
  }
  CHECK(check_reject(kernel, subject(), Defect::kNegativeBatch).outcome ==
        Outcome::kUnsupported);
}

TEST_CASE("a deterministic kernel is deterministic",
          "[conformance][contract]") {
  TestKernel kernel(promising(ROPEPROOF_DETERMINISTIC), exact_knobs());
  for (const std::uint32_t operation :
       {ROPEPROOF_ROPE, ROPEPROOF_ROTATE, ROPEPROOF_TABLE,
        ROPEPROOF_FREQUENCIES}) {
    auto results = check_determinism(kernel, subject(operation));
    // A kernel without a process has no threads to take away.
    CHECK(results.back().outcome == Outcome::kUnsupported);
    results.pop_back();
    CHECK(failures(results) == "");
    CHECK_FALSE(results.empty());
  }
}

TEST_CASE("each way to be nondeterministic is found",
          "[conformance][contract]") {
  Knobs knobs = exact_knobs();
  int calls = 0;
  std::string broken;
  SECTION("from call to call") {
    knobs.adjust_in_problem = [&](const ropeproof_problem&, const HeadIndex&,
                                  double& c, double&) {
      if (++calls == 700) c = std::nextafter(static_cast<float>(c), 2.0f);
    };
    broken = "20 calls";
  }
  SECTION("by the number of tokens") {
    knobs.adjust_in_problem = [](const ropeproof_problem& p, const HeadIndex&,
                                 double& c, double&) {
      if (p.batch * p.seq == 1) c = std::nextafter(static_cast<float>(c), 2.0f);
    };
    broken = "rows alone";
  }
  SECTION("by the row of the batch") {
    knobs.adjust_in_problem = [](const ropeproof_problem&, const HeadIndex& at,
                                 double& c, double&) {
      if (at.batch > 2) c = std::nextafter(static_cast<float>(c), 2.0f);
    };
    broken = "other neighbours";
  }
  TestKernel kernel(promising(ROPEPROOF_DETERMINISTIC), knobs);
  const auto results = check_determinism(kernel, subject());
  const auto found =
      std::find_if(results.begin(), results.end(),
                   [&](const auto& result) { return result.check == broken; });
  REQUIRE(found != results.end());
  CHECK_FALSE(found->pass);
  CHECK_THAT(found->reason, ContainsSubstring("other bits in"));
  CHECK(found->suffix == 'D');
}

TEST_CASE(
    "a kernel that accepts a contradiction, or writes before refusing it, "
    "does not validate",
    "[conformance][contract]") {
  TestKernel kernel(promising(ROPEPROOF_VALIDATES), exact_knobs());
  SECTION("refuses") {
    kernel.canned = {Outcome::kInvalid, "seen"};
    for (const Defect defect :
         {Defect::kOddRotaryDim, Defect::kRotaryDimAboveHeadDim,
          Defect::kZeroRotaryDim, Defect::kWindowBeyondHead,
          Defect::kNegativeBatch, Defect::kZeroDirection,
          Defect::kNonFiniteBase, Defect::kNullInput, Defect::kNullOutput,
          Defect::kNullPositions, Defect::kOverlappingTensors,
          Defect::kOverlappingRows}) {
      const ContractResult result = check_reject(kernel, subject(), defect);
      CHECK(result.reason == "");
      CHECK(result.pass);
    }
  }
  SECTION("accepts") {
    const ContractResult result =
        check_reject(kernel, subject(), Defect::kNegativeBatch);
    CHECK_FALSE(result.pass);
    CHECK_THAT(result.reason, ContainsSubstring("accepted it"));
  }
  SECTION("calls it unsupported, though it offers all that it needs") {
    kernel.canned = {Outcome::kUnsupported, "no"};
    CHECK_FALSE(check_reject(kernel, subject(), Defect::kZeroDirection).pass);
    Description d = kernel.description();
    d.features &= ~std::uint32_t{ROPEPROOF_ADJOINT};
    TestKernel forward_only(d, exact_knobs());
    forward_only.canned = kernel.canned;
    CHECK(check_reject(forward_only, subject(), Defect::kZeroDirection).pass);
  }
}

TEST_CASE("a sequence of calls is judged call by call",
          "[conformance][contract]") {
  const std::vector<Subject> calls{
      subject(),
      {case_named("contract-003"), ROPEPROOF_ROPE, Format::kF32},
      subject()};
  TestKernel honest(promising(0), exact_knobs());
  CHECK(check_sequence(honest, calls, judged()).reason == "");
  Knobs knobs = exact_knobs();
  // A table that is kept from the first call on.
  double first = -1;
  knobs.amplitude = [&](double m) {
    if (first < 0) first = m;
    return first;
  };
  TestKernel stale(promising(0), knobs);
  const ContractResult result = check_sequence(stale, calls, judged());
  CHECK_FALSE(result.pass);
  CHECK_THAT(result.reason, ContainsSubstring("call 2 (contract-003)"));
}

}  // namespace ropeproof::conformance
