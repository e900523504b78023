#include "conformance/cover/form_frequencies.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "conformance/cases/families/family.h"

namespace ropeproof::conformance::cover {
namespace {

using cases::Draw;

constexpr double kBases[] = {500000, 1e6, 1e7, 150000, 256000, 5e6};
// Neither is a number of f32.
constexpr double kFractionalBases[] = {10000.1, 1234567.3, 333.3, 1e11};
constexpr double kSmallBases[] = {2, 3, 10, 100, 256};
constexpr std::int64_t kLengths[] = {128, 2048, 4096, 8192, 32768, 262144};

class FrequencyForm {
 public:
  FrequencyForm(Draw& draw, const Question& question, cases::Problem& c)
      : draw_(draw), q_(question), c_(c), pairs_(c.pairs()) {}

  void form() {
    choose_base();
    choose_scaling();
    choose_amplitude();
  }

 private:
  std::vector<double> list(double first, double step) {
    std::vector<double> list;
    for (std::int64_t j = 0; j < pairs_; ++j) {
      list.push_back(first +
                     step * (static_cast<double>(j) + draw_.real(0, 0.5)));
    }
    return list;
  }

  void choose_base() {
    double& base = c_.spec.frequencies.base;
    switch (q_.base) {
      case BaseClass::k10000:
        base = 10000;
        break;
      case BaseClass::kOther:
        base = draw_.from(kBases);
        break;
      case BaseClass::kFractional:
        base = draw_.from(kFractionalBases);
        break;
      case BaseClass::kSmall:
        base = draw_.from(kSmallBases);
        break;
    }
  }

  // Largest position + 1, as the ABI has it.
  std::int64_t length() const {
    return std::max<std::int64_t>(cases::length_of(c_.positions), 1);
  }

  // YaRN's ramp runs forward for every number of channels d if L / (2 pi
  // beta_slow) > 1 and L / (2 pi beta_fast) < b^(2(d-1)/d), which is b or more:
  // so L > 2 pi 4, and b > 32768 / (2 pi 16) = 326.
  reference::Yarn yarn() {
    reference::Yarn s;
    s.factor = factor(48);
    s.original_length = draw_.from(kLengths);
    s.beta_fast = draw_.real(16, 40);
    s.beta_slow = draw_.real(1, 4);
    return s;
  }

  // Of one time in eight 1, which scales nothing.
  double factor(double most) {
    return draw_.one_in(8) ? 1 : draw_.real(1, most);
  }

  // Where both factors are equal the band between them is empty.
  reference::Llama3 llama3() {
    const double low = draw_.real(0.5, 2);
    return {factor(40), low, draw_.one_in(4) ? low : draw_.real(2, 8),
            draw_.from(kLengths)};
  }

  reference::LongRope long_rope(std::int64_t trained) {
    reference::LongRope s;
    s.short_factor = list(1, 0.125);
    s.long_factor = list(1.5, 3.25);
    s.factor = factor(32);
    s.seq_len = length();
    s.original_length = std::max<std::int64_t>(trained, 2);
    return s;
  }

  reference::DynamicNtk dynamic(std::int64_t trained) {
    return {factor(8), std::max<std::int64_t>(trained, 1), length()};
  }

