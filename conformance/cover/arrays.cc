#include "conformance/cover/arrays.h"

#include <string>

#include "conformance/cover/suite_model.h"
#include "conformance/text/file.h"
#include "conformance/text/sha256.h"

namespace ropeproof::conformance::cover {

Arrays load_arrays(const std::filesystem::path& vectors, cases::Tier tier) {
  const std::filesystem::path folder = vectors / "coverage";
  Arrays arrays{suite_model(), {}, {}, {}};
  const std::string digest = text::sha256(suite_model_json());
  const auto read = [&](const char* name) {
    const std::string file = (folder / name).string();
    const std::string rows = text::read_file(file);
    if (rows.find(digest) == std::string::npos) {
      throw text::FileError(
          file +
          ": of another model; run `ropeproof generate`, then "
          "tools/prove/cover.py");
    }
    return read_rows(arrays.model, rows, file);
  };
  arrays.pairs = read("pairs.txt");
  if (tier == cases::Tier::kFull) arrays.triples = read("triples.txt");
  const std::string shapes = (folder / "shapes.json").string();
  arrays.shapes = read_shapes(text::read_file(shapes), shapes);
  return arrays;
}

}  // namespace ropeproof::conformance::cover
