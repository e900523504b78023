// finding.h -- what probes showed of a kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/explain/diagnosis.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::identify {

enum class Standing {
  kDiffers,   // from what is declared, or from what the problem says
  kDeclared,  // as it should be
  kMeasured,  // nothing says how it should be
  kUnseen     // and why
};

// A finding is one line.
struct Finding {
  Standing standing = Standing::kUnseen;
  std::string subject;   // "pairs"
  std::string seen;      // "(j, j + 32): half_split"
  std::string evidence;  // "32 of 32 pairs"
};

// The radians that one pair rotates by in a position.
struct PairFrequency {
  std::int64_t pair = 0;
  double due = 0, measured = 0, error = 0;
};

struct Spectrum {
  std::string title;  // "base 10000"
  std::vector<PairFrequency> pairs;
};

struct Identified {
  plugin::Description kernel;
  std::vector<Finding> findings;
  std::vector<Spectrum> spectra;  // the plain one first
  std::vector<explain::Diagnosis> diagnoses;
  std::int64_t calls = 0;
  // Answers to problems of every kind that were judged, and those within
  // bounds.
  std::int64_t asked = 0, right = 0;
  // A crash, a hang, other bits for the same problem: in words. What was learnt
  // stands beside it.
  std::string trouble;

  bool is_as_declared() const;
};

}  // namespace ropeproof::conformance::identify
