// mlx::core::fast::rope on the CPU: [tokens, heads, 1, head_dim], and an int32
// offset for each token.
#include <mlx/mlx.h>
#include <ropeproof_tokens.h>

namespace mx = mlx::core;

int32_t ropeproof_describe(ropeproof_description* d) {
  d->abi_version = ROPEPROOF_ABI_VERSION, d->operations = ROPEPROOF_ROPE;
  d->name = "mlx-cpu", d->version = mx::version();
  d->dtypes = ROPEPROOF_F32 | ROPEPROOF_F16 | ROPEPROOF_BF16;
  d->pairings = ROPEPROOF_HALF_SPLIT | ROPEPROOF_INTERLEAVED;
  d->features = ROPEPROOF_OUT_OF_PLACE | ROPEPROOF_IN_PLACE |
                ROPEPROOF_STRIDED | ROPEPROOF_KEYS | ROPEPROOF_PARTIAL |
                ROPEPROOF_NEGATIVE_POSITIONS | ROPEPROOF_INV_FREQ |
                ROPEPROOF_DETERMINISTIC;
  d->max_position = INT32_MAX, d->claims[0].angle_class = ROPEPROOF_A1;
  d->claims[0].power = ROPEPROOF_EXP2;
  d->claims[0].rounding = ROPEPROOF_ROUND_EACH;
  return ROPEPROOF_OK;
}

int32_t ropeproof_run(const ropeproof_problem* p) {
  mx::set_default_device(mx::Device::cpu);
  const auto dtype = p->dtype == ROPEPROOF_F32   ? mx::float32
                     : p->dtype == ROPEPROOF_F16 ? mx::float16
                                                 : mx::bfloat16;
  const int tokens = p->batch * p->seq, dim = p->head_dim, r = p->rotary_dim;
  mx::array offsets = mx::zeros({tokens}, mx::int32);
  mx::eval(offsets);
  ropeproof_int32_positions(p, offsets.data<int32_t>());
  std::optional<float> base = p->base;
  std::optional<mx::array> periods;
  if (p->scaling != nullptr || p->base == 0) {
    periods = 1.0f / mx::array(p->inv_freq, {r / 2}, mx::float32), base.reset();
  }
  for (const ropeproof_tensor* t : {&p->q, &p->k}) {
    if (tokens * t->heads == 0) continue;  // mlx throws
    mx::array x = mx::zeros({tokens, (int)t->heads, 1, dim}, dtype);
    mx::eval(x);
    ropeproof_pack(p, t, ROPEPROOF_TOKEN_MAJOR, x.data<char>());
    x = mx::contiguous(mx::fast::rope(x, r, p->pairing == ROPEPROOF_INTERLEAVED,
                                      base, 1, offsets, periods));
    mx::eval(x);
    ropeproof_unpack(p, t, ROPEPROOF_TOKEN_MAJOR, x.data<char>());
  }
  return ROPEPROOF_OK;
}
