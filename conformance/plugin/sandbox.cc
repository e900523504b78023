#include "conformance/plugin/sandbox.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#if __has_include(<linux/landlock.h>)  // headers of Linux 5.13
#include <linux/landlock.h>
#define ROPEPROOF_HAS_LANDLOCK
#endif
#endif

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::plugin {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "bwrap";
constexpr const char* kNobody = "65534";
constexpr std::chrono::seconds kTrialLimit{10};

// What programs and libraries of the system need to run.
constexpr const char* kSystem[] = {"/usr",
                                   "/bin",
                                   "/sbin",
                                   "/lib",
                                   "/lib32",
                                   "/lib64",
                                   "/etc/ld.so.cache",
                                   "/etc/alternatives"};

// Variables that tell a kernel nothing of the judge, and those that begin so.
constexpr const char* kVariables[] = {
    "PATH=", "LANG=", "LC_", "TZ=", "LD_LIBRARY_PATH=", "OMP_", "GOMP_"};

// What lies between, empty for what is not in the folder; no links.
std::optional<fs::path> path_inside(const fs::path& folder,
                                    const fs::path& path) {
  const fs::path inside = path.lexically_relative(folder);
  if (inside.empty() || *inside.begin() == "..") return std::nullopt;
  return inside;
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  return fs::weakly_canonical(path, error);
}

void add_environment(std::vector<std::string>& words) {
  words.push_back("--clearenv");
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    const std::string variable = *one;
    if (std::ranges::none_of(kVariables, [&](const char* first) {
          return variable.starts_with(first);
        })) {
      continue;
    }
    const std::size_t end = variable.find('=');
    words.insert(words.end(), {"--setenv", variable.substr(0, end),
                               variable.substr(end + 1)});
  }
  words.insert(words.end(), {"--setenv", "HOME", "/tmp"});
}

void add_system(std::vector<std::string>& words) {
  std::error_code error;
  for (const char* path : kSystem) {
    if (fs::is_symlink(path, error)) {
      words.insert(words.end(),
                   {"--symlink", fs::read_symlink(path, error).string(), path});
    } else if (fs::exists(path, error)) {
      words.insert(words.end(), {"--ro-bind", path, path});
    }
  }
}

#if defined(__linux__)

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

// Calls that reach into other processes, the kernel or the network, or round
// this filter.
constexpr std::uint32_t kRefused[] = {SYS_ptrace,
                                      SYS_process_vm_readv,
                                      SYS_process_vm_writev,
                                      SYS_kcmp,
                                      SYS_perf_event_open,
                                      SYS_bpf,
                                      SYS_userfaultfd,
                                      SYS_socket,
                                      SYS_unshare,
                                      SYS_setns,
                                      SYS_mount,
                                      SYS_umount2,
                                      SYS_pivot_root,
                                      SYS_chroot,
                                      SYS_keyctl,
                                      SYS_add_key,
                                      SYS_request_key,
                                      SYS_open_by_handle_at,
                                      SYS_kexec_load,
                                      SYS_init_module,
                                      SYS_finit_module,
                                      425 /* io_uring_setup */,
                                      438 /* pidfd_getfd */};

constexpr std::uint32_t kFirstOfX32 = 0x40000000;

std::vector<sock_filter> filter() {
  const auto load = [](std::size_t offset) -> sock_filter {
    return BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                    static_cast<std::uint32_t>(offset));
  };
  const auto jump = [](std::uint16_t test, std::uint32_t value,
                       std::uint8_t if_true,
                       std::uint8_t if_false) -> sock_filter {
    return BPF_JUMP(static_cast<std::uint16_t>(BPF_JMP | test | BPF_K), value,
                    if_true, if_false);
  };
  const auto end = [](std::uint32_t action) -> sock_filter {
    return BPF_STMT(BPF_RET | BPF_K, action);
  };
  const sock_filter refuse = end(SECCOMP_RET_ERRNO | EPERM);
  std::vector<sock_filter> program = {
      load(offsetof(seccomp_data, arch)), jump(BPF_JEQ, kArchitecture, 1, 0),
      end(SECCOMP_RET_KILL_PROCESS),      load(offsetof(seccomp_data, nr)),
      jump(BPF_JGE, kFirstOfX32, 0, 1),   refuse,
  };
  for (const std::uint32_t number : kRefused) {
    program.push_back(jump(BPF_JEQ, number, 0, 1));
    program.push_back(refuse);
  }
  // Typing on the terminal of who started the run.
  program.push_back(jump(BPF_JEQ, SYS_ioctl, 0, 3));
  program.push_back(load(offsetof(seccomp_data, args[1])));
  program.push_back(jump(BPF_JEQ, TIOCSTI, 0, 1));
  program.push_back(refuse);
  program.push_back(end(SECCOMP_RET_ALLOW));
  return program;
}

#endif

// A file with the filter of system calls. Throws KernelError.
Descriptor filter_file() {
#if defined(__linux__)
  const auto program = filter();
  const std::size_t bytes = program.size() * sizeof program[0];
  Descriptor file(memfd_create("filter", MFD_CLOEXEC));
  if (file.get() >= 0 &&
      ::write(file.get(), program.data(), bytes) ==
          static_cast<ssize_t>(bytes) &&
      ::lseek(file.get(), 0, SEEK_SET) == 0) {
    return file;
  }
#endif
  throw KernelError("the sandbox's filter of system calls cannot be made");
}

