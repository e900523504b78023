#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

#include "conformance/plugin/arena.h"
#include "conformance/plugin/sandbox.h"
#include "conformance/plugin/timed_library.h"
#include "conformance/plugin/worker.h"

namespace ropeproof::conformance::plugin {

void serve_executed(std::span<char*> arguments) {
  const auto refuse = [](const char* why) {
    std::fprintf(stderr, "ropeproof: %s\n", why);
    _exit(127);
  };
  const bool is_timed = arguments.size() == 3;
  if (!is_timed && arguments.size() != 5) {
    refuse("--worker is no command for users");
  }
  limit_writing();  // where there is landlock
  std::vector<SharedPlace> places;
  for (std::size_t i = is_timed ? 1 : 2; i < arguments.size(); ++i) {
    const auto place = SharedPlace::of(arguments[i]);
    if (!place) refuse("--worker is no command for users");
    places.push_back(*place);
  }
  const auto close_files = [&] {
    for (const SharedPlace& place : places) {
      if (place.file >= 0) close(place.file);
    }
  };
  if (is_timed) {
    const auto map = [&](SharedPlace& place, std::size_t bytes) {
      return map_shared(place, bytes, PROT_READ | PROT_WRITE);
    };
    std::byte* const memory = map(places[0], TimedLibrary::kMemory);
    std::byte* const bell = map(places[1], sizeof(Doorbell));
    if (memory == nullptr || bell == nullptr) {
      refuse("the runner's memory is not to be had");
    }
    close_files();
    // On the first thread: time of all others is the kernel's (others_ns).
    prepare_worker();
    serve_timed(arguments[0], *reinterpret_cast<Doorbell*>(bell));
    std::fflush(stdout);
    _exit(0);
  }
  SparseMemory sparse;
  sparse.reserve(places[1]);
  std::optional<Arena> arena;
  std::byte* note = nullptr;
  try {
    arena.emplace(sparse, places[0]);
    note = map_shared(places[2], sizeof(CrashNote), PROT_READ | PROT_WRITE);
  } catch (const std::bad_alloc&) {
  }
  if (note == nullptr) refuse("the runner's memory is not to be had");
  close_files();
  const int socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  run_worker(socket, [&](const Parent& runner) {
    serve(arguments[0], std::atoi(arguments[1]),
          *reinterpret_cast<CrashNote*>(note), runner);
  });
}

}  // namespace ropeproof::conformance::plugin
