#include "tools/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <system_error>

namespace ropeproof::tools {

namespace fs = std::filesystem;

namespace {

std::string reason() { return std::string(": ") + ::strerror(errno); }

// What a user may send while a file is made has to wait: it would leave a part
// of one. A limit on the size of files, and a pipe that nobody reads any more,
// are errors of write().
constexpr std::array<int, 6> kSignals = {SIGPIPE, SIGXFSZ, SIGHUP,
                                         SIGINT,  SIGQUIT, SIGTERM};
constexpr std::size_t kOfWriting = 2;  // the first ones

class SignalsIgnored {
 public:
  explicit SignalsIgnored(std::size_t count = kSignals.size()) : count_(count) {
    for (std::size_t i = 0; i < count_; ++i) {
      old_[i] = ::signal(kSignals[i], SIG_IGN);
    }
  }
  ~SignalsIgnored() {
    for (std::size_t i = 0; i < count_; ++i) ::signal(kSignals[i], old_[i]);
  }
  SignalsIgnored(const SignalsIgnored&) = delete;
  SignalsIgnored& operator=(const SignalsIgnored&) = delete;

 private:
  std::size_t count_;
  std::array<void (*)(int), kSignals.size()> old_{};
};

// Makes a name in a folder that no other run has; below 0: none can be made.
// `make(name)` returns a descriptor, or below 0 with errno.
template <class Make>
int with_new_name(std::string& name, const Make& make) {
  for (int i = 0;; ++i) {
    name = ".ropeproof-" + std::to_string(::getpid()) + "-" +
           std::to_string(i) + ".tmp";
    const int made = make(name.c_str());
    if (made >= 0 || errno != EEXIST) return made;
  }
}

int create_in(int folder, std::string& name) {
  return with_new_name(name, [&](const char* one) {
    return ::openat(folder, one, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
}

// A file in the folder that has no name yet; below 0: there are none.
int create_unnamed(int folder) {
#if defined(O_TMPFILE)
  if (::access("/proc/self/fd", X_OK) != 0) return -1;  // names it, later
  return ::openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
#else
  return -1;
#endif
}

// Gives it a new name.
int name_in(int folder, int file, std::string& name) {
  const std::string here = "/proc/self/fd/" + std::to_string(file);
  return with_new_name(name, [&](const char* one) {
    return ::linkat(AT_FDCWD, here.c_str(), folder, one, AT_SYMLINK_FOLLOW);
  });
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// To the disk; a file system that cannot say so is believed.
bool sync(int file) { return ::fsync(file) == 0 || errno == EINVAL; }

fs::path behind_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as Linux allows
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

// One spelling of each path, whether there is a file or not.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  return fs::weakly_canonical(fs::absolute(path, error), error);
}

bool is_in(const fs::path& file, const fs::path& input) {
  std::error_code error;
  if (fs::equivalent(file, input, error)) return true;
  if (!fs::is_directory(input, error)) return false;
  const fs::path inside = resolved(file).lexically_relative(resolved(input));
  return !inside.empty() && *inside.begin() != "..";
}

bool is_standard_output(const struct stat& file) {
  return std::ranges::any_of(
      std::array{STDOUT_FILENO, STDERR_FILENO}, [&](int descriptor) {
        struct stat other {};
        return ::fstat(descriptor, &other) == 0 &&
               other.st_dev == file.st_dev && other.st_ino == file.st_ino;
      });
}

}  // namespace

OutputFile::OutputFile(const std::string& flag, const std::string& path,
                       const std::vector<fs::path>& inputs)
    : flag_(flag), path_(path), target_(behind_links(path)) {
  const auto refuse = [this](const std::string& what) {
    throw std::invalid_argument(fault(what));
  };
  if (path.empty() || path == "-") refuse("names no file");
  struct stat now {};
  const bool exists = ::stat(path.c_str(), &now) == 0;
  if (!exists && errno != ENOENT) refuse("cannot be written" + reason());
  if ((exists && S_ISDIR(now.st_mode)) || !target_.has_filename()) {
    refuse("is a folder; name a file");
  }
  is_replaced_ = !exists || S_ISREG(now.st_mode);
  if (!is_replaced_ && !S_ISCHR(now.st_mode) && !S_ISFIFO(now.st_mode)) {
    refuse("is no file");
  }
  // The null device may be both.
  if (exists && !S_ISCHR(now.st_mode) && is_standard_output(now)) {
    refuse("is where the text goes; name another file");
  }
  if (exists && std::ranges::any_of(inputs, [this](const fs::path& input) {
        return is_in(target_, input);
      })) {
    refuse("would overwrite what this run reads; name another file");
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    refuse("cannot be written" + reason());
  }
  if (!is_replaced_) return;
  const SignalsIgnored whole;
  names_ = plugin::Descriptor(
      ::open(folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (names_.get() < 0) refuse("cannot be written" + reason());
  unnamed_ = plugin::Descriptor(create_unnamed(names_.get()));
  if (unnamed_.get() >= 0) return;
  std::string probe;
  const int file = create_in(names_.get(), probe);
  if (file < 0) refuse("cannot be written" + reason());
  ::close(file);
  ::unlinkat(names_.get(), probe.c_str(), 0);
}

fs::path OutputFile::folder() const {
  return target_.has_parent_path() ? target_.parent_path() : fs::path(".");
}

std::string OutputFile::fault(const std::string& what) const {
  return flag_ + " \"" + path_ + "\" " + what;
}

bool OutputFile::is_same(const OutputFile& other) const {
  return is_replaced_ && other.is_replaced_ &&
         resolved(target_) == resolved(other.target_);
}

void OutputFile::write(std::string_view bytes) const {
  fill(bytes);
  appear(bytes);
}

void OutputFile::fill(std::string_view bytes) const {
  const int file = unnamed_.get();
  const SignalsIgnored whole;
  if (file >= 0 && (!write_all(file, bytes) || !sync(file))) fail();
}

void OutputFile::appear(std::string_view bytes) const {
  if (!is_replaced_) {
    const SignalsIgnored whole(kOfWriting);  // a pipe may wait for its reader
    const int file = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    const bool is_written = file >= 0 && write_all(file, bytes);
    if (!is_written) fail();
    ::close(file);
    return;
  }
  const SignalsIgnored whole;
  const int folder_file = names_.get();
  std::string part;
  if (unnamed_.get() >= 0) {
    if (name_in(folder_file, unnamed_.get(), part) < 0) fail();
  } else {
    const plugin::Descriptor own(create_in(folder_file, part));
    if (own.get() < 0) fail();
    if (!write_all(own.get(), bytes) || !sync(own.get())) {
      const int error = errno;
      ::unlinkat(folder_file, part.c_str(), 0);
      errno = error;
      fail();
    }
  }
  if (::renameat(folder_file, part.c_str(), folder_file,
                 target_.filename().c_str()) != 0) {
    fail("; what it was to hold is in " + (folder() / part).string());
  }
  ::fsync(folder_file);  // some file systems cannot
}

void OutputFile::fail(const std::string& more) const {
  throw std::runtime_error(fault("cannot be written" + reason() + more));
}

}  // namespace ropeproof::tools
