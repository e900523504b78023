#include <numeric>

#include "conformance/weights/permute.h"

namespace ropeproof::conformance::weights {
namespace {

class Planner {
 public:
  Planner(const Checkpoint& checkpoint, const Attention& attention,
          Direction direction)
      : checkpoint_(checkpoint), attention_(attention), direction_(direction) {}

  Move move_of(const Tensor& tensor, const Role& role) const {
    const auto rows = rows_of(tensor, role.kind);
    if (!rows) fail(tensor, "has rows that are no whole blocks");
    if (role.part != Part::kQkv) {
      return {*rows, map_of(tensor, role.part, role.kind, rows->count)};
    }
    if (!role.order) {
      fail(tensor, "is fused in an order that its name does not say");
    }
    RowMap map(rows->count);
    std::iota(map.begin(), map.end(), 0u);
    for (const Part part : {Part::kQ, Part::kK}) {
      const RowMap own = rows_of_part(
          part, *role.order, rows->count, attention_.heads,
          attention_.kv_heads == 0 ? attention_.heads : attention_.kv_heads);
      if (own.empty()) fail(tensor, "has rows of not so many heads");
      const RowMap head = map_of(tensor, part, role.kind, own.size());
      for (std::size_t t = 0; t < own.size(); ++t) {
        map[own[t]] =
            own[t / head.size() * head.size() + head[t % head.size()]];
      }
    }
    return {*rows, std::move(map)};
  }

 private:
  RowMap map_of(const Tensor& tensor, Part part, Kind kind,
                std::uint64_t rows) const {
    const Heads heads = heads_of(attention_, part, kind, rows);
    if (heads.layouts.empty()) {
      fail(tensor, "has " + std::to_string(rows) +
                       " rows, and of how many heads is not known; name "
                       "--config, or --heads, --kv-heads and --head-dim");
    }
    RowMap map = head_map(heads.layouts.front(), direction_);
    for (const reference::Layout& other : heads.layouts) {
      if (head_map(other, direction_) != map) {
        fail(tensor,
             "may have heads of two kinds; name --head-dim and "
             "--rotary-dim");
      }
    }
    return map;
  }

  [[noreturn]] void fail(const Tensor& tensor, const std::string& what) const {
    checkpoint_.files[tensor.file].fail("\"" + tensor.name + "\" " + what);
  }

  const Checkpoint& checkpoint_;
  const Attention& attention_;
  Direction direction_;
};

}  // namespace

Moves plan(const Checkpoint& checkpoint, const RoleTable& table,
           const Attention& attention, Direction direction) {
  const Planner planner(checkpoint, attention, direction);
  Moves moves;
  for (const Tensor& tensor : checkpoint.tensors) {
    const auto role = table.find(tensor.name);
    if (!role || role->part == Part::kV || role->kind == Kind::kLoraA) continue;
    moves.emplace(tensor.name, planner.move_of(tensor, *role));
  }
  if (moves.empty()) {
    throw CheckpointError(checkpoint.path.string() +
                          ": no tensor is known to be q or k by its name");
  }
  return moves;
}

}  // namespace ropeproof::conformance::weights
