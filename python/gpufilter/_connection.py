# SPDX-License-Identifier: MIT
"""The library's client object and the memory that it shares with the daemon: opened, kept as long as arrays lie in its
memory, closed. Used by _client.py and _array.py."""
import atexit
import collections
import ctypes
import os
import threading
import weakref

from . import _library, errors
from ._library import lib
from ._program import shown


_handles: "weakref.WeakSet[Handle]" = weakref.WeakSet()


class Block:
    """Memory of gpufilter_alloc, as the base of an array. The library's client lives at least as long."""

    def __init__(self, handle, address, shape, dtype):
        self.handle = handle
        self.__array_interface__ = {"version": 3, "data": (address, False), "shape": shape, "typestr": dtype.str}


class Handle:
    """The library's client object: closed when neither a Client nor memory of it is in use any more."""

    def __init__(self, pointer):
        self.pointer = pointer
        self.pid = os.getpid()  # 0: nothing is to be freed or closed any more
        self.held = {}  # addresses of memory and resident buffers, by weak references to what they are in use by
        self.garbage = collections.deque()  # references that are dead
        _handles.add(self)

    def hold(self, user, address):
        """Has an address freed when `user` is gone: by the next call, since another thread may be in the library now.
        What runs at the end of `user` is no Python code, so that Ctrl-C cannot come between."""
        self.held[weakref.ref(user, self.garbage.append)] = address

    def sweep(self):
        """By who has the lock of the Client. Where Ctrl-C comes between, the next one frees an address again, which the
        library ignores."""
        while self.garbage:
            lib.free(self.pointer, self.held.get(self.garbage[0]))
            self.held.pop(self.garbage[0], None)
            self.garbage.popleft()

    def end(self):
        """No Client uses it any more. Memory that arrays still lie in keeps it open; they refer to it."""
        if not any(type(reference()) is Block for reference in list(self.held)):
            self.__del__()

    def __del__(self):
        pointer = self.__dict__.pop("pointer", None)
        if pointer is not None and self.pid:
            lib.close(pointer)


def path_of(name, path):
    try:
        return os.fsencode(path) if path is not None else None
    except TypeError:
        raise TypeError(f"{name}={shown(path)}; it must be a path, or None") from None


def milliseconds(name, seconds):
    if seconds is None:
        return 0
    try:
        milliseconds = float(seconds) * 1000
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name}={shown(seconds)}; it must be a number of seconds, or None") from None
    if not 0 < milliseconds < 2**32 - 1:
        raise ValueError(f"{name}={seconds}; allowed: above 0 and below 4294967 seconds")
    return max(1, round(milliseconds))


def patiently(work, undo=None):
    """What work() returns. It runs in a thread, since it may take long: Ctrl-C ends the wait at once, and what work
    makes after that is undone."""
    made, first = [], threading.Lock()

    def settle():
        """The second to come here undoes it: the thread, or who waited for it."""
        if not first.acquire(blocking=False) and undo is not None and made and made[0][1] is None:
            undo(made[0][0])

    def run():
        try:
            made.append((work(), None))
        except Exception as error:
            made.append((None, error))
        settle()

    thread = threading.Thread(target=run, name="gpufilter-open", daemon=True)
    try:
        thread.start()
        thread.join()
    except BaseException:
        settle()
        raise
    value, error = made.pop()
    try:
        if error is not None:
            raise error
        return value
    finally:
        del error  # its traceback has this frame


def open_handle(options):
    """Opens the library's client."""
    def work():
        pointer, error = ctypes.c_void_p(), _library.Error()
        if lib.open(options, pointer, error):
            raise errors.from_struct(error)
        return Handle(pointer.value)

    return patiently(work, Handle.end)


def _at_exit():
    """Connections, memory and requests in flight end with the process; a thread may still wait for one."""
    for handle in list(_handles):
        handle.pid = 0


atexit.register(_at_exit)
