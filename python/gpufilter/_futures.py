# SPDX-License-Identifier: MIT
"""Futures of Client.submit(), and the thread that takes their answers. A client's thread runs while futures have no
result; it waits for the library's descriptor. Only used by _client.py."""
from __future__ import annotations

import concurrent.futures
import os
import select
import threading
import time
from typing import TYPE_CHECKING, Any

from . import errors

if TYPE_CHECKING:
    from collections.abc import Generator

LINGER_MS = 1000  # how long an idle thread waits for more work
SLICE = 0.2  # seconds


class Future(concurrent.futures.Future[Any]):
    """The result of submitted work; can be awaited too. cancel() makes the daemon drop the work; operands and `out`
    must stay unchanged until the daemon has answered."""

    def __init__(self, client: Any, job: Any) -> None:
        super().__init__()
        self._client, self._job, self._pid = client, job, os.getpid()

    def cancel(self) -> bool:
        if not super().cancel():
            return False
        client, job = self._client, self._job
        if client is not None and job is not None:
            client._leave(job)
        return True

    def _ask(self, ask, timeout):
        """result() or exception() in slices: a Ctrl-C just before the thread goes to sleep would otherwise wait with
        it."""
        if self._pid != os.getpid() and not self.done():
            raise errors.Forked(f"the work was submitted by process {self._pid}; a child must submit its own")
        end = None if timeout is None else time.monotonic() + timeout
        while not self.done():
            left = SLICE if end is None else end - time.monotonic()
            try:
                return ask(max(0, min(left, SLICE)))
            except concurrent.futures.TimeoutError:
                if left <= SLICE and end is not None and not self.done():
                    raise
        return ask(0)

    def result(self, timeout: float | None = None) -> Any:
        return self._ask(super().result, timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        return self._ask(super().exception, timeout)

    def __await__(self) -> Generator[Any, None, Any]:
        import asyncio
        return asyncio.wrap_future(self).__await__()

    def _settle(self):
        """The job is done: notifies all waiters."""
        job, self._job, self._client = self._job, None, None
        if not self.set_running_or_notify_cancel():
            job.clear()
            return
        try:
            self.set_result(job.value())
        except Exception as error:
            self.set_exception(error)


class Pump(threading.Thread):
    """Takes answers for futures, as long as there are any."""

    def __init__(self, client, fd):
        super().__init__(name="gpufilter", daemon=True)
        self.client, self.fd = client, fd
        self.wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def run(self):
        client, poll = self.client, select.poll()
        poll.register(self.fd, select.POLLIN)
        poll.register(self.wake, select.POLLIN)
        try:
            while client._pump_turn(self, poll.poll(LINGER_MS)):
                pass
        finally:
            with client._lock:
                if client._pump is self:
                    client._pump = None
                os.close(self.wake)
            self.client = None

    def stop(self):
        os.eventfd_write(self.wake, 1)
