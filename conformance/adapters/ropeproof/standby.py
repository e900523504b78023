"""Whether a function that fails is right where it has not been called before."""

import json
import os
import socket

from ropeproof import fresh


class Standby:
    """A fork of this process from before the first call, that waits until it is
    asked: work(words) is then done there, and what it returns comes back as
    JSON. Where a fork would lack threads or devices there is none, and the work
    is done here, after all calls so far."""

    def __init__(self, work):
        self._work, self._child = work, None
        self.is_fresh = False
        try:
            if not fresh.is_possible():
                return
            self._end, other = socket.socketpair()
        except OSError:  # no descriptors, no processes
            return
        self.is_fresh = True
        self._status = os.fstat(self._end.fileno())
        self._child = os.fork()
        if self._child == 0:
            self._end.close()
            self._serve(other)
        other.close()

    def _serve(self, end):
        try:
            with end, end.makefile("rw") as stream:
                asked = stream.readline()
                if asked:
                    silence = os.open(os.devnull, os.O_WRONLY)
                    os.dup2(silence, 1)
                    os.dup2(silence, 2)
                    stream.write(json.dumps(self._work(json.loads(asked))))
        finally:
            os._exit(0)  # nothing of the caller's ends here

    def ask(self, words):
        """What the work gives; None where nobody says."""
        if self._child is None:
            return self._work(words)
        if not self._is_open():
            return None
        with self._end.makefile("rw") as stream:
            stream.write(json.dumps(words) + "\n")
            stream.flush()
            said = stream.read()
        return json.loads(said) if said else None

    def close(self):
        if self._child is None:
            return
        if self._is_open():
            self._end.close()
        else:
            self._end.detach()  # its number may stand for another file by now
        os.waitpid(self._child, 0)
        self._child = None

    def _is_open(self):
        try:
            return os.path.samestat(self._status, os.fstat(self._end.fileno()))
        except OSError:  # closed by the function: os.closerange
            return False
