#include "tools/profile_flags.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "tools/report_file.h"

namespace ropeproof::tools {
namespace {

using models::ProfileParts;

// "32" or "32,8": of queries, and of keys where they are fewer.
std::pair<std::int64_t, std::int64_t> parse_heads(const std::string& text) {
  const std::size_t comma = text.find(',');
  const auto q = text::parse_integer(text.substr(0, comma));
  const auto k = comma == std::string::npos
                     ? q
                     : text::parse_integer(text.substr(comma + 1));
  if (!q || !k) {
    throw std::invalid_argument("--heads " + text +
                                ": expected one number or two, as 32 or 32,8");
  }
  return {*q, *k};
}

}  // namespace

void ProfileFlags::add_flags(CLI::App& command,
                             const std::vector<CLI::Option*>& others) {
  auto* const profile = command.add_option(
      "--profile", profile_,
      "what a model needs, in place of a tier; `list profiles`");
  auto* const model = command.add_option(
      "--model", model_, "what another model needs; `list models`");
  auto* const config = command.add_option(
      "--config", config_,
      "what the model of a config.json of Hugging Face needs");
  profile->excludes(model)->excludes(config);
  model->excludes(config);
  for (CLI::Option* const other : others) {
    profile->excludes(other);
    model->excludes(other);
    config->excludes(other);
  }
  command.add_option("--dtype", dtype_,
                     "type of the model's q and k: f64, f32, f16 or bf16");
  command.add_option("--positions", positions_,
                     "how many the model has (default: its context)");
  command.add_option("--heads", heads_,
                     "heads of the model: 32, or 32,8 with fewer of keys "
                     "(default 4,1; other cases have other numbers)");
  command.add_option("--layers", layers_,
                     "which layers, where a model has several kinds: "
                     "full_attention, ... (default: all)");
  command.add_option("--pairing", pairing_,
                     "pairing of the model, if its weights were permuted");
  command.add_flag("--adjoint", is_adjoint_, "the model's backward pass");
}

ProfileParts ProfileFlags::parts() const {
  if (profile_) return models::find_profile(*profile_);
  if (!dtype_) {
    throw std::invalid_argument("--model and --config need --dtype: " +
                                text::list_words(text::kFormatWords));
  }
  ProfileParts parts;
  parts.model = model_.value_or("");
  parts.config = config_.value_or("");
  parts.layers = layers_.value_or("");
  parts.dtype = parse_word("--dtype", text::kFormatWords, *dtype_);
  parts.positions = positions_;
  if (heads_) {
    std::tie(parts.q_heads, parts.k_heads) = parse_heads(*heads_);
  }
  if (is_adjoint_) parts.direction = reference::Direction::kAdjoint;
  if (pairing_) {
    parts.pairing = parse_word("--pairing", text::kPairingWords, *pairing_);
  }
  return parts;
}

std::vector<models::Profile> ProfileFlags::read(
    const std::filesystem::path& vectors) const {
  if (!model_ && !config_ &&
      (dtype_ || positions_ || heads_ || layers_ || pairing_ || is_adjoint_)) {
    throw std::invalid_argument(
        "--dtype, --positions, --heads, --layers, --pairing and --adjoint are "
        "of a model; name it by --model or --config");
  }
  if (!profile_ && !model_ && !config_) return {};
  if (config_ && config_->empty()) {
    throw std::invalid_argument("--config is empty; expected a file");
  }
  return models::make_profiles(parts(), vectors / "models");
}

void ProfileFlags::apply(const std::filesystem::path& vectors,
                         cases::Corpus& corpus,
                         check::Selection& selection) const {
  const auto profiles = read(vectors);
  if (profiles.empty()) return;
  corpus.groups.clear();
  for (const models::Profile& profile : profiles) {
    corpus.groups.push_back(models::proved_profile(profile));
    selection.profile = profile.whole.empty() ? profile.name : profile.whole;
    selection.model_positions =
        std::max(selection.model_positions, profile.positions - 1);
  }
  selection.model = std::make_shared<const cases::Problem>(
      corpus.groups[0].rope_cases.front().problem);
}

std::string ProfileFlags::argument() const {
  std::string text;
  const auto add = [&](const char* flag, const auto& value) {
    if (value) text += " " + std::string(flag) + " " + shell_quoted(*value);
  };
  add("--profile", profile_);
  add("--model", model_);
  add("--config", config_);
  add("--layers", layers_);
  add("--pairing", pairing_);
  add("--dtype", dtype_);
  if (positions_) text += " --positions " + std::to_string(*positions_);
  add("--heads", heads_);
  if (is_adjoint_) text += " --adjoint";
  return text;
}

std::vector<std::filesystem::path> ProfileFlags::inputs() const {
  if (!config_) return {};
  return {*config_};
}

void add_case_flags(CLI::App& command, check::Selection& selection) {
  command.add_option("--case", selection.cases, "only these case ids");
  command.add_option("--operation", selection.operations,
                     "only these operations");
  command.add_option(
      "--decline", selection.declined,
      "cases, by ids with * and ?, that a kernel without ropeproof_supports "
      "does not take, although its description covers them: DECLINED");
}

}  // namespace ropeproof::tools
