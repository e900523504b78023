// A shared library, loaded in a forked worker. The worker stays for all
// problems; a problem travels as its struct, through the socket, and its
// tensors are in memory that both processes see at the same addresses.
#include <dlfcn.h>

#include <algorithm>
#include <cfenv>
#include <cfloat>
#include <cstring>
#include <filesystem>

#include "conformance/kernels/arena.h"
#include "conformance/kernels/child.h"
#include "conformance/kernels/description.h"
#include "conformance/kernels/kernel.h"

namespace ropeproof::conformance {
namespace {

// Initialising a device takes longer than solving a problem with it.
constexpr int kLoadLimits = 10;
// The socket closes a moment before the process has ended.
constexpr std::chrono::seconds kGrace{1};

// What the worker sends once, after loading. Text has its terminating zero.
struct Loaded {
  enum Stage : std::int32_t {
    kRefused,    // `text` says why
    kDescribed,  // describe returned `status`
  } stage = kRefused;
  std::int32_t status = 0;
  ropeproof_description description{};  // pointers are the worker's
  char text[512]{};
  char name[128]{}, version[128]{};
};

// What the worker sends for each problem.
struct Solved {
  std::int32_t status = 0;
  std::int32_t is_environment_changed = 0;
};

template <std::size_t kSize>
void copy_text(const char* from, char (&to)[kSize]) {
  if (from != nullptr) std::memcpy(to, from, strnlen(from, kSize - 1));
}

template <class Function>
Function find(void* library, const char* symbol, Loaded& loaded) {
  void* const found = dlsym(library, symbol);
  if (found == nullptr) {
    copy_text((std::string("has no symbol ") + symbol +
               ": export it with C linkage and ROPEPROOF_EXPORT")
                  .c_str(),
              loaded.text);
  }
  return reinterpret_cast<Function>(found);
}

decltype(&ropeproof_run) load(const std::string& path, Loaded& loaded) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    copy_text((std::string("cannot be loaded: ") + dlerror()).c_str(),
              loaded.text);
    return nullptr;
  }
  const auto describe = find<decltype(&ropeproof_describe)>(
      library, "ropeproof_describe", loaded);
  if (describe == nullptr) return nullptr;
  const auto run =
      find<decltype(&ropeproof_run)>(library, "ropeproof_run", loaded);
  if (run == nullptr) return nullptr;

  loaded.description.struct_size = sizeof loaded.description;
  loaded.status = describe(&loaded.description);
  loaded.stage = Loaded::kDescribed;
  copy_text(loaded.description.name, loaded.name);
  copy_text(loaded.description.version, loaded.version);
  return run;
}

// Whether this thread rounds to nearest and keeps subnormals.
bool is_environment_default() {
  volatile float smallest_normal = FLT_MIN;
  volatile float half = smallest_normal / 2;  // 0 when results are flushed
  volatile float normal_again = half * 2;     // 0 when operands are
  return std::fegetround() == FE_TONEAREST && normal_again == FLT_MIN;
}

void serve(const std::string& path, const Parent& runner) {
  Loaded loaded;
  const auto run = load(path, loaded);
  std::fflush(stdout);
  if (!runner.send(&loaded, sizeof loaded) || run == nullptr) return;

  ropeproof_problem problem;
  while (runner.receive(&problem, sizeof problem)) {
    std::fesetenv(FE_DFL_ENV);
    Solved solved;
    solved.status = run(&problem);
    solved.is_environment_changed = is_environment_default() ? 0 : 1;
    std::fflush(stdout);
    if (!runner.send(&solved, sizeof solved)) return;
  }
}

