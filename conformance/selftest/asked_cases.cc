#include "conformance/selftest/asked_cases.h"

#include <exception>

namespace ropeproof::conformance::selftest {
namespace {

// look(i) for i < count, on all cores.
template <class LookAt>
void for_each(std::size_t count, const LookAt& look_at) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < count; ++i) {
    try {
      look_at(i);
    } catch (...) {
#pragma omp critical(ropeproof_asked_failure)
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

AskedCases::AskedCases(const cases::Corpus& corpus, const cover::Arrays& arrays,
                       const plugin::Description& description)
    : corpus_(corpus),
      formed_(cover::formed_cases(arrays, description, true, true, 0,
                                  [](const cover::Row&) { return true; })) {}

void AskedCases::committed(const std::string& tier, const Look& look) const {
  std::vector<const cases::RopeCase*> list;
  for (const cases::Group& group : corpus_.groups) {
    if (group.tier != tier) continue;
    for (const cases::RopeCase& c : group.rope_cases) list.push_back(&c);
  }
  for_each(list.size(), [&](std::size_t i) { look(*list[i], {}, 0); });
}

std::size_t AskedCases::formed(const std::string& tier, const Look& look,
                               const Wants& wants) const {
  std::vector<const cover::FormedCase*> list;
  for (const cover::FormedCase& c : formed_) {
    if (c.tier == tier && wants(c)) list.push_back(&c);
  }
  for_each(list.size(), [&](std::size_t i) {
    look(cover::form(*list[i], 0, reference::best_oracle()), list[i]->row,
         list[i]->seed);
  });
  return list.size();
}

}  // namespace ropeproof::conformance::selftest
