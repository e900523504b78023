// A pickle is a program. Those of its instructions that a dictionary of tensors
// needs are interpreted here, and none of it is run: whatever else it names is
// refused. https://docs.python.org/3/library/pickletools.html
#include "conformance/weights/pickle.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "conformance/weights/zip.h"

namespace ropeproof::conformance::weights {
namespace {

constexpr std::size_t kMostItems = 4'000'000;
constexpr int kDeepest = 16;  // of dictionaries in dictionaries

enum class Type {
  kOther,  // what no tensor needs: None, a float, a name of a dtype
  kMark,
  kNumber,
  kText,
  kList,  // a tuple, a list, or keys and values of a dictionary, by turns
  kDictionary,
  kStorageType,
  kMakeDictionary,
  kMakeTensor,
  kMakeParameter,
  kStorage,
  kTensor,
};

// `number` is the number itself, or an index: of a text, a list, a type in
// kStorages, a storage, a tensor.
struct Value {
  Type type = Type::kOther;
  std::int64_t number = 0;
};

struct Known {
  std::string_view name;
  Type type;
  std::string_view element = {};
};

constexpr Known kKnown[] = {
    {"collections.OrderedDict", Type::kMakeDictionary},
    {"torch._utils._rebuild_tensor_v2", Type::kMakeTensor},
    {"torch._utils._rebuild_parameter", Type::kMakeParameter},
    {"torch.DoubleStorage", Type::kStorageType, "F64"},
    {"torch.FloatStorage", Type::kStorageType, "F32"},
    {"torch.HalfStorage", Type::kStorageType, "F16"},
    {"torch.BFloat16Storage", Type::kStorageType, "BF16"},
    {"torch.LongStorage", Type::kStorageType, "I64"},
    {"torch.IntStorage", Type::kStorageType, "I32"},
    {"torch.ShortStorage", Type::kStorageType, "I16"},
    {"torch.CharStorage", Type::kStorageType, "I8"},
    {"torch.ByteStorage", Type::kStorageType, "U8"},
    {"torch.BoolStorage", Type::kStorageType, "BOOL"},
    {"torch.ComplexFloatStorage", Type::kStorageType, "C64"},
    {"torch.float64", Type::kOther},
    {"torch.float32", Type::kOther},
    {"torch.float16", Type::kOther},
    {"torch.bfloat16", Type::kOther}};

struct Storage {
  ElementType type;
  std::string file;
};

class Machine {
 public:
  Machine(const InputFile& file, std::string_view bytes) : in_(file, bytes) {}

  Value run() {
    while (true) {
      const char code = in_.take(1)[0];
      if (code == '.') return pop();
      step(code);
      if (stack_.size() + items_ > kMostItems) fail("has too many items");
    }
  }

