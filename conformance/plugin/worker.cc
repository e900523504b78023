#include "conformance/plugin/worker.h"

#include <dlfcn.h>
#if defined(__GLIBC__)
#include <link.h>
#include <malloc.h>
#endif
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>
#if defined(__linux__)
#include <ucontext.h>
#endif

#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "conformance/plugin/dense.h"
#include "conformance/plugin/fields.h"

namespace ropeproof::conformance::plugin {
namespace {

// More threads than any check asks for: a request beyond is no request.
constexpr std::int32_t kMaxThreads = 64;

// A frame may step over the guard below a stack by its own size.
constexpr std::uintptr_t kStackReach = std::uintptr_t{1} << 20;

CrashNote* crash_note = nullptr;
pid_t self = 0;
std::uintptr_t stack_begin = 0;  // lowest address of the serving thread's stack

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

Fault::Access access_of([[maybe_unused]] const void* context) {
#if defined(__linux__) && defined(__x86_64__)
  // Bit 1 of the page fault's error code: a write.
  const auto* machine = static_cast<const ucontext_t*>(context);
  const auto code = machine->uc_mcontext.gregs[REG_ERR];
  return (code & 2) != 0 ? Fault::Access::kWrite : Fault::Access::kRead;
#else
  return Fault::Access::kUnknown;
#endif
}

// Notes the address, then lets the signal end the process as it would have.
void on_fault(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (info->si_code > 0) {  // not sent by kill()
    crash_note->fault = {address, access_of(context)};
    crash_note->is_stack_overflow =
        address + kStackReach >= stack_begin &&
        address < stack_begin + static_cast<std::uintptr_t>(4096);
    crash_note->signal = number;
  }
  signal(number, SIG_DFL);
  raise(number);  // pending until the handler returns
}

// Called before each problem: a plug-in's own handler would hide its accesses.
void watch_faults() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

// Memory that a kernel allocates holds no zeros by luck: -1.5 in f32, and 3
// where it was in use before; as large in the other formats.
void soil_memory() {
#if defined(__GLIBC__)
  mallopt(M_PERTURB, 0x40);
#endif
}

// A stack that has overflowed has no room for its handler.
void prepare_stack() {
  static char room[1 << 16];
  stack_t alternate{};
  alternate.ss_sp = room;
  alternate.ss_size = sizeof room;
  sigaltstack(&alternate, nullptr);
#if defined(__GLIBC__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* begin = nullptr;
    std::size_t size = 0;
    pthread_attr_getstack(&attributes, &begin, &size);
    stack_begin = reinterpret_cast<std::uintptr_t>(begin);
    pthread_attr_destroy(&attributes);
  }
#endif
}

#if defined(__GLIBC__)
using Destructor = void (*)();

// Does as the dynamic linker: DT_FINI_ARRAY from its end, then DT_FINI. C++
// destructors and what a library gave to atexit() are among them.
void run_destructors_of(const link_map& map) {
  const ElfW(Dyn)* array = nullptr;
  const ElfW(Dyn)* last = nullptr;
  std::size_t count = 0;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FINI_ARRAY) array = entry;
    if (entry->d_tag == DT_FINI_ARRAYSZ) {
      count = entry->d_un.d_val / sizeof(Destructor);
    }
    if (entry->d_tag == DT_FINI) last = entry;
  }
  if (array != nullptr) {
    const auto* functions =
        reinterpret_cast<const Destructor*>(map.l_addr + array->d_un.d_ptr);
    while (count > 0) functions[--count]();
  }
  if (last != nullptr) {
    reinterpret_cast<Destructor>(map.l_addr + last->d_un.d_ptr)();
  }
}

// Runs what a program's end runs of a library from dlopen() and of those that
// were loaded with it or later, once. They stay mapped, since threads of theirs
// may run on.
void run_destructors(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return;
  for (; map != nullptr; map = map->l_next) run_destructors_of(*map);
}
#else
void run_destructors(void*) {}
#endif

