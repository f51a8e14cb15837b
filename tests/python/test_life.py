# SPDX-License-Identifier: MIT
"""Import, search for the library, fork, pools, exit, garbage collection of arrays, daemons that die or must be
started."""
import gc
import multiprocessing
import os
import signal
import threading
import weakref

import gpufilter as gf
import numpy as np
import pytest
from conftest import WAIT, says


# ---- the library ----

def test_the_library_is_found_or_named(script):
    failing = "try:\n    import gpufilter\nexcept ImportError as e:\n    print(e)"
    text = script(failing, GPUFILTER_LIBRARY="/nowhere/lib.so")
    assert "/nowhere/lib.so" in text and "set $GPUFILTER_LIBRARY to the file" in text
    text = script(failing, GPUFILTER_LIBRARY="")
    assert text == "" or "Install the package libgpufilterclient0" in text
    libc = "libc.so.6"
    assert "is not libgpufilterclient, or too old: it has no gpufilter_open" in script(failing, GPUFILTER_LIBRARY=libc)


def test_import_opens_nothing_and_loads_little(script):
    text = script("import os, sys, numpy\n"
                  "modules, files = set(sys.modules), os.listdir('/proc/self/fd')\n"
                  "import gpufilter\n"
                  "print(*sorted(set(sys.modules) - modules))\n"
                  "print(len(os.listdir('/proc/self/fd')) - len(files))")
    modules, files = text.splitlines()
    assert not {"asyncio", "concurrent.futures", "logging", "inspect"} & set(modules.split())
    assert files == "0"


# ---- fork ----

