// timing.h -- where the processor's time of a run goes.
#pragma once

#include <string>

namespace ropeproof::tools {

// Counts the steps of a run, one after the other, on the thread that makes it.
class Timing {
 public:
  Timing();

  // Each ends a step, which began where the last one ended.
  void end_reading();
  void end_judging();
  void end_explaining();

  // A table: seconds of processor of each step and of all, and of the clock.
  // What other threads of this process did while answers were judged was
  // forming cases; what its children did was calling the kernel, once they have
  // ended.
  std::string table() const;

 private:
  struct Clock {
    double wall, process, thread;
  };
  static Clock now();
  Clock next();  // since the last step

  Clock last_;
  double reading_ = 0, forming_ = 0, judging_ = 0, explaining_ = 0, wall_ = 0;
};

}  // namespace ropeproof::tools
