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

std::string text_of(const judge::Element& wrong) {
  return report::index_text(wrong) +
         report::format(" is %.3g, not %.3g", wrong.got, wrong.want);
}

// A kernel in a row: its problems, and the first that was wrong of them.
struct Runner {
  Runner(const TimedKernel& one, Workload& its_work)
      : kernel(&one),
        work(&its_work),
        problems(its_work.problems(one.description)) {}

  void ask() { problems = work->problems(kernel->description); }

  // Returns the ns that were no work of the kernel's.
  double run(const Clock& now_ns) {
    if (kernel->apart == nullptr) {
      work->move();
      call();
      return 0;
    }
    if (!fault.empty()) return 0;
    const double begin = now_ns();
    work->change(kernel->description);
    ask();
    const double called = now_ns();
    call();
    const double answered = now_ns();
    if (fault.empty()) {
      const auto wrong = work->judge_changed(kernel->description);
      if (wrong) fault = "timed: " + text_of(*wrong);
    }
    ++calls;
    return called - begin + now_ns() - answered;
  }

  // Each of its runs is charged with what its other threads have taken.
  void begin_batch() {
    calls = 0;
    if (kernel->apart) others_ns = kernel->apart->others_ns();
  }
  double others_of_run() const {
    constexpr double kLeast = 10e6;  // the system counts in steps
    if (kernel->apart == nullptr || calls == 0) return 0;
    const double ns = kernel->apart->others_ns() - others_ns;
    return ns < kLeast ? 0 : ns / calls;
  }

  const TimedKernel* kernel;
  Workload* work;
  std::vector<ropeproof_problem> problems;
  std::string fault;

  void call() {
    try {
      for (const ropeproof_problem& problem : problems) {
        const std::int32_t answer = kernel->run(problem);
        if (answer == ROPEPROOF_OK || !fault.empty()) continue;
        fault = "ropeproof_run returned " + std::to_string(answer);
      }
    } catch (const plugin::KernelError& error) {
      fault = error.what();
    }
  }

 private:
  double others_ns = 0;
  int calls = 0;
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
    const std::size_t limits = result_.limits.size();
    now_ns_ = row_.threads > 1 ? wall_ns : options.now_ns;
    too_fast_ = options.too_fast;
    for (int i = 0; i < options.repetitions; ++i) {
      for (const auto& runner : runners_) runner->begin_batch();
      times_.push_back(time_alternating(
          candidates_, options.schedule, [this] { before_visit(); }, now_ns_));
      for (std::size_t k = 0; k < offering_.size(); ++k) {
        Runner& runner = *runners_[1 + k];
        const double others = runner.others_of_run();
        for (double& ns : times_.back().of[limits + k]) ns += others;
        double& most = result_.kernels[offering_[k]].others_ns;
        most = std::max(most, others / static_cast<double>(row_.problem.seq));
        // Judged whole after each repetition, at the last also the others.
        if (runner.kernel->apart && i + 1 < options.repetitions) judge(runner);
      }
    }
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
    return {
        {"fill", [this](auto& b, auto) { loops_.fill(b, none_); }, true, false},
        {"fill past", [this](auto& b, auto) { fill_past(b, none_); }, true,
         false},
        {"memset",
         [this](auto& b, auto) {
           std::memset(b.data, static_cast<int>(none_), b.length);
         },
         true, false}};
  }
  std::vector<Limit> limits_of_rotation() {
    const bool is_f32 = row_.problem.dtype == reference::Format::kF32;
    std::vector<Limit> limits = {
        {"touch", [this](auto& b, auto p) { loops_.touch(b, none_, p); },
         is_f32}};
    if (!is_f32) {
      limits.push_back(
          {"fmt", [this](auto& b, auto p) { loops_.scale(b, one_, p); }, true});
    }
    const reference::Layout& layout = row_.problem.spec.layout;
    if (loops_.rotate_by_one == nullptr || layout.head_dim != kLoopDim ||
        layout.rotary_dim != kLoopDim) {
      return limits;
    }
    const bool is_interleaved =
        layout.pairing == reference::Pairing::kInterleaved;
    limits.push_back({"angle", [=, this](auto& b, auto p) {
                        loops_.rotate_by_one(b, is_interleaved, one_,
                                             static_cast<float>(none_), p);
                      }});
    if (row_.threads > 1) return limits;
    const ropeproof_problem problem = work_.problems(plain_.description)[0];
    limits.push_back({"rows", [=, this](auto&, auto p) {
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
      if (threads == 1) {
        loop(bytes, prefetch);
        return 0.0;
      }
#pragma omp parallel num_threads(threads)
      loop(part_of(bytes, omp_get_thread_num(), omp_get_num_threads()),
           prefetch);
      return 0.0;
    });
  }

  void add_kernel(const TimedKernel& kernel, int threads) {
    Workload* work = &work_;
    if (kernel.apart) {
      kernel.apart->release();
      own_.push_back(std::make_unique<Workload>(
          row_, [apart = kernel.apart](std::size_t bytes) {
            return apart->allocate(bytes);
          }));
      work = own_.back().get();
    }
    runners_.push_back(std::make_unique<Runner>(kernel, *work));
    candidates_.push_back([this, threads, runner = runners_.back().get()] {
      if (row_.threads > 1) omp_set_num_threads(threads);
      ++rotations_;
      return runner->run(now_ns_);
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
    for (const auto& work : own_) work->refresh();
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
    return times_.size() > 1 &&
           std::ranges::all_of(times_, [&](const PairedTimes& times) {
             return times.ratio(limiting_, i) > too_fast_;
           });
  }

  // One run more, on the memory of the timed ones; notes what is wrong.
  double judge(Runner& runner) {
    runner.work->refresh();
    runner.ask();
    omp_set_num_threads(row_.threads);
    runner.call();
    if (!runner.fault.empty()) return 0;
    const judge::Measurement measurement =
        runner.work->judge(runner.kernel->description);
    if (!measurement.pass()) {
      runner.fault = text_of(*measurement.first_wrong);
    }
    return measurement.worst ? measurement.worst->ratio() : 0;
  }

  void check(KernelSpeed& speed, Runner& runner, std::size_t i) {
    speed.status = Status::kWrong;
    speed.worst = judge(runner);
    if (!runner.fault.empty()) {
      speed.reason = runner.fault;
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
  Clock now_ns_ = wall_ns;
  double too_fast_ = 0;
  int rotations_ = 0;
  std::vector<std::size_t> offering_;             // kernels that offer the row
  std::vector<std::unique_ptr<Workload>> own_;    // of kernels apart
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
  for (const TimedKernel& kernel : kernels) {
    KernelSpeed speed;
    speed.is_in_place = row.is_table() ||
                        (kernel.description.features & ROPEPROOF_IN_PLACE) != 0;
    speed.reason =
        kernel.apart && row.threads > 1
            ? "threads of this process"
            : missing_feature(kernel.description, row, kernel.shares_memory);
    if (!speed.reason.empty()) speed.status = Status::kUnsupported;
    is_offered = is_offered || speed.reason.empty();
    result.kernels.push_back(std::move(speed));
  }
  if (!is_offered) return result;
  return RowTimer(std::move(result), kernels).measure(options);
}

}  // namespace ropeproof::conformance::bench
