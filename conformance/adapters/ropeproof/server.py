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


# What the runner looks for where it has told a call to give up.
INTERRUPTED = {"status": "interrupted"}


def answer(wire, kernel, replace=None, guarded=None):
    """Answers the requests of a runner until it closes the connection. replace:
    a function that replaces this process by a fresh one of so many threads.
    guarded: calls a function with a request, and returns None where the runner
    has told it to give up."""
    accepts = (["shared_file"] + ["fresh"] * (replace is not None)
               + ["interrupt"] * (guarded is not None))
    guarded = guarded or (lambda function, request: function(request))
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
            solved = guarded(kernel.solve, Request(header, wire.read))
            if solved is None:
                continue
            reply["status"], reply["message"], results = solved
        elif operation == "interrupt" and "interrupt" in accepts:
            reply = dict(INTERRUPTED)
        elif operation == "supports":
            answered = guarded(kernel.supports, Request(header))
            if answered is None:
                continue
            reply["status"], reply["message"] = answered
        elif operation == "fresh" and "fresh" in accepts:
            replace(header["threads"])
        else:
            reply["status"] = "error"
            reply["message"] = f"does not know the operation {operation!r}"
        wire.reply(reply, results)
