#include "conformance/check/exchange.h"

#include <set>
#include <stdexcept>

#include "conformance/check/paper_kernel.h"
#include "conformance/plugin/dense.h"
#include "conformance/plugin/pack.h"
#include "conformance/text/file.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::check {
namespace {

namespace fs = std::filesystem;

plugin::Answer answer_of(const plugin::Pack& pack, const fs::path& results,
                         const ropeproof_problem& problem) {
  const auto found = pack.calls.find(plugin::pack_call(problem).digest);
  if (found == pack.calls.end()) {
    throw std::invalid_argument(
        "the description offers a call that the pack does not have; export "
        "it with this --description");
  }
  const auto& [name, out_bytes] = found->second;
  const fs::path path = results / (name + ".bin");
  std::error_code error;
  const bool is_declined = fs::exists(results / (name + ".declined"), error);
  if (is_declined && fs::exists(path, error)) {
    return {plugin::Outcome::kError,
            path.string() + " is there, and " + name + ".declined too"};
  }
  if (is_declined) return {plugin::Outcome::kDeclined, ""};
  if (!fs::exists(path, error)) {
    return {plugin::Outcome::kMissing, path.string() + " is not there"};
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size != out_bytes) {
    return {plugin::Outcome::kError,
            path.string() +
                (error ? ": " + error.message()
                       : " has " + std::to_string(size) + " bytes, not " +
                             std::to_string(out_bytes))};
  }
  const auto bytes = text::read_whole(path);
  if (!bytes || bytes->size() != out_bytes) {
    return {plugin::Outcome::kError, path.string() + " cannot be read"};
  }
  const char* at = bytes->data();
  for (const auto& tensor : plugin::outputs(problem)) {
    plugin::scatter(tensor, at);
    at += tensor.bytes();
  }
  return {};
}

void refuse_extra_files(const plugin::Pack& pack, const fs::path& results) {
  std::set<std::string> names;
  for (const auto& [digest, result] : pack.calls) {
    names.insert(result.name + ".bin");
    names.insert(result.name + ".declined");
  }
  std::error_code error;
  fs::directory_iterator entries(results, error);
  if (error) {
    throw std::invalid_argument("--results " + results.string() + ": " +
                                error.message());
  }
  for (const fs::directory_entry& entry : entries) {
    if (names.contains(entry.path().filename().string())) continue;
    throw std::invalid_argument(
        text::one_line(entry.path().string() +
                       ": no call of the pack has asked for this file"));
  }
}

}  // namespace

std::size_t export_pack(const plugin::Description& device,
                        const cases::Corpus& corpus, const Selection& selection,
                        const std::string& version, const fs::path& directory) {
  plugin::PackWriter writer(directory);
  // Dense memory, since files have no gaps.
  PaperKernel kernel(device, false, [&](const ropeproof_problem& problem) {
    writer.add(plugin::pack_call(problem));
    return plugin::Answer{plugin::Outcome::kMissing, "exported"};
  });
  run_suite(kernel, corpus, selection);
  if (writer.calls() == 0) {
    throw std::invalid_argument("no call of " + asked_text(selection) +
                                " is within the description");
  }
  writer.finish({version,
                 corpus.version,
                 corpus.manifest_sha256,
                 text::word(cases::kTierWords, selection.tier),
                 selection.profile,
                 {}});
  return writer.calls();
}

Run check_pack(const fs::path& directory, const fs::path& results,
               const plugin::Description& device, const cases::Corpus& corpus,
               Selection selection) {
  const plugin::Pack pack = plugin::read_pack(directory);
  if (pack.manifest_sha256 != corpus.manifest_sha256) {
    throw std::invalid_argument(
        directory.string() + " was exported from other vectors (manifest " +
        text::one_line(pack.manifest_sha256).substr(0, 12) + ", not " +
        corpus.manifest_sha256.substr(0, 12) + "); export it anew");
  }
  if (pack.profile != selection.profile) {
    throw std::invalid_argument(
        text::one_line(directory.string() + " was exported " +
                       (pack.profile.empty() ? "without a profile"
                                             : "for profile " + pack.profile) +
                       "; give the flags that it was exported with"));
  }
  refuse_extra_files(pack, results);
  PaperKernel kernel(device, false, [&](const ropeproof_problem& problem) {
    return answer_of(pack, results, problem);
  });
  selection.tier = cases::parse_tier(pack.tier);
  return run_suite(kernel, corpus, selection);
}

}  // namespace ropeproof::conformance::check
