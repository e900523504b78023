#include "conformance/identify/identify.h"

#include <omp.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/check/diagnose.h"
#include "conformance/check/runner.h"
#include "conformance/check/variations.h"
#include "conformance/identify/angles.h"
#include "conformance/identify/channel_map.h"
#include "conformance/identify/frequencies.h"
#include "conformance/identify/readings.h"
#include "conformance/identify/shapes.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/format.h"
#include "conformance/text/word_tables.h"
#include "reference/rope.h"

namespace ropeproof::conformance::identify {
namespace {

using reference::Format;
using reference::Pairing;

// Positions are read no further than this: beyond, one f32 ulp of an angle is
// more than the noise of anything else.
constexpr double kFurthest = 131072;
constexpr std::uint32_t kTable = ROPEPROOF_TABLE;

// The place of a subject in reports: from what a kernel does to how exactly.
std::size_t place_of(const std::string& subject) {
  constexpr const char* kOrder[] = {
      "pairs",   "window",    "direction",  "frequencies",
      "scaling", "amplitude", "positions",  "rows and heads",
      "kept",    "angle",     "cos and sin"};
  return static_cast<std::size_t>(std::ranges::find(kOrder, subject) -
                                  std::begin(kOrder));
}

// Goldens of small problems: threads would cost more than they save.
class OneThread {
 public:
  OneThread() : threads_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(threads_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int threads_;
};

class Identifier {
 public:
  explicit Identifier(plugin::Kernel& kernel)
      : prober_(kernel), kernel_(kernel.description()) {
    found_.kernel = kernel_;
    max_position_ =
        kernel_.max_position > 0
            ? std::min(static_cast<double>(kernel_.max_position), kFurthest)
            : kFurthest;
    for (const std::uint32_t operation :
         {ROPEPROOF_ROPE, ROPEPROOF_ROTATE, ROPEPROOF_LOOKUP}) {
      if ((kernel_.operations & operation) != 0) {
        operation_ = operation;
        break;
      }
    }
  }

  Identified run(cases::Corpus* asked) {
    read_maps();
    read_windows();
    read_angles();
    read_all_roundings();
    add_kept();
    cases::Corpus corpus =
        problems_of_every_kind(prober_, any_operation(), wanted(), variations_);
    diagnose(corpus);
    if (asked != nullptr) *asked = std::move(corpus);
    found_.calls = prober_.calls();
    found_.trouble = prober_.trouble();
    std::ranges::stable_sort(found_.findings, {}, [](const Finding& f) {
      return std::pair{f.standing, place_of(f.subject)};
    });
    return std::move(found_);
  }

 private:
  void add(Finding finding) { found_.findings.push_back(std::move(finding)); }
  void add_all(std::vector<Finding> findings) {
    for (Finding& finding : findings) add(std::move(finding));
  }
  void add_unseen(std::string subject, std::string why) {
    add({Standing::kUnseen, std::move(subject), std::move(why), ""});
  }

  // One token in the pairing of the main map, else in any; and the first that
  // is taken of those as large as the main map's.
  cases::Problem wanted() const {
    cases::Problem w;
    w.dtype = dtypes_of(kernel_).front();
    w.spec.layout = {kWhole, kWhole, 0, Pairing::kHalfSplit};
    if (main_) {
      w.spec.layout.pairing = main_->problem.spec.layout.pairing;
    } else if (!pairings_of(kernel_).empty()) {
      w.spec.layout.pairing = pairings_of(kernel_).front();
    }
    w.batch = w.seq = 1;
    w.positions = {1};
    return w;
  }
  std::uint32_t any_operation() const {
    return operation_ != 0 ? operation_ : kTable;
  }
  std::optional<cases::Case> like_main(const cases::Problem& w,
                                       Heads heads = Heads::kOne) {
    auto c = shaped(prober_, operation_, w, heads);
    if (c && c->problem.spec.layout.head_dim !=
                 main_->problem.spec.layout.head_dim) {
      c.reset();
    }
    return c;
  }

