// test_words.h -- for tests: Catch2 prints an enumerator that has a word in a
// text::Words table by that word.
#ifndef ROPEPROOF_CONFORMANCE_TEXT_TEST_WORDS_H_
#define ROPEPROOF_CONFORMANCE_TEXT_TEST_WORDS_H_

#include <catch2/catch_tostring.hpp>
#include <string>

#include "conformance/text/word_tables.h"

namespace Catch {

template <ropeproof::conformance::text::HasTable Value>
struct StringMaker<Value> {
  static std::string convert(Value value) {
    return "\"" + ropeproof::conformance::text::word(value) + "\"";
  }
};

}  // namespace Catch

#endif  // ROPEPROOF_CONFORMANCE_TEXT_TEST_WORDS_H_
