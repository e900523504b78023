// shown_json.h -- what the pictures of a report are drawn of, as JSON.
#pragma once

#include "conformance/check/shown.h"
#include "conformance/report/json_codec.h"

namespace ropeproof::conformance::report {

// Infinity, and what is not known, is null.
Json shown_json(const check::Shown& shown);

// Reads it back. Throws for a member that is missing or of another type.
check::Shown read_shown(const Json& json);

}  // namespace ropeproof::conformance::report
