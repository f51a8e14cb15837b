# SPDX-License-Identifier: MIT
"""The attacks of neighbours.py. Each tries to make other users wait. It gets the path of the socket and the resources
that root has prepared, runs as its user until it is killed, and restarts when the server disconnects it."""
import contextlib
import ctypes
import dataclasses
import os
import signal
import socket
import struct
import sys
import time
import typing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "attack"))
import fuse  # noqa: E402
import support as s  # noqa: E402

REDUCE, HISTOGRAM, MATMUL = 0x0401, 0x0301, 0x0703
F32 = 9


def many(path, n, **options):
    found = []
    for _ in range(n):
        try:
            found.append(s.Conn(path, **options))
        except (OSError, AssertionError):
            break
    return found


def pings(path):
    conns = many(path, 250)
    for c in conns:
        c.sock.setblocking(False)
    data = b"".join(s.frame(s.PING, i) for i in range(1, 65))
    while True:
        for c in conns:
            for call in (lambda: c.sock.send(data), lambda: c.sock.recv(65536)):
                try:
                    call()
                except (BlockingIOError, OSError):
                    pass


def infos(path):
    conns = many(path, 250)
    for c in conns:
        c.sock.setblocking(False)
    number = 1000
    while True:
        number += 8
        data = b"".join(s.frame(s.INFO, number + i, s.attr(27, s.U32, 3)) for i in range(8))
        for c in conns:
            for call in (lambda: c.sock.send(data), lambda: c.sock.recv(1 << 20)):
                try:
                    call()
                except (BlockingIOError, OSError):
                    pass


def unread_infos(path):
    conns = many(path, 250)
    data = b"".join(s.frame(s.INFO, 1000 + i, s.attr(27, s.U32, 3)) for i in range(64))
    for c in conns:
        c.sock.setblocking(False)
        try:
            c.sock.send(data)
        except OSError:
            pass
    signal.pause()


def waiting_runs(path):
    """Announces all inline data that a user may have and hardly sends any; long programs of the same user wait."""
    holders = many(path, 4)
    side = 15000
    for c in holders:
        body = s.gaussian_body(side, side, src=(1, 0, 0, side * side))
        c.send(s.header(s.RUN, 7, len(body), side * side) + body)
    steps = b"".join(ref_step(s.GAUSSIAN, (0, 0, 0) if i == 0 else (1, 0, i - 1)) for i in range(60))
    last = s.attr(21, s.BYTES, struct.pack("<HBBIQQQ", 59, 0, 1, 0, 0, 0, 0))
    side = 4096
    body = s.attr(11, s.STRING, "cpu") + s.operand(1, 0, 0, side * side, s.view(1, 1, side, side)) + steps + last
    conns = many(path, 240)
    for c in conns:
        c.send(s.header(s.RUN, 7, len(body), side * side) + body)
    while conns:  # a payload must not pause for long, or the server ends the connection
        for c in holders:
            c.send(bytes(1 << 18))
        time.sleep(1)


def announced(path):
    """Announces a large payload, then closes the connection."""
    body = s.gaussian_body(8192, 6000)
    while True:
        c = s.Conn(path)
        c.send(s.header(s.RUN, 7, len(body), 8192 * 6000) + body + b"x")
        c.close()


def cancels(path):
    """Sends one long request and endless CANCELs of it."""
    n = 1500
    while True:
        c = s.Conn(path)
        body = matmul_body(n, n, n)
        c.sock.sendall(s.frame(s.RUN, 7, body, bytes(8 * n * n)))
        flood = s.frame(s.CANCEL, 7) * 2048
        try:
            for _ in range(400):
                c.sock.sendall(flood)
        except OSError:
            pass
        c.close()


def ref_step(op, *refs):
    return s.attr(20, s.BYTES, struct.pack("<IHH", op, len(refs), 0) + b"".join(struct.pack("<BBH", *r) for r in refs))


