// A shared library: in a forked worker, which stays for all problems, or for
// debuggers in this process. A problem travels through a socket; its tensors
// are in memory that both processes see at the same addresses.
#include <cstring>
#include <filesystem>
#include <utility>

#include "conformance/plugin/answers.h"
#include "conformance/plugin/child.h"
#include "conformance/plugin/description.h"
#include "conformance/plugin/description_json.h"
#include "conformance/plugin/guarded_kernel.h"
#include "conformance/plugin/library_here.h"
#include "conformance/plugin/patience.h"
#include "conformance/plugin/sandbox.h"
#include "conformance/plugin/shared_note.h"
#include "conformance/plugin/worker.h"
#include "conformance/text/one_line.h"

namespace ropeproof::conformance::plugin {
namespace {

[[noreturn]] void fail(const std::string& source, const std::string& message) {
  throw KernelError(source + ": " + message);
}

// What a library says of itself. Throws KernelError.
Description described(const Loaded& loaded, const std::string& source) {
  if (loaded.stage == Loaded::kRefused) {
    if (loaded.status != ROPEPROOF_OK) refuse_machine(source, loaded.text);
    fail(source, text::one_line(loaded.text));
  }
  if (loaded.status != ROPEPROOF_OK) {
    fail(source, "ropeproof_describe returned " +
                     std::to_string(loaded.status) +
                     "; it must be ROPEPROOF_OK");
  }
  const ropeproof_description& d = loaded.description;
  check_abi_version(d.abi_version, source);
  Description description = description_of(d, loaded.name, loaded.version);
  if (loaded.backend[0] != '\0') {
    description.backend = parse_backend(loaded.backend, source);
  }
  check_description(description, source);
  return description;
}

constexpr const char* kForged =
    "the worker's socket holds what the suite did not write: the kernel uses a "
    "descriptor that is not its own";

class LibraryKernel : public GuardedKernel {
 public:
  LibraryKernel(const std::string& path, const std::string& source,
                const KernelOptions& options)
      : GuardedKernel(options.sandbox != nullptr),
        source_(source),
        path_(path),
        sandbox_(options.sandbox),
        patience_(options),
        note_(first_place(sandbox_ != nullptr)) {
    description_ = start();
    if (options.narrow) options.narrow(description_);
  }

  const Description& description() const override { return description_; }
  bool is_concurrent() const override { return true; }

  Answer run(const ropeproof_problem& problem) override {
    return ask({&problem, 1}, 1)[0];
  }

  std::vector<Answer> run_together(std::span<const ropeproof_problem> problems,
                                   int rounds) override {
    return ask(problems, rounds);
  }

  std::optional<Answer> run_afresh(const ropeproof_problem& problem,
                                   int limits) override {
    if (sandbox_ != nullptr || is_on_device_) return std::nullopt;
    // A server that is forked now sees what has been mapped meanwhile.
    worker_.reset();
    auto earlier_server = std::exchange(server_, nullptr);
    const Answer answer = ask({&problem, 1}, 1, limits)[0];
    worker_.reset();
    server_ = std::move(earlier_server);
    return answer;
  }

  Answer supports(const ropeproof_problem& problem) override {
    return has_supports_ ? ask({&problem, 1}, kQuestion)[0] : Answer{};
  }
  bool has_supports() const override { return has_supports_; }
  bool is_on_device() const override { return is_on_device_; }
  std::optional<Footprint> footprint() override {
    return worker_ == nullptr ? std::nullopt : worker_->footprint();
  }

  std::optional<Lifetime> lifetime() override {
    if (patience_.has_given_up())
      return Lifetime{load_fault_, patience_.answer()};
    try {
      if (worker_ == nullptr) start();
    } catch (const KernelError& error) {
      worker_.reset();
      return Lifetime{load_fault_, patience_.give_up(error.what())};
    }
    worker_->send_end();
    std::string nothing;
    Deadline deadline(patience_.limit(true));
    if (worker_->receive(nothing, 1, deadline) == Child::Wire::kLate) {
      return Lifetime{load_fault_,
                      {Outcome::kTimeout, "not unloaded within " +
                                              deadline.text() + end_worker()}};
    }
    const Answer answer = crash();
    return Lifetime{load_fault_, has_succeeded_ ? Answer{} : answer};
  }

  bool restart(int threads) override {
    worker_.reset();
    threads_ = threads;
    return true;
  }

