// Side files that are no sound safetensors: each fault is one clear line.
#include "conformance/cases/safetensors.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "conformance/cases/test_groups.h"

namespace ropeproof::conformance::cases {
namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::ordered_json;

// A side file with this header and `bytes` bytes behind it.
std::string side_file(std::string header, std::size_t bytes,
                      std::size_t claimed) {
  std::string file;
  for (int i = 0; i < 8; ++i) {
    file += static_cast<char>(claimed >> (8 * i) & 255);
  }
  return file + header + std::string(bytes, '\1');
}
std::string side_file(const std::string& header, std::size_t bytes) {
  std::string padded = header;
  while (padded.size() % 8 != 0) padded += ' ';
  return side_file(padded, bytes, padded.size());
}

// A header with the metadata and these tensors.
Json header_of(const Json& tensors) {
  Json header = {{"__metadata__",
                  {{"format", "ropeproof-vectors/1"}, {"group", "plain"}}}};
  header.update(tensors);
  return header;
}

Json tensor(const char* dtype, std::uint64_t elements, std::uint64_t begin,
            std::uint64_t end) {
  return {
      {"dtype", dtype}, {"shape", {elements}}, {"data_offsets", {begin, end}}};
}

std::string parse_error(const std::string& file) {
  return refusal([&] {
    parse_safetensors(std::as_bytes(std::span(file)), "x.safetensors");
  });
}

TEST_CASE("a side file that is no sound safetensors is refused",
          "[conformance][vectors][safetensors]") {
  const auto refuses = [](const std::string& file, const std::string& what) {
    CAPTURE(what);
    const std::string error = parse_error(file);
    CHECK_THAT(error, ContainsSubstring(what));
    CHECK_THAT(error,
               ContainsSubstring("x.safetensors") && !ContainsSubstring("\n"));
  };
  const auto header = [](const Json& tensors) {
    return header_of(tensors).dump();
  };
  const Json good = {{"a.F64", tensor("F64", 2, 0, 16)},
                     {"b.F32", tensor("F32", 1, 16, 20)}};
  REQUIRE(parse_error(side_file(header(good), 20)) == "accepted");

  SECTION("its length") {
    refuses("", "0 bytes; a safetensors file has at least 8");
    refuses("1234567", "7 bytes");
    refuses(side_file("{}", 0, 3), "claims 3 bytes; the file ends after 2");
    refuses(side_file("{}", 0, std::size_t{1} << 40), "at most 65536");
    refuses(side_file("{}", 0, ~std::size_t{0}), "at most 65536");
  }
  SECTION("its header") {
    refuses(side_file("{\"a\": ", 8), "not JSON");
    refuses(side_file("[1, 2]", 8), "expected an object");
    refuses(side_file(std::string(60000, '['), 8), "nested more than");
    refuses(side_file("{\"a\": 1, \"a\": 1}", 8), "occurs twice");
    refuses(side_file("{\"a\": 1e999}", 8), "beyond binary64");
    refuses(side_file(std::string("{}\0x", 4), 8), "a NUL");
    refuses(side_file("{}", 0), "__metadata__: missing");
    Json other = header_of(good);
    other["__metadata__"]["format"] = "pt";
    refuses(side_file(other.dump(), 20), "expected ropeproof-vectors/1");
    other = header_of(good);
    other["__metadata__"]["author"] = "me";
    refuses(side_file(other.dump(), 20), "author: unknown field");
  }
  SECTION("a tensor") {
    const auto refuses_a = [&](const Json& a, const std::string& what) {
      Json tensors = good;
      tensors["a.F64"] = a;
      refuses(side_file(header(tensors), 20), what);
    };
    refuses_a(tensor("F8", 16, 0, 16), "\"F8\"; expected F64, ");
    refuses_a(tensor("F64", 3, 0, 16), "does not fit the shape");
    refuses_a(tensor("F64", 2, 16, 0), "does not fit the shape");
    refuses_a(tensor("F64", 2, 0, ~std::uint64_t{0}),
              "data_offsets: expected integers 0 .. ");
    refuses_a(tensor("F64", (std::uint64_t{1} << 61) + 2, 0, 16),
              "does not fit the shape");
    Json node = tensor("F64", 2, 0, 16);
    node["shape"] = {1, 2};
    refuses_a(node, "expected one dimension");
    node = tensor("F64", 2, 0, 16);
    node["data_offsets"] = {0, -16};
    refuses_a(node, "data_offsets: expected integers 0 .. ");
    node["data_offsets"] = {0};
    refuses_a(node, "expected [begin, end]");
    node = tensor("F64", 2, 0, 16);
    node["strides"] = 1;
    refuses_a(node, "unknown field");
    refuses_a(17, "expected an object");
  }
  SECTION("where tensors lie") {
    const auto refuses_both = [&](const Json& a, const Json& b,
                                  std::size_t bytes, const std::string& what) {
      refuses(side_file(header({{"a", a}, {"b", b}}), bytes), what);
    };
    const Json a = tensor("F64", 2, 0, 16);
    refuses_both(a, tensor("F32", 2, 12, 20), 20, "inside the tensor before");
    refuses_both(a, tensor("F32", 1, 20, 24), 24, "behind a gap");
    refuses_both(a, tensor("F32", 2, 16, 24), 20, "the file has");
    refuses_both(a, tensor("F32", 1, 16, 20), 24, "4 bytes after the last");
    refuses_both(tensor("F32", 1, 0, 4), tensor("F64", 1, 4, 12), 12,
                 "not aligned to 8");
    refuses_both(tensor("F64", 2, 8, 24), tensor("F64", 0, 24, 24), 24,
                 "behind a gap");
  }
}

TEST_CASE("a header that is written is read again, and ends on 8 bytes",
          "[conformance][vectors][safetensors]") {
  using reference::Format;
  const std::string header = safetensors_header(
      "plain", {{"q.F64", Format::kF64, 16}, {"q.BF16", Format::kBF16, 6}});
  CHECK(header.size() % 8 == 0);
  const std::string file = header + std::string(22, 'x');
  const Safetensors read =
      parse_safetensors(std::as_bytes(std::span(file)), "x.safetensors");
  CHECK(read.group == "plain");
  REQUIRE(read.tensors.size() == 2);
  const StoredTensor& q = read.tensors.at("q.BF16");
  CHECK(q.dtype == Format::kBF16);
  CHECK(q.begin == header.size() + 16);
  CHECK(q.end == file.size());
}

}  // namespace
}  // namespace ropeproof::conformance::cases
