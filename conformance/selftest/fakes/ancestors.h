/* ancestors.h -- who has started whom. */
#ifndef ROPEPROOF_FAKES_ANCESTORS_H
#define ROPEPROOF_FAKES_ANCESTORS_H

#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* Returns the parent of this process's parent: what forks the suite's workers.
   0: /proc does not say. */
static inline pid_t grandparent(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
  FILE* file = fopen(path, "r");
  int parent = 0;
  if (file != NULL && fscanf(file, "%*d (%*[^)]) %*c %d", &parent) != 1) {
    parent = 0;
  }
  if (file != NULL) fclose(file);
  return parent;
}

#endif
