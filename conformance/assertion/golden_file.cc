#include "conformance/assertion/golden_file.h"

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <type_traits>

#include "conformance/assertion/judgement.h"
#include "conformance/plugin/dense.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/request.h"

namespace ropeproof::conformance::assertion {
namespace {

struct Type {
  const char* word = "";
  std::size_t width = 0;
};

Type type_of(plugin::Element element) {
  using enum plugin::Element;
  switch (element) {
    case kF64:
      return {"F64", 8};
    case kF32:
      return {"F32", 4};
    case kF16:
      return {"F16", 2};
    case kBF16:
      return {"BF16", 2};
    case kI64:
      return {"I64", 8};
    case kI32:
      return {"I32", 4};
  }
  return {};
}

// Fields that say something, as "name=value".
std::string words_of(const ropeproof_problem& p) {
  std::ostringstream text;
  text.precision(17);
  const auto add = [&](const char* name, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, std::string>) {
      if (!value.empty()) text << " " << name << "=" << value;
    } else if constexpr (std::is_arithmetic_v<Value>) {
      text << " " << name << "=" << value;
    }
  };
  plugin::for_each_field(p, add);
  return text.str();
}

std::size_t bucket_of(std::size_t width) {
  return width == 8 ? 0 : width == 4 ? 1 : 2;
}

std::string bytes_of(const std::vector<double>& values, std::size_t first,
                     std::size_t count) {
  std::string bytes(count * sizeof(double), '\0');
  std::memcpy(bytes.data(), values.data() + first, bytes.size());
  return bytes;
}

}  // namespace

bool GoldenFile::add(const std::string& id, const ropeproof_problem& p,
                     const ropeproof_claim& claim) {
  constexpr std::uint32_t kKnown = ROPEPROOF_ROPE | ROPEPROOF_ROTATE;
  if ((p.operation & kKnown) == 0 || !plugin::can_be_told(p)) return false;
  if (p.batch * p.seq * (p.q.heads + p.k.heads) * p.head_dim > kMostElements) {
    return false;
  }
  std::size_t q_elements = 0;
  std::vector<double> golden, bound;
  try {
    const Judgement judgement(p, claim, Result::kNone);
    golden = judgement.golden(), bound = judgement.bound();
    q_elements =
        static_cast<std::size_t>(p.batch * p.seq * p.q.heads * p.head_dim);
  } catch (const std::exception&) {
    return false;
  }
  Head head{id, "", words_of(p), {}};
  const auto put = [&](std::string_view name, Type type,
                       const std::string& bytes) {
    std::string& data = data_[bucket_of(type.width)];
    head.tensors.push_back({std::string(name), type.word, type.width,
                            bytes.size() / type.width, data.size()});
    data += bytes;
  };
  const auto tensors = plugin::inputs(p);
  for (const auto& tensor : tensors) {
    std::string bytes;
    plugin::gather(tensor, bytes);
    put(tensor.name, type_of(tensor.element), bytes);
  }
  const Type real = type_of(plugin::Element::kF64);
  const auto put_both = [&](const std::string& name,
                            const std::vector<double>& values) {
    put(name + "_q", real, bytes_of(values, 0, q_elements));
    if (p.k.heads == 0) return;
    put(name + "_k", real,
        bytes_of(values, q_elements, values.size() - q_elements));
  };
  put_both("want", golden);
  put_both("bound", bound);
  std::size_t end = 0;
  plugin::Json header = plugin::request_header("run", p);
  header["buffers"] = plugin::buffer_list(tensors, false, end);
  head.header = header.dump();
  heads_.push_back(std::move(head));
  return true;
}

std::pair<std::string, std::string> GoldenFile::finish() const {
  const std::array<std::size_t, 3> starts = {0, data_[0].size(),
                                             data_[0].size() + data_[1].size()};
  nlohmann::ordered_json header;
  for (const Head& head : heads_) header["__metadata__"][head.id] = head.header;
  for (const Head& head : heads_) {
    for (const Tensor& t : head.tensors) {
      const std::size_t at = starts[bucket_of(t.width)] + t.offset;
      header[head.id + "/" + t.name] = {
          {"dtype", t.dtype},
          {"shape", {t.count}},
          {"data_offsets", {at, at + t.count * t.width}}};
    }
  }
  std::string json = header.dump();
  json.resize((json.size() + 7) / 8 * 8, ' ');  // the data are aligned
  std::string file;
  for (std::size_t i = 0; i < 8; ++i) {
    file += static_cast<char>(json.size() >> (8 * i) & 0xff);
  }
  file += json;
  std::string text;
  for (const Head& head : heads_) {
    text += "problem " + head.id + head.words + "\n";
    for (const Tensor& t : head.tensors) {
      text +=
          "tensor " + head.id + " " + t.name + " " + t.dtype + " " +
          std::to_string(t.count) + " " +
          std::to_string(file.size() + starts[bucket_of(t.width)] + t.offset) +
          "\n";
    }
  }
  for (const std::string& data : data_) file += data;
  return {std::move(file), std::move(text)};
}

}  // namespace ropeproof::conformance::assertion
