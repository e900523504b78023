#include "conformance/weights/collect.h"

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "conformance/weights/rows.h"

namespace ropeproof::conformance::weights {
namespace {

constexpr Part kParts[] = {Part::kQ, Part::kK, Part::kV, Part::kLatent};

using Slot = std::pair<std::int64_t, Kind>;  // a layer, and what of it

struct Named {
  const Tensor* tensor = nullptr;
  Role role;
};
using Slots = std::map<Slot, std::map<Part, Named>>;

Slots slots_of(const Checkpoint& checkpoint, const RoleTable& table) {
  Slots result;
  for (const Tensor& tensor : checkpoint.tensors) {
    const auto role = table.find(tensor.name);
    if (!role) continue;
    const auto [known, is_new] = result[{role->layer, role->kind}].emplace(
        role->part, Named{&tensor, *role});
    if (is_new) continue;
    checkpoint.files[tensor.file].fail(
        "\"" + known->second.tensor->name + "\" and \"" + tensor.name +
        "\" are both " + words_of(role->part, role->kind) + " of layer " +
        std::to_string(role->layer) + "; compare one model at a time");
  }
  return result;
}

// Gives tensors of unknown names the roles of those that have the same shape
// and, in any order, the same rows.
class Matcher {
 public:
  Matcher(const Checkpoint& known, const Checkpoint& unknown)
      : known_(known), unknown_(unknown) {}

  Slots take(const Slots& of_known) {
    Slots result;
    for (const auto& [slot, tensors] : of_known) {
      for (const auto& [part, named] : tensors) {
        const Tensor* const same = find(*named.tensor, slot.second);
        if (same == nullptr) continue;
        used_.insert(same);
        result[slot][part] = {same, {part, slot.second, slot.first, {}, {}}};
      }
    }
    return result;
  }

 private:
  const Tensor* find(const Tensor& known, Kind kind) {
    for (const Tensor& tensor : unknown_.tensors) {
      if (tensor.shape == known.shape && !used_.contains(&tensor) &&
          converts(known.type, tensor.type) &&
          sum(known_, known, kind, tensor.type) ==
              sum(unknown_, tensor, kind, tensor.type)) {
        return &tensor;
      }
    }
    return nullptr;
  }

  std::uint64_t sum(const Checkpoint& checkpoint, const Tensor& tensor,
                    Kind kind, const ElementType& type) {
    const auto [at, is_new] = sums_.emplace(std::pair(&tensor, type.name), 0);
    if (!is_new) return at->second;
    const auto rows = rows_of(tensor, kind);
    if (!rows) return 0;
    for (const std::uint64_t row : digests(checkpoint, tensor, *rows, type)) {
      at->second += row;
    }
    return at->second;
  }

  const Checkpoint &known_, &unknown_;
  std::set<const Tensor*> used_;
  std::map<std::pair<const Tensor*, std::string_view>, std::uint64_t> sums_;
};

constexpr FusedOrder other(FusedOrder order) {
  return order == FusedOrder::kBlocks ? FusedOrder::kHeads
                                      : FusedOrder::kBlocks;
}

// The tensors of a slot in one checkpoint, as digests.
class SlotRows {
 public:
  FusedOrder order = FusedOrder::kBlocks;

  SlotRows(const Checkpoint& checkpoint, const std::map<Part, Named>& tensors)
      : checkpoint_(checkpoint), tensors_(tensors) {
    if (is_fused()) order = fused().role.order.value_or(FusedOrder::kBlocks);
  }

  bool is_fused() const { return tensors_.contains(Part::kQkv); }
  bool has(Part part) const {
    return tensors_.contains(part) || (part != Part::kLatent && is_fused());
  }
  const Tensor& tensor(Part part) const {
    const auto own = tensors_.find(part);
    return *(own != tensors_.end() ? own->second : fused()).tensor;
  }
  bool is_named_order() const {
    return !is_fused() || !fused().role.order || *fused().role.order == order;
  }

  // Reads the tensor of a part, unless it was; in the type that `b` has for
  // it. Returns false where the types cannot be compared.
  bool read(Part part, Kind kind, const SlotRows& b) {
    const Tensor& own = tensor(part);
    const ElementType& type = b.tensor(part).type;
    const auto rows = rows_of(own, kind);
    if (!rows || !converts(own.type, type)) return false;
    const Part key = tensors_.contains(part) ? part : Part::kQkv;
    if (!digests_.contains(key)) {
      digests_[key] = digests(checkpoint_, own, *rows, type);
    }
    return true;
  }

  // Returns nothing where fused rows are not so many heads, or were not read.
  std::vector<std::uint64_t> rows(Part part, const Attention& attention) const {
    const auto own = digests_.find(part);
    if (own != digests_.end()) return own->second;
    const auto fused = digests_.find(Part::kQkv);
    if (fused == digests_.end()) return {};
    const auto& all = fused->second;
    const std::uint64_t heads = attention.heads;
    std::vector<std::uint64_t> result;
    for (const std::uint32_t row :
         rows_of_part(part, order, all.size(), heads,
                      attention.kv_heads == 0 ? heads : attention.kv_heads)) {
      result.push_back(all[row]);
    }
    return result;
  }

 private:
  const Named& fused() const { return tensors_.at(Part::kQkv); }

