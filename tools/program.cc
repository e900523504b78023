#include "tools/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" char** environ;

namespace ropeproof::tools {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count > 0) {
      text.append(buffer, static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments) {
  ProgramResult result;
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) {
    result.how = std::string("not started: ") + ::strerror(errno);
    return result;
  }
  std::vector<char*> words;
  for (const std::string& argument : arguments) {
    words.push_back(const_cast<char*>(argument.c_str()));
  }
  words.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, pipe[1], 2);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, words[0], &actions, nullptr,
                                   words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  if (error == 0) result.output = read_all(pipe[0]);
  ::close(pipe[0]);
  if (error != 0) {
    result.how = std::string("not started: ") + ::strerror(error);
    return result;
  }

  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      result.how = std::string("lost: ") + ::strerror(errno);
      return result;
    }
  }
  result.has_exited = WIFEXITED(status);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  result.how = WIFEXITED(status)
                   ? "exit status " + std::to_string(WEXITSTATUS(status))
                   : "killed by signal " + std::to_string(WTERMSIG(status));
  return result;
}

}  // namespace ropeproof::tools
