#include "tools/waiver_flags.h"

#include <algorithm>

#include "conformance/check/formed.h"
#include "conformance/report/apply.h"
#include "conformance/text/wildcard.h"

namespace ropeproof::tools {

void WaiverFlags::add_flags(CLI::App& command) {
  command.add_option("--waivers", file_,
                     "file of known failures (conformance/README.md)");
}

void WaiverFlags::read() {
  if (!file_) return;
  waivers_ = report::read_waivers(*file_);
}

std::vector<std::filesystem::path> WaiverFlags::inputs() const {
  if (!file_) return {};
  return {*file_};
}

void WaiverFlags::add_cases(const cases::Corpus& corpus) {
  add_cases(report::case_ids(corpus));
}

void WaiverFlags::add_cases(const std::vector<std::string>& ids) {
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  std::ranges::sort(ids_);
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
}

void WaiverFlags::check(const std::string& asked) const {
  report::Waivers known = waivers_;
  std::erase_if(known.entries, [&](const report::Waiver& waiver) {
    const bool is_elsewhere =
        !waiver.asked.empty() && !text::matches(waiver.asked, asked);
    return is_elsewhere || check::may_be_idle(waiver.id, ids_);
  });
  check_patterns(known, ids_);
}

void WaiverFlags::apply(report::Report& report) const {
  apply_waivers(waivers_, ids_, report::today(), report);
}

}  // namespace ropeproof::tools
