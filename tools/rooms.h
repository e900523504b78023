// rooms.h -- the rooms of conformance/, which the program names without it.
#pragma once

namespace ropeproof::conformance {}
namespace ropeproof::tools {
using namespace conformance;
}
