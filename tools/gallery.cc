// ropeproof gallery: a page of pictures.
#include <iostream>
#include <memory>

#include "conformance/gallery/page.h"
#include "conformance/models/preset.h"
#include "tools/commands.h"
#include "tools/output_file.h"

namespace ropeproof::tools {

Command add_gallery(CLI::App& app) {
  struct Options {
    std::string out;
    std::string vectors = default_vectors().string();
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "gallery", "write pictures of encodings and of models' frequencies");
  command->add_option("--out", options->out, "HTML file to write")->required();
  command->add_option("--vectors", options->vectors,
                      "folder of vectors, with models/");
  return {command, [options] {
            const OutputFile file("--out", options->out, {options->vectors});
            const auto models = models::load_presets(
                std::filesystem::path(options->vectors) / "models");
            file.write(gallery::gallery_page(models));
            std::cout << "wrote " << options->out << "\n";
            return 0;
          }};
}

}  // namespace ropeproof::tools
