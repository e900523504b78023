"""mistral-inference 1.6.0, PyTorch: precompute_freqs_cis and apply_rotary_emb."""

import ropeproof

from mistral_inference import rope as mistral

ropeproof.kernel(
    like="meta", precompute=mistral.precompute_freqs_cis, name="mistral-inference",
)(mistral.apply_rotary_emb)
ropeproof.serve()
