/* reaches.h -- what a plug-in tries that reaches for what is not its own. */
#ifndef ROPEPROOF_CONFORMANCE_FAKES_REACHES_H_
#define ROPEPROOF_CONFORMANCE_FAKES_REACHES_H_

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Whether the memory of a process that is no part of a sandbox is open. */
static inline int opens_memory(void) {
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

static inline int reads_parent(void) {
  char here[8];
  struct iovec mine = {here, sizeof here}, theirs = {here, sizeof here};
  return process_vm_readv(getppid(), &mine, 1, &theirs, 1, 0) >= 0;
}

static inline int opens(const char* path, int flags) {
  const int file = open(path, flags, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

/* Forms the path of a file beside the program that runs this plug-in. */
static inline void beside_program(const char* file, char path[512]) {
  const ssize_t length = readlink("/proc/self/exe", path, 400);
  path[length < 0 ? 0 : length] = '\0';
  char* const slash = strrchr(path, '/');
  strcpy(slash == NULL ? path : slash + 1, file);
}

/* Whether this process has the words somewhere, as the runner keeps elements:
 * each in 64 bits. The memory that it shares with the runner is left out. */
static inline int has_elements(const float* x, int count) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  char line[512];
  int is_there = 0;
  while (maps != NULL && !is_there && fgets(line, sizeof line, maps) != NULL) {
    unsigned long first = 0, last = 0;
    char rights[5] = "";
    if (sscanf(line, "%lx-%lx %4s", &first, &last, rights) != 3) continue;
    if (strcmp(rights, "rw-p") != 0 || strstr(line, "[stack]") != NULL) {
      continue;
    }
    const unsigned long bytes = (unsigned long)count * 8;
    for (unsigned long at = first; !is_there && at + bytes < last; at += 8) {
      int same = 0;
      for (; same < count; ++same) {
        unsigned long word;
        unsigned bits;
        memcpy(&word, (const void*)(at + 8 * (unsigned long)same), 8);
        memcpy(&bits, x + same, 4);
        if (word != bits || bits == 0) break;
      }
      is_there = same == count;
    }
  }
  if (maps != NULL) fclose(maps);
  return is_there;
}

#endif /* ROPEPROOF_CONFORMANCE_FAKES_REACHES_H_ */
