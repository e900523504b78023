// waivers.h -- known failures that a project has decided to live with, until a
// date.
//
// A waiver file is one JSON document:
//
//     {"format": "ropeproof-waivers/1",
//      "waivers": [{"id": "contract-01?", "engine": "my-rope",
//                   "reason": "the tail of an odd head is not rotated",
//                   "link": "https://example.org/bugs/7",
//                   "expires": "2027-03-31"}]}
//
// Every member is required, no other is allowed.
#ifndef ROPEPROOF_CONFORMANCE_REPORT_WAIVERS_H_
#define ROPEPROOF_CONFORMANCE_REPORT_WAIVERS_H_

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace ropeproof::conformance::report {

using Date = std::chrono::year_month_day;

struct Waiver {
  std::string id;      // pattern of case ids: * any characters, ? one
  std::string engine;  // the name that the kernel declares, exactly
  std::string reason, link;
  Date expires;  // the last day on which it holds, in UTC
};

struct Waivers {
  std::string file;    // as the user named it; empty: none given
  std::string sha256;  // of its text
  std::vector<Waiver> entries;
};

// Reads the text of a waiver file; `file` names it in errors. Throws
// std::invalid_argument, one line with the place, for anything that is not
// exactly as above. Any bytes may be passed.
Waivers parse_waivers(const std::string& text, const std::string& file);

// parse_waivers() of a file of at most 1 MiB; also throws std::invalid_argument
// if it cannot be read.
Waivers read_waivers(const std::string& file);

// Whether its last day was before `today`.
bool is_expired(const Waiver& waiver, const Date& today);

// Throws std::invalid_argument naming the first pattern that matches none of
// `ids`.
void check_patterns(const Waivers& waivers,
                    const std::vector<std::string>& ids);

// The current day in UTC.
Date today();

// "2027-03-31"; parse_date() throws std::invalid_argument for any other form and
// for days that no calendar has.
std::string date_text(const Date& date);
Date parse_date(std::string_view text);

}  // namespace ropeproof::conformance::report

#endif  // ROPEPROOF_CONFORMANCE_REPORT_WAIVERS_H_
