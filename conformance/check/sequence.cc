// Calls in a row: what is left of one problem when the next one comes.
#include "conformance/check/attempt.h"

namespace ropeproof::conformance::check {
namespace {

bool same_bits(const judge::Output& a, const judge::Output& b) {
  return a.q == b.q && a.k == b.k && a.cos == b.cos && a.sin == b.sin &&
         a.inv_freq == b.inv_freq;
}

}  // namespace

ContractResult check_sequence(plugin::Kernel& kernel,
                              std::span<const Subject> calls) {
  const std::string check = "calls in a row";
  const bool repeats = offers(kernel, ROPEPROOF_DETERMINISTIC);
  const char suffix = repeats ? 'D' : char{0};
  const auto name = [&](std::size_t i) {
    return "call " + std::to_string(i + 1) + " (" + calls[i].c.id + ")";
  };
  const auto run = [&](const Subject& subject, judge::Output& output) {
    return Call(kernel, subject.operation, subject.c, subject.claim.table)
        .run(output);
  };
  kernel.restart(0);
  std::vector<judge::Output> warm(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const plugin::Answer answer = run(calls[i], warm[i]);
    ContractResult result =
        judged(calls[i], calls[i].c, answer, warm[i], check, suffix, name(i));
    if (!result.pass) return result;
  }
  for (std::size_t i = 0; repeats && i < calls.size(); ++i) {
    if (!kernel.restart(0)) break;
    judge::Output cold;
    const plugin::Answer answer = run(calls[i], cold);
    ContractResult result = result_of(answer, check, suffix, name(i));
    if (!result.pass) return result;
    if (!same_bits(cold, warm[i])) {
      return failed(check, suffix,
                    name(i) + ": other bits than in a process of its own");
    }
  }
  return passed(check, suffix);
}

}  // namespace ropeproof::conformance::check
