// test_outcomes.h -- for tests: Catch2 prints the outcome of a call by name.
#pragma once

#include <catch2/catch_tostring.hpp>

#include "conformance/plugin/kernel.h"

CATCH_REGISTER_ENUM(ropeproof::conformance::plugin::Outcome,
                    ropeproof::conformance::plugin::Outcome::kOk,
                    ropeproof::conformance::plugin::Outcome::kUnsupported,
                    ropeproof::conformance::plugin::Outcome::kInvalid,
                    ropeproof::conformance::plugin::Outcome::kFailed,
                    ropeproof::conformance::plugin::Outcome::kDeclined,
                    ropeproof::conformance::plugin::Outcome::kError,
                    ropeproof::conformance::plugin::Outcome::kCrash,
                    ropeproof::conformance::plugin::Outcome::kTimeout,
                    ropeproof::conformance::plugin::Outcome::kMissing)
