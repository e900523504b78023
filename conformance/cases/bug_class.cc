#include "conformance/cases/bug_class.h"

#include <map>
#include <nlohmann/json.hpp>

namespace ropeproof::conformance::cases {

std::string write_targets() {
  std::map<std::string_view, nlohmann::ordered_json> by_key;
  for (const BugClass& one : kBugClasses) {
    const Bug bug = Bug::named(one.key);
    by_key[one.key] = {{"meaning", bug.meaning()}, {"link", bug.link()}};
  }
  nlohmann::ordered_json classes = nlohmann::ordered_json::object();
  for (const auto& [key, entry] : by_key) classes[std::string(key)] = entry;
  const nlohmann::ordered_json document = {{"format", "ropeproof-targets/1"},
                                           {"targets", classes}};
  return document.dump(1) + "\n";
}

}  // namespace ropeproof::conformance::cases
