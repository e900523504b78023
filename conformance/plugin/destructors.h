// destructors.h -- a library's end, in a process that goes on for a moment.
#ifndef ROPEPROOF_CONFORMANCE_PLUGIN_DESTRUCTORS_H_
#define ROPEPROOF_CONFORMANCE_PLUGIN_DESTRUCTORS_H_

namespace ropeproof::conformance::plugin {

// Runs what a program's end runs of a library from dlopen() and of those that were
// loaded with it or later, once; they stay mapped, since threads of theirs may run
// on. Nothing of the program itself. Needs glibc; elsewhere it does nothing.
void run_destructors(void* library);

}  // namespace ropeproof::conformance::plugin

#endif  // ROPEPROOF_CONFORMANCE_PLUGIN_DESTRUCTORS_H_