  const Checkpoint& checkpoint_;
  const std::map<Part, Named>& tensors_;
  std::map<Part, std::vector<std::uint64_t>> digests_;
};

// Takes the orders by which v is the same: its rows never move inside a head.
// By their names, if none does; of as good ones, that by which A has that of
// its name.
void choose_orders(SlotRows& a, SlotRows& b, const Attention& attention) {
  const auto named = std::pair(a.order, b.order);
  for (const unsigned i : {0u, 2u, 1u, 3u}) {
    a.order = (i & 1) == 0 ? named.first : other(named.first);
    b.order = (i & 2) == 0 ? named.second : other(named.second);
    const auto v = a.rows(Part::kV, attention);
    if (!v.empty() && v == b.rows(Part::kV, attention)) return;
  }
  std::tie(a.order, b.order) = named;
}

class Collector {
 public:
  explicit Collector(const Attention& attention) : attention_(attention) {}

  Collected take() { return std::move(result_); }

  void add(const Slot& slot, SlotRows a, SlotRows b) {
    for (const Part part : kParts) {
      if (a.has(part) == b.has(part)) continue;
      Finding finding = start(slot, part, a, b);
      finding.fault = a.has(part) ? "B has none" : "A has none";
      finding.advice = a.has(part) ? "convert it, too" : "leave it out of B";
      note(std::move(finding), Verdict::kWrong);
    }
    std::vector<Part> read;
    for (const Part part : kParts) {
      if (!a.has(part) || !b.has(part)) continue;
      if (a.read(part, slot.second, b) && b.read(part, slot.second, b)) {
        read.push_back(part);
        continue;
      }
      Finding finding = start(slot, part, a, b);
      finding.fault = std::string(a.tensor(part).type.name) + " in A, " +
                      std::string(b.tensor(part).type.name) + " in B";
      finding.advice = "compare before anything is quantised";
      note(std::move(finding), Verdict::kNotJudged);
    }
    if (a.is_fused() || b.is_fused()) choose_orders(a, b, attention_);
    for (const Part part : read) {
      add_part(start(slot, part, a, b), part, slot.second, a, b);
    }
  }

 private:
  static Finding start(const Slot& slot, Part part, const SlotRows& a,
                       const SlotRows& b) {
    Finding finding;
    finding.layer = slot.first;
    finding.what = words_of(part, slot.second);
    if (a.has(part)) finding.tensor_a = a.tensor(part).name;
    if (b.has(part)) finding.tensor_b = b.tensor(part).name;
    return finding;
  }

  void note(Finding finding, Verdict verdict) {
    finding.verdict = verdict;
    result_.findings.push_back(std::move(finding));
  }

  void add_part(Finding finding, Part part, Kind kind, const SlotRows& a,
                const SlotRows& b) {
    Compared compared{
        part, kind, a.rows(part, attention_), b.rows(part, attention_), {}};
    if (compared.a.empty() || compared.b.empty()) {
      finding.fault =
          "its rows are not of so many heads, or how many is not "
          "known";
      finding.advice = "name --config, or --heads and --kv-heads";
      return note(std::move(finding), Verdict::kNotJudged);
    }
    if (!(a.is_named_order() && b.is_named_order())) {
      const bool is_by_head = !b.is_named_order()
                                  ? b.order == FusedOrder::kHeads
                                  : a.order == FusedOrder::kHeads;
      finding.verdict = Verdict::kWrong;
      finding.fault = std::string("fused rows stand ") +
                      (is_by_head ? "head by head, not as all of q, k, v"
                                  : "as all of q, k, v, not head by head");
      finding.advice = "reorder the rows as its name has them";
    }
    result_.entries.push_back({std::move(finding), std::move(compared)});
  }

  const Attention& attention_;
  Collected result_;
};

// The tensor with a row for each token, if its rows are all in one file.
const Tensor* embedding_of(const Checkpoint& checkpoint,
                           const RoleTable& table) {
  for (const Tensor& tensor : checkpoint.tensors) {
    if (tensor.shards.empty() && !tensor.shape.empty() &&
        table.is_embedding(tensor.name)) {
      return &tensor;
    }
  }
  return nullptr;
}

void compare_vocabularies(const Checkpoint& a, const Checkpoint& b,
                          const RoleTable& table, Collected& result) {
  const Tensor* const of_a = embedding_of(a, table);
  const Tensor* const of_b = embedding_of(b, table);
  if (of_a == nullptr || of_b == nullptr || of_a->shape[0] == of_b->shape[0]) {
    return;
  }
  Finding finding;
  finding.layer = -1;
  finding.what = "vocabulary";
  finding.tensor_a = of_a->name;
  finding.tensor_b = of_b->name;
  finding.verdict = Verdict::kNotJudged;
  finding.fault = std::to_string(of_a->shape[0]) + " tokens in A, " +
                  std::to_string(of_b->shape[0]) + " in B";
  finding.advice = "see that both are one model; some converters add rows";
  result.findings.push_back(std::move(finding));
}

}  // namespace

Collected collect(
    const Checkpoint& a, const Checkpoint& b, const RoleTable& table,
    const Attention& attention,
    const std::function<void(std::size_t, std::size_t)>& progress) {
  Slots of_a = slots_of(a, table), of_b = slots_of(b, table);
  std::string names;
  if (of_a.empty() && !of_b.empty()) {
    of_a = Matcher(b, a).take(of_b);
    names = "those of A are unknown; matched by shape and rows";
  } else if (of_b.empty() && !of_a.empty()) {
    of_b = Matcher(a, b).take(of_a);
    names = "those of B are unknown; matched by shape and rows";
  }
  for (const auto& [slot, tensors] : of_a) of_b[slot];
  Collector collector(attention);
  std::size_t done = 0;
  for (const auto& [slot, tensors] : of_b) {
    if (progress) progress(done++, of_b.size());
    collector.add(slot, {a, of_a[slot]}, {b, tensors});
  }
  Collected result = collector.take();
  result.names = names;
  compare_vocabularies(a, b, table, result);
  return result;
}

}  // namespace ropeproof::conformance::weights
