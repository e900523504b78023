// exchange.h -- judging a device that no program of ours can run on.
//
// export_pack() makes the calls of a run and writes down each; check_pack()
// makes them again and finds the answers in files. In between, the device needs
// nothing but files and a loop. Both go through the runner, so the judge, the
// selection and the report are those of any other kernel.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "conformance/cases/corpus.h"
#include "conformance/check/run.h"
#include "conformance/check/runner.h"
#include "conformance/plugin/kernel.h"

namespace ropeproof::conformance::check {

// Writes every call that a device of this description gets to a new folder, and
// returns their number. Throws what PackWriter and run_suite() throw, and
// std::invalid_argument if there is no call at all.
std::size_t export_pack(const plugin::Description& device,
                        const cases::Corpus& corpus, const Selection& selection,
                        const std::string& version,
                        const std::filesystem::path& directory);

// Judges the files in `results`. Throws std::invalid_argument, one line, if the
// pack is incomplete or of other vectors, if `results` holds anything that no
// call of the pack asked for, or if the device promises a call that the pack
// does not have: what is formed for it is in a pack that was exported for this
// device. `selection` picks from the pack's tier.
Run check_pack(const std::filesystem::path& directory,
               const std::filesystem::path& results,
               const plugin::Description& device, const cases::Corpus& corpus,
               Selection selection);

}  // namespace ropeproof::conformance::check
