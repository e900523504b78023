#include "conformance/bench/measure.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "conformance/bench/workload.h"

namespace ropeproof::conformance::bench {
namespace {

using Status = KernelSpeed::Status;

std::string status_text(std::int32_t status) {
  return "ropeproof_run returned " + std::to_string(status);
}

std::string wrong_text(const judge::Element& first) {
  // As reports index tensors.
  const auto at = [](std::int64_t i) { return static_cast<long long>(i); };
  char text[200];
  if (first.tensor == "q" || first.tensor == "k") {
    std::snprintf(text, sizeof text, "%s[0,%lld,%lld,%lld] is %.3g, not %.3g",
                  first.tensor.c_str(), at(first.token), at(first.head),
                  at(first.channel), first.got, first.want);
  } else {
    std::snprintf(text, sizeof text, "%s[0,%lld,%lld] is %.3g, not %.3g",
                  first.tensor.c_str(), at(first.token), at(first.channel),
                  first.got, first.want);
  }
  return text;
}

// A kernel in a row: its problems, and the last answer that was not OK.
struct Runner {
  const SpeedKernel* kernel;
  std::vector<ropeproof_problem> problems;
  std::int32_t status = ROPEPROOF_OK;

  void run() {
    for (const ropeproof_problem& problem : problems) {
      const std::int32_t answer = kernel->run(problem);
      if (answer != ROPEPROOF_OK) status = answer;
    }
  }
};

// All of a row's candidates: limits, plain C++, then the kernels.
class RowTimer {
 public:
  // `result` says which kernels offer the row.
  RowTimer(RowSpeed result, std::span<const SpeedKernel> kernels)
      : result_(std::move(result)),
        row_(result_.row),
        work_(row_),
        plain_{plain_description(), plain_run},
        kernels_(kernels) {
    add_limits();
    add(plain_);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (result_.kernels[i].status == Status::kUnsupported) continue;
      candidate_of_.push_back({i, candidates_.size()});
      add(kernels[i]);
    }
  }

  RowSpeed measure(const SpeedOptions& options) {
    std::vector<PairedTimes> times;
    for (int i = 0; i < options.repetitions; ++i) {
      times.push_back(time_in_turns(
          candidates_, options.turns, [this] { before_visit(); },
          options.now_ns));
    }
    const auto ns = [&](std::size_t candidate) {
      std::vector<double> all;
      for (const PairedTimes& one : times) all.push_back(one.ns(candidate));
      return median(all);
    };
    const auto ratio = [&](const std::vector<std::size_t>& limits,
                           std::size_t candidate) {
      std::vector<double> all;
      for (const PairedTimes& one : times) {
        all.push_back(one.ratio(limits, candidate));
      }
      return median(all);
    };
    const auto tokens = static_cast<double>(row_.tokens);
    result_.touch_ns = std::min(ns(kTouch), ns(kTouchAhead)) / tokens;
    result_.memcpy_ns = ns(kMemcpy) / tokens;
    result_.plain_ns = ns(kPlain) / tokens;
    for (const auto& [i, candidate] : candidate_of_) {
      KernelSpeed& speed = result_.kernels[i];
      check(i, candidate);
      if (speed.status != Status::kMeasured) continue;
      speed.ns_per_token = ns(candidate) / tokens;
      speed.gb_per_s = row_.bytes() / ns(candidate);
      speed.of_touch = ratio({kTouch, kTouchAhead}, candidate);
      speed.of_memcpy = ratio({kMemcpy}, candidate);
      speed.of_plain = ratio({kPlain}, candidate);
      const auto& [first, first_candidate] = candidate_of_.front();
      if (first == 0 && result_.kernels[0].status == Status::kMeasured) {
        speed.of_first = ratio({first_candidate}, candidate);
      }
    }
    return result_;
  }

 private:
  enum : std::size_t { kTouch, kTouchAhead, kMemcpy, kPlain };

  void add_limits() {
    const SpeedBytes bytes = work_.turned();
    if (row_.is_table()) {
      candidates_.push_back([=, this] { fill(bytes, none_); });
      candidates_.push_back([=, this] {
        std::memset(bytes.data, static_cast<int>(none_), bytes.length);
      });
      room_.emplace(bytes.length);
    } else {
      candidates_.push_back([=, this] { touch(bytes, none_); });
      candidates_.push_back([=, this] { touch_ahead(bytes, none_); });
    }
    void* const room = room_ ? room_->data() : work_.room();
    candidates_.push_back([=] { copy(bytes, room); });
  }

  void add(const SpeedKernel& kernel) {
    runners_.push_back(std::make_unique<Runner>(
        Runner{&kernel, work_.problems(kernel.description)}));
    candidates_.push_back([this, runner = runners_.back().get()] {
      runner->run();
      ++rotations_;
    });
  }

  void before_visit() {
    if (rotations_ <= Workload::kMostRotations) return;
    work_.refresh();
    rotations_ = 0;
  }

  // One run more, on the memory of the timed ones.
  void check(std::size_t i, std::size_t candidate) {
    Runner& runner = *runners_[candidate - kPlain];
    KernelSpeed& speed = result_.kernels[i];
    work_.refresh();
    runner.run();
    if (runner.status != ROPEPROOF_OK) {
      speed.status = Status::kWrong;
      speed.reason = status_text(runner.status);
      return;
    }
    const judge::Measurement measurement = work_.judge(kernels_[i].description);
    if (measurement.worst) speed.worst = measurement.worst->ratio();
    if (measurement.pass()) return;
    speed.status = Status::kWrong;
    judge::Element first = *measurement.first_wrong;
    first.token = work_.token(first.token);
    speed.reason = wrong_text(first);
  }

  RowSpeed result_;
  const SpeedRow& row_;
  Workload work_;
  SpeedKernel plain_;
  std::span<const SpeedKernel> kernels_;
  volatile std::uint32_t none_ = 0;
  int rotations_ = 0;
  std::optional<SpeedMemory> room_;
  std::vector<std::unique_ptr<Runner>> runners_;  // plain C++, then kernels
  std::vector<Candidate> candidates_;
  // Of the kernels that offer the row: its index, and its candidate's.
  std::vector<std::pair<std::size_t, std::size_t>> candidate_of_;
};

}  // namespace

bool RowSpeed::is_measured() const {
  return std::ranges::any_of(kernels, [](const KernelSpeed& speed) {
    return speed.status == Status::kMeasured;
  });
}

RowSpeed measure(const SpeedRow& row, std::span<const SpeedKernel> kernels,
                 const SpeedOptions& options) {
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
