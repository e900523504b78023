"""The adjoint of a function, through the gradients that its library forms."""


def adjoint(library, name, function, cotangents):
    """The vector-Jacobian products of function(tensors), a list of results for
    a list of tensors of the same shapes. The function is linear: where its
    Jacobian is taken does not matter, so it is taken at the cotangents."""
    if library not in LIBRARIES:
        raise ValueError(f"backward=True: arrays of {library} have no gradients;"
                         f" those of {', '.join(LIBRARIES)} have")
    return LIBRARIES[library](name, function, list(cotangents))


def _of_torch(name, function, cotangents):
    import torch
    given = [x.detach().clone().requires_grad_() for x in cotangents]
    # A copy, since what asks for a gradient may not be written in place.
    with torch.enable_grad():
        results = function([x.clone() for x in given])
    for result in results:
        if not getattr(result, "requires_grad", False):
            raise ValueError(f"{name}: its result has no gradient")
    return torch.autograd.grad(results, given, cotangents)


def _of_jax(name, function, cotangents):
    import jax
    return jax.vjp(lambda *xs: list(function(list(xs))),
                   *cotangents)[1](cotangents)


def _of_mlx(name, function, cotangents):
    import mlx.core as mx
    return mx.vjp(lambda *xs: list(function(list(xs))), cotangents,
                  cotangents)[1]


LIBRARIES = {"torch": _of_torch, "jax": _of_jax, "mlx": _of_mlx}
