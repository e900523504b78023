// ropeproof weights: checkpoints of one model, held against each other.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/text/file.h"
#include "conformance/text/one_line.h"
#include "conformance/text/sha256.h"
#include "conformance/text/word_tables.h"
#include "conformance/weights/compare.h"
#include "conformance/weights/others.h"
#include "conformance/weights/permute.h"
#include "tools/commands.h"
#include "tools/profile_flags.h"
#include "tools/progress.h"
#include "tools/weights_flags.h"

namespace ropeproof::tools {
namespace {

namespace fs = std::filesystem;
using reference::Pairing;
using weights::Attention;
using weights::Checkpoint;
using weights::Direction;

constexpr text::Words<Direction, 3> kExpectWords{
    {{Direction::kNone, "equal"},
     {Direction::kToInterleaved, "to_interleaved"},
     {Direction::kToHalfSplit, "to_half_split"}}};

constexpr text::Words<weights::FileFormat, 4> kFormatWords{
    {{weights::FileFormat::kSafetensors, "safetensors"},
     {weights::FileFormat::kGguf, "GGUF"},
     {weights::FileFormat::kTorch, "torch"},
     {weights::FileFormat::kNumpy, "NumPy"}}};

void add_attention_flags(CLI::App& command, WeightsOptions& options) {
  weights::AttentionFlags& flags = options.flags;
  command.add_option("--config", flags.config,
                     "config.json of the model; else that beside the "
                     "checkpoint, or the values of a GGUF");
  const CLI::Range positive(std::int64_t{1}, std::int64_t{1} << 20);
  command.add_option("--heads", flags.heads, "heads of q")->check(positive);
  command.add_option("--kv-heads", flags.kv_heads, "heads of k and v")
      ->check(positive);
  command.add_option("--head-dim", flags.head_dim)->check(positive);
  command.add_option("--rotary-dim", flags.rotary_dim)->check(positive);
  command
      .add_option("--rotary-offset", flags.rotary_offset,
                  "the first rotary channel of a head")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 20));
  command.add_option("--vectors", options.vectors,
                     "folder whose models/ has the tables of names and types");
}

std::string kind_of(const Checkpoint& checkpoint) {
  return text::word(kFormatWords, checkpoint.format) + ", " +
         std::to_string(checkpoint.tensors.size()) + " tensors in " +
         std::to_string(checkpoint.files.size()) +
         (checkpoint.files.size() == 1 ? " file" : " files");
}

int compare_weights(const WeightsOptions& options) {
  const fs::path models = options.vectors / "models";
  const weights::RoleTable table(models);
  const Checkpoint a = weights::open_checkpoint(options.a);
  const Checkpoint b = weights::open_checkpoint(options.b);
  const Attention of_a = weights::read_attention(a, options.flags, models);
  const Attention of_b = weights::read_attention(b, options.flags, models);
  const auto pairing_a = weights::pairing_of(a, table, of_a);
  const auto pairing_b = weights::pairing_of(b, table, of_b);
  std::optional<Direction> expected;
  std::string reason;
  // Two checkpoints of one library may be permuted or not, as somebody likes.
  if (pairing_a && pairing_b &&
      (pairing_a != pairing_b || a.format != b.format)) {
    expected = pairing_a == pairing_b ? Direction::kNone
                                      : weights::direction_to(*pairing_b);
    reason = "what the names, configuration or architecture of both mean";
  }
  if (!options.expect.empty()) {
    expected = parse_word("--expect", kExpectWords, options.expect);
    reason = "--expect";
  }
  ProgressLine line(STDERR_FILENO, "layers");
  weights::Comparison result = weights::compare(
      a, b, table, of_a.source.empty() ? of_b : of_a, expected, reason,
      [&](std::size_t done, std::size_t all) { line.show(done, all, "read"); });
  if (options.is_all) {
    ProgressLine tensors(STDERR_FILENO, "tensors");
    for (weights::Finding& finding : weights::compare_others(
             a, b, table, [&](std::size_t done, std::size_t all) {
               tensors.show(done, all, "read");
             })) {
      result.findings.push_back(std::move(finding));
    }
  }
  line.erase();
  if (options.is_json) {
    std::cout << weights::json_of(result);
    return result.exit_status();
  }
  const auto print = [](const char* name, const Checkpoint& checkpoint,
                        const std::optional<Pairing>& pairing) {
    std::cout << "  " << name << "        " << checkpoint.path.string() << " ("
              << kind_of(checkpoint)
              << (pairing ? ", " + text::word(*pairing) : "") << ")\n";
  };
  print("A", a, pairing_a);
  print("B", b, pairing_b);
  if (!expected && pairing_a && pairing_b &&
      result.direction != Direction::kNone) {
    std::cout << "  note     the names or configurations of both mean "
              << text::word(*pairing_a)
              << "; --expect equal holds them to that\n";
  }
  std::cout << weights::text_of(result);
  return result.exit_status();
}

