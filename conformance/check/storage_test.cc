// Every storage, and kernels that are right in all of them.
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "conformance/call/call.h"
#include "conformance/cases/case_words.h"
#include "conformance/cases/smaller.h"
#include "conformance/cases/summary.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/check/attempt.h"
#include "conformance/check/offered.h"
#include "conformance/check/runner.h"
#include "conformance/wrong/pipeline_kernel.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Spacing;
using cases::Storage;

// Every order, spacing, place and edge of tensors, with one after another of
// the spacings of rows, so that any two meet.
std::vector<Storage> all_storages() {
  std::vector<Storage> all;
  for (const auto& [order, order_word] : cases::kOrderWords) {
    for (const auto& [spacing, spacing_word] : cases::kSpacingWords) {
      for (const auto& [edge, edge_word] : cases::kEdgeWords) {
        for (const auto& [place, place_word] : cases::kInPlaceWords) {
          const auto& [rows, rows_word] =
              cases::kRowSpacingWords[all.size() %
                                      cases::kRowSpacingWords.size()];
          all.push_back({order, spacing, rows, place, edge});
        }
      }
    }
  }
  return all;
}

// The case so stored; with its first batch row twice, where rows are to be one.
cases::Case stored(const cases::Case& c, const Storage& storage) {
  cases::Case result = c;
  if (storage.spacing == Spacing::kBroadcast ||
      storage.spacing == Spacing::kKeysBroadcast ||
      storage.rows == cases::RowSpacing::kShared) {
    std::vector<std::int64_t> tokens;
    for (std::int64_t t = 0; t < c.problem.tokens(); ++t)
      tokens.push_back(t % c.problem.seq);
    result = pick_tokens(c, tokens, c.problem.batch, c.problem.seq);
  }
  result.problem.storage = storage;
  return result;
}

wrong::PipelineKernel right_kernel() {
  plugin::Description d = wrong::full_description(ROPEPROOF_A0);
  d.dtypes |= ROPEPROOF_F64;
  return {d, wrong::exact_pipeline()};
}

Check result(plugin::Kernel& kernel, const cases::Case& c,
             std::uint32_t operation) {
  return attempt(kernel, subject_of(kernel, c, operation), c, std::nullopt,
                 "storage", "");
}

