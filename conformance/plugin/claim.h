// claim.h -- what a device that runs elsewhere says of itself.
//
// A text file of lines "key words", # for a comment:
//
//     name        board-x
//     version     fw-7.1
//     operations  rope
//     dtypes      f32 bf16
//     pairings    half_split
//     features    partial inv_freq
//     angle_class A1
//
// Keys and words are those of the framed protocol (adapters/README.md).
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_CLAIM_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_CLAIM_H_

#include <string>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

// Reads the text of a claim; `file` names it in errors. q and k come in one
// file, so `keys` is always there, and outputs are out_of_place. Throws
// KernelError, one line, for an unknown key or word, a missing key, a value out
// of range, or a feature that files cannot show: in_place, strided, validates,
// deterministic and concurrent.
Description parse_claim(const std::string& text, const std::string& file);

// parse_claim() of a file. Throws std::invalid_argument if it cannot be read.
Description read_claim(const std::string& file);

// A device that does everything that files can show, in class A0, with tables
// of the tensors' type: what a pack without a claim is exported for.
Description universal_claim();

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_CLAIM_H_