// What permute and verify share.
struct Permutation {
  explicit Permutation(const WeightsOptions& options)
      : in(weights::open_checkpoint(options.a)) {
    if (in.format == weights::FileFormat::kTorch ||
        in.format == weights::FileFormat::kNumpy) {
      throw std::invalid_argument(
          options.a + ": safetensors and GGUF are permuted; save it as one");
    }
    const fs::path models = options.vectors / "models";
    const weights::RoleTable table(models);
    const Attention attention =
        weights::read_attention(in, options.flags, models);
    const Pairing to = parse_word("--to", kToWords, options.to);
    auto from = weights::pairing_of(in, table, attention);
    if (!options.from.empty()) {
      from = parse_word("--from", kToWords, options.from);
    }
    if (!from) {
      throw std::invalid_argument(
          options.a + ": its pairing is not known; name it by --from");
    }
    if (*from == to) {
      throw std::invalid_argument(options.a + ": is " + options.to +
                                  " already; --from says otherwise");
    }
    direction = weights::direction_to(to);
    moves = weights::plan(in, table, attention, direction);
  }

  // Reads `out` back. Returns what is wrong, or an empty text.
  std::string fault(const fs::path& out) const {
    ProgressLine line(STDERR_FILENO, "MiB");
    return weights::difference(in, weights::open_checkpoint(out), moves,
                               [&](std::uint64_t done, std::uint64_t all) {
                                 line.show(done >> 20, all >> 20, "read back");
                               });
  }

  std::string text() const {
    return std::to_string(moves.size()) + " of " +
           std::to_string(in.tensors.size()) + " tensors " +
           text::word(weights::kDirectionWords, direction) +
           ", all other bytes the same";
  }

  Checkpoint in;
  Direction direction{};
  weights::Moves moves;
};

// A folder that another run left may hold files of another plan.
void claim_part(const fs::path& note, const std::string& plan) {
  if (fs::exists(note)) {
    if (text::read_file(note) == plan) return;
    throw std::invalid_argument(note.parent_path().string() +
                                " is left of another run; remove it");
  }
  std::ofstream(note) << plan;
}

// Writes the digests of the files of a checkpoint, as sha256sum does.
void write_checksums(const Checkpoint& checkpoint, const fs::path& file) {
  std::ofstream out(file);
  std::vector<char> piece(std::size_t{4} << 20);
  for (const weights::InputFile& each : checkpoint.files) {
    std::uint64_t at = 0;
    const auto digest = text::sha256_of([&] {
      const std::size_t n =
          std::min<std::uint64_t>(piece.size(), each.size() - at);
      each.read(at, std::as_writable_bytes(std::span(piece).first(n)));
      at += n;
      return std::string_view(piece.data(), n);
    });
    out << digest << "  " << each.path().string() << "\n";
  }
  if (!out.flush()) {
    throw std::invalid_argument(file.string() + ": cannot be written");
  }
}

// What is written has another name until it is whole and proved.
void publish(const fs::path& part, const fs::path& out) {
  const auto refuse = [&](const std::string& what) {
    throw std::invalid_argument(out.string() + ": " + what +
                                "; what was written is " + part.string());
  };
  // A link, unlike a rename, replaces nothing.
  std::error_code error;
  if (!fs::is_directory(part)) {
    fs::create_hard_link(part, out, error);
    if (!error) {
      fs::remove(part);
      return;
    }
  }
  if (fs::exists(out)) refuse("is there already");
  fs::rename(part, out, error);
  if (error) refuse(error.message());
}

