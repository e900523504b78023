// The format: files, each behind a header of its own; then the directory; then
// where that lies. Numbers that need 64 bits stand in an extra field.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include "conformance/weights/zip.h"

#include "conformance/weights/checkpoint.h"

namespace ropeproof::conformance::weights {
namespace {

constexpr std::uint64_t kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr std::uint64_t kFileBytes = 30, kLongestComment = 0xffff;
constexpr std::uint64_t k32 = 0xffffffff, k16 = 0xffff;
constexpr std::string_view kEnd = "PK\5\6", kEnd64 = "PK\6\6",
                           kLocator = "PK\6\7", kEntry = "PK\1\2",
                           kFile = "PK\3\4";

[[noreturn]] void fail(const InputFile& file, const std::string& what) {
  file.fail(what + "; copy or download it again");
}

struct Directory {
  std::uint64_t count = 0, offset = 0, bytes = 0;
};

Directory find_directory(const InputFile& file) {
  const std::uint64_t size =
      std::min(file.size(), kEndBytes + kLongestComment + kLocatorBytes);
  const std::string tail = file.read_text(file.size() - size, size);
  const std::size_t end = tail.rfind(kEnd);
  if (end == std::string::npos || tail.size() - end < kEndBytes) {
    fail(file, "a ZIP archive without its directory");
  }
  ByteReader in(file, std::string_view(tail).substr(end + 8));
  in.take(2);
  Directory directory;
  directory.count = in.number(2);
  directory.bytes = in.number(4);
  directory.offset = in.number(4);
  const bool is_64 = directory.count == k16 || directory.bytes == k32 ||
                     directory.offset == k32;
  if (!is_64 || end < kLocatorBytes) return directory;
  ByteReader locator(file, std::string_view(tail).substr(end - kLocatorBytes));
  if (locator.take(4) != kLocator) return directory;
  locator.take(4);
  const std::string text = file.read_text(locator.number(8), kEnd64Bytes);
  ByteReader wide(file, text);
  if (wide.take(4) != kEnd64) fail(file, "a ZIP archive without its directory");
  wide.take(28);
  directory.count = wide.number(8);
  directory.bytes = wide.number(8);
  directory.offset = wide.number(8);
  return directory;
}

// Takes from the extra field of an entry those numbers that do not fit in 32
// bits, in their order.
void widen(ByteReader extra, std::initializer_list<std::uint64_t*> numbers) {
  while (!extra.is_at_end()) {
    const std::uint64_t kind = extra.number(2), size = extra.number(2);
    ByteReader field(extra.file(), extra.take(size));
    if (kind != 1) continue;
    for (std::uint64_t* number : numbers) {
      if (*number == k32) *number = field.number(8);
    }
    return;
  }
}

}  // namespace

std::map<std::string, Extent> read_zip(const InputFile& file) {
  const Directory directory = find_directory(file);
  if (directory.bytes > kMaxHeaderBytes) {
    fail(file, "a directory of " + std::to_string(directory.bytes) + " bytes");
  }
  const std::string bytes = file.read_text(directory.offset, directory.bytes);
  ByteReader in(file, bytes);
  std::map<std::string, Extent> result;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    if (in.take(4) != kEntry) fail(file, "a ZIP directory that is broken");
    in.take(4);
    const bool is_encrypted = (in.number(2) & 1) != 0;
    const std::uint64_t method = in.number(2);
    in.take(8);
    std::uint64_t stored = in.number(4), size = in.number(4);
    const std::uint64_t name_size = in.number(2), extra_size = in.number(2),
                        comment_size = in.number(2);
    in.take(8);
    std::uint64_t offset = in.number(4);
    const std::string name(in.take(name_size));
    widen(ByteReader(file, in.take(extra_size)), {&size, &stored, &offset});
    in.take(comment_size);
    if (method != 0 || is_encrypted || stored != size) {
      file.fail("\"" + name + "\" is compressed or encrypted; save it by " +
                "torch.save or numpy.savez");
    }
    const std::string head = file.read_text(offset, kFileBytes);
    ByteReader local(file, head);
    if (local.take(4) != kFile) fail(file, "\"" + name + "\" is not there");
    local.take(22);
    offset += kFileBytes + local.number(2);
    offset += local.number(2);
    if (offset > file.size() || size > file.size() - offset) {
      fail(file, "ends before \"" + name + "\" does");
    }
    if (!result.emplace(name, Extent{offset, size}).second) {
      fail(file, "\"" + name + "\" occurs twice");
    }
  }
  return result;
}

}  // namespace ropeproof::conformance::weights
