"""Fresh processes without a fresh start: forks of one that has imported
everything and called nothing."""

import contextlib
import ctypes
import os
import signal
import sys
import time
import warnings

THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PATIENCE_S = 0.1
# A driver that is open serves the process that opened it only.
DEVICES = ("/dev/nvidia", "/dev/kfd", "/dev/dri/")
PR_SET_CHILD_SUBREAPER = 36


def is_possible():
    """Whether a fork has all that this process has: no device, and no thread
    but this one. A library that knows of forks (OpenBLAS) ends its threads when
    one is tried."""
    tasks = "/proc/self/task"
    if not os.path.isdir(tasks) or _has_device():
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's and JAX's, of threads
        child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    give_up = time.monotonic() + PATIENCE_S
    while len(os.listdir(tasks)) > 1:  # one that was joined may be seen still
        if time.monotonic() > give_up:
            return False
        time.sleep(0.001)
    return True


def stay_behind():
    """Returns in a fork, and in another one each time that one was replaced:
    the number of threads that it may have, None in the first, and a function
    that replaces it by one with so many. This process ends as the last one."""
    wishes, wish = os.pipe()
    os.set_blocking(wishes, False)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    own = _children()
    threads = None
    while True:
        child = os.fork()
        if child == 0:
            return threads, lambda number: _make_room(wish, number)
        status = os.waitpid(child, 0)[1]
        while left := _children() - own:  # what it started is ours now
            for orphan in left:
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)
        try:
            threads = int(os.read(wishes, 32))
        except BlockingIOError:
            _end_like(status)


def limit_threads(number):
    """To so many; 0: as many as there are. Libraries that are imported already
    look at the environment no more, but at the processors."""
    if number == 0:
        return
    for name in THREAD_LIMITS:
        os.environ[name] = str(number)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:number])
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(number)


def _has_device():
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/self/fd/{number}").startswith(DEVICES):
                return True
    return False


def _children():
    with contextlib.suppress(FileNotFoundError):  # a kernel without the list
        with open("/proc/thread-self/children") as file:
            return {int(number) for number in file.read().split()}
    return set()


def _make_room(wish, number):
    os.write(wish, str(number).encode())
    os._exit(0)


def _end_like(status):
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        with contextlib.suppress(OSError):  # SIGKILL stays as it is
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [-code])
        os.kill(os.getpid(), -code)
    os._exit(abs(code))
