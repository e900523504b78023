#include "conformance/weights/attention.h"

#include "conformance/models/config.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::weights {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using reference::Layout;
using reference::Pairing;

constexpr std::int64_t kMaxHeads = 1 << 20;

// A rotation that reads interleaved channels and writes half-split ones takes
// interleaved weights; one inside blocks has no counterpart.
std::optional<Pairing> pairing_of_weights(Pairing pairing) {
  if (pairing == Pairing::kNestedHalfSplit) return std::nullopt;
  return pairing == Pairing::kHalfSplit ? pairing : Pairing::kInterleaved;
}

json document_of(const fs::path& path) {
  try {
    return text::parse_json(text::read_file(path), path.string());
  } catch (const text::FileError& error) {
    throw CheckpointError(error.what());
  }
}

Attention of_config(const fs::path& path, const fs::path& models) {
  const json document = document_of(path);
  models::ConfigOptions options;
  options.types = models::load_types(models);
  options.allow_missing_lists = true;
  Attention result;
  result.source = path.string();
  const auto read = models::ropes_of_config(document, path.string(), options);
  for (const models::ModelRope& rope : read.ropes) {
    const Layout& layout = rope.spec.layout;
    if (layout.pair_distance != 0 || layout.blocks != 1) {
      throw CheckpointError(path.string() +
                            ": pairs of this model have no other layout");
    }
    result.layouts.push_back(layout);
    if (rope.pairing_is_known) {
      result.pairing = pairing_of_weights(layout.pairing);
    }
  }
  const auto described =
      models::models_of(document, path.string(), options.types);
  const models::ConfigObject& model = described.front().object;
  const auto count = [&](std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      if (model.has(key)) return model.need_integer(key, 1, kMaxHeads);
    }
    return std::int64_t{0};
  };
  result.heads = static_cast<std::uint64_t>(
      count({"num_attention_heads", "n_head", "n_heads"}));
  result.kv_heads = static_cast<std::uint64_t>(
      count({"num_key_value_heads", "num_kv_heads", "multi_query_group_num"}));
  const json* const multi = model.find("multi_query");
  const bool is_new = model.find("new_decoder_architecture") != nullptr &&
                      *model.find("new_decoder_architecture") == true;
  if (multi != nullptr && *multi == true && !is_new) result.kv_heads = 1;
  return result;
}

Attention of_params(const fs::path& path) {
  const json document = document_of(path);
  const auto number = [&](const char* key, std::int64_t otherwise) {
    if (!document.contains(key) && otherwise >= 0) return otherwise;
    const json value = document.value(key, json());
    if (!text::is_integer(value, 1, kMaxHeads)) {
      throw CheckpointError(path.string() + ": " + key +
                            ": expected an integer >= 1");
    }
    return value.get<std::int64_t>();
  };
  Attention result;
  result.source = path.string();
  const std::int64_t heads = number("n_heads", -1);
  result.heads = static_cast<std::uint64_t>(heads);
  result.kv_heads = static_cast<std::uint64_t>(number("n_kv_heads", heads));
  const std::int64_t d = number("head_dim", number("dim", -1) / heads);
  result.layouts = {reference::leading(d, d, Pairing::kInterleaved)};
  return result;
}

Attention of_gguf(const Checkpoint& checkpoint) {
  Attention result;
  const auto& values = checkpoint.metadata;
  const auto found = values.find("general.architecture");
  if (found == values.end() || !found->second.is_string()) return result;
  const std::string prefix = found->second.get<std::string>() + ".";
  const auto number = [&](const char* key) {
    const auto value = values.find(prefix + key);
    if (value == values.end() ||
        !text::is_integer(value->second, 1, kMaxHeads)) {
      return std::int64_t{0};
    }
    return value->second.get<std::int64_t>();
  };
  const std::int64_t heads = number("attention.head_count");
  if (heads == 0) return result;
  result.source = checkpoint.path.string();
  result.heads = static_cast<std::uint64_t>(heads);
  result.kv_heads =
      static_cast<std::uint64_t>(number("attention.head_count_kv"));
  std::int64_t d = number("attention.key_length_mla");
  if (d == 0) d = number("attention.key_length");
  if (d == 0) d = number("embedding_length") / heads;
  const std::int64_t r = number("rope.dimension_count");
  if (d < 2 || r > d || r % 2 != 0) return result;
  const bool is_latent = number("attention.kv_lora_rank") != 0;
  result.layouts = {is_latent ? reference::trailing(d, r, {})
                              : reference::leading(d, r == 0 ? d : r, {})};
  return result;
}

