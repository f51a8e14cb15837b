# SPDX-License-Identifier: MIT
"""Futures, asyncio, threads and Ctrl-C."""
import asyncio
import concurrent.futures
import gc
import os
import re
import signal
import threading

import gpufilter as gf
import numpy as np
import pytest
from conftest import WAIT, says


def stopped(daemon):
    """A client whose daemon is stopped and does not answer until it gets SIGCONT."""
    client = gf.Client(daemon.socket)
    client.ping()
    daemon.send(signal.SIGSTOP)
    return client


def test_futures(grey, rgb):
    client = gf.default_client()
    wanted = {sigma: gf.gaussian(rgb, sigma) for sigma in (1, 2, 3)}
    futures = {client.submit(gf.gaussian, rgb, sigma=1 + k % 3): 1 + k % 3 for k in range(60)}
    for future in concurrent.futures.as_completed(futures, WAIT):
        assert (future.result() == wanted[futures[future]]).all()
    assert all(future.done() and not future.cancelled() and future.exception() is None for future in futures)
    called = []
    future = gf.submit("gaussian sigma=2 | sobel", grey)
    future.add_done_callback(called.append)
    concurrent.futures.wait([future], WAIT)
    assert (future.result(WAIT) == gf.sobel(gf.gaussian(grey, 2))).all()
    future.add_done_callback(called.append)
    assert called[-1] is future
    out = np.zeros_like(grey)
    assert gf.submit(gf.box, grey, 5, out=out).result(WAIT) is out
    stack = np.stack([grey] * 50)
    assert (gf.submit(gf.box, stack).result(WAIT) == gf.box(grey)).all()
    assert gf.submit(gf.select, grey, lo=200).result(WAIT).count == (grey >= 200).sum()
    # results may be wanted in any order, with calls in between
    first, second = gf.submit(gf.box, grey), gf.submit(gf.reduce, grey)
    assert gf.reduce(grey, "max") == grey.max()
    assert second.result(WAIT) == grey.sum() and (first.result(WAIT) == gf.box(grey)).all()


def test_futures_on_the_device(grey):
    """Upload, work and download are all submitted at once."""
    client = gf.default_client()
    on = client.to_device(grey)
    out = client.to_device(np.zeros_like(grey))
    futures = [client.submit(gf.box, on, 2 * k + 3, out=out) for k in range(5)] + [client.submit("copy", out)]
    assert (futures[-1].result(WAIT).numpy() == gf.box(grey, 11)).all()


def test_what_is_wrong_is_raised_at_once(grey):
    client = gf.default_client()
    for kind, text, call in [
            (gf.errors.BadParam, "gaussian: sigma=-1.0 outside", lambda: client.submit(gf.gaussian, grey, sigma=-1)),
            (gf.errors.UnknownOp, "there is no operation", lambda: client.submit("gausian", grey)),
            (TypeError, "src has dtype float64", lambda: client.submit(gf.box, grey.astype("f8"))),
            (TypeError, "submit takes as work a text or a function for one operation", lambda: client.submit(np.sum, grey)),
            (TypeError, "unexpected keyword argument 'sgima'", lambda: client.submit(gf.gaussian, grey, sgima=1))]:
        says(kind, text, call)
    with gf.Client(device="cuda:0") as other:
        future = other.submit(gf.box, grey)
        says(gf.errors.NoDevice, "cuda:0", lambda: future.result(WAIT))
        assert isinstance(future.exception(), gf.errors.NoDevice)
        assert re.fullmatch(re.escape(other.node) + r"/[1-9]\d*/[1-9]\d*", future.exception().request)
    with gf.Client(deadline=0.001) as hasty:
        future = hasty.submit(gf.gaussian, np.zeros((2000, 2000), "f4"), 200)
        says(gf.errors.Deadline, "", lambda: future.result(WAIT))
        says(TimeoutError, "", future.result)


def test_asyncio(grey):
    async def main():
        client = gf.default_client()
        one, two = await asyncio.gather(client.submit(gf.gaussian, grey, 1), client.submit("gaussian sigma=3", grey))
        assert (one == gf.gaussian(grey, 1)).all() and (two == gf.gaussian(grey, 3)).all()
        with pytest.raises(gf.errors.NoDevice):
            with gf.Client(device="cuda:0") as other:
                await other.submit(gf.box, grey)
        return await asyncio.wait_for(client.submit(gf.reduce, grey), WAIT)

    assert asyncio.run(main()) == grey.sum()


def test_a_cancelled_task_cancels_the_request(grey, daemon):
    client = stopped(daemon)

    async def main():
        future = client.submit(gf.box, grey)
        task = asyncio.ensure_future(asyncio.wait_for(future, WAIT))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert future.cancelled()

    asyncio.run(main())
    daemon.send(signal.SIGCONT)
    assert (client.run("box", grey) == gf.box(grey)).all()


