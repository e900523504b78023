// A command that speaks the framed protocol of adapters/README.md: one JSON
// header line, then raw bytes, in both directions.
#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "conformance/kernels/arena.h"
#include "conformance/kernels/child.h"
#include "conformance/kernels/dense.h"
#include "conformance/kernels/description.h"
#include "conformance/kernels/kernel.h"
#include "conformance/kernels/patience.h"
#include "conformance/kernels/reply.h"
#include "conformance/kernels/shared_file.h"

namespace ropeproof::conformance {
namespace {

using std::chrono::milliseconds;

// Importing a framework takes longer than solving a problem with it.
constexpr int kStartLimits = 10;
// The socket closes a moment before the process has ended.
constexpr std::chrono::seconds kGrace{1};
constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 20;
// From here on a buffer travels by shared file, where the process takes one.
constexpr std::size_t kMinFileBytes = std::size_t{1} << 16;

// What the protocol has beyond its first version; a process takes what it knows.
constexpr const char* kSharedFile = "shared_file";
const Json kProtocolWords = {kSharedFile};

std::string hex(double value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64,
                std::bit_cast<std::uint64_t>(value));
  return text;
}

// [name, bytes], or [name, bytes, offset] for a buffer in the shared file. Large
// buffers get the next offsets from `end` on; `file` null: none do.
template <class Byte>
Json buffer_list(const std::vector<ByteTensor<Byte>>& tensors,
                 const SharedFile* file, std::size_t& end) {
  Json list = Json::array();
  for (const auto& tensor : tensors) {
    list.push_back({tensor.name, tensor.bytes()});
    if (file == nullptr || tensor.bytes() < kMinFileBytes) continue;
    list.back().push_back(end);
    end += tensor.bytes();
  }
  return list;
}

bool is_in_file(const Json& buffer) { return buffer.size() > 2; }

// An enumerator that the operation does not need is 0, and null in the header.
template <std::size_t kSize>
Json named(std::uint32_t value, const Words<std::uint32_t, kSize>& words) {
  return value == 0 ? Json(nullptr) : Json(word(words, value));
}

template <std::size_t kSize>
bool has_word(std::uint32_t value, const Words<std::uint32_t, kSize>& words) {
  return value == 0 || find_word(words, word(words, value)).has_value();
}

bool can_be_told(const ropeproof_problem& p) {
  return has_word(p.operation, kOperationWords) &&
         has_word(p.dtype, kDtypeWords) &&
         has_word(p.table_dtype, kDtypeWords) &&
         has_word(p.pairing, kAbiPairingWords);
}

std::string describe_request() {
  Json header{{"op", "describe"}, {"abi_version", ROPEPROOF_ABI_VERSION}};
  if (SharedFile::is_available()) header["offers"] = kProtocolWords;
  return header.dump() + "\n";
}

Json scaling_json(const ropeproof_problem& p, const ropeproof_scaling& s) {
  Json json{{"kind", word(kScalingWords, s.kind)},
            {"factor", hex(s.factor)},
            {"original_length", hex(s.original_length)},
            {"seq_len", hex(s.seq_len)},
            {"beta_fast", hex(s.beta_fast)},
            {"beta_slow", hex(s.beta_slow)},
            {"low_freq_factor", hex(s.low_freq_factor)},
            {"high_freq_factor", hex(s.high_freq_factor)},
            {"truncate", s.truncate != 0}};
  const auto add_list = [&](const char* name, const double* list) {
    json[name] = Json::array();
    for (std::int64_t j = 0; list != nullptr && j < p.rotary_dim / 2; ++j) {
      json[name].push_back(hex(list[j]));
    }
  };
  add_list("short_factor", s.short_factor);
  add_list("long_factor", s.long_factor);
  return json;
}

Json run_header(const ropeproof_problem& p) {
  Json header{{"op", "run"}};
  header["operation"] = named(p.operation, kOperationWords);
  header["dtype"] = named(p.dtype, kDtypeWords);
  header["table_dtype"] = named(p.table_dtype, kDtypeWords);
  header["pairing"] = named(p.pairing, kAbiPairingWords);
  header["direction"] = p.direction;
  header["batch"] = p.batch;
  header["seq"] = p.seq;
  header["head_dim"] = p.head_dim;
  header["rotary_dim"] = p.rotary_dim;
  header["rotary_offset"] = p.rotary_offset;
  header["q_heads"] = p.q.heads;
  header["k_heads"] = p.k.heads;
  header["position_axes"] = p.position_axes;
  header["base"] = hex(p.base);
  header["amplitude"] = hex(p.amplitude);
  header["permute_heads"] = p.permute_heads;
  header["permute_columns"] = p.permute_columns;
  header["pair_distance"] = p.pair_distance;
  header["pairing_blocks"] = p.pairing_blocks;
  header["scaling"] =
      p.scaling == nullptr ? Json(nullptr) : scaling_json(p, *p.scaling);
  return header;
}

class ProcessKernel : public Kernel {
 public:
  ProcessKernel(const std::string& command, const KernelOptions& options)
      : command_(command), limit_(options.time_limit), patience_(options) {
    description_ = start();
  }

