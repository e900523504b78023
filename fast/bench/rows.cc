#include "fast/bench/rows.h"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>

#include "fast/bench/limits.h"
#include "fast/bench/plain.h"
#include "fast/elements.h"
#include "fast/rope_fast.h"

namespace ropeproof::fast::bench {
namespace {

constexpr double kBase = 10000;

enum class Kernel { kRotate, kRope };
enum class Limit { kTouch, kFmt };

struct Shaped {
  std::int64_t heads = 40;  // 32 of q and 8 of k, in one buffer
  Type type = Type::kF32;
  Pairing pairing = Pairing::kHalfSplit;
  std::int64_t head_dim = 128, rotary_dim = 128, tokens = 1;
  Kernel kernel = Kernel::kRotate;
  Limit limit = Limit::kTouch;
  bool is_head_major = false;
};

Plan plan_for(std::int64_t rotary_dim) {
  std::vector<double> hi(static_cast<std::size_t>(rotary_dim / 2)), lo(hi);
  frequencies(kBase, hi, lo);
  return Plan(hi, lo);
}

std::vector<float> inv_freq_of(std::int64_t rotary_dim) {
  std::vector<double> hi(static_cast<std::size_t>(rotary_dim / 2)), lo(hi);
  frequencies(kBase, hi, lo);
  std::vector<float> rounded(hi.size());
  std::transform(hi.begin(), hi.end(), rounded.begin(),
                 [](double theta) { return static_cast<float>(theta); });
  return rounded;
}

// Buffers of a row of tensors, and what to call on them.
struct OwnProblem {
  Shaped shaped;
  std::size_t bytes;
  Memory x, copy;
  std::vector<std::int64_t> positions;
  Memory cos, sin;
  Plan plan;
  std::vector<float> inv_freq;
  Layout layout;
  Shape shape;
  Tensor tensor;
  Rows rotated;
  Table<const void> given;

  explicit OwnProblem(const Shaped& s)
      : shaped(s),
        bytes(static_cast<std::size_t>(s.tokens * s.heads * s.head_dim) *
              bytes_of(s.type)),
        x(bytes),
        copy(bytes),
        positions(static_cast<std::size_t>(s.tokens)),
        cos(table_bytes()),
        sin(table_bytes()),
        plan(plan_for(s.rotary_dim)),
        inv_freq(inv_freq_of(s.rotary_dim)),
        layout{s.head_dim, s.rotary_dim, 0, s.pairing},
        shape{1, s.tokens},
        tensor(tensor_of_all()),
        rotated(rotated_rows()),
        given{cos.data(), sin.data(), 0, s.rotary_dim / 2} {
    for (std::size_t t = 0; t < positions.size(); ++t) {
      positions[t] = 1000 + static_cast<std::int64_t>(t);
    }
    std::mt19937 random(1);  // bits of ordinary numbers in every type
    auto* words = x.as<std::uint16_t>();
    for (std::size_t i = 0; i < bytes / 2; ++i) {
      words[i] = static_cast<std::uint16_t>(0x3c00 + random() % 0x100);
    }
    table(plan, {1, s.tokens}, {positions.data(), 0, 0},
          {cos.data(), sin.data(), 0, s.rotary_dim / 2});
  }

