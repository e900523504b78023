// test_groups.h -- for tests: one small group of each kind, a folder, and what
// a reader says to a broken file.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/cases/case.h"
#include "conformance/cases/families/families.h"
#include "conformance/cases/families/family.h"
#include "conformance/text/file.h"

namespace ropeproof::conformance::cases {

// What the error of `act` says; "accepted" without one.
template <class Error = text::FileError>
std::string refusal(const auto& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// Puts `value` at `place`, a JSON pointer; null removes what is there.
template <class Json>
void change(Json& json, const std::string& place, const Json& value) {
  const typename Json::json_pointer at(place);
  if (value.is_null()) {
    json[at.parent_pointer()].erase(at.back());
  } else {
    json[at] = value;
  }
}

// A folder of its own, gone with the object.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("ropeproof-test-" + std::to_string(getpid()) + "-" +
               std::to_string(next()++))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  static int& next() {
    static int count = 0;
    return count;
  }
  std::filesystem::path path_;
};

// Rope cases of three types and unequal sizes, one of them without k.
inline Group plain_group() {
  Family family(Tier::kCore, "plain", "Cases of several types.");
  const reference::Layout layout =
      reference::leading(6, 4, reference::Pairing::kHalfSplit);
  using reference::Format;
  family.add(make_problem(Format::kF32, layout, 10000, 1, 2, 2, 1, {257, 4097}),
             {"layout/pairs-swapped"}, "f32");
  family.add(make_problem(Format::kBF16, layout, 5e5, 2, 1, 1, 1, {3, 65535}),
             {"frequency/wrong-base"}, "bf16");
  family.add(make_problem(Format::kF32, layout, 1e6, 1, 1, 1, 0, {511}),
             {"frequency/wrong-base"}, "no k");
  return family.take();
}

// One group of each kind; the references are all to "plain".
inline std::vector<Group> test_groups() {
  Group special = plain_group();
  special.name = "special";
  for (Case& c : special.rope_cases) {
    c.id = "special" + c.id.substr(5);
    c.problem.is_special = true;
  }
  special.rope_cases[0].problem.q[1] = 0x00000001;  // subnormal
  Group wide = plain_group();
  wide.name = "wide";
  for (Case& c : wide.rope_cases) {
    c.id = "wide" + c.id.substr(5);
    c.problem.dtype = reference::Format::kF64;
  }
  Group reject;
  reject.tier = Tier::kCore;
  reject.name = "reject";
  reject.description = "Problems that contradict themselves.";
  reject.targets["weights/permuted-wrongly"] = "no validation";
  reject.reject_cases = {{"reject-001",
                          "odd",
                          {"weights/permuted-wrongly"},
                          "plain-001",
                          Defect::kOddRotaryDim},
                         {"reject-002",
                          "rows",
                          {"weights/permuted-wrongly"},
                          "plain-002",
                          Defect::kOverlappingRows}};
  Group sequence;
  sequence.tier = Tier::kCore;
  sequence.name = "sequence";
  sequence.description = "Calls in a row.";
  sequence.targets["table/too-short"] = "stale cache";
  sequence.sequence_cases = {{"sequence-001",
                              "two bases",
                              {"table/too-short"},
                              {"plain-001", "plain-003", "plain-001"}}};
  return {plain_group(), special, wide, reject, sequence, permute_family()};
}

}  // namespace ropeproof::conformance::cases