  const Description& description() const override { return description_; }
  std::byte* allocate(std::size_t bytes) override {
    return arena_.allocate(bytes, Edge::kStart);
  }
  void release() override { arena_.release(); }
  bool shares_memory() const override { return false; }
  bool restart(int threads) override {
    if (threads != 0) return false;  // its threads are its own business
    process_.reset();
    return true;
  }

  Answer run(const ropeproof_problem& problem) override {
    if (!can_be_told(problem)) {
      return {Outcome::kUnsupported, "the framed protocol has no word for it"};
    }
    if (patience_.is_lost()) return patience_.answer();
    try {
      if (process_ == nullptr) start();
    } catch (const KernelError& error) {
      process_.reset();
      patience_.lose();  // starting takes ten time limits
      return {Outcome::kError, error.what()};
    }
    try {
      ask(problem);
      return read_answer(problem);
    } catch (const Broken& broken) {
      Answer answer{broken.outcome, broken.detail};
      if (broken.outcome == Outcome::kTimeout) {
        process_->end({});
        answer = patience_.late(limit_, process_->last_line());
        if (has_header_ || !received_.empty()) {
          answer.detail += ", but a part of one";
        }
      }
      process_.reset();
      return answer;
    } catch (const KernelError& error) {  // no room for the shared file
      process_.reset();
      return {Outcome::kError, error.what()};
    }
  }

 private:
  // A process that was killed is started again; what it said first stands.
  Description start() {
    const std::string source = one_line(command_);
    Description d;
    file_ = nullptr;
    process_ = Child::execute(command_);
    process_->send(describe_request());
    await(kStartLimits * limit_);
    try {
      Reply reply(read_line());
      const std::string status = reply.text("status");
      if (status != "ok") refuse("status \"" + status + "\" is not \"ok\"");
      check_abi_version(reply.integer("abi_version", 0), source);
      d = read_description(reply);
      if (takes_file(reply.take("accepts"))) file_ = &shared_file_;
      reply.finish();
      read_bytes(0);
    } catch (const Broken& broken) {
      throw KernelError(source + ": describe: " + broken.detail);
    }
    check_description(d, source);
    return d;
  }

  static Description read_description(Reply& reply) {
    Description d;
    d.name = reply.text("name");
    d.version = reply.text("version");
    d.operations = reply.some_of("operations", kOperationWords);
    d.dtypes = reply.some_of("dtypes", kDtypeWords);
    d.pairings = reply.some_of("pairings", kAbiPairingWords);
    d.features = reply.some_of("features", kFeatureWords);
    d.angle_class = reply.one_of("angle_class", kAngleClassWords);
    d.max_position = reply.integer("max_position", 0);
    d.angle_dtype = reply.one_of("angle_dtype", kDtypeWords, "none");
    d.power = reply.one_of("power", kPowerWords, "pow");
    d.trig_ulp = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(reply.integer("trig_ulp", 1), 0, UINT32_MAX));
    d.table_dtype = reply.one_of("table_dtype", kDtypeWords, "same");
    d.rounding = reply.one_of("rounding", kRoundingWords, "once");
    d.scalings = reply.any_of("scalings", kScalingWords);
    return d;
  }

  // What a process takes of what was offered.
  static bool takes_file(const Json& accepts) {
    if (accepts.is_null() || accepts == Json::array()) return false;
    if (accepts != kProtocolWords) {
      refuse("accepts is " + accepts.dump() + "; it may be " +
             kProtocolWords.dump());
    }
    return true;
  }

