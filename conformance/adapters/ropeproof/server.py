"""The other end of the protocol."""

from ropeproof import decorator, fresh
from ropeproof.request import Request
from ropeproof.wire import Wire, take_over


def serve(fork=True):
    """Answers the runner until it closes the connection.

    Each fresh process that it wants is forked from this one, which has imported
    everything and called nothing. Where a fork would lack threads (CUDA or XLA
    are at work), or with fork=False, the runner starts the command again.
    """
    if decorator.registered is None:
        raise SystemExit("ropeproof: decorate a function with "
                         "@ropeproof.kernel(...) before serve()")
    wire = Wire(*take_over())
    replace = None
    if fork and fresh.is_possible():
        threads, replace = fresh.stay_behind()
        if threads is not None:
            fresh.limit_threads(threads)
            wire.reply({"status": "ok"})
    try:
        answer(wire, decorator.registered, replace)
    except ConnectionError:
        raise SystemExit("ropeproof: the runner is gone") from None


def answer(wire, kernel, replace=None):
    """Answers the requests of a runner until it closes the connection. replace:
    a function that replaces this process by a fresh one of so many threads."""
    accepts = ["shared_file"] + (["fresh"] if replace else [])
    while header := wire.request():
        operation = header.pop("op")
        reply, results = {}, None
        if "id" in header:
            reply["id"] = header.pop("id")
        if operation == "describe":
            reply.update(kernel.description)
            offers = header.get("offers", [])
            reply["accepts"] = [word for word in accepts if word in offers]
        elif operation == "run":
            reply["status"], reply["message"], results = (
                kernel.solve(Request(header, wire.read)))
        elif operation == "supports":
            reply["status"], reply["message"] = (
                kernel.supports(Request(header)))
        elif operation == "fresh" and "fresh" in accepts:
            replace(header["threads"])
        else:
            reply["status"] = "error"
            reply["message"] = f"does not know the operation {operation!r}"
        wire.reply(reply, results)
