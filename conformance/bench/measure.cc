#include "conformance/bench/measure.h"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "conformance/bench/workload.h"
#include "conformance/report/failure_text.h"

namespace ropeproof::conformance::bench {
namespace {

using Status = KernelSpeed::Status;

// A kernel in a row: its problems, and the last answer that was not OK.
struct Runner {
  const TimedKernel* kernel;
  std::vector<ropeproof_problem> problems;
  std::int32_t status = ROPEPROOF_OK;

  void run() {
    for (const ropeproof_problem& problem : problems) {
      const std::int32_t answer = kernel->run(problem);
      if (answer != ROPEPROOF_OK) status = answer;
    }
  }
};

// The part of thread `i` of `n`, in whole cache lines; `bytes` has no gaps.
Bytes part_of(const Bytes& bytes, int i, int n) {
  const auto line = [&](int k) {
    return bytes.length / kLineBytes * static_cast<std::size_t>(k) /
           static_cast<std::size_t>(n) * kLineBytes;
  };
  const std::size_t length = line(i + 1) - line(i);
  return {static_cast<std::byte*>(bytes.data) + line(i), 1, length, length};
}

// All of a row's candidates: limits, plain C++, then the kernels that offer the
// row; in rows of several threads once more, on one.
class RowTimer {
 public:
  // `result` says which kernels offer the row.
  RowTimer(RowSpeed result, std::span<const TimedKernel> kernels)
      : result_(std::move(result)),
        row_(result_.row),
        work_(row_),
        loops_(loops(row_.problem.dtype)),
        kernels_(kernels) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (result_.kernels[i].status != Status::kUnsupported) {
        offering_.push_back(i);
      }
    }
    add_all(row_.threads);
    count_ = candidates_.size();
    if (row_.threads > 1) add_all(1);
  }

  RowSpeed measure(const Options& options) {
    for (int i = 0; i < options.repetitions; ++i) {
      times_.push_back(time_alternating(
          candidates_, options.schedule, [this] { before_visit(); },
          row_.threads > 1 ? wall_ns : options.now_ns));
    }
    const std::size_t limits = result_.limits.size();
    for (std::size_t i = 0; i < offering_.size(); ++i) {
      check(result_.kernels[offering_[i]], *runners_[1 + i], limits + i);
    }
    for (std::size_t i = 0; i < limits; ++i) {
      result_.limits[i].figures = figures(i);
    }
    const std::size_t limit = *std::ranges::min_element(
        limiting_, {}, [this](std::size_t i) { return ns(i); });
    result_.limit = result_.limits[limit % count_].name;
    result_.limit_ns = ns_per_token(limit);
    for (std::size_t i = 0; i < offering_.size(); ++i) {
      KernelSpeed& speed = result_.kernels[offering_[i]];
      if (speed.status == Status::kMeasured)
        speed.figures = figures(limits + i);
    }
    omp_set_num_threads(1);
    return result_;
  }

 private:
  struct Limit {
    const char* name;
    std::function<void(const Bytes&, Prefetch)> loop;
    bool bounds_row = false;  // ratios refer to the fastest of these
    bool reads = true;        // so it is tried with prefetching, too
  };

  std::vector<Limit> limits_of_table() {
    const auto limit = [this](const char* name, const auto& fill) {
      return Limit{name,
                   [this, fill](const Bytes& b, Prefetch) { fill(b, none_); },
                   true, false};
    };
    return {limit("fill", loops_.fill), limit("fill past", fill_past),
            limit("memset", [](const Bytes& b, std::uint32_t value) {
              std::memset(b.data, static_cast<int>(value), b.length);
            })};
  }
  std::vector<Limit> limits_of_rotation() {
    const bool is_f32 = row_.problem.dtype == reference::Format::kF32;
    std::vector<Limit> limits = {
        {"touch",
         [this](const Bytes& b, Prefetch p) { loops_.touch(b, none_, p); },
         is_f32}};
    if (!is_f32) {
      limits.push_back(
          {"fmt",
           [this](const Bytes& b, Prefetch p) { loops_.scale(b, one_, p); },
           true});
    }
    const reference::Layout& layout = row_.problem.spec.layout;
    if (loops_.rotate_by_one == nullptr || layout.head_dim != kLoopDim ||
        layout.rotary_dim != kLoopDim) {
      return limits;
    }
    limits.push_back({"angle", [this](const Bytes& b, Prefetch p) {
                        loops_.rotate_by_one(
                            b,
                            row_.problem.spec.layout.pairing ==
                                reference::Pairing::kInterleaved,
                            one_, static_cast<float>(none_), p);
                      }});
    if (row_.threads > 1) return limits;
    limits.push_back(
        {"rows", [this, problem = work_.problems(plain_.description)[0]](
                     const Bytes&, Prefetch p) {
           loops_.rotate_by_rows(problem, p);
           ++rotations_;
         }});
    return limits;
  }

  // A limit's work, divided among threads.
  void add_limit(const Limit& limit, Prefetch prefetch, int threads) {
    if (limit.bounds_row) limiting_.push_back(candidates_.size());
    if (threads == row_.threads) {
      result_.limits.push_back({prefetch == Prefetch::kYes
                                    ? std::string(limit.name) + " ahead"
                                    : limit.name});
    }
    candidates_.push_back([=, bytes = work_.rotated(), loop = limit.loop] {
      if (threads == 1) return loop(bytes, prefetch);
#pragma omp parallel num_threads(threads)
      loop(part_of(bytes, omp_get_thread_num(), omp_get_num_threads()),
           prefetch);
    });
  }

