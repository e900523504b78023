// Fuzzes what a process says: the header line of a reply, as a description and
// as an answer.
#include "conformance/plugin/reply.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "conformance/plugin/description.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace ropeproof::conformance;
  const std::string line(data, data + size);
  try {
    Reply reply(line);
    const Description description = read_description(reply);
    reply.finish();
    check_description(description, "fuzz");
  } catch (const Broken&) {
  } catch (const KernelError&) {
  }
  try {
    Reply reply(line);
    reply.text("status");
    reply.take("message");
    reply.integer("id", 0);
    reply.take("buffers");
    reply.finish();
  } catch (const Broken&) {
  }
  return 0;
}