Attention of_files(const Checkpoint& checkpoint, const fs::path& models) {
  if (checkpoint.format == FileFormat::kGguf) return of_gguf(checkpoint);
  const fs::path folder = fs::is_directory(checkpoint.path)
                              ? checkpoint.path
                              : checkpoint.path.parent_path();
  if (fs::exists(folder / "config.json")) {
    return of_config(folder / "config.json", models);
  }
  if (fs::exists(folder / "params.json")) {
    return of_params(folder / "params.json");
  }
  return {};
}

}  // namespace

Attention read_attention(const Checkpoint& checkpoint,
                         const AttentionFlags& flags, const fs::path& models) {
  Attention result;
  if (!flags.config.empty()) {
    result = of_config(flags.config, models);
  } else if (flags.head_dim == 0) {
    result = of_files(checkpoint, models);
  }
  const bool is_flagged = flags.heads != 0 || flags.kv_heads != 0 ||
                          flags.head_dim != 0 || flags.rotary_dim != 0 ||
                          flags.rotary_offset >= 0;
  if (!is_flagged) return result;
  result.source += result.source.empty() ? "flags" : ", flags";
  if (flags.heads != 0) result.heads = static_cast<std::uint64_t>(flags.heads);
  if (flags.kv_heads != 0) {
    result.kv_heads = static_cast<std::uint64_t>(flags.kv_heads);
  }
  if (flags.head_dim != 0) {
    result.layouts = {
        reference::leading(flags.head_dim, flags.head_dim, Pairing{})};
  }
  if (flags.rotary_dim == 0 && flags.rotary_offset < 0) return result;
  if (result.layouts.empty()) {
    throw CheckpointError("--rotary-dim and --rotary-offset need --head-dim");
  }
  for (Layout& layout : result.layouts) {
    if (flags.rotary_dim != 0) layout.rotary_dim = flags.rotary_dim;
    if (flags.rotary_offset >= 0) layout.rotary_offset = flags.rotary_offset;
    if (layout.rotary_offset + layout.rotary_dim > layout.head_dim ||
        layout.rotary_dim % 2 != 0) {
      throw CheckpointError(
          "--rotary-dim and --rotary-offset: expected an even number of "
          "channels inside head_dim, " +
          std::to_string(layout.head_dim));
    }
  }
  return result;
}

std::optional<Pairing> pairing_of(const Checkpoint& checkpoint,
                                  const RoleTable& table,
                                  const Attention& attention) {
  const auto& values = checkpoint.metadata;
  const auto found = values.find("general.architecture");
  if (checkpoint.format == FileFormat::kGguf) {
    if (found == values.end() || !found->second.is_string()) return {};
    return table.pairing_of(found->second.get<std::string>());
  }
  for (const Tensor& tensor : checkpoint.tensors) {
    const auto role = table.find(tensor.name);
    if (role && role->pairing) return role->pairing;
  }
  return attention.pairing;
}

Heads heads_of(const Attention& attention, Part part, Kind kind,
               std::uint64_t rows) {
  Heads heads{rows, part == Part::kQ ? attention.heads : attention.kv_heads};
  if (heads.count == 0) heads.count = attention.heads;
  if (kind == Kind::kLoraA) return {rows, 0};
  if (part == Part::kLatent) heads.count = 1;
  const bool is_norm = kind == Kind::kNorm || kind == Kind::kNormBias;
  std::vector<Layout> layouts = attention.layouts;
  if (layouts.empty() && heads.count != 0 && rows % heads.count == 0 &&
      part != Part::kLatent && !is_norm) {
    const auto d = static_cast<std::int64_t>(rows / heads.count);
    if (d % 2 == 0) layouts = {reference::leading(d, d, Pairing{})};
  }
  for (Layout layout : layouts) {
    if (part == Part::kLatent) {
      layout.head_dim = static_cast<std::int64_t>(rows);
      layout.rotary_offset = layout.head_dim - layout.rotary_dim;
      if (layout.rotary_offset < 0) continue;
    }
    auto width = static_cast<std::uint64_t>(layout.head_dim);
    // Each head has its query, and as many channels of a gate.
    if (part == Part::kQ && !is_norm && rows == 2 * heads.count * width) {
      width *= 2;
      layout.head_dim *= 2;
    }
    if (rows % width != 0) continue;
    heads.layouts.push_back(layout);
  }
  if (!heads.layouts.empty()) {
    heads.count = rows / static_cast<std::uint64_t>(heads.layouts[0].head_dim);
  }
  return heads;
}

}  // namespace ropeproof::conformance::weights
