// description_json.h -- what a kernel says of itself, as JSON: the one form
// that a process answers, reports hold and --description reads.
// adapters/PROTOCOL.md lists the fields.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "conformance/plugin/kernel.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::plugin {

// JSON to be written: members stay in the order of the documentation.
using Json = nlohmann::ordered_json;

// Return all fields, defaults too; but no dtypes of a claim that is for all.
Json description_json(const Description& description);
Json claim_json(const ropeproof_claim& claim);

// The members that say more than their default, and angle_class; not dtypes.
Json claim_members(ropeproof_claim claim);

// Reads the fields of a description; check_description() judges their values.
// Throws text::FileError.
Description read_description(text::StrictObject& object);

// Reads what a library's ropeproof_backend() gives, the field `backend` of a
// description. Throws KernelError, one line that begins with `source`.
Backend parse_backend(const std::string& text, const std::string& source);

// Reads what a device that runs elsewhere says of itself; `file` names the text
// in errors. q and k come in one file, so `keys` is always there, and outputs
// are out_of_place. Throws KernelError, one line, for an unknown field or word,
// a missing field, a value out of range, or a feature that files cannot show:
// in_place, strided, validates, deterministic and concurrent.
Description parse_device(const std::string& text, const std::string& file);

// Does the same for a file. Throws std::invalid_argument if it cannot be read.
Description read_device(const std::string& file);

}  // namespace ropeproof::conformance::plugin
