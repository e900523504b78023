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
    return bytes.length / 64 * static_cast<std::size_t>(k) /
           static_cast<std::size_t>(n) * 64;
  };
  const std::size_t length = line(i + 1) - line(i);
  return {static_cast<std::byte*>(bytes.data) + line(i), 1, length, length};
}

// All of a row's candidates: limits, plain C++, then the kernels; in rows
// of several threads once more, on one.
class RowTimer {
 public:
  // `result` says which kernels offer the row.
  RowTimer(RowSpeed result, std::span<const TimedKernel> kernels)
      : result_(std::move(result)),
        row_(result_.row),
        work_(row_),
        plain_{plain_description(), plain_run},
        kernels_(kernels) {
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (result_.kernels[i].status != Status::kUnsupported) {
        offering_.push_back(i);
      }
    }
    add_all(row_.threads);
    count_ = candidates_.size();
    limiting_ = {0, 1};
    if (row_.is_table()) limiting_ = {0, 1, 2};
    if (names_[2] == "fmt") limiting_ = {2, 3};
    if (row_.threads > 1) {
      for (std::size_t i = limiting_.size(); i-- > 0;) {
        limiting_.push_back(count_ + limiting_[i]);
      }
      add_all(1);
    }
  }

  RowSpeed measure(const Options& options) {
    for (int i = 0; i < options.repetitions; ++i) {
      times_.push_back(time_alternating(
          candidates_, options.schedule, [this] { before_visit(); },
          row_.threads > 1 ? wall_ns : options.now_ns));
    }
    for (std::size_t i = 0; i < offering_.size(); ++i) {
      KernelSpeed& speed = result_.kernels[offering_[i]];
      check(speed, *runners_[1 + i]);
      if (speed.status == Status::kMeasured &&
          is_too_fast(result_.limits.size() + i)) {
        speed.status = Status::kWrong;
        speed.reason = "faster than memory: it skips calls";
      }
    }
    const auto& first = result_.kernels.front();
    has_first_ = first.status == Status::kMeasured;
    for (std::size_t i = 0; i < result_.limits.size(); ++i) {
      result_.limits[i].figures = figures(i);
    }
    const std::size_t limit = *std::ranges::min_element(
        limiting_, {}, [this](std::size_t i) { return ns(i); });
    result_.limit = names_[limit % count_];
    result_.limit_ns = ns(limit) / static_cast<double>(row_.tokens);
    for (std::size_t i = 0; i < offering_.size(); ++i) {
      KernelSpeed& speed = result_.kernels[offering_[i]];
      if (speed.status != Status::kMeasured) continue;
      speed.figures = figures(result_.limits.size() + i);
    }
    omp_set_num_threads(1);
    return result_;
  }

 private:
  // Limits that threads divide among themselves.
  template <class Loop>
  void add_limit(const std::string& name, int threads, const Loop& loop) {
    const Bytes bytes = work_.rotated();
    names_.push_back(name);
    if (threads == 1) {
      candidates_.push_back([=] { loop(bytes); });
      return;
    }
    candidates_.push_back([=] {
#pragma omp parallel num_threads(threads)
      loop(part_of(bytes, omp_get_thread_num(), omp_get_num_threads()));
    });
  }

  void add_kernel(const TimedKernel& kernel, int threads) {
    runners_.push_back(std::make_unique<Runner>(
        Runner{&kernel, work_.problems(kernel.description)}));
    const auto run = [this, runner = runners_.back().get()] {
      runner->run();
      ++rotations_;
    };
    if (row_.threads == 1) {
      candidates_.push_back(run);
    } else {
      candidates_.push_back([=] {
        omp_set_num_threads(threads);
        run();
      });
    }
  }

  void add_all(int threads) {
    names_.clear();
    if (row_.is_table()) {
      add_limit("fill", threads, [this](const Bytes& b) { fill(b, none_); });
      add_limit("fill past", threads,
                [this](const Bytes& b) { fill_past(b, none_); });
      add_limit("memset", threads, [this](const Bytes& b) {
        std::memset(b.data, static_cast<int>(none_), b.length);
      });
    } else {
      const auto add = [&](const std::string& name, const auto& loop) {
        add_limit(name, threads,
                  [=](const Bytes& b) { loop(b, Prefetch::kNo); });
        add_limit(name + " ahead", threads,
                  [=](const Bytes& b) { loop(b, Prefetch::kYes); });
      };
      add("touch", [this](const Bytes& b, Prefetch p) { touch(b, none_, p); });
      const bool is_f32 = row_.dtype == reference::Format::kF32;
      if (!is_f32) {
        add("fmt", [this](const Bytes& b, Prefetch p) {
          scale16(b, row_.dtype, one_, p);
        });
      }
      if (has_loops() && row_.pairs() == 64 && row_.layout.head_dim == 128) {
        const bool is_interleaved =
            row_.layout.pairing == reference::Pairing::kInterleaved;
        add("angle", [=, this](const Bytes& b, Prefetch p) {
          rotate_by_one(b, row_.dtype, is_interleaved, one_,
                        static_cast<float>(none_), p);
        });
        if (row_.threads == 1) {
          rows_ = work_.problems(plain_.description);
          add("rows", [this](const Bytes&, Prefetch p) {
            rotate_by_rows(rows_.front(), p);
            ++rotations_;
          });
        }
      }
    }
    names_.push_back("plain");
    add_kernel(plain_, 1);
    result_.limits.clear();
    for (const std::string& name : names_) result_.limits.push_back({name});
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
  double ratio(const std::vector<std::size_t>& others, std::size_t i) const {
    return median_of(
        [&](const PairedTimes& times) { return times.ratio(others, i); });
  }

  Figures figures(std::size_t i) const {
    const std::size_t limits = result_.limits.size();
    Figures f{ns(i) / static_cast<double>(row_.tokens), row_.bytes() / ns(i),
              ratio(limiting_, i), ratio({limits - 1}, i)};
    if (has_first_) f.of_first = ratio({limits}, i);
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

  // One run more, on the memory of the timed ones.
  void check(KernelSpeed& speed, Runner& runner) {
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
    if (measurement.pass()) {
      speed.status = Status::kMeasured;
      return;
    }
    judge::Element first = *measurement.first_wrong;
    first.token = work_.token(first.token);
    speed.reason = report::index_text(first) +
                   report::format(" is %.3g, not %.3g", first.got, first.want);
  }

  RowSpeed result_;
  const Row& row_;
  Workload work_;
  TimedKernel plain_;
  std::span<const TimedKernel> kernels_;
  volatile std::uint32_t none_ = 0;  // which no compiler knows
  volatile float one_ = 1;
  int rotations_ = 0;
  std::vector<ropeproof_problem> rows_;           // as plain C++ is asked
  std::vector<std::size_t> offering_;             // kernels that offer the row
  std::vector<std::unique_ptr<Runner>> runners_;  // plain C++, then kernels
  std::vector<std::string> names_;                // of the limits
  std::vector<std::size_t> limiting_;             // those that ratios refer to
  std::vector<Candidate> candidates_;
  std::size_t count_ = 0;           // of candidates on all threads
  std::vector<PairedTimes> times_;  // of each repetition
  bool has_first_ = false;
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
