#if defined(__linux__)
#include <link.h>
#endif

#include "tools/commands.h"

namespace ropeproof::tools {
namespace fs = std::filesystem;

namespace {

// The folder of this program; the current one where the system does not say.
fs::path program_folder() {
  const fs::path path = program();
  return path.empty() ? fs::current_path() : path.parent_path();
}

}  // namespace

fs::path program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

std::vector<std::string> libraries_of_program() {
  std::vector<std::string> files;
#if defined(__linux__)
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* list) {
        if (info->dlpi_name[0] == '/') {
          static_cast<std::vector<std::string>*>(list)->emplace_back(
              info->dlpi_name);
        }
        return 0;
      },
      &files);
#endif
  return files;
}

fs::path default_vectors() {
  const fs::path installed =
      program_folder() / ".." / "share" / "ropeproof" / "vectors";
  return fs::exists(installed) ? installed : fs::path(ROPEPROOF_VECTORS_DIR);
}

std::shared_ptr<const cover::Arrays> arrays_of(const fs::path& vectors,
                                               cases::Tier tier) {
  const bool has_own = fs::exists(vectors / "coverage");
  if (!has_own && !fs::exists(vectors / "smoke-unit.json")) return nullptr;
  return std::make_shared<const cover::Arrays>(
      cover::load_arrays(has_own ? vectors : default_vectors(), tier));
}

const std::vector<std::string>& builtin_kernels() {
  static const std::vector<std::string> kKernels = [] {
    std::vector<std::string> kernels = {"fast", "c_example"};
    std::erase_if(kernels, [](const std::string& name) {
      return !fs::exists(builtin_library(name));
    });
    return kernels;
  }();
  return kKernels;
}

fs::path program_beside(const std::string& name) {
  return program_folder() / name;
}

fs::path builtin_library(const std::string& name) {
  const std::string file = name + ".so";
  const fs::path built = program_folder() / "plugins" / file;
  if (fs::exists(built)) return built;
  return program_folder() / ".." / ROPEPROOF_LIBDIR / "ropeproof" / "plugins" /
         file;
}

}  // namespace ropeproof::tools
