// report.h -- what a run found, for people and programs. Every total is
// computed here and nowhere else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/check/run.h"
#include "conformance/explain/diagnosis.h"
#include "conformance/report/waivers.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {

struct AppliedWaiver {
  Waiver waiver;
  std::int64_t cases = 0;   // of all vectors that its pattern matches
  bool is_expired = false;  // on the day of the run: it covers nothing
};

// How the answers of a run came, which decides how a failure is replayed.
enum class Transport { kLibrary, kCommand, kSocket, kFiles };
inline constexpr text::Words<Transport, 4> kTransportWords{
    {{Transport::kLibrary, "library"},
     {Transport::kCommand, "command"},
     {Transport::kSocket, "socket"},
     {Transport::kFiles, "files"}}};

// How fast a kernel is where a policy asks it (bench/README.md).
struct Speed {
  double ratio = 0;  // the time of plain C++ over the kernel's, the least
  std::string row = {}, processor = {};
  std::string fault = {};  // why there is no ratio; empty: there is
};

// A report has no time, no machine and no number of threads in it, so the same
// kernel gives the same report; a speed that a policy asks for is the
// exception.
struct Report : check::Run {
  Report() = default;
  // A run becomes a report; what is known around it is filled in afterwards.
  Report(check::Run run) : check::Run(std::move(run)) {}

  std::string suite_version;
  Transport transport = Transport::kLibrary;
  std::string kernel_argument;     // "--lib ./libx.so", as the user typed it
  std::string kernel_sha256;       // of the library; empty for a command
  bool is_forked = true;           // as are KernelOptions'
  std::int64_t time_limit_ms = 0;  // of one call; 0: nothing was called
  std::string staged;              // what S1 says; "" if nothing
  bool staged_is_missing = false;  // it was asked for and does not hold
  std::string required;            // the least that is enough (requirement.h)
  std::optional<Speed> speed;
  double least_speed = 0;  // the ratio that is enough
  std::vector<AppliedWaiver> waivers;
  std::vector<explain::Diagnosis> diagnoses;  // of the wrong values
};

// How good a kernel is as a whole, in ascending order.
enum class Level {
  kPart,  // of a tier: no level is reached
  kNone,  // not even the structure is right
  kL0,
  kL1,
  kL2,
  kL3,
};
inline constexpr text::Words<Level, 6> kLevelWords{{{Level::kPart, ""},
                                                    {Level::kNone, "none"},
                                                    {Level::kL0, "L0"},
                                                    {Level::kL1, "L1"},
                                                    {Level::kL2, "L2"},
                                                    {Level::kL3, "L3"}}};
constexpr const auto& table_of(Level) { return kLevelWords; }

struct Totals {
  std::map<check::Verdict, std::int64_t> count;
  std::map<std::string, std::int64_t> unsupported;  // reason -> checks
  std::int64_t elements = 0, vacuous = 0, not_nearest = 0, other_bits = 0;
  bool has_angles = false;  // some element has an angle that the kernel formed
  double max_norm_ulp = 0;
  double phase_rho = -1;  // of Measurement, the largest; below 0: not seen
  double phase_error = 0, phase_position = 0;  // the largest of Measurement
  judge::ByPosition at_positions{}, vacuous_at{};
  double highest_position = 0;                  // |p| of what was judged
  std::array<double, 3> class_ratio{};          // A0, A1, A2
  std::map<std::uint32_t, double> dtype_ratio;  // largest error over its bound
  const check::Check* worst = nullptr;          // largest error over its bound
  // The tightest class of angles, ROPEPROOF_A0 ..., that all measurements hold
  // to.
  std::optional<std::uint32_t> tightest_class;
  Level level = Level::kPart;
  check::Suffixes suffixes = 0;  // that hold
  // What a profile asks for and the kernel does not offer: does not conform.
  std::int64_t lacking = 0;
  bool staged_is_missing = false;
  std::string weaker;  // than required, what there is; empty if that is enough
  // Waivers none of whose failures is left, although everything that they cover
  // was judged.
  std::vector<const AppliedWaiver*> stale;
  std::vector<const AppliedWaiver*> expired;
  // What the kernel declares and fewer than three cases asked for (unasked.h),
  // and positions of a profile that the claim says nothing of.
  std::vector<std::string> unasked;
  bool is_shard = false;  // one of several: may have nothing to judge

  std::int64_t of(check::Verdict verdict) const;
};

// What a level may add, for a kernel that declares all of `features`.
struct Addition {
  check::Suffixes suffix;
  std::uint32_t features;
  const char* meaning;
};
inline constexpr Addition kAdditions[] = {
    {check::kSuffixE, ROPEPROOF_SPECIAL_VALUES, "NaN, infinity, subnormals"},
    {check::kSuffixM,
     ROPEPROOF_IN_PLACE | ROPEPROOF_STRIDED | ROPEPROOF_VALIDATES, "memory"},
    {check::kSuffixD, ROPEPROOF_DETERMINISTIC, "the same bits every time"},
    {check::kSuffixB, ROPEPROOF_ADJOINT, "backward"}};

// "+M+D"
std::string suffix_text(check::Suffixes suffixes);
std::string tightest_text(const Totals& totals);  // "A0", "none"
// "L1+M+D", "none"; empty for part of a tier
std::string level_text(const Totals& totals);

Totals total(const Report& report);
// Counts all checks, or those under some operations, or the values under one;
// total_contract() all that is not about values.
Totals total_of(const Report& report, std::uint32_t operations);
Totals total(const Report& report, std::uint32_t operation);
Totals total_contract(const Report& report, std::uint32_t operations);

// Returns the program's: 0 conforms, 1 does not, is weaker than required, or a
// waiver is stale or expired, 2 nothing was judged, unless it is a shard, 3
// protocol error, 6 nothing failed, but something declared was not judged.
int exit_status(const Totals& totals);

// Whether stale or expired waivers are all that keeps the exit status from 0.
bool are_waivers_alone(const Totals& totals);

// The subcommand that judged, and judges again: "check" for files, else "run".
std::string subcommand(const Report& report);

// Returns the classes of angles that it claims: "A1", or "A1 and A0" with
// dtypes that differ.
std::string angle_classes(const plugin::Description& kernel);

// "engine X 1.4.2: ropeproof 0.1.0, level L1+M+D, profile llama3-f32-128k,
// angle A1, 0 waivers"; empty where there is nothing to state.
std::string conformance_statement(const Report& report, const Totals& totals);

// Writes a report for people; at most `max_failures` failing checks in full.
// Details: how good beside pass or fail, every reason, what a debugger needs.
std::string text_report(const Report& report, std::size_t max_failures,
                        bool has_details = false);

inline constexpr const char* kReportFormat = "ropeproof-report/2";

// Writes a report for programs: one JSON document, every check in it.
// report_reader.h reads it.
std::string json_report(const Report& report);

// Writes a report for build servers: JUnit XML, one testcase per check. What is
// waived or unsupported is skipped; crashes, timeouts, missing and broken
// answers are errors. A stale or expired waiver is a failing testcase of its
// own. The diagnosis stands in every failing one, and once in the suite's
// system-out.
std::string junit_report(const Report& report);

}  // namespace ropeproof::conformance::report
