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
import time

from ropeproof.errors import Error, WrongTable
from ropeproof.server import answer
from ropeproof.wire import Wire

# Where a wheel has it.
INSTALLED = pathlib.Path(__file__).parent / "bin" / "ropeproof"
# Between the runner's last word and an interruption, and between two of these.
PATIENCE_S = 0.5
# Until a function that nothing ends is told of.
GIVE_UP_S = 10


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
        if not self.is_open():
            raise ConnectionError
        super().reply(header, results)

    def close(self):
        if not self.is_open():
            self._end.detach()  # its number may stand for another file by now
        for part in (self._stream, self._answers, self._end):
            with contextlib.suppress(OSError):
                part.close()

    def fileno(self):
        return self._end.fileno()

    def is_open(self):
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
    kernel.passes = (KeyboardInterrupt, Hung, WrongTable)
    paths = [os.path.join(folder, name) for name in ("output", "error")]
    ours, theirs = socket.socketpair()
    number = theirs.fileno()
    try:
        with theirs, _standard_error() as progress, open(paths[0], "wb") as text, open(paths[1], "wb") as said:
            process = subprocess.Popen(
                [program, *arguments, "--socket", str(number),
                 *[f"--progress={fd}" for fd in progress]],
                pass_fds=[number, *progress], stdin=subprocess.DEVNULL, stdout=text,
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
        with Watch(connection, kernel.description["name"]) as watch:
            answer(connection, kernel, guarded=watch.guarded)
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
def _standard_error():
    """Another descriptor of standard error, if it has one."""
    found = []
    with contextlib.suppress(AttributeError, OSError, ValueError):
        found = [os.dup(sys.stderr.fileno())]
    try:
        yield found
    finally:
        for descriptor in found:
            os.close(descriptor)


class Watch:
    """Interrupts a function in this thread, again and again, from when the runner
    says something during its call: that it is late, or by closing its end that
    nobody waits any more. Ctrl-C stays the caller's."""

    def __init__(self, connection, name):
        self._connection, self._name = connection, name
        self._thread = threading.get_ident()
        self._calls = self._call = 0  # how many there were; which one it is in
        self._is_late = False
        self._is_over = threading.Event()
        self._before = signal.getsignal(signal.SIGINT)
        self._has_signals = (self._before is not None and
                             threading.current_thread() is
                             threading.main_thread())
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        if self._has_signals:
            signal.signal(signal.SIGINT, self._on_signal)
        self._watcher.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._watcher.join()
        if self._has_signals:
            signal.signal(signal.SIGINT, self._before)

    def guarded(self, function, request):
        """What function(request) returns; None where it was interrupted."""
        try:
            self._calls += 1
            self._call = self._calls
            try:
                return function(request)
            finally:
                self._call = 0
        except Hung:
            return None
        finally:
            self._is_late = False

    def _on_signal(self, number, frame):
        if self._is_late:
            if self._call:
                raise Hung
        elif callable(self._before):
            self._before(number, frame)
        elif self._before != signal.SIG_IGN:
            raise KeyboardInterrupt

    def _watch(self):
        poll = select.poll()
        poll.register(self._connection.fileno(), select.POLLIN)
        late_since = None
        while not self._is_over.is_set():
            # A request is read before its call: a word during a call is another.
            call = self._call
            has_word = call and poll.poll(1000 * PATIENCE_S)
            if not (has_word and call == self._call
                    and self._connection.is_open()):
                late_since = None
                self._is_over.wait(PATIENCE_S / 10)
                continue
            late_since = late_since or time.monotonic()
            self._is_late = True
            if self._has_signals:  # ends a sleep, too
                signal.pthread_kill(self._thread, signal.SIGINT)
            else:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._thread), ctypes.py_object(Hung))
            if time.monotonic() - late_since > GIVE_UP_S:
                self._tell(late_since)
            self._is_over.wait(PATIENCE_S)

    def _tell(self, since):
        """Once, that there is nothing more to be done here."""
        if self._name is None:
            return
        frame = sys._current_frames().get(self._thread)
        place = (f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame
                 else "foreign code")
        os.write(2, f"ropeproof: {self._name} has not returned for "
                 f"{time.monotonic() - since:.0f} s after its time limit, and "
                 f"catches what interrupts it, at {place}: it is in this process, "
                 f"which cannot go on without it; end it (kill {os.getpid()}), "
                 f"and use grade(), which ends such a function\n".encode())
        self._name = None


def main():
    """The command of a wheel: the same program."""
    try:
        program = find(INSTALLED)
    except Error as error:
        sys.exit(f"ropeproof: {error}")
    os.execv(program, [program, *sys.argv[1:]])
