// A process that speaks the framed protocol of adapters/PROTOCOL.md.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance/plugin/answers.h"
#include "conformance/plugin/arena.h"
#include "conformance/plugin/child.h"
#include "conformance/plugin/dense.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/description_json.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/kernel.h"
#include "conformance/plugin/patience.h"
#include "conformance/plugin/request.h"
#include "conformance/plugin/sandbox.h"
#include "conformance/plugin/shared_file.h"
#include "conformance/text/one_line.h"
#include "conformance/text/strict_json.h"

namespace ropeproof::conformance::plugin {
namespace {

using std::chrono::milliseconds;
constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 20;

// The conversation cannot go on: the process is killed.
struct Broken : std::runtime_error {
  explicit Broken(const Answer& how)
      : std::runtime_error(how.detail), answer(how) {}
  const Answer answer;
};

[[noreturn]] void refuse(const std::string& fault) {
  throw Broken({Outcome::kError, text::one_line(fault)});
}

class ProcessKernel : public Kernel {
 public:
  // Starts a command or, with `socket`, talks to the process there.
  ProcessKernel(const std::string& command, int socket,
                const KernelOptions& options)
      : command_(command),
        socket_(socket),
        can_restart_(options.can_restart),
        sandbox_(options.sandbox),
        patience_(options) {
    description_ = start();
    if (options.narrow) options.narrow(description_);
    renews_ = (accepts_ & kFreshOffer) != 0;
  }

  const Description& description() const override { return description_; }
  std::byte* allocate(std::size_t bytes) override {
    return arena_.allocate(bytes, Edge::kStart);
  }
  void release() override { arena_.release(); }
  bool shares_memory() const override { return false; }
  bool restart(int threads) override {
    threads_ = threads;
    try {
      if (process_ != nullptr && renews_) {
        make_fresh();
        return true;
      }
    } catch (const std::runtime_error&) {
      renews_ = false;  // the next call starts the command again
    }
    if (can_restart_) process_.reset();
    return can_restart_;
  }

  Answer run(const ropeproof_problem& problem) override {
    if (!can_be_told(problem)) {
      return {Outcome::kUnsupported, "the framed protocol has no word for it"};
    }
    return converse([&] {
      ask(problem);
      return read_answer(problem);
    });
  }

  Answer supports(const ropeproof_problem& problem) override {
    if (!has_supports_ || !can_be_told(problem)) return {};
    ropeproof_scaling scaling;
    const ropeproof_problem question = without_data(problem, scaling);
    return converse([&] {
      send(header_of("supports", question).dump() + "\n");
      return read_choice();
    });
  }
  bool has_supports() const override { return has_supports_; }

 private:
  // A request and its answer, in a process that does not outlive a breach.
  template <class Talk>
  Answer converse(const Talk& talk) {
    if (patience_.has_given_up()) return patience_.answer();
    const bool is_first = process_ == nullptr || is_first_;
    Answer answer = converse_once(talk);
    if (patience_.tries_again(answer, is_first)) answer = converse_once(talk);
    patience_.count(answer, process_ == nullptr);
    return answer;
  }

  template <class Talk>
  Answer converse_once(const Talk& talk) {
    try {
      if (process_ == nullptr) start();
    } catch (const KernelError& error) {
      process_.reset();
      return patience_.give_up(error.what());
    }
    try {
      return talk();
    } catch (const Broken& broken) {
      Answer answer = broken.answer;
      if (answer.outcome == Outcome::kTimeout) {
        if (interrupt()) return answer;
        process_->end({});
        answer.detail += quoted_last_line(process_->last_line());
        if (has_begun()) answer.detail += ", but a part of one";
      }
      process_.reset();
      return answer;
    } catch (const std::runtime_error& error) {
      // A header that is malformed, or no room for the shared file.
      process_.reset();
      return {Outcome::kError, error.what()};
    }
  }

  // Has the process give up a late call. False: it has to end.
  bool interrupt() {
    if ((accepts_ & kInterruptOffer) == 0 || has_begun()) return false;
    try {
      send(interrupt_request());
      deadline_ = Deadline(patience_.start_limit());
      while (!received_.ends_with(kInterrupted)) receive(received_.size() + 1);
      return true;
    } catch (const Broken&) {
      return false;
    }
  }

