# SPDX-License-Identifier: MIT
"""Client: runs jobs on a connection, waits for their answers, and allocates memory shared with the daemon. Owns the
unanswered requests. Used by all code that runs something; _jobs.py has the requests, _connection.py the library's
client object."""
from __future__ import annotations

import collections
import ctypes
import itertools
import operator
import os
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np

from . import _library, errors
from ._connection import Block, milliseconds, open_handle, path_of, patiently
from ._jobs import WINDOW, Job
from ._library import RESIDENT, Answer, lib
from ._program import program_of, shown
from ._views import CODES as _CODES
from ._views import dtype_named

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from ._array import DeviceArray
    from ._futures import Future
    from ._ops import T

SLICE_MS = 20  # how often a wait checks for signals and lets other threads in


class Times(NamedTuple):
    """How the last run went, in seconds; see gpufilter_times in gpufilter/run.h."""

    n_copied: int
    queue: float
    copy_in: float
    kernel: float
    copy_out: float
    total: float
    round_trip: float
    attempts: int
    device: str
    why: str
    request: str  # its name in the daemon's log, "node1/523/17"; "" if the daemon does not say


class Device(NamedTuple):
    """A device of the daemon."""

    name: str
    title: str
    uuid: str
    detail: str
    memory: int
    units: int
    state: str


_STATES = ("unknown", "starting", "ready", "restarting", "aside", "absent", "idle")


def _times_of(times, request):
    """From the library's struct."""
    seconds = [getattr(times, f"{name}_ns") / 1e9 for name in Times._fields[1:7]]
    return Times(times.n_copied, *seconds, times.attempts, times.device.decode(), times.why.decode(),
                 request.decode())


def _device_of(device):
    """From the library's struct."""
    state = _STATES[device.state] if device.state < len(_STATES) else "unknown"
    return Device(device.name.decode(), device.title.decode(), device.uuid.decode(), device.detail.decode(),
                  device.memory, device.units, state)


