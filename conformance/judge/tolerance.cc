#include "conformance/judge/tolerance.h"

#include "conformance/plugin/abi_words.h"

namespace ropeproof::conformance::judge {

using reference::Format;
using reference::bound::AngleClass;
using reference::bound::Power;
using reference::bound::Rounds;

Claim claim_of(const plugin::Description& description, Format dtype,
               std::uint32_t operation) {
  return claim_of(description.claim(plugin::abi_dtype(dtype)),
                  description.features, dtype, operation);
}

Claim with_angle(Claim claim, std::uint32_t angle_class, Format arithmetic) {
  claim.angle_class = AngleClass::kDirect;
  claim.angle_arithmetic = arithmetic;
  if (angle_class == ROPEPROOF_A0) {
    claim.angle_class = AngleClass::kExact;
    claim.angle_arithmetic = Format::kF64;
  } else if (angle_class == ROPEPROOF_A2) {
    claim.angle_class = AngleClass::kIterated;
    claim.angle_arithmetic = Format::kF32;
  }
  return claim;
}

Claim claim_of(const ropeproof_claim& made, std::uint32_t features,
               Format dtype, std::uint32_t operation) {
  Claim claim;
  claim.power = made.power == ROPEPROOF_EXP2 ? Power::kExp2 : Power::kPow;
  claim.power_ulp = static_cast<int>(made.power_ulp);
  claim.trig_ulp = static_cast<int>(made.trig_ulp);
  claim.output = dtype;
  claim.table =
      made.table_dtype == 0 ? dtype : plugin::format_of(made.table_dtype);
  claim.rounds = made.rounding == ROPEPROOF_ROUND_EACH ? Rounds::kEach
                 : made.rounding == ROPEPROOF_TRUNCATE ? Rounds::kTruncate
                                                       : Rounds::kOnce;
  claim.computes_scaling = (features & ROPEPROOF_INV_FREQ) == 0;
  if (operation == ROPEPROOF_FREQUENCIES) {
    claim.table = dtype == Format::kF64 ? Format::kF64 : Format::kF32;
  }
  return with_angle(claim, made.angle_class,
                    made.angle_dtype == 0
                        ? Format::kF32
                        : plugin::format_of(made.angle_dtype));
}

}  // namespace ropeproof::conformance::judge
