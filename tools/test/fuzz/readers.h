// readers.h -- what is fuzzed.
#ifndef ROPEPROOF_TOOLS_TEST_FUZZ_READERS_H_
#define ROPEPROOF_TOOLS_TEST_FUZZ_READERS_H_

#include <map>
#include <string>

namespace ropeproof::fuzz {

// Name -> function that reads its input and refuses it, or not.
const std::map<std::string, void (*)(const std::string&)>& readers();

}  // namespace ropeproof::fuzz

#endif  // ROPEPROOF_TOOLS_TEST_FUZZ_READERS_H_
