// test_storages.h -- every storage, for tests.
#ifndef ROPEPROOF_CONFORMANCE_SELFTEST_TEST_STORAGES_H_
#define ROPEPROOF_CONFORMANCE_SELFTEST_TEST_STORAGES_H_

#include <string>
#include <utility>
#include <vector>

#include "conformance/call/call.h"
#include "conformance/cases/test_corpus.h"
#include "conformance/cases/words.h"
#include "conformance/check/attempt.h"
#include "conformance/diagnosis/knob_kernel.h"

namespace ropeproof::conformance::selftest {

using cases::Spacing;
using cases::Storage;

inline std::vector<Storage> all_storages() {
  std::vector<Storage> all;
  for (const auto& [order, order_word] : cases::kOrderWords) {
    for (const auto& [spacing, spacing_word] : cases::kSpacingWords) {
      for (const auto& [rows, rows_word] : cases::kRowSpacingWords) {
        for (const auto& [edge, edge_word] : cases::kEdgeWords) {
          for (const auto& [place, place_word] : cases::kInPlaceWords) {
            all.push_back({order, spacing, rows, place, edge});
          }
        }
      }
    }
  }
  return all;
}

inline std::string words(const Storage& s) {
  return text::word(cases::kOrderWords, s.order) + " " +
         text::word(cases::kSpacingWords, s.spacing) + " " +
         text::word(cases::kRowSpacingWords, s.rows) + " " +
         text::word(cases::kInPlaceWords, s.in_place) + " " +
         text::word(cases::kEdgeWords, *s.edge);
}

// The case so stored; with its first batch row twice, where rows are to be one.
inline cases::RopeCase stored(const cases::RopeCase& c,
                              const Storage& storage) {
  cases::RopeCase result = c;
  if (storage.spacing == Spacing::kBroadcast ||
      storage.spacing == Spacing::kKeysBroadcast ||
      storage.rows == cases::RowSpacing::kShared) {
    std::vector<std::int64_t> tokens;
    for (std::int64_t t = 0; t < c.tokens(); ++t) tokens.push_back(t % c.seq);
    result = check::pick_tokens(c, tokens, c.batch, c.seq);
  }
  result.storage = storage;
  return result;
}

// Room for kernels of this process that read or write elsewhere.
class RoomyKernel : public diagnosis::KnobKernel {
 public:
  explicit RoomyKernel(diagnosis::Knobs knobs)
      : diagnosis::KnobKernel(description_of_all(), std::move(knobs)) {}
  std::byte* allocate(std::size_t bytes) override {
    return diagnosis::KnobKernel::allocate(bytes + 2 * kRoom) + kRoom;
  }

 private:
  static constexpr std::size_t kRoom = 1 << 18;

  static plugin::Description description_of_all() {
    plugin::Description d = diagnosis::full_description(ROPEPROOF_A0);
    d.dtypes |= ROPEPROOF_F64;
    return d;
  }
};

inline check::ContractResult result(plugin::Kernel& kernel,
                                    const cases::RopeCase& c,
                                    std::uint32_t operation) {
  const check::Subject subject = check::subject_of(kernel, c, operation);
  judge::Output output;
  const plugin::Answer answer =
      call::Call(kernel, operation, c, subject.claim.table).run(output);
  return check::judged(subject, c, answer, output, "storage", 0);
}

}  // namespace ropeproof::conformance::selftest

#endif  // ROPEPROOF_CONFORMANCE_SELFTEST_TEST_STORAGES_H_
