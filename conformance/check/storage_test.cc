// Every storage, and kernels that are right in all of them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <string>

#include "conformance/check/features.h"
#include "conformance/check/runner.h"
#include "conformance/selftest/test_storages.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Spacing;
using cases::Storage;
using selftest::all_storages;
using selftest::result;
using selftest::RoomyKernel;
using selftest::stored;
using selftest::words;

// "f32, rope: bhsd far dense end: reason", for each that fails.
std::string failures(plugin::Kernel& kernel, const cases::RopeCase& c) {
  std::string text;
  for (const Storage& storage : all_storages()) {
    const cases::RopeCase one = stored(c, storage);
    for (const std::uint32_t operation : {ROPEPROOF_ROPE, ROPEPROOF_ROTATE,
                                          ROPEPROOF_LOOKUP, ROPEPROOF_TABLE}) {
      if (!missing_feature(kernel.description(), operation, one, true)
               .empty()) {
        continue;
      }
      const ContractResult got = result(kernel, one, operation);
      if (got.pass) continue;
      text += std::to_string(operation) + ": " + words(storage) + ": " +
              got.reason + "\n";
    }
  }
  return text;
}

std::int64_t farthest(const ropeproof_problem& p, std::int64_t heads,
                      std::int64_t batch, std::int64_t token,
                      std::int64_t head) {
  return (p.batch - 1) * batch + (p.seq - 1) * token + (heads - 1) * head;
}

}  // namespace

TEST_CASE("strides are those of the storage", "[conformance][storage]") {
  RoomyKernel kernel(diagnosis::exact_knobs());
  const cases::RopeCase& c = cases::committed_case("contract-005");
  const std::int64_t d = c.spec.layout.head_dim;
  for (const Storage& storage : all_storages()) {
    CAPTURE(words(storage));
    const cases::RopeCase one = stored(c, storage);
    call::Call call(kernel, ROPEPROOF_ROPE, one, reference::Format::kF32);
    const ropeproof_problem p = call.begin();
    const ropeproof_tensor &q = p.q, &k = p.k;
    const bool is_q_out = !storage.is_in_place(false),
               is_k_out = !storage.is_in_place(true),
               is_packed = storage.order == cases::DimensionOrder::kPacked;
    CHECK((q.in == q.out) == storage.is_in_place(false));
    CHECK((k.in == k.out) == storage.is_in_place(true));
    switch (storage.order) {
      case cases::DimensionOrder::kBshd:
        CHECK(q.in_head_stride < q.in_token_stride);
        CHECK(q.in_token_stride <
              std::max(q.in_batch_stride, q.out_batch_stride));
        break;
      case cases::DimensionOrder::kBhsd:
        CHECK(q.in_token_stride < q.in_head_stride);
        CHECK(q.in_head_stride <
              std::max(q.in_batch_stride, q.out_batch_stride));
        break;
      case cases::DimensionOrder::kSbhd:
        CHECK(q.in_batch_stride < q.in_token_stride);
        CHECK((q.in_head_stride < q.in_batch_stride || q.in_batch_stride == 0));
        break;
      case cases::DimensionOrder::kPacked:
        CHECK(k.in ==
              static_cast<const float*>(q.in) + q.heads * q.in_head_stride);
        CHECK(k.in_token_stride == q.in_token_stride);
        CHECK(q.in_token_stride >= (q.heads + 2 * k.heads) * d);
        break;
    }
    const bool is_far = storage.spacing == Spacing::kFar;
    for (const ropeproof_tensor& t : {q, k}) {
      CHECK((farthest(p, t.heads, t.in_batch_stride, t.in_token_stride,
                      t.in_head_stride) > std::int64_t{1} << 32) == is_far);
      CHECK((farthest(p, t.heads, t.out_batch_stride, t.out_token_stride,
                      t.out_head_stride) > std::int64_t{1} << 32) == is_far);
    }
    switch (storage.spacing) {
      case Spacing::kKeysApart:
        if (storage.order == cases::DimensionOrder::kPacked) break;
        CHECK(k.in_head_stride != q.in_head_stride);
        CHECK((k.in_token_stride < k.in_head_stride) ==
              (storage.order == cases::DimensionOrder::kBshd));
        break;
      case Spacing::kOutputsApart:
        CHECK((q.in_head_stride != q.out_head_stride) == is_q_out);
        break;
      case Spacing::kBroadcast:
        if (is_packed && !(is_q_out && is_k_out)) break;
        CHECK((q.in_batch_stride == 0) == is_q_out);
        CHECK((k.in_batch_stride == 0) == is_k_out);
        CHECK(q.out_batch_stride > 0);
        break;
      case Spacing::kKeysBroadcast:
        if (is_packed) break;
        CHECK(q.in_batch_stride > 0);
        CHECK((k.in_batch_stride == 0) == is_k_out);
        break;
      case Spacing::kWide:
        CHECK(q.in_token_stride > 1 << 16);
        CHECK(k.out_token_stride > 1 << 16);
        break;
      default:
        break;
    }
    const std::int64_t stride = p.position_batch_stride;
    switch (storage.rows) {
      case cases::RowSpacing::kDense:
        CHECK(stride == c.seq);
        break;
      case cases::RowSpacing::kGaps:
        CHECK(stride == c.seq + 3);
        break;
      case cases::RowSpacing::kShared:
        CHECK(stride == 0);
        break;
      case cases::RowSpacing::kWide:
        CHECK(stride > 1 << 16);
        break;
      case cases::RowSpacing::kFar:
        CHECK((c.batch - 1) * stride > std::int64_t{1} << 32);
        break;
    }
  }
}

TEST_CASE("a right kernel is right in every storage",
          "[conformance][storage]") {
  RoomyKernel kernel(diagnosis::exact_knobs());
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
  const cases::RopeCase& c = cases::committed_case("smoke-rich-009");
  for (const auto& [name, spacing] :
       {std::pair{"strides_of_16_bits", Spacing::kWide},
        std::pair{"offsets_of_32_bits", Spacing::kFar}}) {
    const auto kernel = plugin::load_library(
        ROPEPROOF_FAKES_DIR "/" + std::string(name) + ".so", {});
    for (const Storage& storage : all_storages()) {
      CAPTURE(name, words(storage));
      const ContractResult got =
          result(*kernel, stored(c, storage), ROPEPROOF_ROPE);
      const bool is_asked =
          storage.spacing == spacing || storage.spacing == Spacing::kFar;
      CHECK(got.pass != is_asked);
    }
  }
}

TEST_CASE("a far call that hangs by chance is made again with its inputs",
          "[conformance][storage][fakes]") {
  Storage storage;
  storage.spacing = Spacing::kFar;
  const cases::RopeCase c =
      stored(cases::committed_case("smoke-rich-009"), storage);
  const auto kernel = plugin::load_library(
      ROPEPROOF_FAKES_DIR "/hangs_every_second_time.so",
      plugin::KernelOptions{std::chrono::milliseconds(100)});
  judge::Output output;
  for (int call = 0; call < 2; ++call) {
    call::Call again(*kernel, ROPEPROOF_ROPE, c, reference::Format::kF32);
    CHECK(again.run(output).outcome == plugin::Outcome::kOk);
    CHECK(output.q[0] == c.q[0]);
  }
}

TEST_CASE("where there is no address space a far case is unsupported, and why",
          "[conformance][storage]") {
  Storage storage;
  storage.spacing = Spacing::kFar;
  const cases::RopeCase c =
      stored(cases::committed_case("smoke-rich-009"), storage);
  RoomyKernel kernel(diagnosis::exact_knobs());
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
