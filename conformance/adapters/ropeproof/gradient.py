"""The adjoint of a function, through the gradients that its library forms."""


def adjoint(library, name, function, cotangents):
    """The vector-Jacobian products of function(tensors), a list of results for
    a list of tensors of the same shapes. The function is linear: where its
    Jacobian is taken does not matter, so it is taken at the cotangents.

    Where channels are cut off and joined again, gradients are sums with 0, which
    may change the bits of a NaN and the sign of 0: what is the same number as
    before, or NaN as before, keeps its bits.
    """
    cotangents = list(cotangents)
    gradients, where, isnan = LIBRARIES[library](name, function, cotangents)
    return [where((x == y) | isnan(x) & isnan(y), x, y)
            for x, y in zip(cotangents, gradients)]


def _of_torch(name, function, cotangents):
    import torch
    if torch.is_inference_mode_enabled():
        raise ValueError(f"{name}: it has no gradient in the inference_mode "
                         f"that the caller is in")
    given = [x.detach().clone().requires_grad_() for x in cotangents]
    # A copy, since what asks for a gradient may not be written in place.
    with torch.enable_grad():
        results = function([x.clone() for x in given])
    for result in results:
        if not getattr(result, "requires_grad", False):
            raise ValueError(f"{name}: its result has no gradient")
    gradients = torch.autograd.grad(results, given, cotangents)
    return gradients, torch.where, torch.isnan


def _of_jax(name, function, cotangents):
    import jax
    import jax.numpy as jnp
    # Of copies, which may be donated.
    gradients = jax.vjp(lambda *xs: list(function(list(xs))),
                        *map(jnp.copy, cotangents))[1](cotangents)
    return gradients, jnp.where, jnp.isnan


def _of_mlx(name, function, cotangents):
    import mlx.core as mx
    gradients = mx.vjp(lambda *xs: list(function(list(xs))), cotangents,
                       cotangents)[1]
    return gradients, mx.where, mx.isnan


LIBRARIES = {"torch": _of_torch, "jax": _of_jax, "mlx": _of_mlx}