// The words of a command that runs `command` behind walls; `filter` is a
// descriptor that it inherits.
std::vector<std::string> walled(const Sandbox& sandbox,
                                const std::vector<std::string>& command,
                                int filter) {
  std::vector<std::string> words = {
      kProgram, "--unshare-user", "--unshare-ipc", "--unshare-pid",
      "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
      "--disable-userns", "--uid", kNobody, "--gid", kNobody, "--cap-drop",
      "ALL", "--die-with-parent",
      // There is no terminal to write to.
      "--new-session"};
  add_environment(words);
  add_system(words);
  words.insert(words.end(), {"--proc", "/proc", "--dev", "/dev", "--size",
                             "67108864", "--tmpfs", "/dev/shm", "--size",
                             "268435456", "--tmpfs", "/tmp"});
  std::vector<fs::path> seen(std::begin(kSystem), std::end(kSystem));
  for (const std::string& path : sandbox.shown) {
    if (std::ranges::any_of(seen, [&](const fs::path& one) {
          return path_inside(one, path).has_value();
        })) {
      continue;
    }
    std::error_code error;
    const bool is_device = fs::is_character_file(path, error);
    words.insert(words.end(),
                 {is_device ? "--dev-bind" : "--ro-bind", path, path});
    seen.push_back(path);
  }
  // A folder is hidden under each name that what is shown gives it.
  for (const std::string& hidden : sandbox.hidden) {
    for (const fs::path& shown : seen) {
      const auto inside =
          path_inside(without_links(shown), without_links(hidden));
      std::error_code error;
      if (!inside || !fs::is_directory(hidden, error)) continue;
      const std::string path = (shown / *inside).lexically_normal().string();
      words.insert(words.end(), {"--tmpfs", path, "--remount-ro", path});
    }
  }
  words.insert(
      words.end(),
      // /proc, or root's kernel could write the system's settings.
      {"--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/",
       "--chdir", "/", "--seccomp", std::to_string(filter), "--"});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace

bool is_shown(const Sandbox& sandbox, const std::string& file) {
  const auto holds = [&](const fs::path& folder) {
    return path_inside(without_links(folder), without_links(file)).has_value();
  };
  return std::ranges::any_of(kSystem, holds) ||
         std::ranges::any_of(sandbox.shown, holds);
}

std::unique_ptr<Child> execute_behind_walls(
    const Sandbox& sandbox, const std::vector<std::string>& command,
    std::vector<int> kept) {
  const Descriptor filter = filter_file();
  kept.push_back(filter.get());
  return Child::execute(sandbox.program, walled(sandbox, command, filter.get()),
                        kept);
}

std::string why_no_sandbox(const std::string& program) {
#if defined(__linux__)
  if (kArchitecture == 0) return "no filter of system calls is known here";
  const auto trial =
      execute_behind_walls({program, {}, {}}, {"/bin/sh", "-c", "exit 0"});
  trial->drop_output();  // the reason has it
  std::string nothing;
  Deadline deadline(kTrialLimit);
  trial->receive(nothing, 1, deadline);
  const std::string how = trial->end(Child::kGrace);
  if (trial->has_succeeded()) return "";
  const std::string line = trial->last_line();
  return "bubblewrap cannot build it: " + (line.empty() ? how : line);
#else
  static_cast<void>(program);
  return "it needs Linux";
#endif
}

void limit_resources() {
  const auto limit = [](auto what, rlim_t most) {
    rlimit now{};
    if (getrlimit(what, &now) != 0) return;
    now.rlim_max = std::min(now.rlim_max, most);
    now.rlim_cur = std::min(now.rlim_cur, now.rlim_max);
    setrlimit(what, &now);
  };
  limit(RLIMIT_DATA, rlim_t{16} << 30);
  limit(RLIMIT_NPROC, 4096);
  limit(RLIMIT_NOFILE, 1024);
  limit(RLIMIT_FSIZE, rlim_t{1} << 30);
  limit(RLIMIT_CORE, 0);
}

bool limit_writing() {
#if defined(ROPEPROOF_HAS_LANDLOCK)
  constexpr std::uint64_t kWriting =
      LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
      LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
      LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
      LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  const landlock_ruleset_attr rules{.handled_access_fs = kWriting};
  const Descriptor ruleset(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0)));
  if (ruleset.get() < 0) return false;
  for (const char* path : {"/tmp", "/dev"}) {
    const Descriptor folder(open(path, O_PATH | O_CLOEXEC));
    const landlock_path_beneath_attr beneath{.allowed_access = kWriting,
                                             .parent_fd = folder.get()};
    if (folder.get() >= 0 &&
        syscall(SYS_landlock_add_rule, ruleset.get(),
                LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0) {
      return false;
    }
  }
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
#else
  return false;
#endif
}

void hide_memory() {
#if defined(__linux__)
  prctl(PR_SET_DUMPABLE, 0);
#endif
}

}  // namespace ropeproof::conformance::plugin