  // Reads a map of each pairing, at a position at which every pair rotates.
  void read_maps() {
    if (operation_ == 0) {
      add_unseen("pairs", "the kernel rotates nothing");
      return;
    }
    for (const Pairing pairing : pairings_of(kernel_)) {
      cases::Problem w = wanted();
      w.spec.layout.pairing = pairing;
      w.positions = {std::min(5.0, max_position_)};
      const std::string word = text::word(text::kPairingWords, pairing);
      const auto c = shaped(prober_, operation_, w);
      auto map = c ? read_map(prober_, operation_, *c) : std::nullopt;
      if (!map) {
        add_unseen("pairs",
                   word + (c ? ": the calls failed"
                             : ": no problem of a usual size is taken"));
        continue;
      }
      const reference::Layout& layout = c->problem.spec.layout;
      const std::int64_t due = pairs_as_due(*map, layout);
      const bool is_due = due == c->problem.pairs();
      Finding f{Standing::kDeclared, "pairs", pairing_words(*map, layout),
                text::part_of(due, c->problem.pairs()) + " pairs"};
      if (!is_due) {
        f.standing = Standing::kDiffers;
        f.seen = "where " + word + " is asked: " + f.seen;
        f.evidence += ", one token";
      }
      add_rest(*map, f);
      add(f);
      if (!main_ || (is_due && main_due_ < due)) {
        main_ = *c;
        main_map_ = std::move(map);
        main_due_ = due;
      }
    }
  }

  // Channels that do not rotate though they should.
  static void add_rest(const ChannelMap& map, Finding& f) {
    const auto note = [&](const char* what,
                          const std::vector<std::int64_t>& list) {
      if (list.empty()) return;
      f.standing = Standing::kDiffers;
      f.seen += std::string("; ") + what + " channels " + channels_text(list);
    };
    note("unrotated", map.copied);
    note("lost", map.lost);
    note("unwritten", map.unwritten);
    note("tangled", map.tangled);
    std::vector<std::int64_t> scaled, bent;
    for (const Moved& m : map.moved) scaled.push_back(m.from);
    for (const SeenPair& pair : map.pairs) {
      if (!pair.rotates) bent.push_back(pair.u);
    }
    note("only multiplied or moved", scaled);
    note("mixed, but not by a rotation", bent);
  }

  void read_windows() {
    if (operation_ == 0) return;
    if ((kernel_.features & ROPEPROOF_PARTIAL) != 0) {
      read_window(0);
    }
    if ((kernel_.features & ROPEPROOF_WINDOW_OFFSET) != 0) {
      read_window(kQuarter);
    }
  }

  void read_window(std::int64_t offset) {
    cases::Problem w = wanted();
    w.spec.layout.rotary_dim = kHalf;
    w.spec.layout.rotary_offset = offset;
    w.positions = {std::min(5.0, max_position_)};
    auto c = shaped(prober_, operation_, w);
    if (!c) return;
    // One that reaches beyond the window shows there.
    if (operation_ == ROPEPROOF_ROPE &&
        (kernel_.features & ROPEPROOF_AMPLITUDE) != 0) {
      c->problem.spec.frequencies.amplitude = c->golden.amplitude = 1.25;
    }
    auto map = read_map(prober_, operation_, *c);
    if (!map) return;
    const reference::Layout& layout = c->problem.spec.layout;
    const std::int64_t due = pairs_as_due(*map, layout),
                       outside = layout.head_dim - layout.rotary_dim,
                       copied = std::ssize(map->copied);
    const std::int64_t last = layout.rotary_offset + layout.rotary_dim - 1;
    const std::string asked =
        "channels " + std::to_string(layout.rotary_offset) + " to " +
        std::to_string(last) + " of " + std::to_string(layout.head_dim);
    Finding f{Standing::kDeclared, "window",
              asked + " rotate, the others are copied",
              text::part_of(due, c->problem.pairs()) + " pairs, " +
                  text::part_of(copied, outside) + " copies"};
    if (due != c->problem.pairs() || copied != outside) {
      f.standing = Standing::kDiffers;
      f.seen = "where " + asked + " are asked: " + pairing_words(*map, layout);
      const auto is_outside = [&](std::int64_t t) {
        return t < layout.rotary_offset || t > last;
      };
      const auto multiplied = std::ranges::find_if(
          map->moved,
          [&](const Moved& m) { return is_outside(m.from) && m.from == m.to; });
      if (multiplied != map->moved.end()) {
        f.seen += "; channel " + std::to_string(multiplied->from) + " x " +
                  number_words(multiplied->times);
      }
      std::erase_if(map->copied, is_outside);
      add_rest(*map, f);
    }
    add(f);
  }

  std::optional<RotationReader> reader_for(const cases::Case& c) {
    if (operation_ == ROPEPROOF_ROPE && main_map_) {
      return RotationReader(prober_, c, main_map_);
    }
    if ((kernel_.operations & ROPEPROOF_TABLE) == 0) return std::nullopt;
    return RotationReader(prober_, c, std::nullopt);
  }

  // The main map's problem, at one token and of another base.
  std::optional<cases::Case> rotating_case(double base) {
    cases::Problem w = wanted();
    w.spec.frequencies.base = base;
    return shaped(prober_, operation_ == ROPEPROOF_ROPE ? operation_ : kTable,
                  w);
  }