def test_cancel(grey, daemon):
    client = stopped(daemon)
    futures = [client.submit(gf.box, grey) for _ in range(5)]
    assert futures[2].cancel() and futures[2].cancelled() and futures[2].done() and futures[2].cancel()
    with pytest.raises(concurrent.futures.CancelledError):
        futures[2].result(WAIT)
    for timeout in (0, 0.25):
        with pytest.raises(concurrent.futures.TimeoutError):
            futures[1].result(timeout)
        with pytest.raises(concurrent.futures.TimeoutError):
            futures[1].exception(timeout)
    daemon.send(signal.SIGCONT)
    for k in (0, 1, 3, 4):
        assert (futures[k].result(WAIT) == gf.box(grey)).all()
    assert not futures[0].cancel()
    assert client.run("reduce", grey) == grey.sum()


def test_too_many(grey, daemon):
    client = stopped(daemon)
    futures = [client.submit("reduce", grey) for _ in range(1024)]
    says(gf.errors.Busy, "1024 requests are in flight; collect answers first", lambda: client.submit("reduce", grey))
    daemon.send(signal.SIGCONT)
    assert {int(future.result(WAIT)) for future in futures} == {int(grey.sum())}
    assert client.run("reduce", grey) == grey.sum()


def test_close_with_requests(grey, daemon):
    client = stopped(daemon)
    future = client.submit(gf.box, grey)
    client.close()
    says(gf.errors.Cancelled, "the client was closed", lambda: future.result(WAIT))
    assert client.closed


@pytest.mark.parametrize("shared", [False, True])
def test_threads(shared, rgb):
    client = gf.Client() if shared else None
    sigmas = [0.5 + k / 4 for k in range(8)]
    wanted = [gf.gaussian(rgb, sigma) for sigma in sigmas]
    wrong = []

    def work(k):
        own = client or gf.default_client()
        for _ in range(10):
            future = own.submit(gf.gaussian, rgb, sigmas[k])
            if not (gf.gaussian(rgb, sigmas[k], client=client) == wanted[k]).all():
                wrong.append(k)
            if not (future.result(WAIT) == wanted[k]).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT)
    assert not wrong and not any(thread.is_alive() for thread in threads)


def interrupt_once(condition):
    """Presses Ctrl-C when the condition holds."""
    def press():
        while not condition():
            os.sched_yield()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    return thread


def test_ctrl_c_ends_a_call(grey, daemon):
    """Ctrl-C works even if the daemon does not answer; the client is usable afterwards."""
    client = stopped(daemon)
    out = np.zeros_like(grey)
    thread = interrupt_once(lambda: client._pending)
    with pytest.raises(KeyboardInterrupt):
        client.run("box", grey, out=out)
    thread.join(WAIT)
    assert len(client._pending) == 1  # its memory is kept: the daemon may still answer
    future = client.submit("box", grey)
    thread = interrupt_once(lambda: future._condition._waiters)
    with pytest.raises(KeyboardInterrupt):
        future.result(WAIT)
    thread.join(WAIT)
    daemon.send(signal.SIGCONT)
    assert (future.result(WAIT) == gf.box(grey)).all()
    assert (client.run("box", grey) == gf.box(grey)).all()
    assert not client._pending


def test_ctrl_c_ends_a_stack(grey, daemon):
    client = stopped(daemon)
    thread = interrupt_once(lambda: len(client._pending) == 16)
    with pytest.raises(KeyboardInterrupt):
        client.run("box", np.stack([grey] * 100))
    thread.join(WAIT)
    daemon.send(signal.SIGCONT)
    assert (client.run("box", grey) == gf.box(grey)).all()
    assert len(client._pending) <= 16


def test_ctrl_c_ends_opening(daemon):
    daemon.send(signal.SIGSTOP)
    thread = interrupt_once(lambda: "gpufilter-open" in [t.name for t in threading.enumerate()])
    with pytest.raises(KeyboardInterrupt):
        gf.Client(daemon.socket, connect_timeout=WAIT)
    thread.join(WAIT)
    daemon.send(signal.SIGCONT)
    assert gf.Client(daemon.socket).ping() > 0


def test_ctrl_c_anywhere(grey):
    """Ctrl-C at any place of a call leaves no error and nothing allocated."""
    def press(*_):
        raise KeyboardInterrupt

    client = gf.Client()
    shared = client.empty(grey.shape, grey.dtype)
    shared[:] = grey
    stack, wanted = np.stack([grey] * 3), gf.box(grey)
    calls = [lambda: client.run("box", grey), lambda: client.run("box", shared), lambda: client.run("box", stack)[2],
             lambda: gf.box(client.to_device(grey)).numpy(), lambda: gf.box(grey, client=client)]
    moments, presses = np.random.default_rng(5), 0
    before = signal.signal(signal.SIGALRM, press)
    try:
        while presses < 400:
            for call in calls:
                try:
                    signal.setitimer(signal.ITIMER_REAL, moments.uniform(1e-6, 500e-6))
                    got = call()
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    assert (got == wanted).all()
                except KeyboardInterrupt:
                    presses += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    del got
    gc.collect()
    assert (client.run("box", grey) == wanted).all() and (client.submit("box", grey).result(WAIT) == wanted).all()
    client.ping()
    assert not client._pending and not client._handle.garbage
    assert sum(ref() is not None for ref in client._handle.held) == 1
