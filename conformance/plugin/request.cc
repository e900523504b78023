#include "conformance/plugin/request.h"

#include <type_traits>

#include "conformance/plugin/fields.h"
#include "conformance/plugin/scalings.h"
#include "conformance/plugin/shared_file.h"
#include "conformance/text/hex.h"
#include "conformance/text/word_tables.h"

namespace ropeproof::conformance::plugin {
namespace {

using text::hex;

Json json_of(const ropeproof_problem& p, const ropeproof_scaling& s) {
  Json json{{"kind", text::word(kScalingWords, s.kind)}};
  const auto add_field = [&](const char* name, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, double>) {
      json[name] = hex(value);
    } else if constexpr (std::is_same_v<Value, std::int32_t>) {
      json[name] = value != 0;
    } else {
      json[name] = Json::array();
      for (std::int64_t j = 0; value != nullptr && j < p.rotary_dim / 2; ++j) {
        json[name].push_back(hex(value[j]));
      }
    }
  };
  for_each_field(s, add_field);
  return json;
}

}  // namespace

bool can_be_told(const ropeproof_problem& p) {
  bool has_words = true;
  for_each_field(p, [&](const char*, const auto& value) {
    if constexpr (requires { value.c_str(); }) has_words &= value != "?";
  });
  return has_words;
}

std::string describe_request(bool shares_files) {
  Json header{{"op", "describe"}, {"abi_version", ROPEPROOF_ABI_VERSION}};
  for (const auto& [offer, word] : kOfferWords) {
    const bool is_here = shares_files && SharedFile::is_available();
    if (offer == kSharedFileOffer && !is_here) continue;
    header["offers"].push_back(word);
  }
  return header.dump() + "\n";
}

std::string fresh_request(int threads) {
  return Json{{"op", "fresh"}, {"threads", threads}}.dump() + "\n";
}

std::string interrupt_request() {
  return Json{{"op", "interrupt"}}.dump() + "\n";
}

std::string export_threads(int threads) {
  std::string exports;
  for (const char* name :
       {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"}) {
    if (threads <= 0) break;
    exports +=
        std::string("export ") + name + "=" + std::to_string(threads) + "; ";
  }
  return exports;
}

Json request_header(const char* operation, const ropeproof_problem& p) {
  Json header{{"op", operation}};
  for_each_field(p, [&](const char* name, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    Json& field = header[name];  // null
    if constexpr (std::is_same_v<Value, std::string>) {
      if (!value.empty()) field = value;
    } else if constexpr (std::is_same_v<Value, double>) {
      field = hex(value);
    } else if constexpr (std::is_pointer_v<Value>) {
      if (value != nullptr) field = json_of(p, *value);
    } else if constexpr (std::is_integral_v<Value>) {
      field = value;
    } else {
      // A number for each axis, where there are several.
      field = Json::array();
      for (std::int64_t a = 0; p.axis_map != 0 && a < p.position_axes; ++a) {
        field.push_back(a < std::ssize(value) ? value.begin()[a] : 0);
      }
    }
  });
  return header;
}

}  // namespace ropeproof::conformance::plugin
