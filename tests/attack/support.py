# SPDX-License-Identifier: MIT
"""Shared by the attacks: a private daemon that is watched for leaks, raw frames, and a bystander, a client that an
attack must not disturb. Written from docs/protocol.md, with the standard library alone."""
import array
import ctypes
import fcntl
import os
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from processes import children, cmdline, comm, fd_names, processes, read_proc, stat_of, status_of, threads  # noqa: E402
import skips  # noqa: E402,F401  pylint: disable=unused-import

HEADER = struct.Struct("<4sHHHHIQQ")
ATTR = struct.Struct("<HBBI")
HELLO, HELLO_REPLY, RUN, RESULT, ERROR, CANCEL, PING, PONG, ARENA, ARENA_DROP, FREE, INFO, INFO_REPLY, DONE, GOAWAY = (
    range(1, 16))
U32, U64, F32, ENUM, STRING, BYTES = range(1, 7)
CORRELATE, GAUSSIAN = 0x0101, 0x0103
WAIT = 120.0  # seconds until an awaited event counts as missing

SHRINK, GROW, WRITE, SEAL, FUTURE_WRITE = 2, 4, 8, 1, 16
SEALS = SHRINK | GROW | SEAL


def status_numbers():
    """Names and numbers of the statuses, read from the table that the daemon is built from."""
    path = os.path.join(os.path.dirname(__file__), "../../protocol/base/status.def")
    found = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("GF_STATUS("):
                name, number = line[len("GF_STATUS("):].split(",")[:2]
                found[name] = int(number)
    return found


STATUS = status_numbers()
BAD_REQUEST, UNSUPPORTED, BAD_VIEW, TOO_LARGE, NO_SUCH_ARENA, BAD_ARENA, NO_FD_PASSING, OVERLAP, EXISTS, QUOTA, BUSY = (
    STATUS[name] for name in ("BAD_REQUEST", "UNSUPPORTED", "BAD_VIEW", "TOO_LARGE", "NO_SUCH_ARENA", "BAD_ARENA",
                              "NO_FD_PASSING", "OVERLAP", "EXISTS", "QUOTA", "BUSY"))
RESOURCE_FDS, DEVICE_LOST, BAD_FRAME, BAD_VERSION, SLOW, DUPLICATE_ID = (
    STATUS[name] for name in ("RESOURCE_FDS", "DEVICE_LOST", "BAD_FRAME", "BAD_VERSION", "SLOW", "DUPLICATE_ID"))


def attr(number, kind, value):
    if kind in (U32, ENUM) and isinstance(value, int):
        value = struct.pack("<I", value)
    elif kind == U64 and isinstance(value, int):
        value = struct.pack("<Q", value)
    elif kind == F32 and isinstance(value, float):
        value = struct.pack("<f", value)
    elif kind == STRING and isinstance(value, str):
        value = value.encode()
    return ATTR.pack(number, kind, 0, len(value)) + value + bytes(-len(value) % 8)


def header(kind, number, body_len=0, payload_len=0, nfds=0, magic=b"GFPW", version=1, flags=0):
    return HEADER.pack(magic, version, kind, flags, nfds, body_len, number, payload_len)


def frame(kind, number, body=b"", payload=b"", nfds=0):
    return header(kind, number, len(body), len(payload), nfds) + body + payload


def hello(number=1, nfds=0):
    return frame(HELLO, number, attr(5, U32, 1) + attr(6, U32, 1) + attr(8, STRING, "attack 1.0"), nfds=nfds)


def view(dtype, element, width, height, channels=1, pitch=None):
    return struct.pack("<BBHIQQQ", dtype, channels, 0, 0, width, height, pitch or width * channels * element)


def operand(way, number, offset, length, shape):
    return attr(19, BYTES, struct.pack("<B3xIQQ", way, number, offset, length) + shape)


def step(op, inputs):
    refs = b"".join(struct.pack("<BBH", 0, 0, i) for i in range(inputs))
    return attr(20, BYTES, struct.pack("<IHH", op, inputs, 0) + refs)


def result(way=1, number=0, offset=0, length=0, pitch=0):
    return attr(21, BYTES, struct.pack("<HBBIQQQ", 0, 0, way, number, offset, length, pitch))


PIXELS = bytes(10 * (i + 1) for i in range(12))
MASK = struct.pack("<9f", 0, 1, 0, 1, 1, 1, 0, 1, 0)
CROSS = bytes([20, 28, 38, 46, 52, 60, 70, 78, 84, 92, 102, 110])


