/* Reaches for what is not its own: other processes, files, the network. Says
 * by its status what it has got hold of; a right kernel where that is nothing.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "reaches.h"
#include "rope.h"

static int connects(void) {
  const int end = socket(AF_INET, SOCK_DGRAM, 0);
  if (end >= 0) close(end);
  return end >= 0;
}

static int leaves_user(void) {
  const pid_t child = fork();
  if (child == 0) _exit(unshare(CLONE_NEWUSER) == 0);
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  if (opens_memory()) return 101;
  if (reads_parent()) return 102;
  if (opens("/etc/passwd", O_RDONLY)) return 103;
  if (opens("/reached", O_WRONLY | O_CREAT)) return 104;
  if (connects()) return 105;
  if (leaves_user()) return 106;
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) return 107;
  return rope(p);
}