def matmul_body(m, k, n, *more, results=None):
    return (s.attr(11, s.STRING, "cpu") + s.operand(1, 0, 0, 4 * m * k, s.view(F32, 4, k, m))
            + s.operand(1, 0, 4 * m * k, 4 * k * n, s.view(F32, 4, n, k)) + ref_step(MATMUL, (0, 0, 0), (0, 0, 1))
            + b"".join(more) + (results or s.result()))


def outer(path):
    """Sends 256 KiB that become 4 GiB between two steps."""
    n = 32768
    last = s.attr(21, s.BYTES, struct.pack("<HBBIQQQ", 1, 0, 1, 0, 0, 0, 0))
    body = matmul_body(n, 1, n, ref_step(REDUCE, (1, 0, 0), (2, 0, 0)), results=last)
    c = s.Conn(path)
    while True:
        got = c.ask(s.frame(s.RUN, 7, body, bytes(8 * n)))
        if got is None:
            c = s.Conn(path)
        elif got.kind == s.ERROR:
            time.sleep(0.05)


def lists(path):
    """Names one arena of 128 MiB many times as a list, at different offsets, since equal lists are copied only once."""
    size, times = 128 << 20, 24
    fd = s.memfd(size)
    c = s.Conn(path, fd_passing=True)
    got = c.ask(s.arena_frame(5, 1, size), [fd])
    if got is None or got.kind != s.DONE:
        raise OSError("no arena: %s" % got)
    pixels = s.operand(1, 0, 0, 16, s.view(1, 1, 4, 4))
    # the longest list has 16M + 1 numbers of 8 bytes; the server checks that edges rise only after the copy
    each = b"".join(s.operand(2, 1, 8 * i, 8 * ((size >> 3) - times), s.view(10, 8, (size >> 3) - times, 1))
                    for i in range(times))
    steps = b"".join(ref_step(HISTOGRAM, (0, 0, 0), (0, 0, 1 + i)) for i in range(times))
    body = s.attr(11, s.STRING, "cpu") + pixels + each + steps + s.result()
    while True:
        got = c.ask(s.frame(s.RUN, 7, body, bytes(16)))
        if got is None:
            return


def lies(path):
    """Sends outer products, which cost less than they are charged, then large products."""
    c = s.Conn(path)
    n = 1024
    for _ in range(30):
        c.ask(s.frame(s.RUN, 7, matmul_body(n, 1, n), bytes(8 * n)))
    n = 1200
    body, payload = matmul_body(n, n, n), bytes(8 * n * n)
    conns = [c] + many(path, 7)
    while True:
        for c in conns:
            c.send(s.frame(s.RUN, 7, body, payload))
        for c in conns:
            c.recv()


def slow_reading(path):
    """Requests inline results and hardly reads any of them."""
    conns = many(path, 127, buffer=4096)
    body = s.gaussian_body(2048, 2048)
    data = s.frame(s.RUN, 7, body, bytes(2048 * 2048))
    for c in conns:
        c.sock.settimeout(0.5)
        try:
            c.sock.sendall(data)
        except OSError:
            pass
    while True:
        for c in conns:
            try:
                c.sock.recv(200)
            except OSError:
                pass
        time.sleep(1)


def linger(path):
    """Sends TCP sockets that take seconds to close, with HELLO. PINGs keep the front busy until this side has closed
    the sockets, because the last one to close waits."""
    server = socket.create_server(("127.0.0.1", 0))
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    busy, pings, peers = many(path, 8), b"".join(s.frame(s.PING, i) for i in range(1, 257)), []
    for c in busy:
        c.sock.setblocking(False)
    while True:
        t = socket.create_connection(server.getsockname())
        peers.append(server.accept()[0])
        t.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 10))
        t.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                t.send(bytes(65536))
        c = s.Conn(path, greet=False)
        for b in busy:
            with contextlib.suppress(BlockingIOError):
                b.sock.recv(65536)
            with contextlib.suppress(BlockingIOError):
                b.sock.send(pings)
        c.send(s.hello(nfds=1), [t.fileno()])
        t.close()
        time.sleep(0.05)
        c.close()