  void add_kernel(const TimedKernel& kernel, int threads) {
    runners_.push_back(std::make_unique<Runner>(
        Runner{&kernel, work_.problems(kernel.description)}));
    candidates_.push_back([this, threads, runner = runners_.back().get()] {
      if (row_.threads > 1) omp_set_num_threads(threads);
      runner->run();
      ++rotations_;
    });
  }

  void add_all(int threads) {
    for (const Limit& limit :
         row_.is_table() ? limits_of_table() : limits_of_rotation()) {
      add_limit(limit, Prefetch::kNo, threads);
      if (limit.reads) add_limit(limit, Prefetch::kYes, threads);
    }
    if (threads == row_.threads) result_.limits.push_back({"plain"});
    add_kernel(plain_, 1);
    for (const std::size_t i : offering_) add_kernel(kernels_[i], threads);
  }

  void before_visit() {
    if (rotations_ <= Workload::kMostRotations) return;
    work_.refresh();
    rotations_ = 0;
  }

  template <class Of>
  double median_of(const Of& of) const {
    std::vector<double> all;
    for (const PairedTimes& times : times_) all.push_back(of(times));
    return median(all);
  }
  double ns(std::size_t i) const {
    return median_of([i](const PairedTimes& times) { return times.ns(i); });
  }
  double ns_per_token(std::size_t i) const {
    return ns(i) / static_cast<double>(row_.problem.seq);
  }
  double ratio(const std::vector<std::size_t>& others, std::size_t i) const {
    return median_of(
        [&](const PairedTimes& times) { return times.ratio(others, i); });
  }

  Figures figures(std::size_t i) const {
    const std::size_t limits = result_.limits.size();
    Figures f{ns_per_token(i), row_.bytes() / ns(i), ratio(limiting_, i),
              ratio({limits - 1}, i)};
    if (result_.kernels.front().status == Status::kMeasured) {
      f.of_first = ratio({limits}, i);
    }
    if (row_.threads > 1) f.of_one_thread = ratio({count_ + i}, i);
    return f;
  }

  // Whether it cannot have written what it should in each run: in every
  // repetition faster than the limit, by more than the widest vectors are wider
  // than the narrowest that limits are kept to. One repetition alone may have
  // been interrupted.
  bool is_too_fast(std::size_t i) const {
    constexpr double kMost = 8;
    return times_.size() > 1 &&
           std::ranges::all_of(times_, [&](const PairedTimes& times) {
             return times.ratio(limiting_, i) > kMost;
           });
  }

  // Candidate `i`: one run more, on the memory of the timed ones.
  void check(KernelSpeed& speed, Runner& runner, std::size_t i) {
    work_.refresh();
    omp_set_num_threads(row_.threads);
    runner.run();
    speed.status = Status::kWrong;
    if (runner.status != ROPEPROOF_OK) {
      speed.reason = "ropeproof_run returned " + std::to_string(runner.status);
      return;
    }
    const judge::Measurement measurement =
        work_.judge(runner.kernel->description);
    if (measurement.worst) speed.worst = measurement.worst->ratio();
    if (!measurement.pass()) {
      const judge::Element& first = *measurement.first_wrong;
      speed.reason =
          report::index_text(first) +
          report::format(" is %.3g, not %.3g", first.got, first.want);
    } else if (is_too_fast(i)) {
      speed.reason = "faster than memory: it skips calls";
    } else {
      speed.status = Status::kMeasured;
    }
  }

  RowSpeed result_;
  const Row& row_;
  Workload work_;
  const Loops& loops_;
  const TimedKernel plain_{plain_description(), plain_run};
  std::span<const TimedKernel> kernels_;
  volatile std::uint32_t none_ = 0;  // which no compiler knows
  volatile float one_ = 1;
  int rotations_ = 0;
  std::vector<std::size_t> offering_;             // kernels that offer the row
  std::vector<std::unique_ptr<Runner>> runners_;  // plain C++, then kernels
  std::vector<std::size_t> limiting_;             // those that ratios refer to
  std::vector<Candidate> candidates_;
  std::size_t count_ = 0;           // of candidates on all threads
  std::vector<PairedTimes> times_;  // of each repetition
};

}  // namespace

RowSpeed measure(const Row& row, std::span<const TimedKernel> kernels,
                 const Options& options) {
  RowSpeed result{.row = row};
  bool is_offered = false;
  for (const auto& [description, run, shares_memory] : kernels) {
    KernelSpeed speed;
    speed.is_in_place =
        row.is_table() || (description.features & ROPEPROOF_IN_PLACE) != 0;
    speed.reason = missing_feature(description, row, shares_memory);
    if (!speed.reason.empty()) speed.status = Status::kUnsupported;
    is_offered = is_offered || speed.reason.empty();
    result.kernels.push_back(std::move(speed));
  }
  if (!is_offered) return result;
  return RowTimer(std::move(result), kernels).measure(options);
}

}  // namespace ropeproof::conformance::bench
