/* Reaches for what is not its own: other processes, files, the network. Says
 * by its status what it has got hold of; a right kernel where that is nothing.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rope.h"

/* Whether the memory of a process that is no part of a sandbox is open. */
static int opens_memory(void) {
  DIR* const processes = opendir("/proc");
  int is_open = 0;
  for (struct dirent* one;
       processes != NULL && !is_open && (one = readdir(processes)) != NULL;) {
    char path[300], name[32] = "";
    const int pid = atoi(one->d_name);
    if (pid <= 0 || pid == (int)getpid()) continue;
    snprintf(path, sizeof path, "/proc/%d/comm", pid);
    FILE* const comm = fopen(path, "r");
    if (comm == NULL) continue;
    (void)!fgets(name, sizeof name, comm);
    fclose(comm);
    if (strcmp(name, "bwrap\n") == 0) continue;
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    const int memory = open(path, O_RDWR);
    is_open = memory >= 0;
    if (is_open) close(memory);
  }
  if (processes != NULL) closedir(processes);
  return is_open;
}

static int reads_parent(void) {
  char here[8];
  struct iovec mine = {here, sizeof here}, theirs = {here, sizeof here};
  return process_vm_readv(getppid(), &mine, 1, &theirs, 1, 0) >= 0;
}

static int opens(const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

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
