#include "conformance/weights/permute.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

namespace ropeproof::conformance::weights {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kChunk = std::uint64_t{8} << 20;  // bytes
constexpr std::uint64_t kMostRead = 3 * kChunk;

// A new file; what is left of an older attempt is overwritten.
class OutputStream {
 public:
  explicit OutputStream(const fs::path& path)
      : path_(path),
        file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                     0666)) {
    if (file_ < 0) fail();
  }
  ~OutputStream() { ::close(file_); }
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(file_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      start_flush(static_cast<std::uint64_t>(n));
    }
  }

  // Appends what the system can copy by itself; returns how many bytes.
  std::uint64_t copy(const InputFile& in, std::uint64_t offset,
                     std::uint64_t size) {
#ifdef __linux__
    auto from = static_cast<off64_t>(offset);
    const ssize_t n =
        ::copy_file_range(in.descriptor(), &from, file_, nullptr, size, 0);
    if (n <= 0) return 0;
    start_flush(static_cast<std::uint64_t>(n));
    return static_cast<std::uint64_t>(n);
#else
    return 0;
#endif
  }

  // Has the disk begin, so that finish() does not wait for all of it.
  void start_flush(std::uint64_t written) {
    unflushed_ += written;
    if (unflushed_ < 8 * kChunk) return;
    unflushed_ = 0;
#ifdef __linux__
    ::sync_file_range(file_, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
  }

  void finish() {
    if (::fsync(file_) != 0 && errno != EINVAL) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw CheckpointError(path_.string() +
                          ": cannot be written: " + ::strerror(errno));
  }

  fs::path path_;
  int file_;
  std::uint64_t unflushed_ = 0;
};

class Writer {
 public:
  Writer(const Checkpoint& in, const Moves& moves, const ByteProgress& progress)
      : in_(in), moves_(moves), progress_(progress) {
    for (const InputFile& file : in.files) all_ += file.size();
  }

  void write(std::size_t index, const fs::path& path) {
    const InputFile& file = in_.files[index];
    ::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL);
    std::vector<const Tensor*> moved;
    for (const auto& [name, move] : moves_) {
      const Tensor* const tensor = in_.find(name);
      if (tensor->file == index) moved.push_back(tensor);
    }
    std::ranges::sort(moved, {}, &Tensor::offset);
    OutputStream out(path);
    std::uint64_t position = 0;
    for (const Tensor* tensor : moved) {
      copy(file, position, tensor->offset, out);
      permute(*tensor, moves_.at(tensor->name), out);
      position = tensor->offset + tensor->bytes;
    }
    copy(file, position, file.size(), out);
    out.finish();
  }

  void skip(std::uint64_t bytes) { done_ += bytes; }

 private:
  void add(std::uint64_t bytes) {
    done_ += bytes;
    if (progress_) progress_(done_, all_);
  }

  void copy(const InputFile& file, std::uint64_t begin, std::uint64_t end,
            OutputStream& out) {
    while (begin < end) {
      const std::uint64_t most = std::min(end - begin, 8 * kChunk);
      std::uint64_t n = out.copy(file, begin, most);
      if (n == 0) {
        n = std::min(most, kChunk);
        read_.resize(n);
        file.read(begin, read_);
        out.write(read_);
      }
      begin += n;
      add(n);
    }
  }

  void permute(const Tensor& tensor, const Move& move, OutputStream& out) {
    const std::uint64_t width = move.rows.bytes;
    const std::uint64_t at_once = std::max<std::uint64_t>(1, kChunk / width);
    const auto source = [&](std::uint64_t row) {
      const std::uint64_t size = move.map.size();
      return row / size * size + move.map[row % size];
    };
    for (std::uint64_t row = 0; row < move.rows.count; row += at_once) {
      const std::uint64_t end = std::min(row + at_once, move.rows.count);
      std::uint64_t low = source(row), high = low;
      for (std::uint64_t t = row; t < end; ++t) {
        low = std::min(low, source(t));
        high = std::max(high, source(t));
      }
      written_.resize((end - row) * width);
      const bool is_near = (high - low + 1) * width <= kMostRead;
      if (is_near) {
        read_.resize((high - low + 1) * width);
        in_.read(tensor, low * width, read_);
        refuse_nans(in_, tensor, move.rows, low, read_);
      }
      for (std::uint64_t t = row; t < end; ++t) {
        const auto to = std::span(written_).subspan((t - row) * width, width);
        if (is_near) {
          std::memcpy(to.data(), read_.data() + (source(t) - low) * width,
                      width);
        } else {
          in_.read(tensor, source(t) * width, to);
          refuse_nans(in_, tensor, move.rows, source(t), to);
        }
      }
      out.write(written_);
      add(written_.size());
    }
  }

  const Checkpoint& in_;
  const Moves& moves_;
  const ByteProgress& progress_;
  std::uint64_t done_ = 0, all_ = 0;
  std::vector<std::byte> read_, written_;
};

