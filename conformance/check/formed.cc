#include "conformance/check/formed.h"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "conformance/cases/draw.h"
#include "conformance/check/choices.h"
#include "conformance/check/offered.h"
#include "conformance/cover/form.h"
#include "conformance/cover/values.h"
#include "reference/golden.h"

namespace ropeproof::conformance::check {
namespace {

// Weights are trained for one of two pairings, and served in the other.
reference::Layout trained_layout(reference::Layout layout) {
  using reference::Pairing;
  const bool is_read_interleaved =
      layout.pairing == Pairing::kInterleaved ||
      layout.pairing == Pairing::kInterleavedToHalf;
  layout.pairing =
      is_read_interleaved ? Pairing::kInterleaved : Pairing::kHalfSplit;
  layout.blocks = 1;
  if (layout.pair_distance > 0) {
    const std::int64_t between = layout.pair_distance - layout.rotary_dim / 2;
    const bool has_tail =
        layout.head_dim > layout.rotary_offset + layout.rotary_dim + between;
    // An odd head stays odd, an even one even.
    layout.head_dim -= between - (has_tail ? between % 2 : 0);
  }
  layout.pair_distance = 0;
  return layout;
}

std::string_view kind_of(std::string_view id) {
  for (const std::string_view kind :
       {"pairs-", "triples-", "shapes-", "fresh"}) {
    if (id.starts_with(kind)) return kind;
  }
  return {};
}

}  // namespace

cases::PermuteCase permute_of(const cases::RopeCase& c, std::uint64_t seed) {
  return cover::permute_case(c.dtype, trained_layout(c.spec.layout), c.q_heads,
                             c.seq, seed);
}

void fill_stand_ins(cases::RopeCase& c) {
  for (const cases::GoldenTensor& golden : cases::goldens_of(c)) {
    const bool is_output = golden.hi == &cases::RopeCase::q_out ||
                           golden.hi == &cases::RopeCase::k_out;
    if (golden.is_present && !is_output) {
      (c.*golden.bits)
          .assign(static_cast<std::size_t>(golden.rows * golden.row), 0);
    }
  }
  c.amplitude = c.spec.frequencies.amplitude;
  std::map<std::vector<double>, std::size_t> numbers;
  for (std::int64_t t = 0; t < c.tokens() && !c.cos.empty(); ++t) {
    std::vector<double> positions;
    for (std::int64_t axis = 0; axis < c.spec.axes.count; ++axis) {
      positions.push_back(c.position(axis, t));
    }
    const std::size_t number =
        numbers.try_emplace(positions, numbers.size()).first->second;
    const auto first = static_cast<std::size_t>(t * c.pairs());
    // Two digits, each exact in every table type.
    c.cos[first] = std::bit_cast<std::uint64_t>(double(number % 256));
    c.sin[first] = std::bit_cast<std::uint64_t>(double(number / 256));
  }
}

std::vector<cover::FormedCase> formed_cases(plugin::Kernel& kernel,
                                            const Selection& selection) {
  const bool has_chosen = !selection.cases.empty();
  const cases::RopeCase* const like = selection.model.get();
  if (selection.arrays == nullptr ||
      (!selection.profile.empty() && like == nullptr) ||
      (selection.tier == "smoke" && !has_chosen)) {
    return {};
  }
  const plugin::Description description = asked_description(kernel, selection);
  const std::uint32_t operation = main_operation(description);
  const cover::Model& model = selection.arrays->model;
  const auto takes = [&](const cover::Row& row) {
    if (!kernel.has_supports()) return true;
    cases::RopeCase c = cover::outline(cover::question_of(model, row),
                                       cover::seed_of(row, selection.seed),
                                       description.max_position, like);
    fill_stand_ins(c);
    return !missing_feature(description, operation, c, kernel.shares_memory())
                .empty() ||
           !declines(kernel, operation, c);
  };
  const bool with_triples =
      selection.tier == "full" ||
      std::ranges::any_of(selection.cases, [](const std::string& id) {
        return is_formed(id) && !id.starts_with("pairs-");
      });
  std::vector<cover::FormedCase> formed = cover::formed_cases(
      *selection.arrays, description, kernel.shares_memory(), with_triples,
      selection.seed, takes, like);
  // A row of both arrays is one question.
  std::set<std::uint64_t> seeds;  // of rows
  std::erase_if(formed, [&](const cover::FormedCase& c) {
    return !seeds.insert(c.seed).second;
  });
  if (selection.seed != 0) {
    cases::Draw draw(selection.seed);
    for (std::size_t i = formed.size(); i > 1; --i) {
      const auto other = draw.between(0, static_cast<std::int64_t>(i) - 1);
      std::swap(formed[i - 1], formed[static_cast<std::size_t>(other)]);
    }
  }
  return formed;
}

plugin::Description asked_description(const plugin::Kernel& kernel,
                                      const Selection& selection) {
  plugin::Description description = kernel.description();
  std::int64_t& most = description.max_position;
  if (selection.model != nullptr &&
      (most == 0 || most > selection.model_positions)) {
    most = selection.model_positions;
  }
  return description;
}

bool is_formed(const std::string& id) { return !kind_of(id).empty(); }

bool may_be_idle(const std::string& pattern,
                 const std::vector<std::string>& ids) {
  const std::string_view kind = kind_of(pattern);
  return !kind.empty() && std::ranges::none_of(ids, [&](const std::string& id) {
    return id.starts_with(kind);
  });
}

// Threads of OpenMP would spin while the kernel is called.
Forming::Forming(std::vector<const cover::FormedCase*> formed,
                 const plugin::Description& description)
    : cases_(std::move(formed)),
      max_position_(description.max_position),
      rotates_((description.operations & ~std::uint32_t{ROPEPROOF_PERMUTE}) !=
               0),
      permutes_((description.operations & ROPEPROOF_PERMUTE) != 0),
      formed_(cases_.size()) {
  const auto most = static_cast<std::size_t>(omp_get_max_threads());
  while (threads_.size() < std::min(most, cases_.size())) {
    threads_.emplace_back(&Forming::form_some, this);
  }
}

Forming::~Forming() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  is_taken_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

FormedQuestion Forming::next() {
  std::unique_lock lock(mutex_);
  Formed& one = formed_.at(taken_);
  is_done_.wait(lock, [&] { return one.is_done(); });
  ++taken_;
  if (one.question) elements_ -= one.question->rope.elements();
  is_taken_.notify_all();
  if (one.failure) std::rethrow_exception(one.failure);
  FormedQuestion question = std::move(*one.question);
  one.question.reset();
  return question;
}

void Forming::form_some() {
  omp_set_num_threads(1);  // of this thread's loops
  std::unique_lock lock(mutex_);
  for (;;) {
    is_taken_.wait(
        lock, [&] { return ends_ || begun_ == cases_.size() || may_begin(); });
    if (ends_ || begun_ == cases_.size()) return;
    const std::size_t number = begun_++;
    lock.unlock();
    Formed one;
    try {
      one.question = form(*cases_[number]);
    } catch (...) {
      one.failure = std::current_exception();
    }
    lock.lock();
    if (one.question) elements_ += one.question->rope.elements();
    formed_[number] = std::move(one);
    is_done_.notify_all();
  }
}

FormedQuestion Forming::form(const cover::FormedCase& one) const {
  FormedQuestion question{
      rotates_ ? cover::form(one, max_position_, reference::best_oracle())
               : cover::outline(one, max_position_),
      std::nullopt};
  if (permutes_) {
    question.permute = permute_of(question.rope, one.seed);
    question.permute->id = question.rope.id;
    question.permute->comment = question.rope.comment;
  }
  return question;
}

}  // namespace ropeproof::conformance::check