  void ask(const ropeproof_problem& problem) {
    Json header = run_header(problem);
    header["id"] = ++id_;
    const auto tensors = inputs(problem);
    std::size_t end = 0;
    header["buffers"] = buffer_list(tensors, file_, end);
    answer_buffers_ = buffer_list(outputs(problem), file_, end);
    if (end > 0) {
      file_->resize(end);
      header["file"] = file_->path();
      header["answer"] = answer_buffers_;
    }
    std::string bytes = header.dump() + "\n", in_file;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Json& buffer = header["buffers"][i];
      if (!is_in_file(buffer)) {
        gather(tensors[i], bytes);
        continue;
      }
      in_file.clear();
      gather(tensors[i], in_file);
      file_->write(in_file, buffer[2]);
    }
    if (!process_->send(bytes)) refuse("sends what nobody has asked for");
    await(limit_);
  }

  Answer read_answer(const ropeproof_problem& problem) {
    Reply reply(read_line());
    const std::int64_t id = reply.integer("id", id_);
    if (id != id_) {
      refuse("answers request " + std::to_string(id) + ", not " +
             std::to_string(id_));
    }
    const std::string status = reply.text("status");
    const Json message = reply.take("message");
    const Json buffers = reply.take("buffers");
    reply.finish();
    if (!message.is_null() && !message.is_string()) {
      refuse("message must be a string");
    }
    const auto tensors = status == "ok" ? outputs(problem)
                                        : std::vector<ByteTensor<std::byte>>();
    const Json wanted = status == "ok" ? answer_buffers_ : Json(nullptr);
    if (buffers != wanted) {
      refuse("buffers of status \"" + status + "\" are " + buffers.dump() +
             ", not " + wanted.dump());
    }
    std::size_t total = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!is_in_file(wanted[i])) total += tensors[i].bytes();
    }
    read_bytes(total);
    if (status != "ok") return refusal(status, message);

    const char* at = received_.data();
    std::string from_file;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (is_in_file(wanted[i])) {
        from_file.resize(tensors[i].bytes());
        if (!file_->read(from_file, wanted[i][2])) {
          refuse("the shared file has become shorter");
        }
        scatter(tensors[i], from_file.data());
      } else {
        scatter(tensors[i], at);
        at += tensors[i].bytes();
      }
    }
    return {};
  }

  static Answer refusal(const std::string& status, const Json& message) {
    const std::string detail =
        one_line(message.is_null() ? "status \"" + status + "\""
                                   : message.get<std::string>());
    if (status == "unsupported") return {Outcome::kUnsupported, detail};
    if (status == "invalid") return {Outcome::kInvalid, detail};
    if (status == "error") return {Outcome::kError, detail};
    refuse("status \"" + status +
           "\" must be ok, unsupported, invalid or error");
  }

  void await(milliseconds limit) {
    received_.clear();
    has_header_ = false;
    allowed_ = limit;
    deadline_ = Child::Clock::now() + limit;
  }

  void receive(std::size_t bytes) {
    const auto wire = process_->receive(received_, bytes, deadline_);
    if (wire == Child::Wire::kLate) {
      throw Broken{
          Outcome::kTimeout,
          "no answer within " + std::to_string(allowed_.count()) + " ms"};
    }
    if (wire == Child::Wire::kClosed) {
      const bool has_begun = has_header_ || !received_.empty();
      const std::string how = process_->end(kGrace);
      const std::string line = quoted_last_line(process_->last_line());
      if (has_begun) refuse("ends in the middle of an answer: " + how + line);
      throw Broken{Outcome::kCrash, how + line};
    }
  }

  // Takes the first line off `received_`.
  std::string read_line() {
    std::size_t newline = std::string::npos;
    for (std::size_t searched = 0; newline == std::string::npos;) {
      if (searched > kMaxHeaderBytes) refuse("header is longer than 1 MiB");
      receive(searched + 1);
      newline = received_.find('\n', searched);
      searched = received_.size();
    }
    std::string line = received_.substr(0, newline);
    received_.erase(0, newline + 1);
    has_header_ = true;
    return line;
  }

  // Leaves exactly the bytes after the line in `received_`.
  void read_bytes(std::size_t count) {
    receive(count);
    if (received_.size() > count) {
      refuse("sends more bytes than its header declares");
    }
  }

  std::string command_;
  milliseconds limit_;
  Patience patience_;
  Arena arena_;
  SharedFile shared_file_;
  SharedFile* file_ = nullptr;  // the same, if the process takes it
  std::unique_ptr<Child> process_;
  std::int64_t id_ = 0;  // of the latest request
  Json answer_buffers_;  // what it wants
  std::string received_;
  bool has_header_ = false;
  milliseconds allowed_{};
  Child::Clock::time_point deadline_;
  Description description_;
};

}  // namespace

std::unique_ptr<Kernel> start_process(const std::string& command,
                                      const KernelOptions& options) {
  return std::make_unique<ProcessKernel>(command, options);
}

}  // namespace ropeproof::conformance
