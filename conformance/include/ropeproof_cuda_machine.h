// ropeproof_cuda_machine.h -- a grid of blocks of threads on one thread of this
// machine. ropeproof_cuda.h includes it.
#ifndef ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_MACHINE_H_
#define ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_MACHINE_H_

namespace ropeproof_cuda {

// Whether a kernel's own code runs: ropeproof_cuda_races.h notes its accesses.
inline thread_local bool is_watched = false;

// The 512 KiB that a thread has of local memory, and room for the calls.
inline constexpr std::size_t kStackBytes = 640 * 1024, kGuardBytes = 1 << 16;
inline constexpr unsigned kMostThreads = 1024;
inline constexpr std::size_t kMostShared = 227 * 1024;
inline constexpr std::size_t kMostStatic = 48 * 1024;  // a kernel's own arrays

// What a launch is given in <<<>>>.
struct Launch {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
  Launch(dim3 blocks, dim3 threads, std::size_t bytes = 0,
         cudaStream_t on = nullptr)
      : grid(blocks), block(threads), shared(bytes), stream(on) {}
};

[[noreturn]] inline void fail(const std::string& line) {
  throw std::runtime_error("cuda-as-cpp: " + line);
}

// A kernel that asks for more than a device has.
struct Lack : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The first launch of a call of ropeproof_run that failed.
class Faults {
 public:
  static Faults& here() {
    static Faults faults;
    return faults;
  }
  void note(std::int32_t status, const std::string& line) {
    const std::lock_guard lock(mutex_);
    is_new_ = true;
    if (status_ == ROPEPROOF_OK) status_ = status, line_ = line;
  }
  // Hands over what ropeproof_fault has to say.
  std::int32_t take(char* line, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    std::snprintf(line, bytes, "%s", line_.c_str());
    is_new_ = false;
    return std::exchange(status_, ROPEPROOF_OK);
  }
  cudaError_t last(bool is_taken = true) {
    const std::lock_guard lock(mutex_);
    const bool was_new = is_new_;
    is_new_ = is_new_ && !is_taken;
    return was_new ? cudaErrorLaunchFailure : cudaSuccess;
  }

 private:
  std::mutex mutex_;
  std::int32_t status_ = ROPEPROOF_OK;
  std::string line_;
  bool is_new_ = false;  // since cudaGetLastError
};

// The threads of one block after the other.
class Machine {
 public:
  static Machine& here() {
    static thread_local Machine machine;
    return machine;
  }

  void run(const Launch& launch, const std::function<void()>& kernel) {
    const auto count = [](const dim3& d) {
      return std::size_t{d.x} * d.y * d.z;
    };
    const std::size_t blocks = count(launch.grid),
                      threads = count(launch.block);
    if (blocks == 0 || threads == 0 || threads > kMostThreads) {
      fail("a launch of " + std::to_string(blocks) + " blocks of " +
           std::to_string(threads) + " threads; a block has 1 to 1024");
    }
    if (launch.shared > kMostShared) {
      throw Lack("cuda-as-cpp: a launch asks for " +
                 std::to_string(launch.shared) +
                 " bytes of shared memory; a block has 232448 at most");
    }
    kernel_ = &kernel;
    ++launch_;
    ::gridDim = launch.grid, ::blockDim = launch.block;
    dynamic_.resize(launch.shared);
    threads_.resize(threads);
    try {
      for (const std::size_t block : shuffled(blocks)) run_block(block);
    } catch (...) {
      fibres_.clear();  // some are within the kernel
      throw;
    }
  }

  void* dynamic() { return dynamic_.data(); }
  // A shared array, which each block finds as NaNs.
  void share(void* memory, std::size_t bytes) {
    const bool was_watched = std::exchange(is_watched, false);
    const std::pair array{memory, bytes};
    if (std::find(shared_.begin(), shared_.end(), array) == shared_.end()) {
      poison(memory, bytes);
      shared_.push_back(array);
    }
    is_watched = was_watched;
  }

  // Waits for all threads of the block that have not returned, or for those of
  // this warp that `mask` names.
  void wait(bool is_warp, unsigned mask) {
    const bool was_watched = std::exchange(is_watched, false);
    Thread& thread = threads_[current_];
    const std::size_t self = current_;
    thread.state = is_warp ? State::kAtWarp : State::kAtBlock;
    thread.mask = mask;
    leave(fibres_[thread.fibre].place, scheduler_);
    enter(self);
    is_watched = was_watched;
  }

  std::size_t lane() const { return current_ % warpSize; }
  // Room for a value of each lane of this warp.
  std::uint64_t* values() { return &values_[current_ - lane()]; }

 private:
  enum class State { kNew, kReady, kAtBlock, kAtWarp, kDone };
  struct Thread {
    State state = State::kNew;
    unsigned mask = 0;
    std::size_t fibre = 0;
  };
  struct Fibre {
    jmp_buf place;
    // Pages are there when they are touched, but for those below the stack.
    void* const stack =
        mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    Fibre() {
      if (stack == MAP_FAILED) fail("no memory for the stacks of a block");
      mprotect(stack, kGuardBytes, PROT_NONE);
    }
    Fibre(const Fibre&) = delete;
    ~Fibre() { munmap(stack, kGuardBytes + kStackBytes); }
  };

  Machine() {
    const char* const seed = std::getenv("ROPEPROOF_CUDA_SEED");
    random_.seed(seed == nullptr ? 1 : std::strtoul(seed, nullptr, 10));
  }