def cross_body():
    return (attr(11, STRING, "cpu") + operand(1, 0, 0, 12, view(1, 1, 4, 3)) + operand(1, 0, 64, 36, view(9, 4, 3, 3))
            + step(CORRELATE, 2) + attr(0x1005, ENUM, 1) + result())


def cross(number):
    """The worked example of docs/protocol.md; its result is CROSS."""
    return frame(RUN, number, cross_body(), PIXELS.ljust(64, b"\0") + MASK)


def gaussian_body(width, height, channels=1, sigma=2.0, deadline=0, src=None, dst=None):
    size = width * height * channels
    body = attr(11, STRING, "cpu")
    if deadline:
        body += attr(18, U32, deadline)
    body += operand(*(src or (1, 0, 0, size)), view(1, 1, width, height, channels)) + step(GAUSSIAN, 1)
    return body + attr(0x1001, F32, sigma) + (result(*dst) if dst else result())


def gaussian(number, width, height, payload, channels=1, sigma=2.0):
    return frame(RUN, number, gaussian_body(width, height, channels, sigma), payload)


def pattern(size, seed=1):
    """Pseudo-random bytes, the same in every run."""
    block = bytes((i * 167 + seed * 31 + (i >> 5) * 13) & 255 for i in range(4096))
    return (block * (size // 4096 + 1))[:size]


class Answer:
    def __init__(self, kind, number, attrs, payload):
        self.kind, self.id, self.attrs, self.payload = kind, number, attrs, payload

    def get(self, number):
        return next((v for a, _, v in self.attrs if a == number), None)

    @property
    def status(self):
        return struct.unpack("<I", self.get(1))[0] if self.kind == ERROR else 0

    @property
    def text(self):
        return (self.get(2) or b"").decode()

    def __repr__(self):
        return "kind %d id %d status %d %s" % (self.kind, self.id, self.status, self.text)


def parse_attrs(body):
    at, found = 0, []
    while at < len(body):
        number, kind, zero, length = ATTR.unpack_from(body, at)
        assert zero == 0 and at + 8 + length <= len(body)
        found.append((number, kind, body[at + 8:at + 8 + length]))
        at += 8 + length + (-length % 8)
    return found


def figures(answer):
    """The statistics in an answer to INFO: {(name, labels): number}."""
    found, name, labels = {}, "", ""
    for number, _, value in answer.attrs:
        if number == 34:
            name, labels = value.decode(), ""
        elif number == 37:
            labels = value.decode()
        elif number == 38 and len(value) == 8:
            found[name, labels] = struct.unpack("<d", value)[0]
            labels = ""
    return found


class Conn:
    """A raw connection. With `patient`, it waits while the server's backlog is full. `before` is sent before anything
    else. recv() returns whole frames, or None at the end of the stream."""

    def __init__(self, path, greet=True, fd_passing=False, buffer=None, patient=False, before=b""):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        if buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.sock.settimeout(None if patient else WAIT)
        self.sock.connect(path)
        self.sock.settimeout(WAIT)
        self.next = 100
        self.send(before)
        if greet:
            if fd_passing:
                null = os.open("/dev/null", os.O_RDWR)
                self.send(hello(nfds=1), [null])
                os.close(null)
            else:
                self.send(hello())
            got = self.recv()
            assert got is not None and got.kind == HELLO_REPLY, got

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.sock.close()

    def send(self, data, fds=()):
        """Sends all of the data, and the descriptors with its first byte. False if the server has closed."""
        try:
            done = 0
            if fds:
                ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
                done = self.sock.sendmsg([data], ancillary, socket.MSG_NOSIGNAL)
            self.sock.sendall(data[done:], socket.MSG_NOSIGNAL)
            return True
        except (BrokenPipeError, ConnectionResetError):
            return False

    def half_close(self):
        try:
            self.sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _read(self, size):
        """Reads `n` bytes. None if the stream ends earlier."""
        data = bytearray(size)
        at, room = 0, memoryview(data)
        while at < size:
            try:
                n = self.sock.recv_into(room[at:])
            except ConnectionResetError:
                n = 0
            if n == 0:
                return None
            at += n
        return bytes(data)

    def recv(self):
        head = self._read(32)
        if head is None:
            return None
        magic, version, kind, flags, nfds, body_len, number, payload_len = HEADER.unpack(head)
        assert (magic, version, flags, nfds) == (b"GFPW", 1, 0, 0), head
        body, payload = self._read(body_len), self._read(payload_len)
        if body is None or payload is None:
            return None
        return Answer(kind, number, parse_attrs(body), payload)

    def rest(self):
        """All frames up to the end of the stream."""
        found = []
        while True:
            got = self.recv()
            if got is None:
                return found
            found.append(got)

    def ask(self, data, fds=()):
        self.send(data, fds)
        return self.recv()

    def place(self):
        """The answer to a frame that makes the connection take a place: a FREE of an unknown handle."""
        self.next += 1
        got = self.ask(frame(FREE, self.next, attr(26, U32, 0xffff)))
        assert got is None or (got.kind, got.id) == (ERROR, self.next), got
        return got

    def ping(self):
        self.next += 1
        got = self.ask(frame(PING, self.next))
        return got is not None and got.kind == PONG and got.id == self.next


def tlv(kind, value):
    return struct.pack(">BH", kind, len(value)) + value


def proxy(name, client=7, verify=0, more=b""):
    """A PROXY protocol header as HAProxy's send-proxy-v2-ssl-cn writes it. Without a name it stands for the proxy."""
    body = b""
    if name is not None:
        said = tlv(0x21, b"TLSv1.3") + tlv(0x22, name if isinstance(name, bytes) else name.encode()) + more
        body = bytes(12) + tlv(0x20, struct.pack(">BI", client, verify) + said)
    return proxy_head(0x21 if body else 0x20, 0x11 if body else 0, len(body)) + body


def proxy_head(command, family, size):
    return b"\r\n\r\n\0\r\nQUIT\n" + struct.pack(">BBH", command, family, size)


def memfd(size, seals=SEALS, flags=os.MFD_ALLOW_SEALING, allocate=True):
    """A memfd for a kept arena, sealed as the protocol requires or with other seals."""
    fd = os.memfd_create("attack", os.MFD_CLOEXEC | flags)
    if size:
        os.ftruncate(fd, size)
        if allocate:
            os.posix_fallocate(fd, 0, size)
    if seals:
        fcntl.fcntl(fd, 1033, seals)  # F_ADD_SEALS
    return fd


def arena_frame(number, arena, size, nfds=1):
    return frame(ARENA, number, attr(24, U32, arena) + attr(25, U64, size), nfds=nfds)


def drop_frame(number, arena):
    return frame(ARENA_DROP, number, attr(24, U32, arena))


CLOSER = "gpufilter-close"  # the name of the processes that close descriptors


def fds_of(pid):
    """Counts descriptors without the staging memory, which is released only after ten idle seconds."""
    return sum("gpufilterd-staging" not in name for name in fd_names(pid))


def rss_kb(pid):
    return int(status_of(pid)["VmRSS"].split()[0])


def hwm(pid):
    """The peak memory of a process in bytes."""
    return 1024 * int(status_of(pid)["VmHWM"].split()[0])


def shadow(pid):
    """The factor by which a sanitizer multiplies the memory that a process touches."""
    maps = read_proc(pid, "maps")
    return 8 if "libtsan" in maps else 2 if "libasan" in maps else 1


def stop_process(pid):
    """Sends SIGSTOP and waits until every thread has stopped; kill() returns earlier than that."""
    os.kill(pid, signal.SIGSTOP)
    end = time.monotonic() + WAIT
    while any(stat_of(pid, thread)[:1] not in ([], ["T"]) for thread in threads(pid)):
        assert time.monotonic() < end, "process %d does not stop" % pid


def client_memfds(pid):
    """Counts the lines of a process's memory map that belong to memfds of the tests."""
    return sum("memfd:attack" in line for line in read_proc(pid, "maps").splitlines())


def end_with_parent():
    ctypes.CDLL(None).prctl(1, 9)


# Only root may read the descriptors and maps of a process that has closed its sandbox.
VISIBLE = () if os.geteuid() == 0 else ("--sandbox", "0")


class NotStarted(Exception):
    """The daemon ended during its start; `code` is its exit code."""

    def __init__(self, code, line, log):
        super().__init__("the daemon did not start: %s\n%s" % (line, log))
        self.code = code


class Daemon:
    """A gpufilterd on the CPU that logs into a file. stop() fails if the log has a sanitizer's report."""

    def __init__(self, *args, nofile=None, mode=0o700, segment="1M", env=None, closed=(), log=None):
        self.dir = tempfile.mkdtemp(prefix="gf-attack-")
        os.chmod(self.dir, mode)
        self.socket = os.path.join(self.dir, "d.sock")
        self.log_path = log or os.path.join(self.dir, "log")
        ready, told = os.pipe()

        def prepare():
            end_with_parent()
            if nofile:
                resource.setrlimit(resource.RLIMIT_NOFILE, (nofile, nofile))
            for fd in closed:
                os.close(fd)

        env = {**{k: v for k, v in os.environ.items() if not k.startswith(("GPUFILTER_", "LISTEN_", "NOTIFY_"))},
               **(env or {})}
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [os.environ["GF_DAEMON"], "--worker", os.environ["GF_WORKER"], "--socket", self.socket, "--devices",
                 "cpu", "--ready-fd", str(told), "--staging-segment", segment, *VISIBLE, *args],
                pass_fds=[told], stderr=log, stdout=log, preexec_fn=prepare, env=env)
        os.close(told)
        with os.fdopen(ready) as f:
            line = f.readline().strip()
        if line != "READY":
            self.process.wait(WAIT)
            raise NotStarted(self.process.returncode, line, self.log())
        self.pid = self.process.pid

    def log(self):
        if not os.path.isfile(self.log_path):
            return ""
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def worker(self):
        """The pid of the CPU worker. None while a dead worker has not been replaced."""
        return next((pid for pid in children(self.pid) if "--front" in cmdline(pid)), None)

    def conn(self, **options):
        return Conn(self.socket, **options)

    def stop(self):
        self.process.terminate()
        code = self.process.wait(WAIT)
        log = self.log()
        shutil.rmtree(self.dir)
        for word in ("AddressSanitizer", "LeakSanitizer", "runtime error:", "Assertion"):
            if word in log:
                raise AssertionError("the daemon's log:\n" + log)
        if code != 0:
            raise AssertionError("the daemon ended with %d:\n%s" % (code, log))


class Case(unittest.TestCase):
    """One daemon for a class of attacks, a bystander on another connection, and a check for leaks."""

    ARGS = ()
    OPTIONS = {}
    BEFORE = b""  # bytes that begin the bystander's connection

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(*cls.ARGS, **cls.OPTIONS)
        cls.addClassCleanup(cls.daemon.stop)
        cls.healthy = cls.daemon.conn(before=cls.BEFORE)
        cls.addClassCleanup(cls.healthy.close)
        cls.bystander()
        cls.worker = cls.daemon.worker()
        cls.fds = fds_of(cls.daemon.pid)

    @classmethod
    def bystander(cls):
        """Sends one correct request of the bystander and checks its answer."""
        h = cls.healthy
        h.next += 1
        got = h.ask(cross(h.next))
        assert got is not None and got.kind == RESULT and got.id == h.next and got.payload == CROSS, got

    def until(self, condition, what):
        """Sends the bystander's requests until the condition holds."""
        end = time.monotonic() + WAIT
        while not condition():
            self.bystander()
            self.assertLess(time.monotonic(), end, what() if callable(what) else what)

    def check_baseline(self):
        """Checks that the processes and their numbers of descriptors are as before and no memory of a client is
        mapped."""
        d = self.daemon
        self.bystander()
        self.assertIsNone(d.process.poll(), "the daemon ended")
        self.until(lambda: fds_of(d.pid) == self.fds,
                   lambda: "%d descriptors, not %d: %s" % (fds_of(d.pid), self.fds, fd_names(d.pid)))
        worker = d.worker()
        self.assertEqual(worker, self.worker, "the worker did not live")
        self.until(lambda: client_memfds(worker) == 0, "arenas are still mapped by the worker")
        self.assertEqual(client_memfds(d.pid), 0)
        self.assertFalse([name for name in fd_names(worker) if "memfd:attack" in name])

    def tearDown(self):
        self.check_baseline()

    def expect_broken(self, conn, *statuses):
        """Checks that one ERROR with id 0 follows, then the end of the stream."""
        found = conn.rest()
        self.assertTrue(found, "no ERROR before the end")
        last = found[-1]
        self.assertEqual((last.kind, last.id), (ERROR, 0), found)
        self.assertIn(last.status, statuses, last)
        self.assertTrue(last.text)
        self.assertFalse([f for f in found[:-1] if f.id == 0], found)
        return found

    def expect_refused(self, conn, number, *statuses):
        """Checks that the next answer is an ERROR for this id and that the connection stays open."""
        got = conn.recv()
        self.assertIsNotNone(got, "closed instead of refused")
        self.assertEqual((got.kind, got.id), (ERROR, number), got)
        self.assertIn(got.status, statuses, got)
        self.assertTrue(got.text)
        self.assertTrue(conn.ping(), "the connection did not live on")
        return got
