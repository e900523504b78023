// waivers.h -- known failures that a project has decided to live with, until a
// date.
//
// A waiver file is one JSON document, as conformance/README.md shows. A waiver
// must have id, engine, reason, link and expires. These may be there, no other:
//
//     "version": "1.4.2"        of the engine; without it, any
//     "asked": "profile *"      pattern of what is asked: "tier core",
//                               "profile NAME"
//     "kind": "defect"          of the engine; or "limit", which its authors
//                               know
//     "where": "src/rope.cc:81" file and line upstream
//     "case": "head_dim 3, ..." the smallest that shows it
//     "fix": "round up, ..."
//
// A defect must have the last three. A file in which every waiver has a kind
// says why cells of a scoreboard are red (scoreboard.h).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::report {

using Date = std::chrono::year_month_day;

enum class WaiverKind { kNone, kDefect, kLimit };

inline constexpr text::Words<WaiverKind, 2> kWaiverKindWords{
    {{WaiverKind::kDefect, "defect"}, {WaiverKind::kLimit, "limit"}}};
constexpr const auto& table_of(WaiverKind) { return kWaiverKindWords; }

struct Waiver {
  std::string id;      // pattern of case ids: * any characters, ? one
  std::string engine;  // pattern of the names that kernels declare
  std::string reason, link;
  Date expires;  // the last day on which it holds, in UTC
  // Empty where the file does not say.
  std::string version = {};  // that the kernel declares, exactly
  std::string asked = {};    // pattern of Run::asked
  WaiverKind kind = WaiverKind::kNone;
  std::string where = {}, smallest = {}, fix = {};
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

// "2027-03-31"; parse_date() throws std::invalid_argument for any other form
// and for days that no calendar has.
std::string date_text(const Date& date);
Date parse_date(std::string_view text);

}  // namespace ropeproof::conformance::report