  void read_angles() {
    if ((kernel_.operations & plugin::kAngles) == 0) {
      add_unseen("frequencies", "cos and sin are given to this kernel");
      return;
    }
    const MakeReader make_reader = [this](const cases::Case& c) {
      return reader_for(c);
    };
    const auto plain = rotating_case(1e4);
    std::vector<BaseReading> readings;
    for (const double base : {1e4, 5e5}) {
      const auto c = rotating_case(base);
      auto reader = c ? reader_for(*c) : std::nullopt;
      if (!reader) continue;
      const auto speeds = read_speeds(*reader, max_position_);
      if (!speeds || speeds->pairs.empty()) continue;
      found_.spectra.push_back({"base " + number_words(base), speeds->pairs});
      readings.emplace_back(*c, *speeds);
      if (readings.size() > 1) continue;
      read_with(make_reader, *reader, *speeds, readings[0].theta());
      if (main_map_ && operation_ == ROPEPROOF_ROPE) read_grid(*speeds);
    }
    if (readings.empty())
      add_unseen("frequencies", "no pair was seen to rotate");
    add_all(frequency_findings(readings,
                               kernel_.claim(plugin::abi_dtype(wanted().dtype)),
                               angle_is_of_exact_));
    if (!plain) return;
    add_all(read_scalings(prober_, make_reader, *plain, max_position_,
                          found_.spectra));
  }

  void read_with(const MakeReader& make_reader, RotationReader& reader,
                 const Speeds& speeds, const std::vector<double>& theta) {
    if (speeds.has_offset_of_its_own) return;
    Finding positions = read_positions(reader, speeds, max_position_);
    const bool is_as_given = positions.standing != Standing::kDiffers;
    add(std::move(positions));
    if (!is_as_given) {
      add_unseen("angle", "positions are not as given");
    } else if (auto angle = read_angle(reader, theta, speeds, max_position_)) {
      add(angle->finding);
      angle_is_of_exact_ = angle->is_of_exact;
    }
    if (auto table = read_table_type(reader)) add(*table);
    if ((kernel_.features & ROPEPROOF_AMPLITUDE) != 0) {
      add(read_amplitude(make_reader, reader));
    }
  }

  void read_grid(const Speeds& speeds) {
    cases::Problem w = wanted();
    w.seq = 5;
    for (const std::int64_t batch : {2, 1}) {
      w.batch = batch;
      if (const auto c = like_main(w, Heads::kMany)) {
        add(read_rows(prober_, *c, *main_map_, speeds, max_position_));
        return;
      }
    }
    add_unseen("rows and heads", "no such problem is taken");
  }

  void read_all_roundings() {
    if (operation_ == 0 || !main_map_) return;
    for (const Format dtype : dtypes_of(kernel_)) {
      cases::Problem w = wanted();
      w.dtype = dtype;
      if (const auto c = like_main(w)) {
        add(read_roundings(prober_, operation_, *c, *main_map_));
      }
    }
  }

  void add_kept() {
    const auto like = small_problem(prober_, any_operation(), wanted());
    if (!like) return;
    variations_ =
        check::variations_of(prober_.kernel(), any_operation(), *like);
    add(read_kept(prober_, any_operation(), variations_));
  }

  void diagnose(const cases::Corpus& corpus) {
    if (prober_.has_given_up() || corpus.groups[0].rope_cases.empty()) return;
    check::Selection selection;
    selection.values_only = true;
    const check::Run run =
        check::run_suite(prober_.kernel(), corpus, selection);
    for (const check::Check& check : run.checks) {
      if (!check::is_judged(check.verdict)) continue;
      ++found_.asked;
      found_.right += check.verdict == check::Verdict::kPass ? 1 : 0;
    }
    found_.diagnoses = check::diagnose(run, corpus);
  }

  Prober prober_;
  const plugin::Description& kernel_;
  Identified found_;
  double max_position_ = 0;
  std::uint32_t operation_ = 0;
  std::optional<cases::Case> main_;
  std::optional<ChannelMap> main_map_;
  std::int64_t main_due_ = 0;
  bool angle_is_of_exact_ = false;
  std::vector<check::Variation> variations_;
};

}  // namespace

bool Identified::is_as_declared() const {
  return trouble.empty() && diagnoses.empty() && right == asked &&
         std::ranges::none_of(findings, [](const Finding& f) {
           return f.standing == Standing::kDiffers;
         });
}

Identified identify(plugin::Kernel& kernel, cases::Corpus* asked) {
  const OneThread one;
  return Identifier(kernel).run(asked);
}

}  // namespace ropeproof::conformance::identify
