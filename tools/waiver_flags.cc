#include "tools/waiver_flags.h"

#include <algorithm>

#include "conformance/waivers/apply.h"

namespace ropeproof::tools {

void WaiverFlags::add_flags(CLI::App& command) {
  command.add_option("--waivers", file_,
                     "file of known failures (conformance/README.md)");
}

void WaiverFlags::read() {
  if (!file_) return;
  waivers_ = conformance::read_waivers(*file_);
}

void WaiverFlags::add_cases(const conformance::Corpus& corpus) {
  const std::vector<std::string> ids = conformance::case_ids(corpus);
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  std::ranges::sort(ids_);
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

void WaiverFlags::check() const { check_patterns(waivers_, ids_); }

void WaiverFlags::apply(conformance::Report& report) const {
  apply_waivers(waivers_, ids_, conformance::today(), report);
}

}  // namespace ropeproof::tools