// A plug-in that forks comes back twice. The copy has nothing to say, and would
// fork, too; ended ones stay in the table of processes as long as the worker.
void end_copy() {
  const std::atomic_ref copies(crash_note->copies);
  if (getpid() != self) {
    ++copies;
    _exit(0);
  }
  if (copies < 16) return;
  std::puts("16 calls came back in two processes each");
  std::fflush(stdout);
  _exit(1);
}

// Rounds that give other bits than the first one are where calls meet. Each
// finds its outputs, and in place its inputs, as the first one did.
Solved solve_rounds(decltype(&ropeproof_run) run,
                    const ropeproof_problem& problem, int rounds) {
  if (rounds == 1) return solve(run, problem);
  const auto tensors = outputs(problem);
  const auto gather_all = [&](std::string& bytes) {
    bytes.clear();
    for (const auto& tensor : tensors) {
      gather({tensor.name, tensor.element, tensor.data, tensor.counts,
              tensor.strides, tensor.row_bytes},
             bytes);
    }
  };
  std::string before, first, bytes;
  gather_all(before);
  for (int round = 0;; ++round) {
    Solved solved = solve(run, problem);
    end_copy();
    gather_all(bytes);
    if (round == 0) first = bytes;
    solved.is_steady = bytes == first;
    if (round + 1 >= rounds || !solved.is_steady ||
        solved.status != ROPEPROOF_OK || solved.before != solved.after) {
      return solved;
    }
    const char* at = before.data();
    for (const auto& tensor : tensors) {
      scatter(tensor, at);
      at += tensor.bytes();
    }
  }
}

std::vector<Solved> solve_together(
    decltype(&ropeproof_run) run,
    const std::vector<ropeproof_problem>& problems, int rounds) {
  std::vector<Solved> solved(problems.size());
  std::barrier start(static_cast<std::ptrdiff_t>(problems.size()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      solved[i] = solve_rounds(run, problems[i], rounds);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return solved;
}

}  // namespace

void limit_threads(int threads) {
  if (threads <= 0) return;
  setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  omp_set_num_threads(threads);
#if defined(__linux__)
  static cpu_set_t all;  // before the first call
  static const bool is_known = sched_getaffinity(0, sizeof all, &all) == 0;
  if (!is_known) return;
  cpu_set_t some;
  CPU_ZERO(&some);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < threads;
       ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &some);
  }
  sched_setaffinity(0, sizeof some, &some);
#endif
}

Functions load(const std::string& path, Loaded& loaded) {
  loaded.before = FloatControl::now();
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  loaded.loaded = FloatControl::now();
  FloatControl::reset();
  if (library == nullptr) {
    copy_text((std::string("cannot be loaded: ") + dlerror()).c_str(),
              loaded.text);
    return {};
  }
  const auto describe = find<decltype(&ropeproof_describe)>(
      library, "ropeproof_describe", loaded);
  if (describe == nullptr) return {};
  const auto run =
      find<decltype(&ropeproof_run)>(library, "ropeproof_run", loaded);
  if (run == nullptr) return {};
  const auto supports = reinterpret_cast<decltype(&ropeproof_supports)>(
      dlsym(library, "ropeproof_supports"));
  loaded.has_supports = supports != nullptr;

  loaded.description.struct_size = sizeof loaded.description;
  loaded.status = describe(&loaded.description);
  loaded.described = FloatControl::now();
  FloatControl::reset();
  loaded.stage = Loaded::kDescribed;
  copy_text(loaded.description.name, loaded.name);
  copy_text(loaded.description.version, loaded.version);
  if (const auto backend = reinterpret_cast<const char* (*)()>(
          dlsym(library, "ropeproof_backend"))) {
    copy_text(backend(), loaded.backend);
  }
  std::optional<ropeproof_device_memory> device;
  if (const auto find_device = reinterpret_cast<decltype(&ropeproof_device)>(
          dlsym(library, "ropeproof_device"))) {
    device.emplace().struct_size = sizeof *device;
    const std::int32_t status = find_device(&*device);
    if (status != ROPEPROOF_OK || !is_whole(*device)) {
      loaded.stage = Loaded::kRefused;
      loaded.status = status;
      copy_text(status != ROPEPROOF_OK
                    ? ("there is no device for it here: ropeproof_device "
                       "returned " +
                       std::to_string(status))
                          .c_str()
                    : "ropeproof_device must set allocate, release and copy",
                loaded.text);
      return {};
    }
    loaded.is_on_device = true;
  }
  const auto fault = reinterpret_cast<decltype(&ropeproof_fault)>(
      dlsym(library, "ropeproof_fault"));
  return {run, supports, fault, device, library};
}

