"""The connection to the runner: headers, bytes, the shared file."""

import json
import mmap
import os
import stat
import sys
import traceback

import numpy as np

from ropeproof.errors import Error

_connection = None


def is_runner_there():
    """Whether standard input and output are one socket, as the runner starts
    a command."""
    try:
        ends = os.fstat(0), os.fstat(1)
    except OSError:
        return False
    return stat.S_ISSOCK(ends[0].st_mode) and os.path.samestat(*ends)


def take_over():
    """Moves the protocol to descriptors of its own, once: a stray print() goes
    to standard error, a stray input() reads nothing."""
    global _connection
    if _connection is None:
        _connection = (os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(line_buffering=True)
    return _connection


def tell_what_is_missing():
    """From now on an uncaught error that says what this machine lacks, a backend
    or a package, is the answer to the runner, in place of a traceback."""
    def hook(kind, error, trace):
        if not isinstance(error, (Error, ImportError)):
            return sys.__excepthook__(kind, error, trace)
        where = [f"{os.path.basename(frame.filename)}:{frame.lineno}: "
                 for frame in traceback.extract_tb(trace)
                 if not frame.filename.startswith("<")]
        line = str(error) if isinstance(error, Error) else where[-1] + str(error)
        wire = Wire(*take_over())
        wire.request()
        wire.reply({"status": "unusable", "message": line})
    sys.excepthook = hook


class Wire:
    """Requests in, answers out. One process at a time may use it."""

    def __init__(self, stream, answers):
        self._stream, self._answers = stream, answers
        self._files = _Files()
        self._file = self._answer = None

    def request(self):
        """The next header; None: the runner is gone."""
        line = self._stream.readline()
        if not line:
            return None
        header = json.loads(line)
        path = header.pop("file", None)
        self._file = None if path is None else self._files.map(path)
        self._answer = header.pop("answer", None)
        return header

    def read(self, array, offset=None):
        """Fills an array from the stream, or from the shared file."""
        if offset is not None:
            _bytes(array)[:] = self._file[offset:offset + array.nbytes]
            return
        missing = _bytes(array)
        while missing.size > 0:
            count = self._stream.readinto(missing)
            if not count:
                raise ConnectionResetError
            missing = missing[count:]

    def reply(self, header, results=None):
        """Sends a header, and names and arrays. Large ones go where the
        request wants them."""
        streamed = []
        if results is not None:
            sizes = [[name, array.nbytes] for name, array in results]
            header["buffers"] = sizes if self._answer is None else self._answer
            streamed = self._fill_file(header["buffers"], results)
        self._answers.write(json.dumps(header).encode() + b"\n")
        for array in streamed:
            self._answers.write(_bytes(array))
        self._answers.flush()

    def _fill_file(self, buffers, results):
        """Fills the shared file; the arrays that do not go there."""
        streamed = []
        for (_, size, *offset), (_, array) in zip(buffers, results):
            if offset:
                self._file[offset[0]:offset[0] + size] = _bytes(array)
            else:
                streamed.append(array)
        return streamed


class _Files:
    """The runner's shared file, mapped once, and again when it has grown."""

    def __init__(self):
        self._path = self._map = None

    def map(self, path):
        size = os.stat(path).st_size
        if path != self._path or size > len(self._map):
            with open(path, "r+b") as file:
                self._map = mmap.mmap(file.fileno(), size)
            self._path = path
        return np.frombuffer(self._map, np.uint8)


def _bytes(array):
    return array.reshape(-1).view(np.uint8)