// Each that fails, and why.
std::string failures(plugin::Kernel& kernel, const cases::Case& c) {
  std::string text;
  for (const Storage& storage : all_storages()) {
    const cases::Case one = stored(c, storage);
    for (const std::uint32_t operation : {ROPEPROOF_ROPE, ROPEPROOF_ROTATE,
                                          ROPEPROOF_LOOKUP, ROPEPROOF_TABLE}) {
      if (!missing_feature(kernel.description(), operation, one.problem, true)
               .empty()) {
        continue;
      }
      const Check got = result(kernel, one, operation);
      if (got.passes()) continue;
      text += std::to_string(operation) + ": " + cases::summary(one) + ": " +
              got.reason + "\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("long strides are those of q and k, of inputs and outputs",
          "[conformance][storage]") {
  wrong::PipelineKernel kernel = right_kernel();
  const cases::Case& c = cases::committed_case("contract-005");
  for (const Storage& storage : all_storages()) {
    const cases::Case one = stored(c, storage);
    CAPTURE(cases::summary(one));
    call::Call call(kernel, ROPEPROOF_ROPE, one, reference::Format::kF32);
    const ropeproof_problem p = call.begin();
    const bool is_far = storage.spacing == Spacing::kFar;
    const bool is_long = is_far || storage.spacing == Spacing::kWide;
    const auto check = [&](std::int64_t batch, std::int64_t token,
                           std::int64_t head, std::int64_t heads) {
      const std::int64_t last =
          (p.batch - 1) * batch + (p.seq - 1) * token + (heads - 1) * head;
      CHECK((last > std::int64_t{1} << 32) == is_far);
      CHECK((last > std::int64_t{1} << 16) == is_long);
    };
    for (const ropeproof_tensor& t : {p.q, p.k}) {
      check(t.in_batch_stride, t.in_token_stride, t.in_head_stride, t.heads);
      check(t.out_batch_stride, t.out_token_stride, t.out_head_stride, t.heads);
    }
  }
}

TEST_CASE("where batch rows are one, those of k are, too",
          "[conformance][storage]") {
  wrong::PipelineKernel kernel = right_kernel();
  Storage storage;
  storage.spacing = Spacing::kBroadcast;
  const cases::Case c = stored(cases::committed_case("contract-005"), storage);
  call::Call call(kernel, ROPEPROOF_ROPE, c, reference::Format::kF32);
  const ropeproof_problem p = call.begin();
  CHECK(p.q.in_batch_stride == 0);
  CHECK(p.k.in_batch_stride == 0);
}

TEST_CASE("a right kernel is right in every storage",
          "[conformance][storage]") {
  wrong::PipelineKernel kernel = right_kernel();
  for (const char* id : {"contract-005", "contract-008", "core-heads-025"}) {
    CAPTURE(id);
    CHECK(failures(kernel, cases::committed_case(id)) == "");
  }
}

TEST_CASE("the builtin kernels are right in every storage, between guard pages",
          "[conformance][storage]") {
  for (const std::string name : {"fast", "c_example"}) {
    const auto kernel =
        plugin::load_library(ROPEPROOF_PLUGINS_DIR "/" + name + ".so", {});
    for (const char* id :
         {"contract-005", "contract-008", "core-heads-025", "smoke-rich-009"}) {
      CAPTURE(name, id);
      CHECK(failures(*kernel, cases::committed_case(id)) == "");
    }
  }
}

TEST_CASE("a library with short strides or offsets fails or crashes",
          "[conformance][storage][fakes]") {
  const cases::Case& c = cases::committed_case("smoke-rich-009");
  for (const auto& [name, spacing] :
       {std::pair{"strides_of_16_bits", Spacing::kWide},
        std::pair{"offsets_of_32_bits", Spacing::kFar}}) {
    const auto kernel = plugin::load_library(
        ROPEPROOF_FAKES_DIR "/" + std::string(name) + ".so", {});
    for (const Storage& storage : all_storages()) {
      const cases::Case one = stored(c, storage);
      CAPTURE(name, cases::summary(one));
      const Check got = result(*kernel, one, ROPEPROOF_ROPE);
      const bool is_asked =
          storage.spacing == spacing || storage.spacing == Spacing::kFar;
      CHECK(got.passes() != is_asked);
    }
  }
}

TEST_CASE("a far call that hangs by chance is made again with its inputs",
          "[conformance][storage][fakes]") {
  Storage storage;
  storage.spacing = Spacing::kFar;
  const cases::Case c =
      stored(cases::committed_case("smoke-rich-009"), storage);
  const auto kernel = plugin::load_library(
      ROPEPROOF_FAKES_DIR "/hangs_every_second_time.so",
      plugin::KernelOptions{std::chrono::milliseconds(100)});
  judge::Output output;
  for (int call = 0; call < 2; ++call) {
    call::Call again(*kernel, ROPEPROOF_ROPE, c, reference::Format::kF32);
    CHECK(again.run(output).outcome == plugin::Outcome::kOk);
    CHECK(output.q[0] == c.problem.q[0]);
  }
}

TEST_CASE("where there is no address space a far case is unsupported, and why",
          "[conformance][storage]") {
  Storage storage;
  storage.spacing = Spacing::kFar;
  const cases::Case c =
      stored(cases::committed_case("smoke-rich-009"), storage);
  wrong::PipelineKernel kernel = right_kernel();
  while (true) {  // another call has it all
    try {
      kernel.sparse().allocate(1, plugin::Edge::kEnd, {});
    } catch (const plugin::NoAddressSpace&) {
      break;
    }
  }
  const Check check = check_values(kernel, ROPEPROOF_ROPE, c);
  CHECK(check.verdict == Verdict::kUnsupported);
  CHECK(check.reason.starts_with("no address space for a buffer this long"));
}

}  // namespace ropeproof::conformance::check