class LibraryKernel : public Kernel {
 public:
  LibraryKernel(const std::string& path, const KernelOptions& options)
      : source_(one_line(path)), limit_(options.time_limit) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
      fail("no such file; name a shared library");
    }
    // dlopen would search the system's folders for a name without a slash.
    path_ = std::filesystem::absolute(path).string();
    description_ = start();
  }

  const Description& description() const override { return description_; }
  std::byte* allocate(std::size_t bytes) override {
    return arena_.allocate(bytes, Edge::kStart);
  }
  void release() override { arena_.release(); }
  std::byte* allocate_at(Edge edge, std::size_t bytes) override {
    return arena_.allocate(bytes, edge);
  }
  bool has_guards() const override { return true; }
  bool shares_memory() const override { return true; }

  Answer run(const ropeproof_problem& problem) override {
    if (worker_ == nullptr) {
      try {
        start();
      } catch (const KernelError& error) {
        worker_.reset();
        return {Outcome::kError, error.what()};
      }
    }
    worker_->send({reinterpret_cast<const char*>(&problem), sizeof problem});
    Solved solved;
    switch (receive(solved, limit_)) {
      case Child::Wire::kLate:
        worker_.reset();
        return {Outcome::kTimeout, late(limit_)};
      case Child::Wire::kClosed: {
        const std::string how = worker_->end(kGrace);
        worker_.reset();
        return {Outcome::kCrash, how};
      }
      case Child::Wire::kDone:
        break;
    }
    if (solved.is_environment_changed != 0) {
      return {Outcome::kError,
              "ropeproof_run changed the rounding mode or flushes subnormals "
              "on return; restore the floating-point environment"};
    }
    switch (solved.status) {
      case ROPEPROOF_OK:
        return {};
      case ROPEPROOF_UNSUPPORTED:
        return {Outcome::kUnsupported, "ropeproof_run: ROPEPROOF_UNSUPPORTED"};
      case ROPEPROOF_INVALID:
        return {Outcome::kInvalid, "ropeproof_run: ROPEPROOF_INVALID"};
      default:
        return {Outcome::kError,
                "ropeproof_run returned " + std::to_string(solved.status) +
                    "; it must be ROPEPROOF_OK, _UNSUPPORTED or _INVALID"};
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw KernelError(source_ + ": " + message);
  }

  static std::string late(std::chrono::milliseconds limit) {
    return "no answer within " + std::to_string(limit.count()) + " ms";
  }

  template <class Message>
  Child::Wire receive(Message& message, std::chrono::milliseconds limit) {
    std::string bytes;
    const auto deadline = Child::Clock::now() + limit;
    const auto wire = worker_->receive(bytes, sizeof message, deadline);
    if (wire == Child::Wire::kDone) {
      std::memcpy(&message, bytes.data(), sizeof message);
    }
    return wire;
  }

  // A library that crashed is loaded again; what it said first stands.
  Description start() {
    worker_ =
        Child::fork([this](const Parent& runner) { serve(path_, runner); });
    Loaded loaded;
    switch (receive(loaded, kLoadLimits * limit_)) {
      case Child::Wire::kLate:
        fail("hangs while it is loaded: " + late(kLoadLimits * limit_));
      case Child::Wire::kClosed:
        fail("crashes while it is loaded: " + worker_->end(kGrace));
      case Child::Wire::kDone:
        break;
    }
    if (loaded.stage == Loaded::kRefused) fail(one_line(loaded.text));
    if (loaded.status != ROPEPROOF_OK) {
      fail("ropeproof_describe returned " + std::to_string(loaded.status) +
           "; it must be ROPEPROOF_OK");
    }
    const ropeproof_description& d = loaded.description;
    check_abi_version(d.abi_version, source_);
    const Description description = {loaded.name,
                                     loaded.version,
                                     d.operations,
                                     d.dtypes,
                                     d.pairings,
                                     d.features,
                                     d.max_position,
                                     d.angle_class,
                                     d.angle_dtype,
                                     d.power,
                                     std::max(d.trig_ulp, 1u),
                                     d.table_dtype,
                                     d.rounding,
                                     d.scalings};
    check_description(description, source_);
    return description;
  }

  std::string source_, path_;
  std::chrono::milliseconds limit_;
  Arena arena_;  // before the first fork
  std::unique_ptr<Child> worker_;
  Description description_;
};

}  // namespace

std::unique_ptr<Kernel> load_library(const std::string& path,
                                     const KernelOptions& options) {
  return std::make_unique<LibraryKernel>(path, options);
}

}  // namespace ropeproof::conformance