  // NaNs of each type, and other ones than an output has that nobody wrote.
  static void poison(void* memory, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) {
      static_cast<char*>(memory)[i] = "\xfe\xff\xfe\x7f"[i % 4];
    }
  }

  std::vector<std::size_t> shuffled(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    return order;
  }

  void enter(std::size_t thread) {
    const auto t = static_cast<unsigned>(thread);
    current_ = thread;
    ::threadIdx = {t % ::blockDim.x, t / ::blockDim.x % ::blockDim.y,
                   t / ::blockDim.x / ::blockDim.y};
  }

  // Goes on at `to`, and here when somebody leaves for `from`; swapcontext
  // would ask the system each time.
  static void leave(jmp_buf& from, jmp_buf& to) {
    if (_setjmp(from) == 0) _longjmp(to, 1);
  }

  void run_block(std::size_t number) {
    block_ = number, barriers_ = 0;
    std::fill(std::begin(syncs_), std::end(syncs_), 0u);
    const auto b = static_cast<unsigned>(number);
    ::blockIdx = {b % ::gridDim.x, b / ::gridDim.x % ::gridDim.y,
                  b / ::gridDim.x / ::gridDim.y};
    for (auto& [memory, bytes] : shared_) poison(memory, bytes);
    poison(dynamic_.data(), dynamic_.size());
    std::fill(threads_.begin(), threads_.end(), Thread{});
    order_ = shuffled(threads_.size());
    begun_ = 0, fibre_count_ = 0;
    while (true) {
      // A fibre takes one thread after the other until one of them waits.
      while (begun_ < order_.size()) {
        start_fibre();
        rethrow();
      }
      const bool is_barrier =
          std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) {
            return t.state == State::kAtBlock || t.state == State::kDone;
          });
      std::vector<std::size_t> ready;
      for (const std::size_t t : shuffled(threads_.size())) {
        if (is_barrier ? threads_[t].state != State::kDone : has_warp(t)) {
          ready.push_back(t);
        }
      }
      if (ready.empty()) break;
      barriers_ += is_barrier ? 1 : 0;
      for (const std::size_t t : ready) threads_[t].state = State::kReady;
      for (const std::size_t t : ready) {
        syncs_[t / warpSize] += is_barrier ? 0 : 1;
        leave(scheduler_, fibres_[threads_[t].fibre].place);
        rethrow();
      }
    }
    const auto waiting =
        std::count_if(threads_.begin(), threads_.end(),
                      [](const Thread& t) { return t.state != State::kDone; });
    if (waiting > 0) {
      fail(std::to_string(waiting) + " of " + std::to_string(threads_.size()) +
           " threads of a block wait for others that do not come");
    }
  }

  // Whether a thread waits for lanes of its warp that all wait, too, or have
  // returned.
  bool has_warp(std::size_t number) const {
    const Thread& one = threads_[number];
    if (one.state != State::kAtWarp) return false;
    const std::size_t first = number - number % warpSize;
    for (std::size_t lane = 0; lane < std::size_t{warpSize}; ++lane) {
      if ((one.mask >> lane & 1) == 0 || first + lane >= threads_.size()) {
        continue;
      }
      const Thread& other = threads_[first + lane];
      if (other.state == State::kDone) continue;
      if (other.state != State::kAtWarp || other.mask != one.mask) return false;
    }
    return true;
  }

  void start_fibre() {
    const bool is_new = fibre_count_ == fibres_.size();
    if (is_new) fibres_.emplace_back();
    Fibre& fibre = fibres_[fibre_count_++];
    if (!is_new) return leave(scheduler_, fibre.place);
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = static_cast<char*>(fibre.stack) + kGuardBytes;
    context.uc_stack.ss_size = kStackBytes;
    context.uc_link = nullptr;
    makecontext(&context, &Machine::begin, 0);
    if (_setjmp(scheduler_) == 0) setcontext(&context);
  }

  // A fibre's: threads of one block after the other.
  static void begin() {
    Machine& self = here();
    const std::size_t fibre = self.fibre_count_ - 1;
    while (true) {
      self.run_threads(fibre);
      leave(self.fibres_[fibre].place, self.scheduler_);
    }
  }

  void run_threads(std::size_t fibre) {
    while (begun_ < order_.size() && fault_ == nullptr) {
      const std::size_t thread = order_[begun_++];
      threads_[thread].fibre = fibre;
      enter(thread);
      is_watched = true;
      try {
        (*kernel_)();
      } catch (...) {
        fault_ = std::current_exception();
      }
      is_watched = false;
      threads_[thread].state = State::kDone;
    }
  }

  void rethrow() {
    if (fault_ != nullptr)
      std::rethrow_exception(std::exchange(fault_, nullptr));
  }

  const std::function<void()>* kernel_ = nullptr;
  std::vector<Thread> threads_;
  std::deque<Fibre> fibres_;  // whose contexts stay where they are
  std::vector<std::size_t> order_;
  std::size_t begun_ = 0, fibre_count_ = 0, current_ = 0;
  std::uint64_t values_[kMostThreads]{};
  std::vector<char> dynamic_;
  std::vector<std::pair<void*, std::size_t>> shared_;
  jmp_buf scheduler_;
  std::exception_ptr fault_;
  std::mt19937 random_;
  // The watch over races reads these.
  std::uint64_t launch_ = 0;
  std::size_t block_ = 0;
  unsigned barriers_ = 0;                      // of this block, so far
  unsigned syncs_[kMostThreads / warpSize]{};  // of each warp
  friend struct Races;
};

}  // namespace ropeproof_cuda

#endif  // ROPEPROOF_CONFORMANCE_ROPEPROOF_CUDA_MACHINE_H_
