/* Uses OpenMP: writes the number of threads to the first element of q.out. */
#include <omp.h>

#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  *(float*)p->q.out = (float)threads;
  return ROPEPROOF_OK;
}