  void choose_scaling() {
    reference::Frequencies& f = c_.spec.frequencies;
    const std::int64_t n = length();
    reference::Yarn y = yarn();
    switch (q_.scaling) {
      case ScalingClass::kNone:
        break;
      case ScalingClass::kLinear:
        f.scaling = reference::Linear{draw_.real(1, 16)};
        break;
      case ScalingClass::kNtk:
        f.scaling = reference::Ntk{draw_.real(1, 16)};
        break;
      case ScalingClass::kDynamicNtk:
        f.scaling = dynamic(n / draw_.between(2, 5));
        break;
      case ScalingClass::kDynamicNtkShort:
        f.scaling = dynamic(n + draw_.between(1, n));
        break;
      case ScalingClass::kDynamicNtkTrained:
        f.scaling = dynamic(n);
        break;
      case ScalingClass::kYarn:
        f.scaling = y;
        break;
      case ScalingClass::kYarnUntruncated:
        y.truncate = false;
        f.scaling = y;
        break;
      case ScalingClass::kYarnMscale:
        y.mscale = draw_.real(0.5, 1.5);
        y.mscale_all_dim = draw_.real(0.5, 1.5);
        f.scaling = y;
        break;
      case ScalingClass::kYarnAttention:
        y.attention_factor = draw_.one_in(4) ? 1 : draw_.real(0.75, 1.5);
        f.scaling = y;
        break;
      case ScalingClass::kLongRope:
        f.scaling = long_rope(n / draw_.between(2, 5));
        break;
      case ScalingClass::kLongRopeShort:
        f.scaling = long_rope(draw_.one_in(2) ? n : n + draw_.between(1, n));
        break;
      case ScalingClass::kLlama3:
        f.scaling = llama3();
        break;
      case ScalingClass::kFrequencyFactors:
        f.scaling = reference::FrequencyFactors{list(1, draw_.real(0, 2))};
        break;
      case ScalingClass::kInvFreq:
        f.inv_freq = list(draw_.real(0, 0.0625), 0x1p-8);
        // One that does not rotate, beside others that do.
        if (pairs_ > 1 && draw_.one_in(2)) {
          f.inv_freq[draw_.one_in(2) ? 0 : f.inv_freq.size() / 3] = 0;
        }
        break;
      case ScalingClass::kExponents:  // counted against more channels
        for (std::int64_t j = 0; j < pairs_; ++j) {
          f.exponents.push_back({2 * j, 2 * pairs_ + 6});
        }
        // Some models leave the last pairs where they are; not with xPos.
        if (pairs_ > 3 && q_.amplitude != AmplitudeClass::kPerPair &&
            draw_.one_in(2)) {
          f.exponents.back() = {0, 0};
        }
        break;
    }
  }

  // A power of two, half of the time 1. In f16 at most 2^5: results of 2^9
  // times 2^6 are numbers of it.
  double spread() {
    const int most = c_.dtype == reference::Format::kF16 ? 5 : 10;
    return draw_.one_in(2)
               ? 1
               : std::ldexp(1, static_cast<int>(draw_.between(1, most)));
  }

  void choose_amplitude() {
    reference::Frequencies& f = c_.spec.frequencies;
    switch (q_.amplitude) {
      case AmplitudeClass::kOne:
      case AmplitudeClass::kOfScaling:
        break;
      case AmplitudeClass::kLarge:
        f.amplitude = draw_.real(1.0625, 2) * spread();
        break;
      case AmplitudeClass::kSmall:
        f.amplitude = draw_.real(0.25, 0.9375) / spread();
        break;
      case AmplitudeClass::kZero:
        f.amplitude = 0;
        break;
      case AmplitudeClass::kNegative:
        f.amplitude = draw_.one_in(4) ? -1 : -draw_.real(0.5, 1.5) * spread();
        break;
      case AmplitudeClass::kPerPair: {
        // 448^(distance / scale_base), at most 22: binary16 holds the results.
        double reach = 1;
        for (const double p : c_.positions)
          reach = std::max(reach, std::abs(p));
        f.xpos = reference::XPos{reach / draw_.real(0.0625, 0.25),
                                 std::floor(reach * draw_.real(0, 1)),
                                 draw_.one_in(2)};
        break;
      }
    }
  }

  Draw& draw_;
  const Question& q_;
  cases::Problem& c_;
  std::int64_t pairs_;
};

}  // namespace

void form_frequencies(Draw& draw, const Question& question, cases::Problem& c) {
  FrequencyForm(draw, question, c).form();
}

}  // namespace ropeproof::conformance::cover