// Compares bytes from `begin` to `end` of both.
bool is_same(const InputFile& a, const InputFile& b, std::uint64_t begin,
             std::uint64_t end) {
  std::vector<std::byte> of_a, of_b;
  for (; begin < end; begin += of_a.size()) {
    of_a.resize(std::min(end - begin, kChunk));
    of_b.resize(of_a.size());
    a.read(begin, of_a);
    b.read(begin, of_b);
    if (of_a != of_b) return false;
  }
  return true;
}

}  // namespace

void write_permuted(const Checkpoint& in, const Moves& moves,
                    const fs::path& part, const ByteProgress& progress) {
  Writer writer(in, moves, progress);
  if (!fs::is_directory(part)) return writer.write(0, part);
  for (std::size_t i = 0; i < in.files.size(); ++i) {
    const fs::path path = part / in.files[i].path().filename();
    std::error_code error;
    if (fs::file_size(path, error) == in.files[i].size() && !error) {
      writer.skip(in.files[i].size());
      continue;
    }
    fs::path unfinished = path;
    unfinished += ".unfinished";
    writer.write(i, unfinished);
    fs::rename(unfinished, path);
  }
  if (!in.index.empty()) {
    fs::copy_file(in.index, part / in.index.filename(),
                  fs::copy_options::overwrite_existing);
  }
}

std::string difference(const Checkpoint& in, const Checkpoint& out,
                       const Moves& moves, const ByteProgress& progress) {
  if (in.files.size() != out.files.size()) return "not as many files";
  std::uint64_t done = 0, all = 0;
  for (const InputFile& file : in.files) all += file.size();
  std::vector<const Tensor*> tensors;
  for (const Tensor& tensor : in.tensors) tensors.push_back(&tensor);
  std::ranges::sort(tensors, [](const Tensor* a, const Tensor* b) {
    return std::tuple(a->file, a->offset, a->bytes) <
           std::tuple(b->file, b->offset, b->bytes);
  });
  std::size_t next = 0;
  for (std::size_t i = 0; i < in.files.size(); ++i) {
    const InputFile &a = in.files[i], &b = out.files[i];
    if (a.size() != b.size()) return b.path().string() + ": another size";
    std::uint64_t position = 0;
    // Headers and padding, then each tensor.
    for (; next < tensors.size() && tensors[next]->file == i; ++next) {
      const Tensor& tensor = *tensors[next];
      if (!is_same(a, b, position, tensor.offset)) {
        return b.path().string() + ": its header or padding";
      }
      const auto move = moves.find(tensor.name);
      std::uint64_t row = 0;
      if (move == moves.end()) {
        if (!is_same(a, b, tensor.offset, tensor.offset + tensor.bytes)) {
          return "\"" + tensor.name + "\", which no pairing changes";
        }
      } else if (!matches(digests(in, tensor, move->second.rows, tensor.type),
                          digests(out, tensor, move->second.rows, tensor.type),
                          move->second.map, &row)) {
        return "\"" + tensor.name + "\" from row " + std::to_string(row) +
               " on";
      }
      position = tensor.offset + tensor.bytes;
      if (progress) progress(done + position, all);
    }
    if (!is_same(a, b, position, a.size())) {
      return b.path().string() + ": its end";
    }
    done += a.size();
  }
  return "";
}

}  // namespace ropeproof::conformance::weights
