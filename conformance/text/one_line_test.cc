#include "conformance/text/one_line.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "conformance/text/nearest.h"

namespace ropeproof::conformance::text {

TEST_CASE("text from elsewhere becomes UTF-8 without control characters",
          "[conformance][text]") {
  CHECK(printable("caf\u00e9 \u2713\n") == "caf\u00e9 \u2713\n");
  CHECK(printable("a\xff z") == "a\ufffd z");
  CHECK(printable("cut \xe2\x9c") == "cut \ufffd");
  CHECK(printable("over\xc0\xaf") == "over\ufffd\ufffd");
  CHECK(printable("\x1b[31m\r\t\x7f") == " [31m   ");
  CHECK(printable("c1 \u009b5m, none \uffff.") == "c1  5m, none  .");
  CHECK(printable(std::string("nul\0.", 5)) == "nul .");
}

TEST_CASE("no character reverses a message", "[conformance][text]") {
  CHECK(printable("\u202egnp.\u202c \u2066x\u2069\u200f") == " gnp.   x  ");
  CHECK(printable("one\u2028two\u061c") == "one two ");
  CHECK(printable("\u2027 \u202f \u2065 \u206a") ==
        "\u2027 \u202f \u2065 \u206a");
}

TEST_CASE("a line is cut at 300 bytes, between two characters",
          "[conformance][text]") {
  CHECK(one_line("two\nlines") == "two lines");
  CHECK(one_line(std::string(300, 'x')) == std::string(300, 'x'));
  std::string checks;
  for (int i = 0; i < 101; ++i) checks += "\u2713";
  CHECK(one_line(checks) == checks.substr(0, 297) + "...");
  CHECK(one_line("x" + checks) == "x" + checks.substr(0, 294) + "...");
  CHECK(one_line(std::string(400, '\xff')).size() == 300);
}

TEST_CASE("the nearest names differ in the fewest letters", "[text]") {
  CHECK(nearest("llama3-f32-128",
                {"phi2-f16-2k", "llama2-f32-4k", "llama3-f32-128k", "neox"}) ==
        "llama3-f32-128k, llama2-f32-4k, phi2-f16-2k");
  CHECK(nearest("", {"ab", "a"}) == "a, ab");
  CHECK(nearest(std::string(1000000, 'x'), {"a", "x"}) == "x, a");
  CHECK(suggestion("lsit", {"run", "list"}) == "; nearest is list");
  CHECK(suggestion("blah", {"run", "bench"}) == "");
}

}  // namespace ropeproof::conformance::text