  // A process that was killed is started again; what it said first stands.
  Description start() {
    const std::string source = text::one_line(command_);
    Description d;
    file_ = nullptr;
    process_ = reach();
    process_->send(describe_request(sandbox_ == nullptr));
    await(patience_.start_limit());
    is_first_ = true;
    try {
      text::StrictObject reply = read_header();
      const std::string status = reply.text("status");
      if (status != "ok") {
        const std::string message = message_of(reply);
        if (status == "unusable") refuse_machine(command_, message);
        refuse("status \"" + status + "\" is not \"ok\"" +
               (message.empty() ? "" : ": " + message));
      }
      check_abi_version(reply.integer("abi_version", 0), source);
      d = read_description(reply);
      accepts_ = reply.has("accepts") ? reply.bits("accepts", kOfferWords) : 0;
      if ((accepts_ & kSharedFileOffer) != 0) file_ = &shared_file_;
      has_supports_ = reply.has("supports") && reply.flag("supports");
      reply.finish();
      read_bytes(0);
      if (renews_ && threads_ > 0) make_fresh();
    } catch (const KernelError&) {
      throw;
    } catch (const std::runtime_error& fault) {
      throw KernelError(source + ": describe: " + fault.what());
    }
    check_description(d, source);
    return d;
  }

  std::unique_ptr<Child> reach() const {
    if (!can_restart_) return Child::adopt(socket_);
    const auto command = (renews_ ? "" : export_threads(threads_)) + command_;
    if (sandbox_ == nullptr) return Child::execute(command);
    return execute_behind_walls(*sandbox_, {"/bin/sh", "-c", command});
  }

  // The process replaces itself by one that has computed nothing yet.
  void make_fresh() {
    send(fresh_request(threads_));
    text::StrictObject reply = read_header();
    const std::string status = reply.text("status");
    if (status != "ok") refuse("status of fresh is \"" + status + "\"");
    reply.finish();
    read_bytes(0);
    is_first_ = true;
  }

  Json header_of(const char* operation, const ropeproof_problem& problem) {
    Json header = request_header(operation, problem);
    header["id"] = ++id_;
    return header;
  }

  void send(const std::string& bytes) {
    if (!process_->send(bytes)) refuse("sends what nobody has asked for");
    await(patience_.limit(is_first_));
  }

  void ask(const ropeproof_problem& problem) {
    Json header = header_of("run", problem);
    const auto tensors = inputs(problem);
    std::size_t end = 0;
    header["buffers"] = buffer_list(tensors, file_ != nullptr, end);
    answer_buffers_ = buffer_list(outputs(problem), file_ != nullptr, end);
    if (end > 0) {
      file_->resize(end);
      header["file"] = file_->path();
      header["answer"] = answer_buffers_;
    }
    std::string bytes = header.dump() + "\n";
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Json& buffer = header["buffers"][i];
      if (is_in_file(buffer)) {
        gather(tensors[i], file_->data() + offset_of(buffer));
      } else {
        gather(tensors[i], bytes);
      }
    }
    send(bytes);
    is_first_ = false;
  }

  text::StrictObject read_reply() {
    text::StrictObject reply = read_header();
    const std::int64_t id = reply.integer("id", id_);
    if (id != id_) {
      refuse("answers request " + std::to_string(id) + ", not " +
             std::to_string(id_));
    }
    return reply;
  }

  Answer read_choice() {
    text::StrictObject reply = read_reply();
    const std::string status = reply.text("status");
    const std::string message = message_of(reply);
    reply.finish();
    read_bytes(0);
    if (status == "ok") return {};
    if (status == "unsupported") return {Outcome::kDeclined, ""};
    return refusal(status, message);
  }

  // Empty where there is none.
  static std::string message_of(text::StrictObject& reply) {
    const nlohmann::json* message = reply.find("message");
    return message == nullptr || message->is_null() ? ""
                                                    : reply.text("message");
  }