 private:
  std::vector<Answer> ask(std::span<const ropeproof_problem> problems,
                          int rounds, int limits = 1) {
    if (patience_.has_given_up()) return {problems.size(), patience_.answer()};
    const bool has_data = rounds != kQuestion;
    if (has_data) save_memory();
    const bool is_first = worker_ == nullptr || is_first_;
    auto answers = ask_once(problems, rounds, limits);
    if (patience_.tries_again(answers[0], is_first)) {
      if (has_data) restore_memory();
      answers = ask_once(problems, rounds, limits);
    }
    forget_memory();
    patience_.count(answers[0], worker_ == nullptr);
    return answers;
  }

  std::vector<Answer> ask_once(std::span<const ropeproof_problem> problems,
                               int rounds, int limits) {
    const auto all = [&](const Answer& answer) {
      return std::vector<Answer>(problems.size(), answer);
    };
    try {
      if (worker_ == nullptr) start();
    } catch (const KernelError& error) {
      worker_.reset();
      return all(patience_.give_up(error.what()));
    }
    Deadline deadline(limits * patience_.limit(is_first_));
    if (rounds != kQuestion) is_first_ = false;
    const Blocks given = is_on_device_ ? blocks() : Blocks{};
    const Request request{++number_, static_cast<std::int32_t>(problems.size()),
                          rounds, static_cast<std::int32_t>(given.size())};
    std::string message(reinterpret_cast<const char*>(&request),
                        sizeof request);
    message.append(reinterpret_cast<const char*>(problems.data()),
                   problems.size_bytes());
    message.append(reinterpret_cast<const char*>(given.data()),
                   given.size() * sizeof given[0]);
    const bool was_silent = worker_->send(message);
    std::vector<Solved> solved(problems.size());
    switch (receive(solved.data(), solved.size(), deadline)) {
      case Child::Wire::kLate:
        return all({Outcome::kTimeout,
                    "no answer within " + deadline.text() + end_worker()});
      case Child::Wire::kClosed:
        return all(crash());
      case Child::Wire::kDone:
        break;
    }
    std::vector<Answer> answers;
    bool is_sound = was_silent && is_silent_;
    for (const Solved& one : solved) {
      is_sound = is_sound && one.number == request.number;
      answers.push_back(rounds == kQuestion ? answer_to_question(one)
                                            : answer_of(one));
      answers.back().is_steady = one.is_steady;
      has_answered_ |= rounds != kQuestion && one.status == ROPEPROOF_OK;
      if (one.status == ROPEPROOF_UNUSABLE && !has_answered_ &&
          answers.back().outcome == Outcome::kFailed) {
        refuse_machine(source_, answers.back().detail);
      }
    }
    if (is_sound) return answers;
    worker_.reset();
    return all({Outcome::kError, kForged});
  }

  // Ends the worker; the last that it printed, as a message quotes it.
  std::string end_worker() {
    worker_->end({});
    empty_memory();
    const std::string line = worker_->last_line();
    worker_.reset();
    return quoted_last_line(line);
  }

  Answer crash() {
    Answer answer = worker_->end_in_call();
    empty_memory();
    has_succeeded_ = worker_->has_succeeded();
    const CrashNote& note = *note_;
    if (note.signal != 0 && note.is_stack_overflow) {
      answer.detail += ", stack overflow";
    } else if (note.signal != 0) {
      answer.fault = note.fault;
    }
    answer.detail += quoted_last_line(worker_->last_line());
    worker_.reset();
    return answer;
  }

  template <class Message>
  Child::Wire receive(Message* messages, std::size_t count,
                      Deadline& deadline) {
    std::string bytes;
    const std::size_t size = count * sizeof(Message);
    const auto wire = worker_->receive(bytes, size, deadline);
    if (wire != Child::Wire::kDone) return wire;
    is_silent_ = bytes.size() == size;
    std::memcpy(messages, bytes.data(), size);
    return wire;
  }

  std::unique_ptr<Child> execute_worker() {
    Sandbox sandbox = *sandbox_;
    sandbox.shown.insert(sandbox.shown.end(), {sandbox.program, path_});
    const SharedPlace places[] = {arena().place(), sparse().place(),
                                  note_.place()};
    std::vector<std::string> words = {sandbox.program, kWorkerWord, path_,
                                      std::to_string(threads_)};
    std::vector<int> kept;
    for (const SharedPlace& place : places) {
      words.push_back(place.text());
      if (place.file >= 0) kept.push_back(place.file);
    }
    return execute_behind_walls(sandbox, words, kept);
  }

