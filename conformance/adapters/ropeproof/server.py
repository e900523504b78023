"""The other end of the protocol."""

from ropeproof import decorator, fresh
from ropeproof.request import Request
from ropeproof.wire import Wire


def serve(fork=True):
    """Answers the runner until it closes the connection.

    Each fresh process that it wants is forked from this one, which has imported
    everything and called nothing. Where a fork would lack threads (CUDA or XLA
    are at work), or with fork=False, the runner starts the command again.
    """
    if decorator.registered is None:
        raise SystemExit("ropeproof: decorate a function with "
                         "@ropeproof.kernel(...) before serve()")
    wire = Wire()
    accepts = ["shared_file"]
    if fork and fresh.is_possible():
        accepts.append("fresh")
        threads, replace = fresh.stay_behind()
        if threads is not None:
            fresh.limit_threads(threads)
            wire.reply({"status": "ok"})
    while header := wire.request():
        operation = header.pop("op")
        reply, results = {}, None
        if "id" in header:
            reply["id"] = header.pop("id")
        if operation == "describe":
            reply.update(decorator.registered.description)
            offers = header.get("offers", [])
            reply["accepts"] = [word for word in accepts if word in offers]
        elif operation == "run":
            reply["status"], reply["message"], results = (
                decorator.registered.solve(Request(header, wire.read)))
        elif operation == "supports":
            reply["status"], reply["message"] = (
                decorator.registered.supports(Request(header)))
        elif operation == "fresh" and "fresh" in accepts:
            replace(header["threads"])
        else:
            reply["status"] = "error"
            reply["message"] = f"does not know the operation {operation!r}"
        wire.reply(reply, results)
