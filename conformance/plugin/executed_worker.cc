#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>

#include "conformance/plugin/arena.h"
#include "conformance/plugin/worker.h"

namespace ropeproof::conformance::plugin {

void serve_executed(std::span<char*> arguments) {
  const auto refuse = [](const char* why) {
    std::fprintf(stderr, "ropeproof: %s\n", why);
    _exit(127);
  };
  if (arguments.size() != 5) refuse("--worker is no command for users");
  SharedPlace places[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto place = SharedPlace::of(arguments[2 + i]);
    if (!place) refuse("--worker is no command for users");
    places[i] = *place;
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
  for (const SharedPlace& place : places) {
    if (place.file >= 0) close(place.file);
  }
  const int socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  run_worker(socket, [&](const Parent& runner) {
    serve(arguments[0], std::atoi(arguments[1]),
          *reinterpret_cast<CrashNote*>(note), runner);
  });
}

}  // namespace ropeproof::conformance::plugin