int permute_weights(const WeightsOptions& options) {
  const Permutation permutation(options);
  fs::path out = fs::path(options.b).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  if (fs::exists(out)) {
    throw std::invalid_argument(options.b +
                                " is there already; name another one");
  }
  fs::path part = out;
  part += ".part";
  const bool is_folder =
      !permutation.in.index.empty() || fs::is_directory(permutation.in.path);
  const bool was_there = fs::exists(part);
  const fs::path note = part / "ropeproof.txt";
  if (is_folder) {
    fs::create_directories(part);
    std::string plan = fs::canonical(options.a).string() + "\n";
    for (const auto& [name, move] : permutation.moves) {
      plan += name + " " + std::to_string(move.map.size()) + "\n";
    }
    claim_part(note, options.to + "\n" + plan);
  } else if (fs::is_directory(part)) {
    throw std::invalid_argument(part.string() + " is a folder; remove it");
  }
  try {
    ProgressLine line(STDERR_FILENO, "MiB");
    weights::write_permuted(permutation.in, permutation.moves, part,
                            [&](std::uint64_t done, std::uint64_t all) {
                              line.show(done >> 20, all >> 20, "written");
                            });
  } catch (const weights::CheckpointError&) {
    if (!was_there) fs::remove_all(part);
    throw;
  }
  if (!options.is_unverified) {
    const std::string fault = permutation.fault(part);
    if (!fault.empty()) {
      throw std::runtime_error(part.string() + " is not what was written: " +
                               fault + "; remove it and try again");
    }
  }
  if (is_folder) fs::remove(note);
  publish(part, out);
  if (!options.checksums.empty()) {
    write_checksums(weights::open_checkpoint(out), options.checksums);
  }
  std::cout << out.string() << ": " << permutation.text()
            << (options.is_unverified ? "" : "; read back") << "\n";
  return 0;
}

int verify_weights(const WeightsOptions& options) {
  const Permutation permutation(options);
  const std::string fault = permutation.fault(options.b);
  if (fault.empty()) {
    std::cout << "RIGHT  " << permutation.text() << "\n";
    return 0;
  }
  std::cout << "WRONG  " << text::printable(fault) << "\n"
            << "  try `ropeproof weights compare`, which says how\n";
  return 1;
}

}  // namespace

Command add_weights(CLI::App& app) {
  auto options = std::make_shared<WeightsOptions>();
  CLI::App* command = app.add_subcommand(
      "weights", "hold converted checkpoints against each other");
  command->require_subcommand(1);
  CLI::App* compare = command->add_subcommand(
      "compare",
      "say which of q, k and v are equal, permuted for the other pairing, or "
      "wrong, and how");
  compare->add_option("a", options->a, "safetensors, GGUF, or a folder")
      ->required();
  compare->add_option("b", options->b, "what was made of it")->required();
  compare->add_option("--expect", options->expect,
                      "equal, to_interleaved or to_half_split");
  compare->add_flag("--all", options->is_all,
                    "all other tensors, too: experts, feed-forward, "
                    "embeddings; reads all of both");
  compare->add_flag("--json", options->is_json, "one JSON object");
  add_attention_flags(*compare, *options);
  CLI::App* permute = command->add_subcommand(
      "permute", "write a checkpoint for the other pairing, bit for bit");
  CLI::App* verify = command->add_subcommand(
      "verify", "read back what permute wrote, and prove it");
  for (CLI::App* each : {permute, verify}) {
    each->add_option("in", options->a, "safetensors, GGUF, or a folder")
        ->required();
    each->add_option(
            "out", options->b,
            each == permute ? "what is not there yet" : "what was made of it")
        ->required();
    each->add_option("--to", options->to, "interleaved or half_split")
        ->required();
    each->add_option("--from", options->from,
                     "where names and configuration do not say it");
    add_attention_flags(*each, *options);
  }
  CLI::App* prove = command->add_subcommand(
      "prove",
      "form scores q.k of a layer under two pairings, and hold them together");
  prove->add_option("config", options->flags.config, "config.json of the model")
      ->required();
  prove->add_option("checkpoint", options->a)->required();
  prove->add_option("--against", options->b,
                    "another; else the same one, permuted in memory");
  prove->add_option("--layer", options->layer)
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 20));
  prove->add_option("--positions", options->positions)->delimiter(',');
  prove->add_option("--from", options->from, "pairing of the checkpoint");
  prove->add_option("--to", options->to, "pairing of the other");
  prove->add_option("--vectors", options->vectors);
  permute->add_option("--checksums", options->checksums,
                      "write the SHA-256 of each file, as sha256sum does");
  permute->add_flag("--no-verify", options->is_unverified,
                    "do not read back what was written");
  return {command, [=] {
            if (permute->parsed()) return permute_weights(*options);
            if (verify->parsed()) return verify_weights(*options);
            if (prove->parsed()) return prove_weights(*options);
            return compare_weights(*options);
          }};
}

}  // namespace ropeproof::tools