  std::size_t table_bytes() const {
    return positions.size() * static_cast<std::size_t>(shaped.rotary_dim) * 2;
  }
  Tensor tensor_of_all() const {
    const std::int64_t d = shaped.head_dim, heads = shaped.heads;
    const Strides strides = shaped.is_head_major
                                ? Strides{0, d, shaped.tokens * d}
                                : Strides{0, heads * d, d};
    return {x.data(), x.data(), heads, strides, strides, shaped.type};
  }
  Rows rotated_rows() const {
    const std::size_t e = bytes_of(shaped.type);
    const auto d = static_cast<std::size_t>(shaped.head_dim) * e;
    const auto r = static_cast<std::size_t>(shaped.rotary_dim) * e;
    if (d == r) return {x.data(), 1, bytes, bytes};
    return {x.data(), bytes / d, r, d};
  }
  void rotate_all() const {
    if (shaped.kernel == Kernel::kRope) {
      rope(plan, layout, Direction::kForward, shape, {positions.data(), 0, 0},
           {&tensor, 1});
    } else {
      rotate(layout, Direction::kForward, shape, given, {&tensor, 1});
    }
  }
  void plain_all() const {
    const std::size_t e = bytes_of(shaped.type);
    const std::int64_t pairs = shaped.rotary_dim / 2;
    for (std::int64_t t = 0; t < shaped.tokens; ++t) {
      float* c = cos.as<float>() + t * pairs;
      float* s = sin.as<float>() + t * pairs;
      if (shaped.kernel == Kernel::kRope) {
        plain_turns(inv_freq.data(), pairs,
                    positions[static_cast<std::size_t>(t)], c, s);
      }
      char* token = x.as<char>() +
                    t * tensor.in_strides.token * static_cast<std::int64_t>(e);
      plain_rotate(shaped.type, shaped.pairing == Pairing::kInterleaved, token,
                   shaped.heads, tensor.in_strides.head, shaped.rotary_dim, c,
                   s);
    }
  }
};

Row row_of(std::string name, double goal, double floor, const Shaped& s) {
  Row row;
  row.name = std::move(name);
  row.limit = s.limit == Limit::kTouch ? "touch" : "fmt";
  row.goal = goal;
  row.floor = floor;
  row.tokens = s.tokens;
  row.bytes = 2.0 * static_cast<double>(bytes_of(s.type)) *
              static_cast<double>(s.tokens * s.heads * s.rotary_dim);
  row.limits = s.limit == Limit::kTouch ? 2 : 1;
  row.make = [s] {
    const auto data = std::make_shared<OwnProblem>(s);
    const OwnProblem* w = data.get();
    std::vector<Candidate> all;
    const Candidate touched{"touch", [w] { touch(w->rotated); }, data};
    const Candidate formatted{
        "fmt", [w] { scale16(w->shaped.type, 1, w->rotated); }, data};
    if (s.limit == Limit::kTouch) {
      all.push_back(touched);
      all.push_back({"touch ahead", [w] { touch_ahead(w->rotated); }, data});
    } else {
      all.push_back(formatted);
    }
    all.push_back({"fast", [w] { w->rotate_all(); }, data});
    all.push_back({"plain", [w] { w->plain_all(); }, data});
    all.push_back({"memcpy",
                   [w] { std::memcpy(w->copy.data(), w->x.data(), w->bytes); },
                   data});
    if (s.limit == Limit::kFmt) {
      all.push_back(touched);
    } else if (s.type == Type::kF16 || s.type == Type::kBf16) {
      all.push_back(formatted);
    }
    return all;
  };
  return row;
}

// Tables of `rows` x 64 at consecutive positions.
Row table_row(std::int64_t rows, double goal, double floor) {
  Row row;
  row.name = "table/" + std::to_string(rows) + "x64";
  row.limit = "fill";
  row.goal = goal;
  row.floor = floor;
  row.tokens = rows;
  row.bytes = 512.0 * static_cast<double>(rows);
  row.limits = 3;
  row.make = [rows] {
    struct Buffers {
      Memory memory;
      std::vector<std::int64_t> positions;
      std::vector<float> inv_freq;
      Plan plan;
    };
    const std::size_t bytes = static_cast<std::size_t>(rows) * 512;
    const auto b = std::make_shared<Buffers>(
        Buffers{Memory(bytes), {}, inv_freq_of(128), plan_for(128)});
    for (std::int64_t p = 0; p < rows; ++p) b->positions.push_back(p);
    float* cos = b->memory.as<float>();
    return std::vector<Candidate>{
        {"fill", [b, bytes] { fill(b->memory.data(), bytes); }},
        {"fill past", [b, bytes] { fill_past(b->memory.data(), bytes); }},
        {"memset", [b, bytes] { std::memset(b->memory.data(), 0, bytes); }},
        {"fast",
         [b, rows, cos] {
           table(b->plan, {1, rows}, {b->positions.data(), 0, 0},
                 {cos, cos + 64, 0, 128});
         }},
        {"libm", [b, rows, cos] {
           for (std::int64_t p = 0; p < rows; ++p) {
             plain_turns(b->inv_freq.data(), 64, p, cos + p * 128,
                         cos + p * 128 + 64);
           }
         }}};
  };
  return row;
}

// One row of 64 at a position anywhere: time relative to Highway's f32 cosine
// and sine.
Row any_position_row() {
  Row row;
  row.name = "turns/any position x64";
  row.limit = "highway";
  row.goal = 1 / 0.8;
  row.floor = 1 / 1.2;
  row.tokens = 64;
  row.bytes = 512.0 * 64;
  row.make = [] {
    struct Buffers {
      std::vector<std::int64_t> positions;
      std::vector<float> angles, inv_freq, cos, sin;
      Plan plan;
    };
    const auto b = std::make_shared<Buffers>(
        Buffers{std::vector<std::int64_t>(64), std::vector<float>(64 * 64),
                inv_freq_of(128), std::vector<float>(64 * 64),
                std::vector<float>(64 * 64), plan_for(128)});
    std::mt19937 random(7);
    for (std::size_t t = 0; t < 64; ++t) {
      b->positions[t] = static_cast<std::int32_t>(random());
      for (std::size_t j = 0; j < 64; ++j) {  // within Highway's range
        b->angles[64 * t + j] =
            static_cast<float>(b->positions[t] % 30000) * b->inv_freq[j];
      }
    }
    return std::vector<Candidate>{
        {"highway",
         [b] {
           for (std::size_t t = 0; t < 64; ++t) {
             highway_cos_sin(b->angles.data() + 64 * t, 64,
                             b->cos.data() + 64 * t, b->sin.data() + 64 * t);
           }
         }},
        {"fast",
         [b] {
           table(b->plan, {1, 64}, {b->positions.data(), 0, 0},
                 {b->cos.data(), b->sin.data(), 0, 64});
         }},
        {"libm", [b] {
           for (std::size_t t = 0; t < 64; ++t) {
             plain_turns(b->inv_freq.data(), 64, b->positions[t],
                         b->cos.data() + 64 * t, b->sin.data() + 64 * t);
           }
         }}};
  };
  return row;
}

// Two threads against one.
Row threads_row(std::string name, double goal, double floor, const Shaped& s) {
  Row row = row_of(std::move(name), goal, floor, s);
  row.limit = "one thread";
  row.limits = 1;
  row.clock = Clock::kWall;
  row.make = [s] {
    const auto w = std::make_shared<OwnProblem>(s);
    const auto with = [w](int threads) {
      return [w, threads] {
        omp_set_num_threads(threads);
        w->rotate_all();
        omp_set_num_threads(1);
      };
    };
    return std::vector<Candidate>{{"one thread", with(1)},
                                  {"fast", with(2)},
                                  {"touch", [w] { touch(w->rotated); }}};
  };
  return row;
}

void add_tensor_rows(std::vector<Row>& rows) {
  const auto interleaved = Pairing::kInterleaved;
  const auto add = [&](const std::string& name, double half_goal,
                       double half_floor, double inter_goal, double inter_floor,
                       Shaped s) {
    rows.push_back(row_of(name + "/half", half_goal, half_floor, s));
    s.pairing = interleaved;
    rows.push_back(row_of(name + "/interleaved", inter_goal, inter_floor, s));
  };
  Shaped s;
  add("decode/f32", .85, .74, .68, .58, s);
  s.kernel = Kernel::kRope;
  add("decode/f32 fused", .62, .54, .55, .48, s);
  s.kernel = Kernel::kRotate;
  s.type = Type::kBf16;
  s.limit = Limit::kFmt;
  add("decode/bf16", .90, .80, .90, .80, s);
  s.type = Type::kF16;
  s.limit = Limit::kTouch;
  add("decode/f16", .23, .19, .18, .155, s);
  s.type = Type::kF32;
  s.head_dim = s.rotary_dim = 64;
  add("decode/f32 x64", .80, .66, .62, .54, s);
  s.head_dim = s.rotary_dim = 256;
  add("decode/f32 x256", 1, .95, 1, .95, s);
  // Beyond any first-level cache, as 40 heads are where it has 32 KiB.
  s.heads = 80;
  add("decode/f32 x256, 80 heads", 1, .95, 1, .95, s);
  s.heads = 40;
  s.head_dim = 128;
  s.rotary_dim = 64;
  add("decode/f32 64 of 128", .88, .80, .70, .62, s);
  s.rotary_dim = 128;
  s.tokens = 16;
  add("16 tokens/f32", .90, .86, .90, .86, s);
  s.tokens = 512;
  add("512 tokens/f32", .95, .90, .95, .90, s);
  s.type = Type::kBf16;
  add("512 tokens/bf16", .88, .78, .88, .78, s);
  s.type = Type::kF16;
  add("512 tokens/f16", .88, .83, .88, .83, s);
  s.tokens = 4096;
  add("4096 tokens/f16", .97, .90, .97, .90, s);
  s.type = Type::kBf16;
  add("4096 tokens/bf16", .97, .90, .97, .90, s);
  s.type = Type::kF32;
  add("4096 tokens/f32", .98, .93, .98, .93, s);
  s.kernel = Kernel::kRope;
  add("4096 tokens/f32 fused", .98, .93, .98, .93, s);
  s.kernel = Kernel::kRotate;
  s.is_head_major = true;
  add("4096 tokens/f32 head-major", .95, .88, .95, .88, s);
}

}  // namespace

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  add_tensor_rows(rows);
  rows.push_back(table_row(131072, .97, .92));
  rows.push_back(table_row(4096, .85, .70));
  rows.push_back(table_row(512, .50, .33));
  rows.push_back(any_position_row());
  Shaped s;
  rows.push_back(threads_row("2 threads/decode f32", 1, .98, s));
  s.tokens = 4096;
  rows.push_back(threads_row("2 threads/4096 tokens f32", 1.9, 1.8, s));
  s.type = Type::kBf16;
  rows.push_back(threads_row("2 threads/4096 tokens bf16", 1.9, 1.8, s));
  return rows;
}

}  // namespace ropeproof::fast::bench
