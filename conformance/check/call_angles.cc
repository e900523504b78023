// What a problem says of its angles: positions, axes, frequencies, scaling.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <variant>

#include "conformance/check/call.h"
#include "conformance/plugin/fields.h"
#include "conformance/plugin/words.h"

namespace ropeproof::conformance::check {

const double* Call::add_doubles(const std::string& name,
                                const std::vector<double>& values) {
  cases::Bits bits;
  for (const double value : values) {
    bits.push_back(std::bit_cast<std::uint64_t>(value));
  }
  return reinterpret_cast<const double*>(
      buffers_[add_input(name, bits, 8)].data);
}

// Positions, axes and frequencies.
void Call::add_angles() {
  const cases::RopeCase& c = *case_;
  const reference::Axes& axes = c.spec.axes;
  const Rows rows = lay_rows(axes.count, c.batch, c.seq);
  const bool is_real = c.has_real_positions();
  const auto bits_of = [&](double p) {
    return is_real ? std::bit_cast<std::uint64_t>(p)
                   : static_cast<std::uint64_t>(static_cast<std::int64_t>(p));
  };
  cases::Bits positions;
  double greatest = 0;
  for (const double p : c.positions) {
    positions.push_back(bits_of(p));
    greatest = std::max(greatest, p);
  }
  // A gap holds a position that no token of the case has.
  const std::size_t buffer =
      add_rows(is_real ? "real_positions" : "positions", rows, positions, 8,
               bits_of(greatest + 1));
  const std::byte* const data = buffers_[buffer].data;
  if (is_real) {
    problem_.real_positions = reinterpret_cast<const double*>(data);
  } else {
    problem_.positions = reinterpret_cast<const std::int64_t*>(data);
  }
  problem_.position_axes = axes.count;
  problem_.position_axis_stride = rows.strides.batch;
  problem_.position_batch_stride = rows.strides.token;
  if (!axes.axis_of_pair.empty()) {
    const cases::Bits list(axes.axis_of_pair.begin(), axes.axis_of_pair.end());
    problem_.axis_of_pair = reinterpret_cast<const std::int32_t*>(
        buffers_[add_input("axis_of_pair", list, 4)].data);
  }
  if (!axes.weights.empty()) {
    problem_.axis_weights = add_doubles("axis_weights", axes.weights);
  }
  const auto add = [&](const char* name, const cases::Bits& bits) {
    return reinterpret_cast<const double*>(
        buffers_[add_input(name, bits, 8)].data);
  };
  problem_.inv_freq = add("inv_freq", c.inv_freq_hi);
  problem_.inv_freq_lo = add("inv_freq_lo", c.inv_freq_lo);
  if (!c.pair_amplitude.empty()) {
    const std::size_t amplitudes =
        add_rows("pair_amplitude", lay_tables(), c.pair_amplitude, 8);
    problem_.pair_amplitude =
        reinterpret_cast<const double*>(buffers_[amplitudes].data);
  }
}

// The parameters of the scaling, beside what they come to.
void Call::add_scaling() {
  const reference::Scaling& given = case_->spec.frequencies.scaling;
  ropeproof_scaling scaling{};
  scaling.struct_size = sizeof scaling;
  scaling.kind = plugin::scaling_bit(given);
  if (scaling.kind == 0) return;
  const auto add_field = [&](const char*, const auto& value,
                             const auto& field) {
    if constexpr (requires { field.member; }) {
      auto& target = scaling.*field.member;
      if constexpr (requires { value.data(); }) {
        target = add_doubles(field.name, value);
      } else {
        target = static_cast<std::remove_reference_t<decltype(target)>>(value);
      }
    }
  };
  std::visit([&](const auto& s) { plugin::for_each_field(s, add_field); },
             given);
  const std::size_t buffer = add_buffer(
      "scaling", sizeof scaling, alignof(ropeproof_scaling), std::byte{0});
  std::memcpy(buffers_[buffer].data, &scaling, sizeof scaling);
  problem_.scaling =
      reinterpret_cast<const ropeproof_scaling*>(buffers_[buffer].data);
}

}  // namespace ropeproof::conformance::check