  // Adds the tensors of a dictionary; one in another is a part of the name:
  // "model.norm.weight".
  void add(const Value& value, const std::string& name, int depth,
           std::vector<PickledTensor>& tensors) {
    items_ += 1 + name.size() / 32;  // a long key may occur again and again
    if (items_ > kMostItems) fail("has too many items");
    if (value.type == Type::kTensor) {
      PickledTensor tensor = tensors_[static_cast<std::size_t>(value.number)];
      tensor.name = name;
      tensors.push_back(std::move(tensor));
    }
    if (value.type != Type::kDictionary) return;
    if (depth > kDeepest) fail("is too deep");
    const std::vector<Value>& items = list(value);
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i].type != Type::kText) continue;
      add(items[i + 1], (name.empty() ? "" : name + ".") + text(items[i]),
          depth + 1, tensors);
    }
  }

 private:
  const std::vector<Value>& list(const Value& value) const {
    return lists_[static_cast<std::size_t>(value.number)];
  }
  const std::string& text(const Value& value) const {
    return texts_[static_cast<std::size_t>(value.number)];
  }

  [[noreturn]] void fail(const std::string& what) const {
    in_.file().fail("its pickle " + what +
                    "; only a dictionary of tensors is read, and nothing is "
                    "run: save it as safetensors");
  }

  void step(char code) {
    switch (code) {
      case '\x80':  // PROTO
        if (in_.number(1) > 5) fail("has an unknown version");
        return;
      case '(':
        return push(Type::kMark);
      case '}':
        return push_list(Type::kDictionary, {});
      case ']':
      case ')':
        return push_list(Type::kList, {});
      case 't':
        return push_list(Type::kList, take_to_mark());
      case '\x85':
      case '\x86':
      case '\x87':  // TUPLE1, 2, 3
        return push_list(Type::kList,
                         take(static_cast<unsigned char>(code) - 0x84u));
      case 'X':  // BINUNICODE
        return push_text(in_.take(in_.number(4)));
      case 'K':
        return push(Type::kNumber, static_cast<std::int64_t>(in_.number(1)));
      case 'M':
        return push(Type::kNumber, static_cast<std::int64_t>(in_.number(2)));
      case 'J':  // BININT, with a sign
        return push(Type::kNumber, static_cast<std::int32_t>(in_.number(4)));
      case '\x8a':  // LONG1
        return push_long();
      case '\x88':
      case '\x89':  // True, False
        return push(Type::kNumber, code == '\x88' ? 1 : 0);
      case 'N':
        return push(Type::kOther);
      case 'G':  // BINFLOAT
        in_.take(8);
        return push(Type::kOther);
      case 'c':
        return push_known();
      case 'q':
        return put(in_.number(1));
      case 'r':
        return put(in_.number(4));
      case 'h':
        return get(in_.number(1));
      case 'j':
        return get(in_.number(4));
      case 'Q':
        return push_storage();
      case 'R':
        return reduce();
      case 's':
        return append(take(2), Type::kDictionary);
      case 'u':
        return append(take_to_mark(), Type::kDictionary);
      case 'a':
        return append(take(1), Type::kList);
      case 'e':
        return append(take_to_mark(), Type::kList);
      case 'b':  // BUILD: the attributes of a dictionary do not matter
        pop();
        if (top().type != Type::kDictionary)
          fail("sets the state of an object");
        return;
      default:
        fail("has the instruction " +
             std::to_string(static_cast<unsigned char>(code)));
    }
  }

  const Value& top() const {
    if (stack_.empty()) fail("is broken");
    return stack_.back();
  }
  Value pop() {
    const Value value = top();
    stack_.pop_back();
    return value;
  }
  std::vector<Value> take(std::size_t count) {
    if (stack_.size() < count) fail("is broken");
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<Value> values(first, stack_.end());
    stack_.erase(first, stack_.end());
    return values;
  }
  std::vector<Value> take_to_mark() {
    std::size_t count = 0;
    while (count < stack_.size() &&
           stack_[stack_.size() - 1 - count].type != Type::kMark) {
      ++count;
    }
    std::vector<Value> values = take(count);
    pop();
    return values;
  }

  void push(Type type, std::int64_t number = 0) {
    stack_.push_back({type, number});
  }
  void push_list(Type type, std::vector<Value> values) {
    items_ += 1 + values.size();
    push(type, static_cast<std::int64_t>(lists_.size()));
    lists_.push_back(std::move(values));
  }
  void push_text(std::string_view text) {
    ++items_;
    push(Type::kText, static_cast<std::int64_t>(texts_.size()));
    texts_.emplace_back(text);
  }
  void push_long() {
    const std::uint64_t size = in_.number(1);
    if (size > 8) {
      in_.take(size);
      return push(Type::kOther);
    }
    std::uint64_t bits = in_.number(size);
    if (size != 0 && size < 8 && bits >> (8 * size - 1) != 0) {
      bits -= std::uint64_t{1} << (8 * size);
    }
    push(Type::kNumber, static_cast<std::int64_t>(bits));
  }
  void push_known() {
    const std::string module(in_.until('\n'));
    const std::string name = module + "." + std::string(in_.until('\n'));
    const auto* const known = std::ranges::find(kKnown, name, &Known::name);
    if (known == std::end(kKnown)) fail("asks for " + name);
    push(known->type, known - std::begin(kKnown));
  }

  void put(std::uint64_t at) {
    if (at >= memo_.size()) {
      if (at >= kMostItems) fail("is broken");
      memo_.resize(at + 1);
    }
    memo_[at] = top();
  }
  void get(std::uint64_t at) {
    if (at >= memo_.size() || !memo_[at]) fail("is broken");
    stack_.push_back(*memo_[at]);
  }

  // ("storage", torch.FloatStorage, "0", "cpu", 24)
  void push_storage() {
    const std::vector<Value> words = values_of(pop(), 5);
    if (words[0].type != Type::kText || text(words[0]) != "storage" ||
        words[1].type != Type::kStorageType || words[2].type != Type::kText) {
      fail("has a storage of an unknown kind");
    }
    const Known& known = kKnown[static_cast<std::size_t>(words[1].number)];
    push(Type::kStorage, static_cast<std::int64_t>(storages_.size()));
    storages_.push_back({*find_type(known.element), text(words[2])});
  }

  void reduce() {
    const Value arguments = pop(), function = pop();
    if (function.type == Type::kMakeDictionary &&
        values_of(arguments, 0).empty()) {
      return push_list(Type::kDictionary, {});
    }
    if (function.type == Type::kMakeParameter) {
      stack_.push_back(values_of(arguments, 3)[0]);
      return;
    }
    if (function.type != Type::kMakeTensor) fail("calls what is no function");
    // (storage, first element, shape, strides, requires_grad, hooks)
    const std::vector<Value> words = values_of(arguments, 6);
    if (words[0].type != Type::kStorage || words[1].type != Type::kNumber) {
      fail("has a tensor without a storage");
    }
    push(Type::kTensor, static_cast<std::int64_t>(tensors_.size()));
    const Storage& storage =
        storages_[static_cast<std::size_t>(words[0].number)];
    tensors_.push_back({"", storage.type, storage.file, words[1].number,
                        numbers_of(words[2]), numbers_of(words[3])});
    items_ += 1 + tensors_.back().shape.size();
  }

  void append(const std::vector<Value>& values, Type type) {
    if (top().type != type ||
        (type == Type::kDictionary && values.size() % 2)) {
      fail("is broken");
    }
    auto& list = lists_[static_cast<std::size_t>(top().number)];
    list.insert(list.end(), values.begin(), values.end());
    items_ += values.size();
  }

  std::vector<Value> values_of(const Value& value, std::size_t least) const {
    if (value.type != Type::kList || list(value).size() < least) {
      fail("is broken");
    }
    return list(value);
  }
  std::vector<std::int64_t> numbers_of(const Value& value) const {
    std::vector<std::int64_t> result;
    for (const Value& number : values_of(value, 0)) {
      if (number.type != Type::kNumber || number.number < 0) fail("is broken");
      result.push_back(number.number);
    }
    return result;
  }

  ByteReader in_;
  std::vector<Value> stack_;
  std::vector<std::optional<Value>> memo_;
  std::vector<std::vector<Value>> lists_;
  std::vector<std::string> texts_;
  std::vector<Storage> storages_;
  std::vector<PickledTensor> tensors_;
  std::size_t items_ = 0;
};

}  // namespace

std::vector<PickledTensor> read_pickle(const InputFile& file,
                                       std::string_view bytes) {
  Machine machine(file, bytes);
  std::vector<PickledTensor> tensors;
  machine.add(machine.run(), "", 0, tensors);
  return tensors;
}

}  // namespace ropeproof::conformance::weights