def in_child(work):
    """Runs work in a forked child. Returns its text."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(writes, str(work()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writes)
    with os.fdopen(reads) as f:
        text = f.read()
    assert os.waitpid(child, 0)[1] == 0
    return text


def test_fork(grey, daemon):
    client = gf.default_client()
    wanted = gf.gaussian(grey)
    shared = client.empty(grey.shape, grey.dtype)
    shared[:] = grey
    stuck = gf.Client(daemon.socket)
    daemon.send(signal.SIGSTOP)
    future = stuck.submit("box", grey)

    def child():
        assert (gf.gaussian(grey) == wanted).all()  # by a client of its own
        assert gf.default_client() is not client and (gf.box(shared) == gf.box(grey)).all()
        says(gf.errors.Forked, "the client was opened by process", lambda: client.run("box", grey))
        says(gf.errors.Forked, "the client was opened by process", lambda: client.submit("box", grey))
        says(gf.errors.Forked, "the client was opened by process", lambda: client.empty(3))
        says(gf.errors.Forked, "a child must submit its own", lambda: future.result(WAIT))
        client.close()
        stuck.close()
        gc.collect()
        return shared.sum()

    assert in_child(child) == str(grey.sum())
    daemon.send(signal.SIGCONT)
    assert (future.result(WAIT) == gf.box(grey)).all()  # the parent has lost nothing
    assert (client.run("gaussian", shared) == wanted).all()


def test_fork_while_threads_work(grey):
    """Another thread may hold locks at the fork; the child must not wait for them."""
    client, stop = gf.Client(), threading.Event()

    def work():
        while not stop.is_set():
            client.submit("box", grey).result(WAIT)
            client.run("box", grey)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            def child():
                says(gf.errors.Forked, "", lambda: client.run("box", grey))
                client.close()
                gc.collect()
                return gf.reduce(grey)
            assert in_child(child) == str(grey.sum())
    finally:
        stop.set()
        for thread in threads:
            thread.join(WAIT)


def reduced(k):
    return int(gf.reduce(np.full((20, 30), k, "u1")))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pools(method):
    assert reduced(1) == 600
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(reduced, range(20)) == [600 * k for k in range(20)]


# ---- the end of the process ----

@pytest.mark.parametrize("what", ["futures", "stack in a thread", "arrays", "device"])
def test_exit_with_work_left(what, daemon, script):
    """The process ends although the daemon does not answer."""
    body = {
        "futures": "keep = [client.submit('box', picture) for _ in range(9)]; os.kill(daemon, signal.SIGSTOP)",
        "stack in a thread": "os.kill(daemon, signal.SIGSTOP)\n"
                             "work = lambda: client.run('box', np.stack([picture] * 99))\n"
                             "t = threading.Thread(target=work, daemon=True); t.start()\n"
                             "while not client._pending: os.sched_yield()",
        "arrays": "keep = client.empty(5, 'u1'), client.run('box', client.empty((9, 9), 'f4')); client.close()",
        "device": "keep = client.to_device(picture); more = keep[2:]"}[what]
    text = script("import os, signal, threading, numpy as np, gpufilter as gf\n"
                  f"daemon = {daemon.process.pid}; client = gf.Client({daemon.socket!r})\n"
                  f"picture = np.zeros((50, 50), 'u1'); client.ping()\n{body}\nprint('end')")
    assert text == "end\n"
    daemon.send(signal.SIGCONT)
    assert gf.Client(daemon.socket).ping() > 0


# ---- what is left ----

def test_arrays_outlive_their_client(grey):
    client = gf.Client()
    array = client.empty(grey.shape, grey.dtype)
    array[:] = grey
    got = client.run("box", array)
    handle = weakref.ref(client._handle)
    client.close()
    assert (got == gf.box(grey)).all() and (gf.box(array) == got).all()
    del array
    assert handle() is not None
    part = got[3:5]
    del got
    assert part.sum() == gf.box(grey)[3:5].sum()
    del part
    assert handle() is None


def end_futures():
    """Waits for the threads of futures, which hold their client. A thread ends after some time without futures."""
    for thread in threading.enumerate():
        if thread.name == "gpufilter":
            thread.join(WAIT)
            assert not thread.is_alive()


def test_nothing_leaks(grey, descriptors):
    end_futures()  # of the tests before
    gc.collect()
    gc.disable()  # cycles would pile up
    try:
        client = gf.Client()
        shared = client.empty(grey.shape, "u1")
        kept = [client.run("box", shared[:4, :4]) for _ in range(1000)]  # memory that the client keeps for later ones
        client.run("box", shared)
        del kept, shared
        client.submit("box", grey).result(WAIT)
        client.to_device(grey)
        client.ping()
        end_futures()
        before, objects = descriptors(), len(gc.get_objects())
        for _ in range(100000):
            client.empty(100, "u1")
        shared = client.empty(grey.shape, "u1")
        for _ in range(2000):
            client.run("box", shared)
        for _ in range(300):
            client.submit("box", grey).result(WAIT)
            client.to_device(grey)
            try:
                client.run("box size=0", grey)
            except gf.errors.BadParam:
                pass
        kept = [client.run("box", shared[:4, :4]) for _ in range(1000)]
        assert all((array == kept[0]).all() for array in kept)
        del kept, shared
        client.ping()
        end_futures()
        assert len(gc.get_objects()) - objects < 200
        assert descriptors() == before
        assert not client._handle.held and not client._handle.garbage and not client._pending
    finally:
        gc.enable()


def test_clients_leave_nothing(grey, descriptors):
    def use():
        with gf.Client() as client:
            shared = client.empty(grey.shape, "u1")
            client.run("box", shared)
            client.submit("box", grey).result(WAIT)
        client = gf.Client()  # never closed
        client.run("box", grey)
        thread = threading.Thread(target=lambda: gf.box(grey))  # ends, and its client with it
        thread.start()
        thread.join(WAIT)

    def left():
        gc.collect()
        end_futures()
        return descriptors()

    use()
    before = left()
    for _ in range(10):
        use()
    assert left() == before


# ---- daemons ----

def test_a_daemon_dies(grey, daemon):
    client = gf.Client(daemon.socket)
    array = client.empty(grey.shape, grey.dtype)
    array[:] = grey
    on = client.to_device(grey)
    daemon.send(signal.SIGSTOP)
    futures = [client.submit("box", array) for _ in range(5)]
    daemon.kill()
    for future in futures:
        says(ConnectionError, daemon.socket, lambda: future.result(WAIT))
    says(gf.errors.NoDaemon, daemon.socket, lambda: client.run("box", grey))
    daemon.start()
    assert (client.run("box", array) == gf.box(grey)).all()  # connects again; its memory is as it was
    assert (client.submit("box", grey).result(WAIT) == gf.box(grey)).all()
    says(gf.errors.HandleLost, "", on.numpy)
    assert (client.to_device(grey).numpy() == grey).all()


def test_a_client_waits_for_a_daemon(grey, daemon, monkeypatch):
    wanted = gf.box(grey)
    client = gf.Client(daemon.socket, wait=WAIT)
    on = client.to_device(grey)
    for end in [daemon.kill, lambda: daemon.send(signal.SIGTERM)]:
        futures = [client.submit("box", grey) for _ in range(40)]
        end()
        futures += [client.submit("box", grey) for _ in range(40)]
        daemon.process.wait(WAIT)
        daemon.start()
        assert (client.run("box", grey) == wanted).all()
        for future in futures:
            assert (future.result(WAIT) == wanted).all()
        says(gf.errors.HandleLost, "", on.numpy)
    daemon.send(signal.SIGSTOP)
    future = client.submit("box", grey)
    daemon.kill()
    daemon.start()
    assert (future.result(WAIT) == wanted).all() and client.times().attempts == 2
    daemon.kill()
    starter = threading.Thread(target=daemon.start)
    starter.start()
    assert (gf.Client(daemon.socket, wait=WAIT).run("box", grey) == wanted).all()
    starter.join()
    daemon.kill()
    says(gf.errors.NoDaemon, daemon.socket, lambda: gf.Client(daemon.socket, wait=0.02))
    monkeypatch.setenv("GPUFILTER_WAIT", "0.02")
    says(gf.errors.NoDaemon, daemon.socket, lambda: gf.Client(daemon.socket))
    monkeypatch.setenv("GPUFILTER_WAIT", "long")
    says(gf.errors.BadArgument, "GPUFILTER_WAIT=long; allowed: 0..86400 seconds", lambda: gf.Client(daemon.socket))
    says(ValueError, "wait=0; allowed: above 0", lambda: gf.Client(daemon.socket, wait=0))


def test_a_thread_of_futures_ends_when_the_daemon_is_gone(grey, daemon):
    client = gf.Client(daemon.socket)
    client.submit("box", grey).result(WAIT)
    pump = client._pump
    daemon.kill()
    pump.join(WAIT)
    assert not pump.is_alive() and client._pump is None


def test_a_daemon_is_started(tmp_path, script):
    """A new user's situation: no daemon and no variable. The daemon is started, and started again when it is gone."""
    text = script("""
import os, select, signal, socket, struct
import numpy as np, gpufilter as gf

picture = (np.arange(300) % 251).astype("u1").reshape(20, 15)
wanted = gf.box(picture)

def end():
    s = socket.socket(socket.AF_UNIX)
    s.connect(gf.default_client().socket)
    pid = struct.unpack("3i", s.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    ended = os.pidfd_open(pid)
    os.kill(pid, signal.SIGKILL)
    select.select([ended], [], [])
    os.close(ended)
    return pid

first = end()
assert (gf.box(picture) == wanted).all()
second = end()
assert (gf.box(np.stack([picture] * 40)) == wanted).all()
print(gf.default_client().socket, end() != first)
""", GPUFILTER_SOCKET="", GPUFILTER_PRIVATE="1", GPUFILTER_DAEMON=os.environ["GF_DAEMON"],
                  XDG_RUNTIME_DIR=str(tmp_path), GPUFILTER_AUTOSTART="1")
    assert text == f"{tmp_path}/gpufilter/gpufilterd-1.sock True\n"
    failing = "import gpufilter as gf\ntry:\n    gf.Client(**{})\nexcept gf.Error as e:\n    print(type(e).__name__, e)"
    env = {"GPUFILTER_SOCKET": "", "GPUFILTER_PRIVATE": "1", "XDG_RUNTIME_DIR": str(tmp_path)}
    text = script(failing.replace("**{}", "daemon='/nowhere/gpufilterd'"), **env)
    assert text.startswith("StartFailed ") and "/nowhere/gpufilterd" in text
    text = script(failing.replace("**{}", "autostart=False"), **env)
    assert text.startswith("NoDaemon no daemon: ") and str(tmp_path) in text
