"""The program `ropeproof`, asking a kernel in this process."""

import contextlib
import ctypes
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading

from ropeproof.errors import Error
from ropeproof.server import answer
from ropeproof.wire import Wire

# Where a wheel has it.
INSTALLED = pathlib.Path(__file__).parent / "bin" / "ropeproof"
# Between the runner's last word and an interruption, and between two of these.
PATIENCE_S = 0.5


class Hung(BaseException):
    """Ends a function whose answer nobody waits for any more."""


class Connection(Wire):
    """The end of a socket that answers for a function, whatever this does to
    this process."""

    def __init__(self, end):
        super().__init__(end.makefile("rb"), end.makefile("wb"))
        self._end, self._process = end, os.getpid()
        self._status = os.fstat(end.fileno())

    def reply(self, header, results=None):
        if os.getpid() != self._process:
            os._exit(0)  # a fork that the function made, and returned in
        if not self._is_open():
            raise ConnectionError
        super().reply(header, results)

    def close(self):
        if not self._is_open():
            self._end.detach()  # its number may stand for another file by now
        for part in (self._stream, self._answers, self._end):
            with contextlib.suppress(OSError):
                part.close()

    def _is_open(self):
        try:
            return os.path.samestat(self._status, os.fstat(self._end.fileno()))
        except OSError:  # closed by the function: os.closerange
            return False


def find(program=None):
    """The path of the program."""
    found = program or (INSTALLED if INSTALLED.exists()
                        else shutil.which("ropeproof"))
    if found is None:
        raise Error("there is no program ropeproof beside this package or on "
                    "PATH: install the wheel, or build it and say program=")
    if not os.access(found, os.X_OK) or os.path.isdir(found):
        raise Error(f"program {str(found)!r} is no program")
    return str(found)


def ask(program, arguments, kernel, folder):
    """Runs it with a kernel that answers in this thread: exit status, standard
    output, standard error. Ctrl-C ends both. A function that does not return
    within the time limit is interrupted: where it computes in Python or sleeps
    it ends, in foreign code as soon as that returns. folder: for files of its
    own, of which none is open while the function runs."""
    kernel.passes = (KeyboardInterrupt, Hung)
    paths = [os.path.join(folder, name) for name in ("output", "error")]
    ours, theirs = socket.socketpair()
    number = theirs.fileno()
    try:
        with theirs, open(paths[0], "wb") as text, open(paths[1], "wb") as said:
            process = subprocess.Popen(
                [program, *arguments, "--socket", str(number)],
                pass_fds=[number], stdin=subprocess.DEVNULL, stdout=text,
                stderr=said,
                # Ctrl-C is for this process, and the time that the program
                # takes is not the function's.
                start_new_session=True)
    except OSError as error:
        ours.close()
        raise Error(f"program {program!r} cannot be started: "
                    f"{error.strerror}") from None
    connection = Connection(ours)
    try:
        with _interrupted_when_closed(ours):
            answer(connection, kernel)
    except (Hung, ConnectionError):
        pass  # the report says what became of it
    except BaseException:
        process.kill()
        raise
    finally:
        connection.close()
        status = process.wait()
    texts = [pathlib.Path(path).read_bytes() for path in paths]
    return status, *(text.decode("utf-8", "replace") for text in texts)


@contextlib.contextmanager
def _interrupted_when_closed(connection):
    """Raises Hung in this thread, again and again, from when the other end is
    closed."""
    thread = threading.get_ident()
    is_closed, is_over = threading.Event(), threading.Event()
    before = signal.getsignal(signal.SIGINT)
    has_signals = (threading.current_thread() is threading.main_thread()
                   and before is not None)

    def on_signal(number, frame):
        if is_closed.is_set():
            if not is_over.is_set():
                raise Hung
        elif callable(before):
            before(number, frame)
        elif before != signal.SIG_IGN:
            raise KeyboardInterrupt

    def watch():
        poll = select.poll()
        poll.register(connection, 0)  # that it was closed is always told
        while not poll.poll(1000 * PATIENCE_S):
            if is_over.is_set():
                return
        while not is_over.wait(PATIENCE_S):
            is_closed.set()
            if has_signals:  # ends a sleep, too
                signal.pthread_kill(thread, signal.SIGINT)
            else:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread), ctypes.py_object(Hung))

    watcher = threading.Thread(target=watch, daemon=True)
    if has_signals:
        signal.signal(signal.SIGINT, on_signal)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()
        if has_signals:
            signal.signal(signal.SIGINT, before)


def main():
    """The command of a wheel: the same program."""
    try:
        program = find(INSTALLED)
    except Error as error:
        sys.exit(f"ropeproof: {error}")
    os.execv(program, [program, *sys.argv[1:]])