  Answer read_answer(const ropeproof_problem& problem) {
    text::StrictObject reply = read_reply();
    const std::string status = reply.text("status");
    const std::string message = message_of(reply);
    const nlohmann::json* given = reply.find("buffers");
    const nlohmann::json buffers = given == nullptr ? nullptr : *given;
    reply.finish();
    const auto tensors = status == "ok" ? outputs(problem)
                                        : std::vector<ByteTensor<std::byte>>();
    const Json wanted = status == "ok" ? answer_buffers_ : Json(nullptr);
    if (buffers.dump() != wanted.dump()) {  // 16.0 is no number of bytes
      refuse("buffers of status \"" + status + "\" are " + buffers.dump() +
             ", not " + wanted.dump());
    }
    std::size_t total = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!is_in_file(wanted[i])) total += tensors[i].bytes();
    }
    read_bytes(total);
    if (status != "ok") return refusal(status, message);
    has_answered_ = true;

    const char* at = received_.data();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (is_in_file(wanted[i])) {
        scatter(tensors[i], reinterpret_cast<const char*>(
                                file_->data() + offset_of(wanted[i])));
      } else {
        scatter(tensors[i], at);
        at += tensors[i].bytes();
      }
    }
    return {};
  }

  Answer refusal(const std::string& status, const std::string& message) const {
    if (status == "unusable" && !has_answered_) {
      refuse_machine(command_, message);
    }
    if (auto answer = answer_of(status, message)) return *answer;
    refuse("status \"" + status +
           "\" must be ok, unsupported, invalid, failed, unusable or error");
  }

  void await(milliseconds limit) {
    received_.clear();
    has_header_ = false;
    deadline_ = Deadline(limit);
  }

  bool has_begun() const { return has_header_ || !received_.empty(); }

  void receive(std::size_t bytes) {
    const auto wire = process_->receive(received_, bytes, deadline_);
    if (wire == Child::Wire::kLate) {
      throw Broken({Outcome::kTimeout, "no answer within " + deadline_.text()});
    }
    if (wire == Child::Wire::kClosed) {
      Answer end = process_->end_in_call();
      if (has_begun()) end.outcome = Outcome::kError;
      end.detail = text::one_line(
          (has_begun() ? "ends in the middle of an answer: " : "") +
          end.detail + quoted_last_line(process_->last_line()));
      throw Broken(end);
    }
  }

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

  // The first line as an object, until the next one is read.
  text::StrictObject read_header() {
    const std::string line = read_line();
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] != '{') {
      refuse("header is no JSON object: \"" + line + "\"");
    }
    header_ = text::parse_json(line, "header", kMaxHeaderDepth);
    return {header_, ""};
  }

  // Leaves exactly the bytes after the line in `received_`.
  void read_bytes(std::size_t count) {
    receive(count);
    if (received_.size() > count) {
      refuse("sends more bytes than its header declares");
    }
  }

  std::string command_;  // or what messages call the socket
  int socket_;
  bool can_restart_;
  std::shared_ptr<const Sandbox> sandbox_;
  Patience patience_;
  Arena arena_{sparse()};
  SharedFile shared_file_;
  SharedFile* file_ = nullptr;  // the same, if the process takes it
  std::uint32_t accepts_ = 0;   // of what was offered
  bool renews_ = false;         // makes itself fresh, and has not failed to
  bool has_supports_ = false;
  bool has_answered_ = false;  // some call
  int threads_ = 0;
  std::unique_ptr<Child> process_;
  std::int64_t id_ = 0;    // of the latest request
  Json answer_buffers_;    // what it wants
  nlohmann::json header_;  // the latest, which read_header()'s object reads
  std::string received_;
  bool has_header_ = false;
  bool is_first_ = true;  // the next call in its process
  Deadline deadline_{milliseconds(0)};
  Description description_;
};

}  // namespace

std::unique_ptr<Kernel> start_process(const std::string& command,
                                      const KernelOptions& options) {
  return std::make_unique<ProcessKernel>(command, -1, options);
}

std::unique_ptr<Kernel> reach_process(int socket, KernelOptions options) {
  options.can_restart = false;
  return std::make_unique<ProcessKernel>("--socket " + std::to_string(socket),
                                         socket, options);
}

}  // namespace ropeproof::conformance::plugin
