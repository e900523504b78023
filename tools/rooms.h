// rooms.h -- the rooms of conformance/, which the program names without it.
#ifndef ROPEPROOF_TOOLS_ROOMS_H_
#define ROPEPROOF_TOOLS_ROOMS_H_

namespace ropeproof::conformance {}
namespace ropeproof::tools {
using namespace conformance;
}

#endif  // ROPEPROOF_TOOLS_ROOMS_H_
