// model.h -- what a config.json says of a problem of the C ABI.
#pragma once

#include <ropeproof_kernel.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reference/spec.h"

namespace ropeproof::conformance::assertion {

struct ModelQuestion {
  std::string config;     // the text of a config.json
  std::string types;      // the folder vectors/models; empty: no type is known
  std::string layers;     // which, as models::rope_named() has them
  std::uint32_t pairing;  // of the ABI; 0: the model's own
  std::int64_t seq_len;   // as ConfigOptions::seq_len
};

// The words for `layers` that choose a rope (models::named_ropes), as
// "full_attention, sliding_attention, vision_config"; empty: there is one only.
// Throws as Model does where the configuration cannot be read.
std::string layers_of(const ModelQuestion& question);

class Model {
 public:
  // Throws std::invalid_argument or ConfigError, one line, for a configuration
  // without RoPE, or whose RoPE is not known in full; and for one of several
  // where `layers` names none of them.
  explicit Model(const ModelQuestion& question);

  // Sets what the model says: head, window, pairing, axes, frequencies,
  // amplitude and scaling; turns the direction round where the model's is.
  // The pointers live as long as the model.
  void set(ropeproof_problem& problem) const;

 private:
  reference::Spec spec_;
  ropeproof_scaling scaling_{};
  std::vector<std::int32_t> axis_of_pair_;
  std::vector<double> bases_;
  std::vector<std::int64_t> numerators_, denominators_;
};

}  // namespace ropeproof::conformance::assertion
