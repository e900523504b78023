"""Pallas in its interpret modes: a kernel as a program of XLA for the processor,
one for TPUs with the memories and semaphores of a TPU."""

import contextlib

import jax
from jax.experimental import pallas
from jax.experimental.pallas import tpu as pltpu


def is_so():
    """Whether JAX computes on the processor."""
    return jax.default_backend() == "cpu"


def prepare():
    made = pallas.pallas_call

    def pallas_call(*given, **named):
        if not named.get("interpret"):
            is_tpu = isinstance(named.get("compiler_params"), pltpu.CompilerParams)
            named["interpret"] = pltpu.InterpretParams() if is_tpu else True
        return made(*given, **named)
    pallas.pallas_call = pallas_call
    # What kernels for TPUs ask of the device is answered as a v5e does.
    with contextlib.suppress(ImportError, AttributeError):
        from jax._src.pallas.mosaic import tpu_info
        tpu_info.registry["cpu"] = lambda: tpu_info.get_tpu_info_for_chip(
            tpu_info.ChipVersion.TPU_V5E, 1)
    return {}
