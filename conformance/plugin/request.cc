#include "conformance/plugin/request.h"

#include <bit>
#include <cinttypes>
#include <cstdio>

#include "conformance/plugin/shared_file.h"
#include "conformance/plugin/words.h"
#include "conformance/text/words.h"

namespace ropeproof::conformance::plugin {
namespace {

std::string hex(double value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64,
                std::bit_cast<std::uint64_t>(value));
  return text;
}

// An enumerator that the operation does not need is 0, and null in the header.
template <std::size_t kSize>
Json named(std::uint32_t value,
           const text::Words<std::uint32_t, kSize>& words) {
  return value == 0 ? Json(nullptr) : Json(text::word(words, value));
}

template <std::size_t kSize>
bool has_word(std::uint32_t value,
              const text::Words<std::uint32_t, kSize>& words) {
  return value == 0 ||
         text::find_word(words, text::word(words, value)).has_value();
}

Json scaling_json(const ropeproof_problem& p, const ropeproof_scaling& s) {
  Json json{{"kind", text::word(kScalingWords, s.kind)},
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

}  // namespace

bool can_be_told(const ropeproof_problem& p) {
  return has_word(p.operation, kOperationWords) &&
         has_word(p.dtype, kDtypeWords) &&
         has_word(p.table_dtype, kDtypeWords) &&
         has_word(p.pairing, kAbiPairingWords);
}

Json protocol_words() { return {"shared_file"}; }

std::string describe_request() {
  Json header{{"op", "describe"}, {"abi_version", ROPEPROOF_ABI_VERSION}};
  if (SharedFile::is_available()) header["offers"] = protocol_words();
  return header.dump() + "\n";
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

}  // namespace ropeproof::conformance::plugin
