#include "conformance/cover/arrays.h"

#include <string>

#include "conformance/cover/dimension.h"
#include "conformance/text/file.h"
#include "conformance/text/sha256.h"

namespace ropeproof::conformance::cover {

Arrays load_arrays(const std::filesystem::path& vectors) {
  const std::filesystem::path folder = vectors / "coverage";
  const std::string path = (folder / "model.json").string();
  const std::string text = text::read_file(path);
  Arrays arrays{Model(text, path), {}, {}, {}};
  for (const KnownDimension& known : known_dimensions()) {
    if (arrays.model.at(known.name) == arrays.model.size()) {
      throw text::FileError(path + ": has no dimension \"" +
                            std::string(known.name) + "\"");
    }
  }
  const std::string digest = text::sha256(text);
  const auto read = [&](const char* name) {
    const std::string file = (folder / name).string();
    const std::string rows = text::read_file(file);
    if (rows.find(digest) == std::string::npos) {
      throw text::FileError(
          file + ": of another model.json; run tools/prove/cover.py");
    }
    return read_rows(arrays.model, rows, file);
  };
  arrays.pairs = read("pairs.txt");
  arrays.triples = read("triples.txt");
  const std::string shapes = (folder / "shapes.json").string();
  arrays.shapes = read_shapes(text::read_file(shapes), shapes);
  return arrays;
}

}  // namespace ropeproof::conformance::cover