def silent_files(path, files):
    """Sends files whose close is never answered, with HELLO, and closes them on this side."""
    for _ in range(200):  # below a user's limit: connections that are not read stay open
        c = s.Conn(path, greet=False)
        files.send(c.sock, s.hello(nfds=1))
        time.sleep(0.02)
        c.close()
    signal.pause()


def connects(path, first=b""):
    """Opens connections that send `first` and close at once."""
    while True:
        with socket.socket(socket.AF_UNIX) as c, contextlib.suppress(OSError):
            c.connect(path)
            c.sendall(first)


def greetings(path):
    connects(path, s.hello())


def compute(_):
    """Not a client: shows what a fair share of the processor alone costs the victim."""
    while True:
        pass


def idle(path):
    conns = many(path, 1024)
    signal.pause()
    return conns


def holes(path):
    """Declares arenas, punches holes into them, and has the daemon fill the rows."""
    size = 256 << 20
    libc = ctypes.CDLL(None, use_errno=True)
    held = []
    for number in range(3):
        fd = s.memfd(size)
        c = s.Conn(path, fd_passing=True)
        got = c.ask(s.arena_frame(5, number, size), [fd])
        if got is None or got.kind != s.DONE:
            raise OSError("no arena: %s" % got)
        held.append((fd, c))
        if libc.fallocate(fd, 3, ctypes.c_long(0), ctypes.c_long(size)) != 0:
            raise OSError("no holes")
        body = s.gaussian_body(16384, 8192, src=(2, number, 0, size // 2), dst=(2, number, size // 2, size // 2, 16384))
        c.ask(s.frame(s.RUN, 7, body))
    signal.pause()


# -- preparations by root; each yields the attack's arguments besides the path


class LeftOut(Exception):
    """The reason why an attack cannot run on this machine."""


@contextlib.contextmanager
def nothing():
    yield ()


@contextlib.contextmanager
def fuse_files():
    if not os.path.exists("/dev/fuse"):
        raise LeftOut("there is no /dev/fuse")
    files = fuse.Server()
    try:
        if not files.ready():
            raise LeftOut("no file system in user space can be mounted here")
        yield (files,)
    finally:
        files.stop()  # a front that waits for one of the files can only end after this


@dataclasses.dataclass
class Attack:
    name: str
    work: typing.Callable = None
    processes: int = 0  # by the attackers in turn
    prepare: typing.Callable = nothing
    anew: bool = False  # the victim opens a connection per request


QUIET = [Attack("quiet"), Attack("quiet, victim connects each time", anew=True)]
ATTACKS = [
    Attack("PING over 250 connections", pings, 1), Attack("INFO over 250 connections", infos, 1),
    Attack("INFO, unread, 250 connections", unread_infos, 1), Attack("240 waiting requests", waiting_runs, 1),
    Attack("payload announced, hang-up", announced, 2), Attack("CANCEL repeated", cancels, 1),
    Attack("256 KiB that become 4 GiB", outer, 3), Attack("128 MiB list named 24 times", lists, 2),
    Attack("cheap outer products, large products", lies, 1), Attack("slow reading", slow_reading, 2),
    Attack("TCP sockets that linger", linger, 1), Attack("FUSE files that do not close", silent_files, 1, fuse_files),
    Attack("idle connections of four uids", idle, 4), Attack("holes in arenas", holes, 2),
    Attack("connect, hang-up", connects, 16), Attack("connect, hang-up, victim too", connects, 16, anew=True),
    Attack("connect, HELLO, hang-up", greetings, 16),
    Attack("connect, HELLO, hang-up, victim too", greetings, 16, anew=True),
    Attack("16 processes that only compute", compute, 16),
]
