"""Pallas in its interpret modes: a kernel as a program of XLA for the processor,
one for TPUs with the memories and semaphores of a TPU."""

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
    return {}