  std::unique_ptr<Child> fork_worker() {
    const bool is_new = server_ == nullptr;
    if (is_new) {
      server_ = Child::server([this](int threads, const Parent& runner) {
        serve(path_, threads, *note_, runner);
      });
    }
    try {
      return Child::fork(*server_, threads_);
    } catch (const KernelError&) {
      server_.reset();  // the plug-in may have killed it
      if (is_new) throw;
    }
    return fork_worker();
  }

  // A library that crashed is loaded again; what it said first stands.
  Description start() {
    *note_ = {};
    worker_ = sandbox_ != nullptr ? execute_worker() : fork_worker();
    is_first_ = true;
    Loaded loaded;
    Deadline deadline(patience_.start_limit());
    switch (receive(&loaded, 1, deadline)) {
      case Child::Wire::kLate:
        fail(source_, "hangs while it is loaded: no answer within " +
                          deadline.text() + end_worker());
      case Child::Wire::kClosed: {
        const std::string how = worker_->end(Child::kGrace);
        fail(source_, "crashes while it is loaded: " + how + end_worker());
      }
      case Child::Wire::kDone:
        break;
    }
    if (!is_silent_) fail(source_, kForged);
    // What a plug-in writes in the worker's place need not have ends.
    for (char* last : {std::end(loaded.text), std::end(loaded.name),
                       std::end(loaded.version), std::end(loaded.backend)}) {
      last[-1] = '\0';
    }
    if (loaded.stage == Loaded::kDescribed && loaded.status != ROPEPROOF_OK) {
      fail(source_, "ropeproof_describe returned " +
                        std::to_string(loaded.status) +
                        "; it must be ROPEPROOF_OK" + end_worker());
    }
    has_supports_ = loaded.has_supports;
    is_on_device_ = loaded.is_on_device;
    load_fault_ = load_fault(loaded);
    return described(loaded, source_);
  }

  std::string source_, path_, load_fault_;
  std::shared_ptr<const Sandbox> sandbox_;
  Patience patience_;
  int threads_ = 0;
  bool has_supports_ = false, is_on_device_ = false;
  bool is_first_ = true;        // the next call in its process
  bool has_answered_ = false;   // some call
  bool is_silent_ = true;       // nothing came behind the last reply
  bool has_succeeded_ = false;  // the last process to end, with status 0
  std::uint64_t number_ = 0;
  SharedNote note_;
  std::unique_ptr<ForkServer> server_;
  std::unique_ptr<Child> worker_;
  Description description_;
};

bool has_library_here = false;

class LocalKernel : public GuardedKernel {
 public:
  LocalKernel(LibraryHere library, const KernelOptions& options)
      : library_(std::move(library)) {
    if (options.narrow) options.narrow(library_.description);
    if (library_.device) device_.emplace(*library_.device);
  }

  const Description& description() const override {
    return library_.description;
  }
  Answer run(const ropeproof_problem& problem) override {
    Solved solved = device_ ? solve_on_device(*device_, library_.run, blocks(),
                                              {problem}, 1)[0]
                            : solve(library_.run, problem);
    note_fault(solved, library_.fault);
    return answer_of(solved);
  }
  bool is_on_device() const override { return device_.has_value(); }
  Answer supports(const ropeproof_problem& problem) override {
    if (library_.supports == nullptr) return {};
    return answer_to_question(plugin::ask(library_.supports, problem));
  }
  bool has_supports() const override { return library_.supports != nullptr; }

 private:
  LibraryHere library_;
  std::optional<Device> device_;
};

// dlopen would search the system's folders for a name without a slash.
std::string absolute_path(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!is_regular_file(status)) {
    fail(text::one_line(path), is_directory(status) ? "is a folder; name a "
                                                      "shared library"
                               : exists(status)
                                   ? "is no file; name a shared library"
                                   : "no such file; name a shared library");
  }
  return std::filesystem::absolute(path).string();
}

}  // namespace

std::unique_ptr<Kernel> load_library(const std::string& path,
                                     const KernelOptions& options) {
  if (!options.is_forked) {
    return std::make_unique<LocalKernel>(load_library_here(path), options);
  }
  return std::make_unique<LibraryKernel>(absolute_path(path),
                                         text::one_line(path), options);
}

bool is_library_here() { return has_library_here; }

LibraryHere load_library_here(const std::string& path) {
  has_library_here = true;
  Loaded loaded;
  const Functions functions = load(absolute_path(path), loaded);
  return {functions, described(loaded, text::one_line(path))};
}

}  // namespace ropeproof::conformance::plugin