class Client:
    """A connection to a daemon. Threads may share it and then take turns; by default each thread has its own, see
    gpufilter.default_client().

    Parameters
    ----------
    socket: path of the daemon's socket; default: $GPUFILTER_SOCKET, the system's daemon, or this user's private one
    device: "auto", "cpu", "cuda:0", a device's UUID or "cuda:all"
    autostart: start a private daemon of this user if none is found
    private: only the private daemon of this user
    daemon: path of the gpufilterd to start; default: $GPUFILTER_DAEMON, the one in this package, the system's, one
        beside this Python, one in $PATH
    deadline: seconds within which each answer is wanted; None: any
    connect_timeout: seconds for connecting and greeting
    wait: seconds to wait for an absent daemon, now and later, instead of starting one; default: $GPUFILTER_WAIT
    server_uid: the daemon must run as this user
    fuse: steps that work sample by sample may be fused with their neighbours, with the same bits; False serves to
        compare time and memory, and times().why says what was done
    """

    def __init__(self, socket: str | os.PathLike[str] | None = None, *, device: str | None = None,
                 autostart: bool = True, private: bool = False, daemon: str | os.PathLike[str] | None = None,
                 deadline: float | None = None, connect_timeout: float | None = None, wait: float | None = None,
                 server_uid: int | None = None, fuse: bool = True) -> None:
        self._handle = None
        if device is not None and not isinstance(device, str):
            raise TypeError(f"device={shown(device)}; it must be a string, such as 'cpu', or None")
        if server_uid is not None and not isinstance(server_uid, int):
            raise TypeError(f"server_uid={shown(server_uid)}; it must be the number of a user, or None")
        options = _library.Options(
            autostart=bool(autostart), only_private=bool(private), server_uid=-1 if server_uid is None else server_uid,
            socket=path_of("socket", socket),
            daemon=path_of("daemon", _library.own_daemon() if daemon is None else daemon),
            device=device.encode() if device is not None else None,
            deadline_ms=milliseconds("deadline", deadline),
            connect_timeout_ms=milliseconds("connect_timeout", connect_timeout), wait_ms=milliseconds("wait", wait))
        self._device = device or "auto"
        self._lock = threading.Lock()
        self._pending = {}  # unanswered requests, by token
        self._tokens = itertools.count(1)
        self._answer, self._error = Answer(), _library.Error()
        self._finished = collections.deque()  # jobs whose futures must be resolved
        self._n_futures = 0  # without a result
        self._pump = None  # the thread that takes their answers
        self._call = None if fuse else _library.Call(flags=_library.CALL_UNFUSED)
        try:
            self._handle = open_handle(options)
        except errors.Error as error:
            raise error.with_traceback(None)  # of another thread
        self._autostart = autostart and wait is None and not float(os.environ.get("GPUFILTER_WAIT") or 0)
        _clients.add(self)

    # ---- life ----

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._handle is None

    def close(self) -> None:
        """Ends the connection. Futures without a result fail with Cancelled. Arrays of empty() stay valid."""
        with self._lock:
            handle = self._handle
            if handle is None:
                return
            self._handle = None
            pending, self._pending = self._pending, {}
            for request in pending.values():
                self._drop(request.job, errors.Cancelled("the client was closed"))
            if self._pump is not None:
                self._pump.stop()
        self._tell()
        handle.end()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<gpufilter.Client, closed>"
        return f"<gpufilter.Client of {self.server} at {self.socket}, device {self._device}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Client is a connection of this process and cannot be pickled; another process opens its own: "
                        "gpufilter.Client()")

    def __del__(self):
        if self._handle is not None and self._handle.pid:
            self.close()

    def _pointer(self):
        handle = self._handle
        if handle is None:
            raise errors.BadArgument("the client is closed; open another one")
        if handle.garbage and handle.pid == os.getpid():
            handle.sweep()
        return handle.pointer

    def _check(self, status):
        if status:
            raise errors.from_struct(self._error)

    @property
    def socket(self) -> str:
        """Path of the daemon's socket."""
        with self._lock:
            return os.fsdecode(lib.socket(self._pointer()))

    @property
    def server(self) -> str:
        """Name and version of the daemon."""
        with self._lock:
            return lib.server(self._pointer()).decode()

    @property
    def node(self) -> str:
        """Name of the machine whose daemon answers; "" if it does not say."""
        with self._lock:
            return lib.node(self._pointer()).decode()

    def revision(self, op: str) -> int:
        """The daemon's revision of an operation, "gaussian": 1 at first, and more whenever a defined bit of its results
        has changed."""
        with self._lock:
            found = lib.revision(self._pointer(), op.encode())
        if found == 0:
            raise errors.UnknownOp(f"there is no operation {op}")
        return found

    # ---- work ----

    def run(self, text: str, *operands: ArrayLike | DeviceArray, out: Any = None,
            channel_axis: int | Literal["auto"] | None = "auto") -> Any:
        """Runs a program given as text, "gaussian sigma=2 | sobel", and returns the result of its last step;
        gpufilter_run_text in gpufilter/run.h defines the text."""
        return self._work(_text_program(text), operands, out, channel_axis)

    def submit(self, work: str | Callable[..., Any], *operands: Any, **options: Any) -> Future:
        """Submits work and returns a Future at once. The work is a text or a function of this package, as in
        submit(gpufilter.gaussian, picture, sigma=2). Errors found before anything is sent are raised here."""
        if isinstance(work, str):
            return self._submit(_text_program(work), operands, **options)
        from . import _ops
        if work is None or getattr(_ops, getattr(work, "__name__", ""), None) is not work:
            raise TypeError("submit takes as work a text or a function for one operation, such as gpufilter.gaussian, "
                            f"not {shown(work)}")
        return work(*operands, client=Submitter(self), **options)

    def _submit(self, program, operands, out=None, channel_axis="auto"):
        return self._submit_job(lambda client: Job(client, program, operands, out, channel_axis))

    def _submit_job(self, make):
        from ._futures import Future
        job = make(self)
        future = Future(self, job)
        try:
            with self._lock:
                self._advance(job)
                if not job.done:
                    job.future = future
                    self._n_futures += 1
                    self._start_pump()
        except BaseException:
            self._abandon(job)
            raise
        if job.future is None:
            job.value()  # raises the library's refusal
        return future

    def _work(self, program, operands, out, channel_axis):
        return self._run_job(lambda client: Job(client, program, operands, out, channel_axis))

    def _run_job(self, make):
        job = make(self)
        self._run(job)
        if job.error is not None and type(job.error) is errors.NoDaemon and self._autostart:
            patiently(self.ping)  # starts a daemon, which submitting does not do
            job = make(self)
            self._run(job)
        return job.value()

    def _run(self, job):
        try:
            with self._lock:
                self._advance(job)
            while not job.done:
                with self._lock:
                    answered = job.done or self._take(SLICE_MS)
                if self._finished:
                    self._tell()
                if not answered:
                    time.sleep(50e-6)  # lets another thread of this client have its turn
        except BaseException:
            self._abandon(job)
            raise

    def _advance(self, job):
        """Submits as much as the window allows. The lock must be held."""
        while job.next < job.count and len(job.flying) < WINDOW and job.error is None:
            pointer, token = self._pointer(), next(self._tokens)
            try:
                request = job.request(job.next)
            except Exception as error:  # out of memory for a copy
                job.error = error
                self._cancel(job)
                break
            job.next += 1
            self._pending[token] = request
            job.flying.add(token)
            if lib.submit_text(pointer, job.program.encoded, request.views, len(request.keep), request.results,
                               len(request.results), self._call, token, request.id, self._error):
                del self._pending[token]
                job.flying.discard(token)
                job.error = errors.from_struct(self._error, job.program.own)
                self._cancel(job)
            else:
                job.submitted(request)
        if not job.flying:
            self._end(job)

    def _take(self, timeout_ms):
        """Takes the available answers, waiting for the first; returns whether there was one. The lock must be held. A
        KeyboardInterrupt never loses an answer that was taken."""
        answer = self._answer
        if answer.id:
            self._dispatch(answer)
        self._check(lib.wait(self._pointer(), 0, timeout_ms, answer, self._error))
        if not answer.id:
            return False
        while answer.id:
            self._dispatch(answer)
            if not self._pending:
                break
            self._check(lib.poll(self._pointer(), answer, self._error))
        return True

    def _dispatch(self, answer):
        token = answer.context
        request = self._pending.get(token)
        if request is not None:
            job = request.job
            if answer.status and job.error is None:
                job.error = errors.from_struct(answer.error, job.program.own)
                job.error.request = lib.last_request(self._pointer()).decode()
                self._cancel(job)
            job.flying.discard(token)
            if job.next < job.count:
                if not job.done:
                    self._advance(job)
            elif not job.flying:
                self._end(job)
            self._pending.pop(token, None)
        answer.id = 0

    def _drop(self, job, error):
        job.error = job.error or error
        job.flying.clear()
        self._end(job)

    def _end(self, job):
        if job.done:
            return
        job.done = True
        if job.future is not None:
            self._n_futures -= 1
            self._finished.append(job)
        elif job.abandoned:
            job.clear()

    def _cancel(self, job):
        """Asks the daemon to drop the rest of a job. The lock must be held."""
        for token in list(job.flying):
            request = self._pending.get(token)
            if request is not None and request.id.value:
                lib.cancel(self._pointer(), request.id, self._error)

    def _abandon(self, job):
        """The job's result is no longer wanted. Its arrays live until the daemon's answers, which later calls take."""
        with self._lock:
            if self._handle is None:
                return
            job.abandoned = True
            job.error = job.error or errors.Cancelled("given up")
            for token in [t for t in job.flying if t in self._pending and not self._pending[t].id.value]:
                del self._pending[token]  # it was not submitted
                job.flying.discard(token)
            self._cancel(job)
            for _ in range(10):
                if not job.flying:
                    break
                self._take(SLICE_MS)
            if not job.flying:
                self._end(job)

    def _leave(self, job):
        """A future was cancelled."""
        with self._lock:
            if self._handle is not None and not job.done:
                job.error = job.error or errors.Cancelled("cancelled")
                self._cancel(job)

    def _start_pump(self):
        from ._futures import Pump
        if self._pump is None:
            fd = ctypes.c_int()
            self._check(lib.fd(self._pointer(), fd, self._error))
            self._pump = Pump(self, fd.value)
            self._pump.start()

    def _pump_turn(self, pump, ready):
        """What the futures thread does when there is something to read; returns whether it continues."""
        with self._lock:
            if self._handle is None or self._pump is not pump:
                return False
            if ready or self._pending:
                self._take(0)  # also if nothing is pending: the connection may have ended
            if not ready and not self._n_futures:
                self._pump = None
                return False
        self._tell()
        return True

    def _tell(self):
        while self._finished:
            try:
                job = self._finished.popleft()
            except IndexError:
                return
            job.future._settle()

    # ---- memory ----

    @overload
    def empty(self, shape: int | tuple[int, ...], dtype: type[T] | np.dtype[T]) -> NDArray[T]: ...

    @overload
    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike = float) -> NDArray[Any]: ...

    def empty(self, shape: int | tuple[int, ...], dtype: DTypeLike = float) -> NDArray[Any]:
        """An array in memory that the daemon reads and writes directly, so that runs copy nothing; it is not cleared.
        Results of operations on it also lie in such memory."""
        dtype = dtype_named("empty", dtype)
        if dtype not in _CODES:
            raise TypeError(f"empty: operations do not accept dtype {dtype}")
        try:
            shape = tuple(map(operator.index, shape if isinstance(shape, (tuple, list)) else (shape,)))
        except TypeError:
            raise TypeError(f"empty: shape={shown(shape)}; it must be a whole number or a tuple of whole numbers") \
                from None
        size = dtype.itemsize
        for side in shape:
            if side < 0:
                raise ValueError(f"empty: shape={shown(shape)} has a negative side")
            size *= side
        if size >= 2**48:
            raise ValueError(f"empty: shape={shown(shape)} has {shown(size)} bytes; allowed: below 2^48")
        if size == 0:
            return np.empty(shape, dtype)
        address = ctypes.c_void_p()
        with self._lock:
            self._check(lib.alloc(self._pointer(), size, address, self._error))
            block = Block(self._handle, address.value, shape, dtype)
            self._handle.hold(block, address.value)
        return np.asarray(block)

    def owns(self, array: NDArray[Any]) -> bool:
        """Whether an array lies in memory of empty() of this client."""
        base = array.base
        if type(base) is np.ndarray:
            base = base.base
        return type(base) is Block and base.handle is self._handle

    def to_device(self, array: ArrayLike, *, channel_axis: int | Literal["auto"] | None = "auto") -> DeviceArray:
        """Copies an array to the daemon's device, where it stays, see DeviceArray."""
        return self._work(program_of("copy", True), (array,), RESIDENT, channel_axis)

    # ---- the daemon ----

    def times(self) -> Times:
        """The times of the client's last run."""
        times = _library.Times()
        with self._lock:
            self._check(lib.last_times(self._pointer(), times, self._error))
            request = lib.last_request(self._pointer())
        return _times_of(times, request)

    def devices(self) -> list[Device]:
        """The devices of the daemon."""
        room, n = 64, ctypes.c_uint32()
        found = (_library.Device * room)()
        with self._lock:
            self._check(lib.devices(self._pointer(), found, ctypes.sizeof(_library.Device), room, n, self._error))
        return [_device_of(d) for d in found[:min(n.value, room)]]

    def ping(self) -> float:
        """Seconds of a round trip without work."""
        took = ctypes.c_uint64()
        with self._lock:
            self._check(lib.ping(self._pointer(), took, self._error))
        return took.value / 1e9


def _text_program(text):
    if not isinstance(text, str):
        raise TypeError(f"a program is text, such as 'gaussian sigma=2 | sobel'; it is a {type(text).__name__}")
    return program_of(text, False)


class Submitter:
    """Stands in for the client in a call that is to be submitted."""

    def __init__(self, client):
        self._client = client

    def _run_job(self, make):
        return self._client._submit_job(make)


_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()


def _after_fork():
    """In a child process: threads are gone, and the state of locks is undefined."""
    for client in list(_clients):
        handle = client._handle
        if handle is not None and client._lock.locked():
            handle.pid = 0
        client._lock, client._pump = threading.Lock(), None
        client._pending, client._n_futures = {}, 0
        client._finished.clear()


os.register_at_fork(after_in_child=_after_fork)
