// request.h -- the header lines that the runner sends to a process.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/plugin/dense.h"
#include "conformance/plugin/description_json.h"

namespace ropeproof::conformance::plugin {

// A buffer of this size travels by shared file, where the process takes one.
inline constexpr std::size_t kMinFileBytes = std::size_t{1} << 16;
inline constexpr std::size_t kFileAlignment = 64;

// A header is an object with lists of lists and of objects. A reply that is
// deeper is refused: the library prints it for an error message by recursion.
inline constexpr int kMaxHeaderDepth = 8;

// What the runner can do beyond the first version of the protocol; a process
// accepts what it knows.
enum Offer : std::uint32_t {
  kSharedFileOffer = 1,
  kFreshOffer = 2,
  kInterruptOffer = 4
};
inline constexpr text::Words<std::uint32_t, 3> kOfferWords{
    {{kSharedFileOffer, "shared_file"},
     {kFreshOffer, "fresh"},
     {kInterruptOffer, "interrupt"}}};

// `shares_files`: the process sees the runner's files of /proc.
std::string describe_request(bool shares_files);
// Asks for a fresh process with `threads` threads, 0 for as many as it likes.
std::string fresh_request(int threads);
// Asks for the call that is late to be given up; what says that it was.
std::string interrupt_request();
inline constexpr const char* kInterrupted = "{\"status\": \"interrupted\"}\n";

// The shell's words that limit what the usual numerical libraries look at; none
// for 0.
std::string export_threads(int threads);

// Whether the protocol has words for the problem's enumerators.
bool can_be_told(const ropeproof_problem& problem);

// Returns the fields of a request "run" or "supports", without its number and
// buffers.
Json request_header(const char* operation, const ropeproof_problem& problem);

// Lists [name, bytes], or [name, bytes, offset] for a large buffer with
// `uses_file`; these get the next offsets from `end` on.
template <class Byte>
Json buffer_list(const std::vector<ByteTensor<Byte>>& tensors, bool uses_file,
                 std::size_t& end) {
  Json list = Json::array();
  for (const auto& tensor : tensors) {
    list.push_back({tensor.name, tensor.bytes()});
    if (!uses_file || tensor.bytes() < kMinFileBytes) continue;
    list.back().push_back(end);
    end +=
        (tensor.bytes() + kFileAlignment - 1) / kFileAlignment * kFileAlignment;
  }
  return list;
}

inline bool is_in_file(const Json& buffer) { return buffer.size() > 2; }
inline std::size_t offset_of(const Json& buffer) { return buffer[2]; }

}  // namespace ropeproof::conformance::plugin
