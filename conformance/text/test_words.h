// test_words.h -- for tests: Catch2 prints an enumerator that has a word in a
// text::Words table by that word.
#pragma once

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
