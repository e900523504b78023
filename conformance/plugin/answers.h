// answers.h -- what a kernel says, as an Answer.
#pragma once

#include <optional>
#include <string>

#include "conformance/plugin/worker.h"

namespace ropeproof::conformance::plugin {

// What a library's call says, and its ropeproof_supports.
Answer answer_of(const Solved& solved);
Answer answer_to_question(const Solved& solved);

// What a status of the framed protocol says that is not "ok"; nothing for
// another word.
std::optional<Answer> answer_of(const std::string& status,
                                const std::string& message);

// Refuses to judge a kernel on a machine that lacks what it needs, which is no
// fault of the kernel: a backend, a driver, local memory. Throws
// std::invalid_argument, exit status 2.
[[noreturn]] void refuse_machine(const std::string& kernel,
                                 const std::string& lack);

// What a library that was loaded and described has left behind; empty: nothing.
std::string load_fault(const Loaded& loaded);

}  // namespace ropeproof::conformance::plugin
