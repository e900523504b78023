// sandbox.h -- walls around a process that runs code which nobody trusts.
//
// bubblewrap makes them (https://github.com/containers/bubblewrap): namespaces
// of users, processes, mounts, network and IPC of its own, no capabilities, a
// file system of which only the system's libraries and what is shown can be
// read, and a private /tmp. A filter refuses system calls that reach into other
// processes. What runs there sees no process of the runner's, nor its files,
// and ends with the last of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conformance/plugin/child.h"

namespace ropeproof::conformance::plugin {

inline constexpr const char* kWorkerWord = "--worker";

struct Sandbox {
  // This program, by its path: it calls serve_executed() (worker.h) where its
  // first argument is kWorkerWord, which a library's process is, and
  // supervise_executed() (supervisor.h) where it is kSupervisorWord.
  std::string program;
  // Files and folders that can be read, and devices that can be used.
  std::vector<std::string> shown;
  std::vector<std::string> hidden;  // folders that cannot, wherever they are
};

// Returns why this machine lets nobody build walls, one line; empty where it
// does. `program` is Sandbox's. Cost: a process, some 10 ms.
std::string why_no_sandbox(const std::string& program);

// Whether what runs there can read a file.
bool is_shown(const Sandbox& sandbox, const std::string& file);

// Starts a command behind walls, by its words. It inherits the descriptors
// `kept`. Throws KernelError.
std::unique_ptr<Child> execute_behind_walls(
    const Sandbox& sandbox, const std::vector<std::string>& command,
    std::vector<int> kept = {});

// Limits what the calling process and its children may take: 16 GiB of memory
// of each, 4096 processes, 1024 descriptors, 1 GiB of each file, no core.
void limit_resources();

// Keeps the calling thread, and those that it starts, from writing files but
// in /tmp and /dev, by landlock (Linux 5.13). The walls do so already:
// this holds where a mount gives way. Returns false where there is no landlock.
bool limit_writing();

// Keeps other processes of the same user from reading or writing this one's
// memory.
void hide_memory();

}  // namespace ropeproof::conformance::plugin
