// ropeproof show: one case, with its exact values in decimal, or one model.
#include <bit>
#include <iomanip>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "conformance/cases/corpus.h"
#include "conformance/cases/encoding_case.h"
#include "conformance/cases/prove.h"
#include "conformance/cases/summary.h"
#include "reference/format.h"
#include "reference/spec.h"
#include "tools/commands.h"

namespace ropeproof::tools {
namespace {

using cases::Bits;
using cases::Case;
using reference::Format;

// What a golden demands where it is no number.
std::string rule_of(std::uint64_t golden) {
  switch (golden) {
    case cases::kMustBeNan:
      return "NaN";
    case cases::kMustNotBeFinite:
      return "NaN or inf";
    case cases::kMustBePlusInfinity:
      return "+inf";
    case cases::kMustBeMinusInfinity:
      return "-inf";
    default:
      return {};
  }
}

// One line per row of `width` numbers; 9 digits are enough to read by.
void print_rows(const std::string& name, const Bits& bits, Format format,
                std::int64_t width) {
  std::cout << name << "\n";
  for (std::size_t i = 0; i < bits.size(); ++i) {
    std::cout << "  " << std::setw(16) << std::setprecision(9)
              << decode(format, bits[i]);
    if ((i + 1) % static_cast<std::size_t>(width) == 0) std::cout << "\n";
  }
}

// Goldens; those of an f64 case are sums hi + lo.
void print_goldens(const std::string& name, const Bits& hi, const Bits& lo,
                   std::int64_t width) {
  std::cout << name << "\n";
  for (std::size_t i = 0; i < hi.size(); ++i) {
    const std::string rule = rule_of(hi[i]);
    const double value = std::bit_cast<double>(hi[i]);
    if (!rule.empty()) {
      std::cout << "  " << std::setw(16) << rule;
    } else if (lo.empty()) {
      std::cout << "  " << std::setw(16) << std::setprecision(9) << value;
    } else {
      std::cout << "  (" << std::setprecision(17) << value << std::showpos
                << std::setprecision(4) << std::bit_cast<double>(lo[i])
                << std::noshowpos << ")";
    }
    if ((i + 1) % static_cast<std::size_t>(width) == 0) std::cout << "\n";
  }
}

template <class AnyCase>
void print_head(const cases::Group& group, const AnyCase& c) {
  std::cout << c.id << "  " << c.comment << "\n" << cases::summary(c) << "\n";
  for (const std::string& key : c.targets) {
    std::cout << "targets " << key << "  " << group.targets.at(key) << "\n";
  }
}

void print_printed(const Case& c) {
  const auto beyond = cases::beyond_tolerance(c);
  std::cout << "printed: " << c.printed->source << "\n"
            << (beyond.empty() ? "every printed decimal is within "
                               : "NOT every printed decimal is within ")
            << c.printed->tolerance << " of the exact value\n";
  for (const std::string& line : beyond) std::cout << "  " << line << "\n";
  std::cout << c.printed->errata.size()
            << " printed decimals are not the exact value, rounded:\n";
  for (const auto& e : c.printed->errata) {
    std::cout << "  " << e.tensor;
    for (const std::int64_t i : e.index) std::cout << "[" << i << "]";
    std::cout << " printed " << e.printed << ", correct " << e.correct << "\n";
  }
}

void show_permutation(const Case& c) {
  print_rows("in", c.problem.q, c.problem.dtype, c.problem.seq);
  print_rows("expected", c.golden.q, c.problem.dtype, c.problem.seq);
}

void show(const cases::Group& group, const Case& c) {
  print_head(group, c);
  if (c.problem.task == cases::Task::kPermute) {
    return show_permutation(c);
  }
  const std::int64_t d = c.problem.spec.layout.head_dim;
  std::cout << "certified at " << c.golden.precision_bits
            << " bits\npositions\n";
  for (std::size_t i = 0; i < c.problem.positions.size(); ++i) {
    std::cout << "  " << c.problem.positions[i];
    if ((i + 1) % static_cast<std::size_t>(c.problem.seq) == 0)
      std::cout << "\n";
  }
  const bool is_wide = c.problem.dtype == Format::kF64;
  print_goldens("inv_freq", c.golden.inv_freq_hi,
                is_wide ? c.golden.inv_freq_lo : Bits{}, c.problem.pairs());
  print_goldens("cos", c.golden.cos, c.golden.cos_lo, c.problem.pairs());
  print_goldens("sin", c.golden.sin, c.golden.sin_lo, c.problem.pairs());
  print_rows("q", c.problem.q, c.problem.dtype, d);
  print_goldens("q expected", c.golden.q, c.golden.q_lo, d);
  if (c.problem.k_heads > 0) {
    print_rows("k", c.problem.k, c.problem.dtype, d);
    print_goldens("k expected", c.golden.k, c.golden.k_lo, d);
  }
  if (c.printed) print_printed(c);
}

// A case that refers to others.
template <class AnyCase>
void show(const cases::Group& group, const AnyCase& c) {
  print_head(group, c);
}

void show(const cases::EncodingCase& c) {
  std::cout << c.id << "  " << c.comment << "\n"
            << cases::kEncodingNames[c.encoding.index()] << ", certified at "
            << c.precision_bits << " bits\npositions";
  for (const std::int64_t p : c.positions) std::cout << " " << p;
  std::cout << "\n";
  print_goldens("expected", c.values, {},
                reference::encodings::shape(c.encoding, c.positions).back());
}

int show_case(const std::string& id, const std::string& vectors) {
  bool found = false;
  for (const auto& group : cases::load_corpus(vectors).groups) {
    cases::for_each_case(group, [&](const auto& c) {
      if (c.id != id) return;
      show(group, c);
      found = true;
    });
  }
  for (const auto& c : cases::load_encodings(vectors)) {
    if (c.id != id) continue;
    show(c);
    found = true;
  }
  if (found) return 0;
  throw std::invalid_argument(
      "no case or model \"" + id +
      "\"; `ropeproof list` names the cases, `ropeproof list models` the "
      "models; what is formed for a kernel `ropeproof run --case` shows");
}

}  // namespace

Command add_show(CLI::App& app) {
  struct Options {
    std::string id;
    std::string vectors = default_vectors().string();
    ModelFlags model;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "show", "print one case, or the RoPE of a model, and its exact values");
  command
      ->add_option("what", options->id,
                   "id of a case or a model, or the path of a config.json")
      ->required();
  command->add_option("--vectors", options->vectors, "folder of vectors");
  command->add_option("--pairing", options->model.pairing,
                      "pairing of a model: interleaved, half_split, ...");
  command
      ->add_option("--seq-len", options->model.seq_len,
                   "length of a model that dynamic and longrope depend on")
      ->check(CLI::Range(std::int64_t{1}, reference::kMaxPosition));
  command->add_option("--svg", options->model.svg,
                      "write the spectrum of a model as a picture");
  command->add_flag("--json", options->model.json,
                    "print the RoPE of a model for programs");
  return {command, [options] {
            if (show_model(options->id, options->vectors, options->model)) {
              return 0;
            }
            if (options->model.any()) {
              throw std::invalid_argument(
                  "--pairing, --seq-len, --svg and --json are for models; \"" +
                  options->id + "\" is none");
            }
            return show_case(options->id, options->vectors);
          }};
}

}  // namespace ropeproof::tools
