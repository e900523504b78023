/* Exports one of the two functions: the description. */
#include "fake.h"
