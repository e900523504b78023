// readers.h -- what is fuzzed.
#pragma once

#include <map>
#include <string>

namespace ropeproof::fuzz {

// Name -> function that reads its input and refuses it, or not.
const std::map<std::string, void (*)(const std::string&)>& readers();

}  // namespace ropeproof::fuzz