Solved solve(decltype(&ropeproof_run) run, const ropeproof_problem& problem) {
  FloatControl::reset();
  Solved solved;
  solved.before = FloatControl::now();
  solved.status = run(&problem);
  solved.after = FloatControl::now();
  FloatControl::reset();
  return solved;
}

void note_fault(Solved& solved, decltype(&ropeproof_fault) fault) {
  if (fault == nullptr) return;
  const std::int32_t status = fault(solved.why, sizeof solved.why - 1);
  if (status != ROPEPROOF_OK) solved.status = status;
}

Solved ask(decltype(&ropeproof_supports) supports,
           const ropeproof_problem& problem) {
  ropeproof_scaling scaling;
  return solve(supports, without_data(problem, scaling));
}

std::vector<Solved> solve_on_device(
    Device& device, decltype(&ropeproof_run) run, const Blocks& blocks,
    const std::vector<ropeproof_problem>& problems, int rounds) {
  std::vector<Solved> solved(problems.size());
  std::string first, contents;
  for (int round = 0; round < rounds; ++round) {
    DeviceFault fault = device.write(blocks);
    if (fault == DeviceFault::kNone) {
      std::vector<ropeproof_problem> translated;
      for (const ropeproof_problem& problem : problems) {
        translated.push_back(device.translated(problem));
      }
      solved = translated.size() == 1 ? std::vector{solve(run, translated[0])}
                                      : solve_together(run, translated, 1);
      fault = device.read(contents);
    }
    if (round == 0) first = contents;
    bool goes_on = true;
    for (Solved& one : solved) {
      one.device = fault;
      one.is_steady = contents == first;
      goes_on = goes_on && fault == DeviceFault::kNone && one.is_steady &&
                one.status == ROPEPROOF_OK && one.before == one.after;
    }
    if (fault != DeviceFault::kNone) return solved;
    if (!goes_on) break;
  }
  restore(blocks, contents.data());
  return solved;
}

void serve(const std::string& path, int threads, CrashNote& note,
           const Parent& runner) {
  self = getpid();
  crash_note = &note;
  prepare_stack();
  soil_memory();
  limit_threads(threads);
  Loaded loaded;
  const auto [run, supports, fault, memory, library] = load(path, loaded);
  std::fflush(stdout);
  if (!runner.send(&loaded, sizeof loaded) || run == nullptr) return;

  std::optional<Device> device;
  if (memory) device.emplace(*memory);
  Request request;
  std::vector<ropeproof_problem> problems;
  Blocks blocks;
  while (runner.receive(&request, sizeof request)) {
    if (request.count < 1 || request.count > kMaxThreads) return;
    problems.resize(static_cast<std::size_t>(request.count));
    const std::size_t bytes = problems.size() * sizeof problems[0];
    if (!runner.receive(problems.data(), bytes)) return;
    blocks.resize(device ? static_cast<std::size_t>(request.blocks) : 0);
    if (!blocks.empty() &&
        !runner.receive(blocks.data(), blocks.size() * sizeof blocks[0])) {
      return;
    }
    watch_faults();
    std::vector<Solved> solved;
    if (request.rounds == kQuestion) {
      solved = {ask(supports, problems[0])};
    } else if (device) {
      solved = solve_on_device(*device, run, blocks, problems, request.rounds);
    } else if (problems.size() == 1) {
      solved = {solve_rounds(run, problems[0], request.rounds)};
    } else {
      solved = solve_together(run, problems, request.rounds);
    }
    end_copy();
    for (Solved& one : solved) {
      one.number = request.number;
      if (request.rounds != kQuestion) note_fault(one, fault);
    }
    std::fflush(stdout);
    if (!runner.send(solved.data(), solved.size() * sizeof solved[0])) return;
  }
  watch_faults();
  device.reset();
  run_destructors(library);
}

}  // namespace ropeproof::conformance::plugin
