// Kernels that assume strides, in every storage.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <map>
#include <string>

#include "conformance/selftest/test_storages.h"

namespace ropeproof::conformance::check {
namespace {

using cases::Storage;
using selftest::all_storages;
using selftest::result;
using selftest::RoomyKernel;
using selftest::stored;
using selftest::words;

// Of dimensions of two or more.
std::map<std::string, std::int64_t> strides(const ropeproof_problem& p) {
  std::map<std::string, std::int64_t> all;
  for (const auto& [x, t] : {std::pair{'q', p.q}, std::pair{'k', p.k}}) {
    const auto add = [&](std::int64_t count, const char* of, std::int64_t in,
                         std::int64_t out) {
      if (count < 2 || t.heads == 0) return;
      all[x + std::string(of)] = in;
      all[x + std::string(".out") + of] = out;
    };
    add(p.batch, " batch", t.in_batch_stride, t.out_batch_stride);
    add(p.seq, " token", t.in_token_stride, t.out_token_stride);
    add(t.heads, " head", t.in_head_stride, t.out_head_stride);
  }
  if (p.operation == ROPEPROOF_ROPE) all["batch"] = p.position_batch_stride;
  if (p.operation == ROPEPROOF_ROTATE) {
    all["table token"] = p.table_token_stride;
    all["table batch"] = p.table_batch_stride;
  }
  return all;
}

void for_each_tensor(ropeproof_problem& p,
                     const std::function<void(ropeproof_tensor&)>& change) {
  change(p.q);
  if (p.k.heads > 0) change(p.k);
}

void for_each_stride(ropeproof_problem& p,
                     const std::function<std::int64_t(std::int64_t)>& change) {
  for_each_tensor(p, [&](ropeproof_tensor& t) {
    for (std::int64_t* stride :
         {&t.in_batch_stride, &t.in_token_stride, &t.in_head_stride,
          &t.out_batch_stride, &t.out_token_stride, &t.out_head_stride}) {
      *stride = change(*stride);
    }
  });
}

struct Assumption {
  const char* name;
  void (*misread)(ropeproof_problem&);
};

const Assumption kAssumptions[] = {
    {"all is dense",
     [](ropeproof_problem& p) {
       for_each_tensor(p, [&](ropeproof_tensor& t) {
         t.in_head_stride = t.out_head_stride = p.head_dim;
         t.in_token_stride = t.out_token_stride = t.heads * p.head_dim;
         t.in_batch_stride = t.out_batch_stride = p.seq * t.heads * p.head_dim;
       });
     }},
    {"heads lie back to back",
     [](ropeproof_problem& p) {
       for_each_tensor(p, [&](ropeproof_tensor& t) {
         t.in_head_stride = t.out_head_stride = p.head_dim;
       });
     }},
    {"tokens lie back to back",
     [](ropeproof_problem& p) {
       for_each_tensor(p, [&](ropeproof_tensor& t) {
         t.in_token_stride = t.heads * t.in_head_stride;
         t.out_token_stride = t.heads * t.out_head_stride;
       });
     }},
    {"batch rows lie back to back",
     [](ropeproof_problem& p) {
       for_each_tensor(p, [&](ropeproof_tensor& t) {
         t.in_batch_stride = p.seq * t.in_token_stride;
         t.out_batch_stride = p.seq * t.out_token_stride;
       });
     }},
    {"k lies as q does",
     [](ropeproof_problem& p) {
       const ropeproof_tensor k = p.k;
       if (k.heads == 0) return;
       p.k = p.q;
       p.k.in = k.in;
       p.k.out = k.out;
       p.k.heads = k.heads;
     }},
    {"outputs lie as inputs do",
     [](ropeproof_problem& p) {
       for_each_tensor(p, [&](ropeproof_tensor& t) {
         t.out_batch_stride = t.in_batch_stride;
         t.out_token_stride = t.in_token_stride;
         t.out_head_stride = t.in_head_stride;
       });
     }},
    {"strides have 16 bits",
     [](ropeproof_problem& p) {
       for_each_stride(p, [](std::int64_t stride) {
         return std::int64_t{static_cast<std::uint16_t>(stride)};
       });
     }},
    // Of two rows, the stride is the offset.
    {"offsets have 32 bits",
     [](ropeproof_problem& p) {
       for_each_stride(p, [](std::int64_t stride) {
         return std::int64_t{static_cast<std::int32_t>(stride)};
       });
     }},
    {"no input is broadcast",
     [](ropeproof_problem& p) {
       for_each_tensor(p, [&](ropeproof_tensor& t) {
         if (t.in_batch_stride == 0) t.in_batch_stride = t.out_batch_stride;
       });
     }},
    {"positions are dense",
     [](ropeproof_problem& p) { p.position_batch_stride = p.seq; }},
    {"tables are dense", [](ropeproof_problem& p) {
       p.table_token_stride = p.rotary_dim / 2;
       p.table_batch_stride = p.seq * p.rotary_dim / 2;
     }}};

}  // namespace

TEST_CASE("a kernel that assumes strides fails just where it is wrong",
          "[conformance][storage]") {
  const cases::RopeCase& c = cases::committed_case("contract-005");
  for (const Assumption& assumption : kAssumptions) {
    CAPTURE(assumption.name);
    bool differs = false;
    diagnosis::Knobs knobs = diagnosis::exact_knobs();
    knobs.misread = [&](ropeproof_problem& p) {
      const auto right = strides(p);
      assumption.misread(p);
      differs = strides(p) != right;
    };
    RoomyKernel kernel(knobs);
    int wrong = 0;
    for (const Storage& storage : all_storages()) {
      if (storage.edge != cases::BufferEdge::kEnd) continue;
      CAPTURE(words(storage));
      const cases::RopeCase one = stored(c, storage);
      for (const std::uint32_t operation : {ROPEPROOF_ROPE, ROPEPROOF_ROTATE}) {
        const bool passes = result(kernel, one, operation).pass;
        CHECK(passes != differs);
        wrong += passes ? 0 : 1;
      }
    }
    CHECK(wrong > 0);
  }
}

}  // namespace ropeproof::conformance::check
