// guarded_kernel.h -- a kernel whose tensors lie between guard pages.
#pragma once

#include <string>

#include "conformance/plugin/arena.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {

class GuardedKernel : public Kernel {
 public:
  // Reserves address space before the first fork; in files, where processes
  // that are executed share it.
  explicit GuardedKernel(bool is_executed = false)
      : arena_(sparse(), first_place(is_executed)) {
    sparse().reserve(first_place(is_executed));
  }

  std::byte* allocate(std::size_t bytes) override {
    return arena_.allocate(bytes, Edge::kStart);
  }
  void release() override { arena_.release(); }
  std::byte* allocate_at(Edge edge, std::size_t bytes) override {
    return arena_.allocate(bytes, edge, false);
  }
  bool has_guards() const override { return !is_on_device(); }
  bool shares_memory() const override { return true; }

 protected:
  static SharedPlace first_place(bool is_executed) {
    return {is_executed ? SharedPlace::kNewFile : SharedPlace::kNoFile, 0};
  }
  const Arena& arena() const { return arena_; }
  const Blocks& blocks() const { return arena_.blocks(); }
  // Saves all allocated memory, to be restored before the next allocation.
  void save_memory() {
    contents_.clear();
    save(arena_.blocks(), contents_);
    save(sparse().blocks(), contents_);
  }
  void restore_memory() {
    restore(sparse().blocks(), restore(arena_.blocks(), contents_.data()));
  }
  // Empties what a process shared in files that has ended.
  void empty_memory() {
    empty_shared(arena_.place());
    empty_shared(sparse().place());
  }
  // Lets go of much that was saved, once there is an answer.
  void forget_memory() {
    constexpr std::size_t kMostKept = std::size_t{8} << 20;
    if (contents_.capacity() > kMostKept) std::string().swap(contents_);
  }

 private:
  Arena arena_;
  std::string contents_;  // lives from call to call, unless it is large
};

}  // namespace ropeproof::conformance::plugin
