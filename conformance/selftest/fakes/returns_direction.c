/* Returns the problem's direction as its status. */
#include "fake.h"

int32_t ropeproof_run(const ropeproof_problem* p) { return p->direction; }
