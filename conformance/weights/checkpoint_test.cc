#include "conformance/weights/checkpoint.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <random>

#include "conformance/weights/test_checkpoints.h"

namespace ropeproof::conformance::weights {
namespace {

using Catch::Matchers::ContainsSubstring;

std::vector<MadeTensor> two_tensors() {
  std::uint16_t next = 1;
  return {made("b", 3, 2, next), made("a", 5, 0, next)};
}

// The fault of a file with these bytes; or empty.
std::string fault_of(const TestFolder& folder, const std::string& bytes,
                     const std::string& name = "x.safetensors") {
  const auto path = folder.write(name, bytes);
  try {
    const Checkpoint checkpoint = open_checkpoint(path);
    for (const Tensor& tensor : checkpoint.tensors) {
      std::vector<std::byte> all(tensor.bytes);
      checkpoint.read(tensor, 0, all);
    }
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "";
}

std::string with(std::string text, const std::string& old,
                 const std::string& other) {
  return text.replace(text.find(old), old.size(), other);
}

struct Written {
  std::string name, bytes;
};

std::vector<Written> all_formats() {
  return {{"x.safetensors", safetensors(two_tensors())},
          {"x.gguf", gguf(two_tensors())},
          {"x.pth", torch_file(two_tensors())},
          {"x.npz", npz(two_tensors())}};
}

TEST_CASE("all formats give the same tensors", "[weights]") {
  const TestFolder folder;
  for (const auto& [name, bytes] : all_formats()) {
    CAPTURE(name);
    const Checkpoint checkpoint = open_checkpoint(folder.write(name, bytes));
    REQUIRE(checkpoint.tensors.size() == 2);
    const Tensor* const b = checkpoint.find("b");
    REQUIRE(b != nullptr);
    CHECK(b->shape == std::vector<std::uint64_t>{3, 2});
    CHECK(b->type.name == "BF16");
    REQUIRE(b->bytes == 12);
    std::vector<std::byte> got(4);
    checkpoint.read(*b, 4, got);
    CHECK(std::to_integer<int>(got[0]) == 3);
    CHECK(checkpoint.find("a")->shape == std::vector<std::uint64_t>{5});
    CHECK(checkpoint.find("c") == nullptr);
  }
  CHECK(open_checkpoint(folder.path() / "x.gguf").metadata.at("scores") ==
        nlohmann::json{0, 0});
}

TEST_CASE("every broken byte of a header is read or refused", "[weights]") {
  const TestFolder folder;
  for (const auto& [name, good] : all_formats()) {
    CAPTURE(name);
    REQUIRE(fault_of(folder, good, name).empty());
    for (std::size_t size = 0; size < good.size(); ++size) {
      CAPTURE(size);
      CHECK_FALSE(fault_of(folder, good.substr(0, size), name).empty());
    }
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const int change : {0x01, 0xff}) {
        std::string broken = good;
        broken[i] = static_cast<char>(broken[i] ^ change);
        const std::string fault = fault_of(folder, broken, name);
        CHECK(fault.find('\n') == std::string::npos);
      }
    }
  }
}

TEST_CASE("bytes broken at random are read or refused", "[weights]") {
  const TestFolder folder;
  std::mt19937 random(47);
  for (const auto& [name, good] : all_formats()) {
    for (int i = 0; i < 200; ++i) {
      std::string broken = good;
      for (std::size_t n = 1 + random() % 4; n > 0; --n) {
        const std::size_t at = random() % broken.size();
        if (random() % 4 == 0) {
          broken.insert(at, good.substr(random() % good.size(), random() % 9));
        } else {
          broken[at] = static_cast<char>(random());
        }
      }
      CHECK(fault_of(folder, broken, name).find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("a pickle is read and not run", "[weights]") {
  const TestFolder folder;
  const auto fault = [&](const std::string& more) {
    return fault_of(folder, torch_file(two_tensors(), more), "x.pth");
  };
  CHECK(fault("").empty());
  CHECK_THAT(fault("cos\nsystem\n"), ContainsSubstring("asks for os.system"));
  CHECK_THAT(fault("i"), ContainsSubstring("the instruction 105"));
  CHECK_THAT(fault("h\7"), ContainsSubstring("is broken"));
  CHECK_THAT(fault("0"), ContainsSubstring("nothing is run"));
  // A dictionary in itself.
  CHECK_THAT(fault("(X" + little(1, 4) + "ah" + std::string(1, '\0') + "u"),
             ContainsSubstring("is too deep"));
  std::string good = torch_file(two_tensors());
  const auto stride = good.find("K\2K\1\x86");
  REQUIRE(stride != std::string::npos);
  good[stride + 1] = 3;
  CHECK_THAT(fault_of(folder, good, "x.pth"), ContainsSubstring("strides"));
  CHECK_THAT(fault_of(folder, "\x80\2}.", "x.pth"),
             ContainsSubstring("a bare pickle"));
}

TEST_CASE("shards of torch are joined along their rows", "[weights]") {
  const TestFolder folder;
  std::uint16_t next = 1;
  const MadeTensor norm = made("norm", 2, 0, next);
  folder.write("consolidated.00.pth",
               torch_file({made("q", 2, 2, next), norm}));
  folder.write("consolidated.01.pth",
               torch_file({made("q", 2, 2, next), norm}));
  const Checkpoint checkpoint = open_checkpoint(folder.path());
  REQUIRE(checkpoint.tensors.size() == 2);
  CHECK(checkpoint.find("norm")->shape == std::vector<std::uint64_t>{2});
  const Tensor& q = *checkpoint.find("q");
  CHECK(q.shape == std::vector<std::uint64_t>{4, 2});
  std::vector<std::byte> bytes(12);
  checkpoint.read(q, 4, bytes);
  for (int i = 0; i < 6; ++i) {
    CHECK(std::to_integer<int>(bytes[static_cast<std::size_t>(2 * i)]) ==
          5 + i);
  }
  folder.write("consolidated.03.pth", torch_file({made("q", 2, 2, next)}));
  CHECK_THROWS_WITH(open_checkpoint(folder.path()),
                    ContainsSubstring("number 02 is missing"));
}

TEST_CASE("a fault of NumPy is told in a line", "[weights]") {
  const TestFolder folder;
  const std::string good = npz(two_tensors());
  const auto fault = [&](const std::string& old, const std::string& other) {
    return fault_of(folder, with(good, old, other), "x.npz");
  };
  CHECK_THAT(fault("'|V2'", "'>f2'"), ContainsSubstring("big-endian"));
  CHECK_THAT(fault("'|V2'", "'|O2'"), ContainsSubstring("plain numbers"));
  CHECK_THAT(fault("False", "True "), ContainsSubstring("Fortran"));
  CHECK_THAT(fault("(3, 2)", "(3, 3)"), ContainsSubstring("its shape takes"));
  CHECK_THAT(fault("(3, 2)", "(3,-2)"), ContainsSubstring("broken"));
  std::string deflated = good;
  deflated[deflated.rfind("PK\1\2") + 10] = 8;
  CHECK_THAT(fault_of(folder, deflated, "x.npz"),
             ContainsSubstring("is compressed"));
}

TEST_CASE("a fault of safetensors is told in a line", "[weights]") {
  const TestFolder folder;
  const std::string good = safetensors(two_tensors());
  const auto fault = [&](const std::string& old, const std::string& other) {
    return fault_of(folder, with(good, old, other));
  };
  CHECK_THAT(fault_of(folder, little(1'000'000'000, 8) + good.substr(8)),
             ContainsSubstring("a header of 1000000000 bytes"));
  const std::string length = good.substr(0, 8);
  CHECK_THAT(fault_of(folder, std::string(length.rbegin(), length.rend()) +
                                  good.substr(8)),
             ContainsSubstring("big-endian"));
  CHECK_THAT(fault("[3,2]", "[3,3]"), ContainsSubstring("shape takes 18"));
  CHECK_THAT(fault("[12,22]", "[11,21]"), ContainsSubstring("overlap"));
  CHECK_THAT(fault("[12,22]", "[13,23]"), ContainsSubstring("ends at byte"));
  CHECK_THAT(fault("[12,22]", "[22,12]"), ContainsSubstring("data_offsets"));
  CHECK_THAT(fault("\"BF16\"", "\"BF61\""), ContainsSubstring("not known"));
  CHECK_THAT(fault("\"b\"", "\"a\""), ContainsSubstring("occurs twice"));
  CHECK_THAT(fault("[3,2]", "[-12]"), ContainsSubstring("\"b\": expected"));
  CHECK_THAT(fault_of(folder, good + "x"), ContainsSubstring("its header and"));
  const std::string huge =
      R"({"a":{"dtype":"U8","shape":[4294967296,4294967296],)"
      R"("data_offsets":[0,0]}})";
  CHECK_THAT(fault_of(folder, little(huge.size(), 8) + huge),
             ContainsSubstring("overflows"));
  CHECK_THAT(fault_of(folder, ""), ContainsSubstring("fewer than 8 bytes"));
  CHECK_THROWS_AS(open_checkpoint(folder.path() / "no"), CheckpointError);
  CHECK_THROWS_AS(open_checkpoint("/dev/null"), CheckpointError);
}

TEST_CASE("a fault of GGUF is told in a line", "[weights]") {
  const TestFolder folder;
  auto tensors = two_tensors();
  const std::string good = gguf(tensors);
  CHECK_THAT(fault_of(folder, good.substr(0, 4) + std::string("\0\0\0\3", 4) +
                                  good.substr(8)),
             ContainsSubstring("big-endian"));
  CHECK_THAT(
      fault_of(folder, good.substr(0, 4) + little(1, 4) + good.substr(8)),
      ContainsSubstring("GGUF version 1; expected 2 or 3"));
  tensors[1].name = "b";
  CHECK_THAT(fault_of(folder, gguf(tensors)), ContainsSubstring("twice"));
  const auto value = [&](const std::string& bytes) {
    return fault_of(folder, gguf(two_tensors(), gguf_text("v") + bytes, 1));
  };
  CHECK_THAT(value(little(13, 4)), ContainsSubstring("type 13"));
  CHECK_THAT(value(little(9, 4) + little(4, 4) + little(1ull << 61, 8)),
             ContainsSubstring("too long"));
  CHECK_THAT(value(little(8, 4) + little(1ull << 62, 8)),
             ContainsSubstring("ends at byte"));
  const auto part = gguf_text("split.count") + little(2, 4) + little(3, 2);
  CHECK_THAT(fault_of(folder, gguf(two_tensors(), part, 1)),
             ContainsSubstring("a part of 3, and 1 is there"));
}

TEST_CASE("an index and its files are one checkpoint", "[weights]") {
  const TestFolder folder;
  const auto tensors = two_tensors();
  folder.write("1.safetensors", safetensors({tensors[0]}));
  const auto index = [&](const std::string& a, const std::string& b) {
    folder.write("model.safetensors.index.json",
                 R"({"weight_map": {"a": ")" + a + R"(", "b": ")" + b + "\"}}");
    try {
      const auto checkpoint = open_checkpoint(folder.path());
      return std::to_string(checkpoint.tensors.size());
    } catch (const CheckpointError& error) {
      return std::string(error.what());
    }
  };
  CHECK_THAT(index("2.safetensors", "1.safetensors"),
             ContainsSubstring("\"2.safetensors\" is missing"));
  folder.write("2.safetensors", safetensors({tensors[1]}));
  CHECK(index("2.safetensors", "1.safetensors") == "2");
  CHECK_THAT(index("1.safetensors", "2.safetensors"),
             ContainsSubstring("\"a\" is not in \"1.safetensors\""));
  CHECK_THAT(index("../2.safetensors", "1.safetensors"),
             ContainsSubstring("no name of a file"));
  folder.write("2.safetensors", safetensors(tensors));
  CHECK_THAT(index("2.safetensors", "1.safetensors"),
             ContainsSubstring("\"b\" occurs twice"));
}

}  // namespace
}  // namespace ropeproof::conformance::weights
