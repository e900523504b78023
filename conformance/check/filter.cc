#include "conformance/check/filter.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "conformance/check/formed.h"
#include "conformance/cover/recipes.h"
#include "conformance/plugin/abi_words.h"
#include "conformance/text/nearest.h"
#include "conformance/text/sha256.h"
#include "conformance/text/wildcard.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::check {

std::vector<Named> all_cases(const cases::Corpus& corpus,
                             std::span<const cover::Recipe> recipes) {
  std::vector<Named> all;
  for (const cases::Group& group : corpus.groups) {
    cases::for_each_case(group, [&](const auto& c) {
      all.push_back({c.id, group.tier});
    });
  }
  for (const cover::Recipe& r : recipes) all.push_back({r.id, r.tier});
  return all;
}

Filter::Filter(const std::vector<Named>& all, const Selection& selection)
    : tier_(selection.tier),
      ids_(selection.cases.begin(), selection.cases.end()),
      declined_(selection.declined) {
  std::set<std::string> unknown = ids_;
  std::set<std::string> idle(declined_.begin(), declined_.end());
  std::vector<std::string> ids;
  for (const Named& c : all) {
    ids.push_back(c.id);
    unknown.erase(c.id);
    std::erase_if(idle, [&](const std::string& pattern) {
      return text::matches(pattern, c.id);
    });
  }
  for (const std::string& id : unknown) {
    const auto kind = cover::kind_of_id(id);
    if (!kind) continue;
    throw std::invalid_argument(
        "no case \"" + id +
        "\" for this kernel: formed cases follow from what it declares" +
        (kind->is_fresh ? ", and from the seed after --fresh" : ""));
  }
  if (!unknown.empty()) {
    throw std::invalid_argument("no case \"" + *unknown.begin() +
                                "\"; nearest are " +
                                text::nearest(*unknown.begin(), ids) +
                                "; `ropeproof list` names them all");
  }
  std::erase_if(idle, [&](const std::string& pattern) {
    return may_be_idle(pattern, ids);
  });
  if (!idle.empty()) {
    throw std::invalid_argument("--decline \"" + *idle.begin() +
                                "\" matches no case; `ropeproof list` names "
                                "them all");
  }
  for (const std::string& text : selection.operations) {
    const auto operation = text::find_word(plugin::kOperationWords, text);
    if (!operation) {
      throw std::invalid_argument("unknown operation \"" + text +
                                  "\"; expected " +
                                  text::list_words(plugin::kOperationWords));
    }
    operations_ |= *operation;
  }
  if (operations_ == 0) operations_ = ~0u;
}

bool Filter::takes(cases::Tier tier, const std::string& id) const {
  if (!ids_.empty()) return ids_.contains(id);
  return tier <= tier_;
}

bool Filter::declines(const std::string& id) const {
  return std::ranges::any_of(declined_, [&](const std::string& pattern) {
    return text::matches(pattern, id);
  });
}

std::string Filter::operations() const {
  if (operations_ == ~0u) return "";
  return text::joined(text::words_of(plugin::kOperationWords, operations_),
                      ", ");
}

bool ShardPicker::takes(const std::string& id) {
  ids_ += id + "\n";
  if (!shard_.takes(count_++)) return false;
  dealt_.push_back(id);
  return true;
}

void ShardPicker::finish(Run& run) {
  run.shard = shard_;
  run.dealt = std::move(dealt_);
  run.cases_sha256 = text::sha256(ids_);
}

}  // namespace ropeproof::conformance::check
